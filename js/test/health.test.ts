import assert from "node:assert/strict";
import { test } from "node:test";
import { flowOf } from "../src/health.ts";
import { firstNonfinite } from "../src/nonfinite.ts";
import { mountPlayer } from "../src/player.ts";
import { makeRecording } from "../src/recording.ts";
import { readTrace, type Trace } from "../src/trace.ts";
import { fixture, lesson, newPage } from "./page.ts";

/** Small programs, and what Python says of the first NaN or infinity in each: a sentence and an event. */
type Said = { [name: string]: { said: [string, number | null] | null; trace: Trace; flow?: unknown } };
const SAID = fixture("nonfinite.json") as unknown as Said;

/** The lesson with one gradient made NaN. */
function withNan(): Trace {
  const trace = structuredClone(lesson());
  const event = trace.events.find(({ kind, focus }) => kind === "RuleApplied" && focus.includes("n1"));
  if (event?.kind === "RuleApplied") event.contribution = { ...event.contribution, text: "nan" };
  return trace;
}

test("the flow of the lesson: e = a*b + c*log(d)", () => {
  const flows = flowOf(makeRecording(readTrace(lesson())), 0);
  const squares = flows.map(({ name, came, sent, leaves }) => [
    name.split(" ")[0],
    ...[came, sent, leaves].map((one) => one?.toPrecision(4)),
  ]);
  assert.deepEqual(squares, [
    ["AddBackward0", "1.000", "2.000", undefined],
    ["MulBackward0", "1.000", "25.00", "5.302"], // 5² to t = log(d), 2.3026² to c
    ["LogBackward0", "25.00", undefined, "0.2500"],
    ["MulBackward0", "1.000", undefined, "13.00"], // 3² + 2²
  ]);
});

test("what a layer sends to its weight, through its transpose, is not sent on", () => {
  const trace = structuredClone(SAID.layers?.trace) as Trace;
  const flows = flowOf(makeRecording(readTrace(trace)), 0);
  const texts = flows.map(({ name, sent, leaves }) => [
    name.split(" ")[0],
    ...[sent, leaves].map((one) => (one ? Math.sqrt(one).toPrecision(3) : null)),
  ]);
  assert.deepEqual(texts, SAID.layers?.flow);
});

test("the flow of a recording is that of the pass that is shown", () => {
  const recording = makeRecording(readTrace(fixture("training.json")));
  const firsts = recording.trace.passes?.map(({ first }) => first) ?? [];
  const [one, other] = [flowOf(recording, 0), flowOf(recording, firsts.at(-1) ?? 0)];
  assert.ok(one.length && one[0]?.came === 1 && other[0]?.came === 1);
  assert.notDeepEqual(
    one.map(({ sent }) => sent),
    other.map(({ sent }) => sent),
  );
});

test("of a large array without statistics the norm is told", () => {
  const trace = structuredClone(lesson());
  const event = trace.events.find(({ kind, focus }) => kind === "RuleApplied" && focus.includes("n3"));
  if (event?.kind === "RuleApplied")
    event.contribution = { ...event.contribution, shape: [400], text: "(400,) float32", norm: "4.0" };
  const flow = flowOf(makeRecording(readTrace(trace)), 0).find(({ name }) => name.startsWith("Log"));
  assert.equal(flow?.leaves, 16);
});

test("an infinite gradient is no zero, and neither is NaN", () => {
  for (const [text, zeros] of [
    ["inf", 0],
    ["-inf", 0],
    ["nan", 0],
    ["0.0", 1],
    ["-0.0", 1],
    ["3.0", 0],
  ] as const) {
    const trace = structuredClone(lesson());
    const event = trace.events.find(({ kind, focus }) => kind === "RuleApplied" && focus.includes("n3"));
    if (event?.kind === "RuleApplied") event.contribution = { ...event.contribution, text };
    const flow = flowOf(makeRecording(readTrace(trace)), 0).find(({ name }) => name.startsWith("Log"));
    assert.equal(flow?.zeros, zeros, text);
  }
});

for (const [name, { said, trace }] of Object.entries(SAID))
  test(`of the first NaN the player says what Python says: ${name}`, () => {
    const found = firstNonfinite(makeRecording(readTrace(trace)));
    assert.deepEqual(found ? [found.said, found.step ?? null] : null, said);
  });

/** The paragraphs and rows of the health of a fixture's pass. */
function healthOf(name: string, step: number): [string[], string[][]] {
  const root = newPage().appendChild(document.createElement("div"));
  const trace = structuredClone(SAID[name]?.trace) as Trace;
  mountPlayer(root, trace, { step });
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  const texts = (found: ParentNode | undefined | null, of: string) =>
    [...(found?.querySelectorAll(of) ?? [])].map((one) => one.textContent ?? "");
  const view = root.querySelector(".gl-health");
  return [texts(view, "p"), [...(view?.querySelectorAll("tr") ?? [])].map((row) => texts(row, "th, td"))];
}

