import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event, Trace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { lesson, training } from "./page.ts";

const chips = (hands: Hands, selector: string) =>
  [...hands.root.querySelectorAll(`.gl-queue ${selector}`)].map((chip) => chip.textContent);

test("the queue shows the current node, the ready nodes, and how many gradients the others wait for", () => {
  const hands = new Hands({ step: 13, granularity: "micro" });
  assert.deepEqual(chips(hands, ".gl-now"), ["MulBackward0 · 3"]);
  assert.deepEqual(chips(hands, "li:not([class])"), ["MulBackward0 · 1"]);
  assert.deepEqual(chips(hands, ".gl-waits"), [
    "LogBackward0 · 2 waits for 1",
    "AccumulateGrad · c waits for 1",
  ]);
  assert.match(hands.text(".gl-why"), /^Why now: The only user of v is done/);
});

test("a saved tensor is shown with its shape, its version and whether it is held", () => {
  const hands = new Hands({ step: 13 });
  const rows = () => [...hands.root.querySelectorAll(".gl-p-now tr")].map((row) => row.textContent);
  assert.deepEqual(rows().slice(1, 3), [
    "selft = 2.3026(1,) · v0 · 4\u00a0B held",
    "otherc = 5.0(1,) · v0 · 4\u00a0B held",
  ]);
  hands.player.setStep(22);
  assert.match(rows()[1] ?? "", /4\u00a0B freed$/);
});

test("a number keeps its exponent in its line, and a name from right to left keeps what follows it", () => {
  const trace = lesson();
  const nodes = trace.graph.nodes.map((node) => ({
    ...node,
    saved: node.saved?.map((one) => ({ ...one, value: one.value && { ...one.value, text: "-1.2e-25" } })),
  }));
  const events = trace.events.map((event) =>
    event.kind === "RuleApplied" ? { ...event, equation: { ...event.equation, note: "∂v/∂وزن = 1" } } : event,
  );
  const hands = new Hands({ step: 13 }, { ...trace, graph: { ...trace.graph, nodes }, events } as Trace);
  const whole = [...hands.root.querySelectorAll(".gl-p-now .gl-whole")].map((one) => one.textContent);
  assert.deepEqual(whole, ["-1.2e-25", "-1.2e-25"]);
  assert.equal(hands.text(".gl-note"), "∂v/∂وزن\u200e = 1");
});

test("in the Gradients card a number keeps its exponent in its line, too", () => {
  const text = JSON.stringify(lesson()).replaceAll('"2.3026"', '"[nan, 1e-30]"');
  const hands = new Hands({}, JSON.parse(text));
  hands.press("End");
  const whole = [...hands.root.querySelectorAll(".gl-grads .gl-whole")].map((one) => one.textContent);
  assert.deepEqual([...new Set(whole)], ["1e-30"]);
});

test("a saved tensor that was changed in place since shows both versions", () => {
  const trace = lesson();
  const events = trace.events.map((event, k) =>
    k === 2
      ? {
          ...event,
          patch: { ...event.patch, versions: { t5: 1 }, values: { t5: trace.graph.tensors[0]?.value } },
        }
      : event,
  );
  const hands = new Hands({ step: 13 }, { ...trace, events } as Trace);
  assert.match(hands.text(".gl-p-now tr:nth-child(3) .gl-about"), /v0, now v1/);
  assert.equal(hands.text(".gl-p-now tr:nth-child(3) .gl-bad"), "v0, now v1");
  assert.match(hands.text(".gl-p-now tr:nth-child(3)"), /c = 2\.0/); // what is there by now
});

test("a node shows the inputs that it did not save, and its output", () => {
  const hands = new Hands({ step: 2 });
  const rows = [...hands.root.querySelectorAll(".gl-p-now th")].map((cell) => cell.textContent);
  assert.deepEqual(rows, ["gradient in", "input 0", "input 1", "output"]);
  assert.match(hands.text(".gl-p-now tr:last-child"), /^outpute = 17\.513/);
});

test("the gradient of an inner tensor is in a buffer until its node is done, and then passed on", () => {
  const hands = new Hands({ step: 13 });
  assert.match(hands.text('tr[data-tensor="t4"] th'), /retain_grad$/);
  assert.match(hands.text('tr[data-tensor="t2"] th'), /in a buffer$/);
  hands.press("End");
  assert.match(hands.text('tr[data-tensor="t2"] th'), /passed on$/);
});

