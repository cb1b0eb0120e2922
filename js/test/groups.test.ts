import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "../src/dom.ts";
import { Lookup } from "../src/lookup.ts";
import { SceneView } from "../src/sceneview.ts";
import { makeSvgLayers } from "../src/svglayers.ts";
import { Timeline } from "../src/timeline.ts";
import type { Event as Recorded, Scene, Trace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { lesson, newPage } from "./page.ts";

test("a step touches only the groups that it changes", () => {
  newPage();
  const trace = lesson();
  const timeline = new Timeline(trace);
  const lookup = new Lookup(trace);
  const scene = trace.scenes[0];
  assert.ok(scene);
  const view = new SceneView(scene, { lookup, title: "", pass: 0 });
  document.body.append(view.element);
  const show = (k: number) =>
    view.update(
      {
        state: timeline.stateAt(k),
        event: timeline.events[k] as Recorded,
        focus: timeline.focus(k),
        settled: k,
        lookup,
        was: undefined,
      },
      false,
    );
  show(13); // the rule of n1
  const touched = new Set<string>();
  for (const piece of view.element.querySelectorAll(".gl-g")) {
    const toggle = piece.classList.toggle.bind(piece.classList);
    piece.classList.toggle = (...what) => {
      touched.add(piece.getAttribute("data-id") ?? "");
      return toggle(...what);
    };
  }
  show(14); // what it brought to the other factor
  assert.ok(touched.size > 0);
  assert.ok(touched.size < 6, [...touched].join());
  touched.clear();
  show(14);
  assert.equal(touched.size, 0);
});

test("a drawing has several layers, one over another, in the order of drawing", () => {
  newPage();
  const layers = makeSvgLayers(300, 200, "img", "The graph of y");
  const pieces = Array.from({ length: 50 }, (_, at) => svg("g", { "data-at": at }));
  for (const piece of pieces) layers.append(piece);
  assert.deepEqual([...layers.element.querySelectorAll("g")], pieces);
  const boxes = [...layers.element.children].map((layer) => layer.getAttribute("viewBox"));
  assert.deepEqual(boxes, Array(3).fill("0 0 300 200"));
  assert.equal(layers.element.getAttribute("aria-label"), "The graph of y");
});

test("the text of an empty slot is never marked as a long number", () => {
  const hands = new Hands();
  const place = () => hands.find('[data-id="t0"] .gl-grad').getAttribute("class");
  const first = place();
  hands.press("End");
  assert.notEqual(place(), first);
  hands.press("Home");
  assert.equal(place(), first);
});

test("a click on a chip goes to the step of the node on which it lies", () => {
  const hands = new Hands();
  hands.find('[data-id="s:n1.other"]').dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.match(hands.text(".gl-narration"), /^MulBackward0 /);
});

test("a trace that turns out to be damaged on the way is refused with a sentence, and keys do nothing", (context) => {
  const told = context.mock.method(console, "error", () => {});
  const trace = JSON.parse(JSON.stringify(lesson())) as Trace;
  for (const node of trace.graph.nodes) if (node.id === "n3") Object.assign(node, { outputs: "t5" });
  const hands = new Hands({}, trace);
  for (let k = 0; k < 14; k += 1) hands.press("ArrowRight");
  assert.match(hands.text("[role=alert]"), /damaged/);
  assert.equal(hands.root.querySelector(".gl-foot"), null);
  assert.equal(told.mock.callCount(), 1);
});

test("the same happens when Python moves there", (context) => {
  context.mock.method(console, "error", () => {});
  const trace = JSON.parse(JSON.stringify(lesson())) as Trace;
  for (const node of trace.graph.nodes) if (node.id === "n3") Object.assign(node, { outputs: "t5" });
  const hands = new Hands({}, trace);
  for (let k = 0; k < trace.events.length; k += 1) hands.player.setStep(k);
  assert.match(hands.text("[role=alert]"), /damaged/);
});

test("a drawing without steps says how many things are drawn, and what is connected with what", () => {
  const about = (trace: Trace) => {
    const picture = new Hands({}, trace).find(".gl-picture");
    return [picture.getAttribute("aria-label"), picture.getAttribute("aria-description")];
  };
  const name = "The graph of e: 8 tensors, 4 nodes";
  assert.deepEqual(about(lesson()), [name, null]); // whose parts can be reached one by one
  const { events, ...still } = structuredClone(lesson());
  assert.ok(events.length);
  const [title, description] = about({ ...still, events: [] });
  assert.equal(title, name);
  assert.equal(
    description,
    "MulBackward0 makes u from a and b. LogBackward0 makes t from d. " +
      "MulBackward0 makes v from t and c. AddBackward0 makes e from u and v.",
  );
});

test("an option that a node keeps is not drawn as freed", () => {
  const trace = lesson();
  const node = trace.graph.nodes.find(({ id }) => id === "n1");
  const saved = node?.saved?.find(({ name }) => name === "other");
  assert.ok(saved);
  const last = trace.events.length - 1;
  const freed = () => {
    const hands = new Hands({ step: last }, structuredClone(trace));
    return hands.find('[data-id="s:n1.other"]').classList.contains("gl-freed");
  };
  assert.ok(freed());
  Object.assign(saved, { value: null, text: "2", nbytes: 0 }); // a number, such as an exponent
  assert.ok(!freed());
});

test("the value of a card without a name stays inside of it where labels are large", () => {
  newPage();
  const trace = lesson();
  const [first] = trace.graph.tensors;
  assert.ok(first);
  const shown = (x: number): string => {
    const marks: Scene["groups"][number]["marks"] = [
      { m: "rect", c: "card", x, y: 0, w: 160, h: 30 },
      { m: "text", c: "value", x: x + 152, y: 17, t: "[0.9274, 1.058, 1.213]", a: "end" },
    ];
    const groups: Scene["groups"] = [{ id: first.id, kind: "tensor", title: "", marks }];
    const scene: Scene = { view: "both", width: 900, height: 100, groups };
    const view = new SceneView(scene, { lookup: new Lookup(trace), title: "", pass: 0 });
    const timeline = new Timeline(trace);
    const [state, event, lookup] = [timeline.stateAt(0), timeline.events[0] as Recorded, new Lookup(trace)];
    view.update({ state, event, focus: new Set<string>(), settled: 0, lookup, was: undefined }, false);
    view.enlarge(1.6);
    return view.element.querySelector(".gl-value")?.textContent ?? "";
  };
  assert.ok(shown(0).length < 22, shown(0));
  assert.equal(shown(600), shown(0));
});

test("a node that can be chosen is called with its number, as in the queue", () => {
  const hands = new Hands({}, lesson());
  const titles = [...hands.root.querySelectorAll(".gl-ops > title")].map((one) => one.textContent ?? "");
  const called = titles.map((title) => title.split(":")[0]);
  assert.ok(called.length > 2);
  assert.equal(new Set(called).size, called.length);
  for (const name of called) assert.match(name ?? "", /^\w+Backward0 · \d+$/);
});