test("opened at a healthy pass, health names the pass with the first NaN, and leads to it", () => {
  const [said] = healthOf("third_pass", 0);
  assert.match(said[0] ?? "", /^Pass 3: LogBackward0 computed -inf from finite numbers, .*Go to its step$/);
});

test("the health of a pass that failed begins with the failure, and calls nothing 0 that did not run", () => {
  const trace = SAID.failed?.trace as Trace;
  const [said, rows] = healthOf("failed", trace.events.length - 1);
  assert.match(said[0] ?? "", /^The pass failed at SigmoidBackward0: one of the variables needed/);
  assert.match(said[0] ?? "", /sigmoid was changed in place after it was saved, line \d+: net\(x\)/);
  const [sigmoid] = rows.filter((row) => /Sigmoid/.test(row[0] ?? ""));
  assert.deepEqual(sigmoid?.slice(2, 7), ["", "", "", "did not finish", ""]);
  assert.ok(rows.every((row) => !row.includes("all 0")));
  const [fine] = healthOf("failed", 0);
  assert.ok(!/failed/.test(fine[0] ?? ""));
});

test("parameters that no optimizer steps are named", () => {
  const root = newPage().appendChild(document.createElement("div"));
  mountPlayer(root, structuredClone(SAID.one_part_stepped?.trace) as Trace, {});
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  const items = [...root.querySelectorAll(".gl-health p")].map((item) => item.textContent).slice(1);
  assert.deepEqual(items, ["body.weight, body.bias get a gradient, but no optimizer steps them"]);
});

test("h shows the health of the pass, and its buttons lead to a step", () => {
  const root = newPage().appendChild(document.createElement("div"));
  let step = 0;
  mountPlayer(root, withNan(), {
    onChange: (name, value) => {
      if (name === "step") step = Number(value);
    },
  });
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  const dialog = root.querySelector(".gl-health");
  assert.match(dialog?.textContent ?? "", /^MulBackward0 .*sent nan/);
  assert.equal(dialog?.querySelectorAll("tr").length, 5);
  dialog?.querySelector("button")?.click();
  assert.ok(step > 0);
  assert.equal(root.querySelector("dialog[open]"), null);
});

test("only a gradient of zeros alone has 100% of them", () => {
  for (const [zeros, said] of [
    [9_999, ">99%"],
    [10_000, "100%"],
    [1, "<1%"],
    [5_000, "50%"],
  ] as const) {
    const trace = structuredClone(lesson());
    const statistics = { low: "0", high: "1", mean: "0", std: "0", zeros };
    for (const event of trace.events)
      if (event.kind === "RuleApplied" && event.focus.includes("n3"))
        event.contribution = { ...event.contribution, shape: [10_000], statistics };
    const root = newPage().appendChild(document.createElement("div"));
    mountPlayer(root, trace, {});
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
    const rows = [...root.querySelectorAll(".gl-health tr")].map((row) => row.textContent ?? "");
    assert.ok(rows.find((row) => row.startsWith("Log"))?.includes(said), said);
  }
});

test("a node that sent no gradient is told apart from one that sent zeros", () => {
  const trace = structuredClone(lesson());
  for (const event of trace.events)
    if (event.kind === "RuleApplied" && event.focus.includes("n3"))
      event.contribution = { ...event.contribution, text: "0.0" };
  const said = (shown: Trace) => {
    const root = newPage().appendChild(document.createElement("div"));
    mountPlayer(root, shown, {});
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
    const rows = [...root.querySelectorAll(".gl-health tr")].map((row) => row.textContent ?? "");
    return rows.find((row) => row.startsWith("LogBackward0")) ?? "";
  };
  assert.match(said(trace), /all 0/);
  const events = trace.events.filter(({ kind, focus }) => kind !== "RuleApplied" || !focus.includes("n3"));
  assert.match(said({ ...trace, events }), /sent None/);
});

test("the health view tells of dead units and of parameters without a gradient", () => {
  const trace = structuredClone(lesson());
  const node = trace.graph.nodes.find(({ id }) => id === "n1");
  if (node) Object.assign(node, { units: 8, silent: 2, blocked: 3 });
  const source = { label: "In [1]", line: 4, text: "h = h.detach()" };
  const lost = { names: "net.<b>0", said: "gets no gradient: cut off by detach()", source };
  trace.causes = [lost, { names: "net.1, net.2", said: "get no gradient: unused" }];
  const root = newPage().appendChild(document.createElement("div"));
  mountPlayer(root, trace, {});
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  const items = [...root.querySelectorAll(".gl-health p")].map((item) => item.textContent).slice(1);
  assert.equal(items[0], "net.<b>0 gets no gradient: cut off by detach(), line 4: h = h.detach()");
  assert.equal(items[1], "net.1, net.2 get no gradient: unused");
  const rows = [...root.querySelectorAll(".gl-health tr")].map((row) => row.textContent ?? "");
  assert.equal(rows.filter((row) => row.includes("3 of 8")).length, 1);
  assert.match(rows[0] ?? "", /zerosdeadsaved/);
});