test("the shapes stand under the symbols of a rule", () => {
  const hands = new Hands({ step: 13 });
  assert.deepEqual(
    [...hands.root.querySelectorAll(".gl-symbols rt")].map((shape) => shape.textContent),
    ["(1,)", "(1,)", "(1,)"],
  );
});

test("no shape stands under a derivative that the rule does not multiply by, nor under several gradients", () => {
  const trace = lesson();
  const shapes = (upstream: object) => {
    const events = trace.events.map((event) => {
      if (event.kind !== "RuleApplied") return event;
      const equation = { ...event.equation, numbers: ["1.0", " → ", "(3,)"] };
      return { ...event, equation, upstream: { ...event.upstream, ...upstream } };
    });
    const hands = new Hands({ step: 13 }, { ...trace, events } as Trace);
    return [...hands.root.querySelectorAll(".gl-symbols rt")].map((shape) => shape.textContent);
  };
  assert.deepEqual(shapes({ shape: [3, 1] }), ["(1,)", "(3,\u00a01)"]);
  assert.deepEqual(shapes({ shape: [], dtype: "tuple" }), ["(1,)"]);
});

test("for a tensor that is used twice, the card shows the growing sum over its paths", () => {
  const trace = lesson();
  // As if u had been used twice: v's gradient goes to u as well.
  const text = JSON.stringify(trace.events[6]).replaceAll('"t6"', '"t2"');
  assert.ok(trace.graph.edges.some((edge) => edge.id === "n0.1"));
  const edges = trace.graph.edges.map((edge) => (edge.id === "n0.1" ? { ...edge, tensor: "t2" } : edge));
  const events = trace.events.map((event, k) => {
    if (k === 6) {
      const event = JSON.parse(text);
      return { ...event, tensor: "t2", equation: { ...event.equation, note: "∂e/∂u = 1" } };
    }
    return k === 7 ? { ...event, tensor: "t2" } : event;
  });
  const hands = new Hands({ step: 6 }, { ...trace, graph: { ...trace.graph, edges }, events });
  assert.equal(hands.text(".gl-p-equation .gl-note"), "u sums 1.0 + 1.0 = 1.0 · 2 of 2 paths");
  assert.equal(hands.text(".gl-p-equation .gl-rule"), "∂e/∂u = 1");
});

test("the step that applies a rule says whether the rule is proved", () => {
  const trace = lesson();
  const nodes = trace.graph.nodes.map((node) => ({ ...node, proof: "✓ rule proved" }));
  const hands = new Hands({ step: 6 }, { ...trace, graph: { ...trace.graph, nodes } });
  assert.equal(hands.text(".gl-p-equation .gl-rule"), "✓ rule proved");
  hands.player.setStep(0); // the seed: no rule yet
  assert.equal(hands.text(".gl-p-equation .gl-rule"), "");
});

test("the gradient of an array is shown by its shape, without a sign", () => {
  const trace = lesson();
  const events = JSON.parse(
    JSON.stringify(trace.events).replaceAll(
      '"shape":[1],"dtype":"float32","text":"1.0"',
      '"shape":[8,1],"dtype":"float32","text":"(8, 1) float32"',
    ),
  );
  const hands = new Hands({ step: 5 }, { ...trace, events });
  const cells = [...hands.root.querySelectorAll(".gl-grads td")].map((cell) => cell.textContent);
  assert.ok(cells.includes("(8,\u00a01)"), cells.join(" | "));
  assert.ok(cells.every((text) => !text?.includes("float32") && !text?.includes("+(8,\u00a01)")));
});

test("a hook that raised is named together with its node", () => {
  const trace = lesson();
  const failed = {
    ...trace.events[15],
    kind: "Failed",
    level: "story",
    node: "n3",
    name: "LogBackward0",
    hook: "spoil",
    on: "t",
    message: "ZeroDivisionError",
    patch: { current: "n3", status: { n1: "done", n3: "failed" }, queue: ["n5"] },
  };
  const events = [...trace.events.slice(0, 15), failed];
  const hands = new Hands({ step: 15 }, { ...trace, events } as Trace);
  assert.equal(hands.text(".gl-symbols"), "hook spoil on t, at LogBackward0 failed");
  assert.match(hands.text(".gl-p-now"), /LogBackward0 · 2/);
  assert.deepEqual(chips(hands, ".gl-now"), ["LogBackward0 · 2"]);
});

