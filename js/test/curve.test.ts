// The curve over the passes of a recording: its numbers are Python's, its path has gaps, a click goes to a pass.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linePath, type Point } from "../src/linepath.ts";
import { Lookup } from "../src/lookup.ts";
import { curvesOf, magnitude } from "../src/series.ts";
import { readTrace, type Trace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { fixture } from "./page.ts";

const training = () => readTrace(fixture("training.json"));
const firsts = () => (training().passes ?? []).map(({ first }) => first);
const value = (shape: number[], text: string, entries = "", kept: number[] = []) => {
  const about = { shape, dtype: "float32", text, entries, kept, nbytes: 4 };
  return { value: about, k: 0 };
};

/** A recording of `count` passes whose loss is `loss(k)`. */
function recorded(count: number, loss: (k: number) => string): Trace {
  const trace = training();
  const root = trace.graph.tensors[0] as Trace["graph"]["tensors"][number];
  const tensors = Array.from({ length: count }, (_, k) => ({
    ...root,
    id: `t${k}`,
    name: "loss",
    value: value([], loss(k)).value,
  }));
  const events = tensors.map(({ id }) => ({
    ...(trace.events[0] as Trace["events"][number]),
    roots: [id],
    waits: [],
    patch: {},
  })) as Trace["events"];
  const passes = tensors.map(({ id }, first) => ({ title: "loss", root: id, first, scenes: [] }));
  return { ...trace, graph: { ...trace.graph, tensors, nodes: [], edges: [] }, events, passes };
}

test("the numbers of every curve are those that Python reads", () => {
  const trace = training();
  const { series } = curvesOf(trace, new Lookup(trace));
  const curves = Object.fromEntries(
    [...series].map(([name, of]) => [name, of.map((one) => one && magnitude(one))]),
  );
  const expected = (fixture("training.json") as unknown as { curves: object }).curves;
  assert.deepEqual(curves, expected);
  assert.deepEqual([...series.keys()], Object.keys(expected));
});

test("of an array the norm is shown; inf and NaN stay what they are", () => {
  assert.equal(magnitude(value([2], "[3.0, 4.0]", "3.0 4.0")), 5);
  assert.equal(magnitude(value([1, 1], "-2.0")), -2);
  assert.equal(magnitude(value([], "-inf")), Number.NEGATIVE_INFINITY);
  assert.ok(Number.isNaN(magnitude(value([], "nan"))));
  const large = value([400], "(400,) float32", "1.0 1.0", [2]);
  assert.equal(magnitude({ ...large, value: { ...large.value, norm: "20.0" } }), 20);
  assert.ok(Number.isNaN(magnitude(value([400], "(400,) float32", "1.0 1.0", [2]))));
  assert.equal(magnitude(value([0], "(0,) float32")), 0);
});

test("a path has a gap where a point is not finite, and a dot where one stands alone", () => {
  assert.equal(
    linePath([
      [0, 1],
      [10, 2],
      [20, Number.NaN],
      [30, 3],
      [40, Number.POSITIVE_INFINITY],
      [50, 4],
      [60, 5],
    ]),
    "M0 1L10 2M30 3h0M50 4L60 5",
  );
  assert.equal(linePath([[5, 5]]), "M5 5h0");
  assert.equal(linePath([[5, Number.NaN]]), "");
});

test("a path of a million points has no more than the screen can show, and keeps every peak", () => {
  const points = Array.from(
    { length: 1e6 },
    (_, k): Point => [k / 5000, k % 9973 ? 40 : k === 9973 ? 3 : 70],
  );
  const path = linePath(points);
  assert.ok(path.split("L").length <= 4 * 201 + 1, String(path.split("L").length));
  assert.match(path, /L2 3L/); // the one point that is highest
});

test("one pass has no curve; several have one that begins with the loss", () => {
  assert.equal(new Hands().root.querySelector(".gl-curve"), null);
  const hands = new Hands({}, training());
  assert.equal(hands.text(".gl-curve-value"), "loss = 12.25");
  assert.deepEqual(
    [...hands.root.querySelectorAll(".gl-curve option")].map(({ textContent }) => textContent),
    ["loss", "w", "w.grad", "b", "b.grad"],
  );
});

test("the curve is that of a result with two passes; if there is none, as in a second derivative, there is no curve", () => {
  const shown = (...names: string[]) => {
    const trace = recorded(names.length, String);
    const tensors = trace.graph.tensors.map((tensor, k) => ({ ...tensor, name: names[k] as string }));
    const { root } = new Hands({}, { ...trace, graph: { ...trace.graph, tensors } });
    return root.querySelector<HTMLSelectElement>(".gl-curve select")?.value;
  };
  assert.equal(shown("f", "g"), undefined);
  assert.equal(shown("warm", "loss", "loss"), "loss");
});

test("a click goes to a pass, and so do the arrow keys once a person has tabbed to the curve", () => {
  const [, two, three] = firsts();
  const hands = new Hands({}, training());
  const picture = hands.find(".gl-curve-svg");
  picture.dispatchEvent(new MouseEvent("pointerdown", { clientX: 230, bubbles: true }));
  assert.equal(hands.last("step"), three);
  assert.equal(picture.getAttribute("aria-valuenow"), "3");
  hands.press("ArrowLeft", { target: picture });
  assert.equal(hands.last("step"), two);
  assert.equal(picture.getAttribute("aria-valuetext"), "pass 2 of 3: loss = -22.578");
  hands.press("Home", { target: picture });
  assert.equal(hands.last("step"), 0);
  hands.press("ArrowLeft", { target: picture });
  assert.equal(hands.last("step"), 0);
  hands.press("End", { target: picture });
  assert.equal(hands.last("step"), three);
});

test("the mark follows the steps, and another curve can be chosen", () => {
  const hands = new Hands({}, training());
  const mark = () => Number(hands.find(".gl-point").getAttribute("cx"));
  const before = mark();
  hands.press("n");
  assert.ok(mark() > before);
  hands.choose("Curve over the passes", "w.grad");
  assert.equal(hands.text(".gl-curve-value"), "w.grad = 10.625");
  assert.equal(hands.text(".gl-unseen caption"), "w.grad in 3 passes");
  const rows = [...hands.root.querySelectorAll(".gl-unseen tr")].map(({ textContent }) => textContent);
  assert.deepEqual(rows, ["pass 121.0", "pass 210.625", "pass 39.375"]);
});

test("in predict mode the curve ends where the player has been", () => {
  const hands = new Hands({}, training());
  hands.press("p");
  hands.choose("Curve over the passes", "w.grad");
  const rows = () => [...hands.root.querySelectorAll(".gl-unseen td")].map(({ textContent }) => textContent);
  assert.deepEqual(rows(), ["?", "?", "?"]);
  assert.equal(hands.find(".gl-stroke").getAttribute("d"), "");
  hands.press("n");
  assert.deepEqual(rows(), ["21.0", "?", "?"]);
  hands.press("p");
  assert.deepEqual(rows(), ["21.0", "10.625", "9.375"]);
});

test("a loss that is not a number leaves a gap, and a cross above it", () => {
  const hands = new Hands(
    {},
    recorded(5, (k) => (k === 2 ? "nan" : k === 3 ? "inf" : "1.0")),
  );
  const path = hands.find(".gl-stroke").getAttribute("d") ?? "";
  assert.equal(path.split("M").length, 3);
  assert.equal((hands.find(".gl-lost").getAttribute("d") ?? "").split("M").length, 3);
  hands.press("n");
  hands.press("n");
  assert.equal(hands.text(".gl-curve-value"), "loss = nan");
  assert.equal(hands.find(".gl-point").style.display, "none");
});

test("ten thousand passes cost a short path and a short table", () => {
  const hands = new Hands(
    {},
    recorded(10_000, (k) => String(1 / (k + 1))),
  );
  const path = hands.find(".gl-stroke").getAttribute("d") ?? "";
  assert.ok(path.length < 10_000, String(path.length));
  assert.equal(hands.root.querySelectorAll(".gl-unseen tr").length, 100);
  assert.equal(hands.text(".gl-unseen caption"), "loss in every 100th of 10000 passes");
});