const equation = (hands: Hands) =>
  ["symbols", "numbers", "note"].map((part) => hands.text(`.gl-p-equation .gl-${part}`));

test("the equation names the saved tensor that a node uses", () => {
  const hands = new Hands({ step: 12, granularity: "micro" });
  assert.match(hands.text(".gl-narration"), /reads what it saved/);
  assert.deepEqual(equation(hands), [
    "MulBackward0 needs c",
    "5.0",
    "saved as other in the forward pass, for the rule that runs next",
  ]);
});

test("the equation counts the bytes that are freed", () => {
  const hands = new Hands({ step: 22, granularity: "micro" });
  assert.match(hands.text(".gl-narration"), /frees its saved tensors/);
  assert.equal(equation(hands)[1], "8\u00a0B freed · 12\u00a0B still held");
});

test("the equation says which parameters an optimizer's step leaves as they are", () => {
  const trace = lesson();
  const value = { shape: [20, 12], dtype: "float32", text: "(20, 12) float32", entries: "0.0" };
  const changes = [
    { tensor: "t0", name: "a", before: value, after: value, version: 1, unchanged: "gradient" },
  ];
  const events = trace.events.map((event) =>
    event.kind === "RuleApplied" ? { ...event, kind: "OptimizerStepped", optimizer: "SGD", changes } : event,
  );
  const hands = new Hands({ step: 13 }, { ...trace, events } as unknown as Trace);
  assert.match(equation(hands)[1] ?? "", /^a\s+unchanged$/);
});

test("a hook's step shows the entries of the gradient before it and after it", () => {
  const trace = lesson();
  const value = (entries: string) => ({ shape: [2, 2], dtype: "float32", text: "(2, 2) float32", entries });
  const events = trace.events.map((event) =>
    event.kind === "RuleApplied"
      ? { ...event, kind: "HookRan", name: "h", before: value("1.0 2.0 3.0 4.0"), after: null }
      : event,
  );
  const shown = (after: unknown) => {
    const changed = events.map((event) => (event.kind === "HookRan" ? { ...event, after } : event));
    const hands = new Hands({ step: 13 }, { ...trace, events: changed } as unknown as Trace);
    const figures = [...hands.root.querySelectorAll(".gl-p-equation .gl-figures figure")];
    return [
      ...figures.map((one) =>
        [one, ...one.querySelectorAll("i, td")].slice(1).map((part) => part.textContent),
      ),
      (hands.root.querySelector(".gl-numbers") as HTMLElement).hidden,
    ];
  };
  assert.deepEqual(shown(value("2.0 4.0 6.0 -8.0")), [
    ["before", "1.0", "2.0", "3.0", "4.0"],
    ["after", "2.0", "4.0", "6.0", "−8.0"],
    true,
  ]);
  assert.deepEqual(shown({ shape: [], dtype: "float32", text: "2.0" }).at(-1), false);
});

test("events of the queue leave the last equation as it was", () => {
  const hands = new Hands({ step: 2, granularity: "micro" });
  hands.press("ArrowRight"); // the gradient arrives
  const before = equation(hands);
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /every gradient that it waits for/);
  assert.deepEqual(equation(hands), before);
  assert.equal(hands.root.querySelector(".gl-faded"), null);
});

test("float32 is not written, and a shape that is added has no plus sign", () => {
  const trace = JSON.parse(
    JSON.stringify(lesson()).replaceAll('"text":"5.0"', '"text":"(8, 1) float32"'),
  ) as Trace;
  const hands = new Hands({ step: 13 }, trace);
  hands.press("ArrowRight");
  hands.press("t");
  assert.doesNotMatch(hands.root.textContent ?? "", /\(8,\s1\)\sfloat32/);
  assert.doesNotMatch(hands.root.textContent ?? "", /\+\(8/);
  assert.match(hands.text(".gl-p-gradients"), /\(8,\u00a01\)/);
});

test("after the pass a result that keeps no gradient says so, in its card and in the table", () => {
  const hands = new Hands();
  hands.press("End");
  const inner = [...hands.root.querySelectorAll(".gl-row-inner:not([hidden])")];
  const texts = inner.map((row) => row.querySelector("td:last-child")?.textContent ?? "");
  assert.ok(texts.includes("1.0, then dropped"), texts.join("; "));
  const dropped = hands.find(".gl-tensors.gl-dropped");
  assert.equal(dropped.querySelector(".gl-caption")?.textContent, "then dropped");
  assert.match(dropped.querySelector(".gl-hit")?.getAttribute("aria-label") ?? "", /grad 1\.0; then dropped/);
  assert.equal(hands.root.querySelector(".gl-leaf.gl-dropped"), null, "a leaf keeps its gradient");
  hands.press("ArrowLeft");
  assert.equal(hands.root.querySelector(".gl-dropped"), null);
});

test("when a leaf gets its gradient, its own node runs: it has the ring, the queue and the reason", () => {
  const recorded = training();
  const groups = recorded.graph.nodes.map(({ id }) => ({ id, kind: "op", title: id, marks: [] }));
  const scenes = [{ view: "backward", width: 100, height: 100, groups }];
  const passes = (recorded.passes ?? []).map((one) => ({ ...one, scenes }));
  const trace = { ...recorded, passes } as Trace;
  const step = trace.events.findIndex(({ kind }) => kind === "LeafWritten");
  const event = trace.events[step] as Event & { kind: "LeafWritten" };
  for (const granularity of ["story", "node", "micro"] as const) {
    const hands = new Hands({ step, granularity }, trace);
    const label = `AccumulateGrad · ${event.name}`;
    assert.deepEqual(chips(hands, ".gl-now"), [label]);
    assert.ok(!chips(hands, "li:not([class])").includes(label), "it is no longer ready");
    assert.equal(hands.text(".gl-p-now .gl-aside"), label);
    assert.equal(hands.text(".gl-why"), `Why now: ${event.why}`);
    assert.match(event.why ?? "", new RegExp(`^The only use of ${event.name} has sent its gradient`));
    const rings = [...hands.root.querySelectorAll('[data-status="current"]')];
    assert.deepEqual(
      rings.map((one) => one.getAttribute("data-id")),
      [event.node],
    );
    hands.press("ArrowLeft", { shiftKey: true }); // to the node that ran before
    assert.notDeepEqual(chips(hands, ".gl-now"), [label]);
    hands.press("ArrowRight", { shiftKey: true });
    assert.deepEqual(chips(hands, ".gl-now"), [label]);
  }
});

test("a pass that starts with given weights computes no derivative of its root", () => {
  const trace = lesson();
  const events = trace.events.map((event) =>
    event.kind === "Seeded" ? { ...event, value: { ...event.value, text: "2.0" } } : event,
  );
  const hands = new Hands({ step: 0 }, { ...trace, events } as Trace);
  assert.equal(hands.text(".gl-p-equation .gl-symbols"), "∂(g·e)/∂e");
  assert.match(hands.text(".gl-p-equation .gl-note"), /^the given weights g/);
  assert.equal(hands.text(".gl-p-gradients .gl-aside"), "∂(g·e)/∂ each");
});

test("a gradient that autograd.grad returned is told so, in its card and in the table", () => {
  const trace = lesson();
  const [leaf = "", other = ""] = trace.graph.tensors.flatMap(({ id, is_leaf }) => (is_leaf ? [id] : []));
  trace.events = trace.events.map((event): Event => {
    if (event.kind !== "LeafWritten") return event;
    const { tensor, name, caption, after: value } = event;
    const patch = { grads: { [tensor]: value }, returned: { [tensor]: true } };
    return { kind: "GradReturned", level: "story", tensor, name, caption, value, focus: [tensor], patch };
  });
  const hands = new Hands({}, trace);
  const shown = () => [
    hands.text(`[data-id="${leaf}"] .gl-grad`),
    hands.text(`tr[data-tensor="${leaf}"] td:last-child`),
  ];
  assert.deepEqual(shown(), ["not yet", "not yet"]);
  hands.press("End");
  const [card = "", cell = ""] = shown();
  assert.match(card, /^returne/); // this scene has room for a number
  assert.match(cell, /^returned -?\d/);
  assert.match(hands.text(`tr[data-tensor="${other}"] td:last-child`), /^returned -?\d/);
});

test("when the pass is over, nothing is not yet known", () => {
  const trace = lesson();
  trace.events = trace.events.filter(({ kind }) => kind !== "LeafWritten");
  const hands = new Hands({}, trace);
  hands.press("End");
  const texts = [...hands.root.querySelectorAll(".gl-grad, .gl-grads td:last-child")];
  assert.ok(texts.some(({ textContent }) => textContent === "None"));
  assert.ok(texts.every(({ textContent }) => textContent !== "not yet"));
});
