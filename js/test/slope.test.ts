// The Slope card: where a curve ends, kinks, level lines, a step of descent, and the real steps of a recording.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contour, levels } from "../src/contours.ts";
import { around, heights, oneSided, type Sample, sampled, undefinedWhere } from "../src/tangent.ts";
import { readTrace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { fixture, smallScene } from "./page.ts";

const of =
  (f: (x: number) => number): Sample =>
  (xs) =>
    xs.map(f);
const where = (f: (x: number) => number, window: readonly [number, number]) =>
  undefinedWhere(sampled(of(f), window).borders, "d", String);

test("the window around a number holds 0, and one around 0 holds 1", () => {
  const [low, high] = around(10);
  assert.ok(low < 0 && high > 20);
  assert.ok(around(0)[1] > 1);
  assert.ok(around(-3, 0.1)[1] < 0);
});

test("a curve ends exactly where its function is not defined, and the label says where", () => {
  const { points } = sampled(of(Math.log), [-5.3, 25]);
  const first = points.find(([, y]) => Number.isFinite(y));
  assert.ok(first && first[0] > 0 && first[0] < 1e-9, String(first));
  assert.equal(where(Math.log, [-5.3, 25]), "not defined for d ≤ 0");
  assert.equal(
    where((x) => Math.sqrt(1.5 - x), [-1, 4]),
    "not defined for d > 1.5",
  );
  assert.equal(
    where((x) => 1 / x, [-1, 1]),
    "not defined at d = 0",
  );
  assert.equal(
    where((x) => Math.sqrt(x * x - 1), [-2.1, 2]),
    "not defined here",
  );
  assert.equal(where(Math.exp, [-2, 2]), "");
});

test("where the graph would be another one, the label says so", () => {
  const { points, borders, problem } = sampled(
    (xs) =>
      Object.assign(of((x) => (Math.abs(x - 2) < 1e-9 ? 4 : Number.NaN))(xs), { problem: "It was read." }),
    [-0.4, 4.4],
  );
  assert.equal(undefinedWhere(borders, "x", String, problem), "another graph here");
  assert.deepEqual(heights(points, [4]), [0, 8]);
});

test("a kink has two slopes; a smooth curve has one, however it bends", () => {
  assert.deepEqual(oneSided(of(Math.abs), 0), { left: -1, right: 1, kink: true });
  assert.equal(
    oneSided(
      of((x) => Math.max(0, x - 2)),
      2,
    ).kink,
    true,
  );
  for (const f of [(x: number) => x * x, Math.exp, Math.cbrt, (x: number) => Math.abs(x) ** 1.5, () => 1e6])
    for (const x of [0, 0.5, -3, 1e-6, 2e4]) assert.equal(oneSided(of(f), x).kink, false);
  const steep = oneSided(
    of((x) => Math.sqrt(Math.abs(x))),
    0,
  );
  assert.deepEqual(steep, { left: -Infinity, right: Infinity, kink: true });
  assert.equal(oneSided(of(Math.cbrt), 0).left, Infinity);
  const edge = oneSided(of(Math.sqrt), 0);
  assert.ok(Number.isNaN(edge.left) && !edge.kink);
});

test("a pole does not flatten the rest of the curve", () => {
  const { points } = sampled(
    of((x) => 1 / x),
    [-1.01, 1],
  );
  const [low, high] = heights(points, [2]);
  assert.ok(low > -30 && high < 30 && high > 2, `${low} ${high}`);
});

test("a level line of a cone is a circle, and one through a saddle never crosses itself", () => {
  const span = Array.from({ length: 41 }, (_, k) => k - 20);
  const cone = span.map((y) => span.map((x) => Math.hypot(x, y)));
  const pieces = contour(cone, 10);
  assert.ok(pieces.length > 50);
  for (const [x, y] of pieces) assert.ok(Math.abs(Math.hypot(x - 20, y - 20) - 10) < 0.1);
  const saddle = contour(
    [
      [1, -1],
      [-1, 1.5],
    ],
    0,
  );
  // the middle is above: the two corners below are cut off
  assert.deepEqual(saddle, [
    [0.5, 0, 1, 0.4],
    [0.4, 1, 0, 0.5],
  ]);
  const holed = cone.map((row, j) => row.map((z, i) => (i < 20 && j < 20 ? Number.NaN : z)));
  assert.ok(contour(holed, 10).length < pieces.length);
  assert.equal(levels(cone, 12).length, 12);
  assert.deepEqual(levels([[1, 1]], 12), []);
});

const opened = (name: string, step?: number) => {
  const trace = readTrace(fixture(name));
  const hands = new Hands({ step: step ?? trace.events.length - 1 }, trace);
  hands.press("s");
  return hands;
};
const said = (hands: Hands) => hands.text(".gl-slope-said");

/** e = a * b + c * log(d), with its formulas. */
const lesson = () => {
  const trace = readTrace(fixture("slope.json"));
  return { ...trace, scenes: [smallScene(trace)] };
};
const sloped = (step?: number) => {
  const trace = lesson();
  const hands = new Hands({ step: step ?? trace.events.length - 1 }, trace);
  hands.press("s");
  const names = [...hands.root.querySelectorAll("[aria-label='Slope over'] option")];
  hands.choose("Slope over", String(names.findIndex(({ textContent }) => textContent === "d")));
  return hands;
};

test("the tangent is drawn once the walk has found its slope, and not before", () => {
  const early = sloped(0);
  assert.equal(said(early), "The gradient of d is not computed yet: walk on until it is.");
  assert.equal(early.find(".gl-tangent:not(.gl-sided)").getAttribute("d"), "");
  assert.equal(early.text(".gl-slope-svg svg text"), "not defined for d ≤ 0");
  const late = sloped();
  assert.equal(said(late), "At d = 10: slope 0.15, the gradient that the walk has found.");
  assert.match(late.find(".gl-tangent:not(.gl-sided)").getAttribute("d") ?? "", /^M.*L/);
  assert.equal(late.find(".gl-p-now").hidden, true);
  late.press("s");
  assert.equal(late.find(".gl-p-slope").hidden, true);
  assert.equal(late.find(".gl-p-now").hidden, false);
});

test("a damaged formula is told, and not that the gradient is not computed yet", () => {
  const trace = lesson();
  Object.assign(trace.replay?.formulas[1] ?? {}, { forward: { steps: [["mul", "x0"]], results: ["s0"] } });
  const hands = new Hands({ step: trace.events.length - 1 }, trace);
  hands.press("s");
  assert.match(said(hands), /^LogBackward0 cannot be computed at these values: [^.]*\.$/);
});

test("the card opens with the leaf that was edited last", () => {
  const trace = lesson();
  const hands = new Hands({ step: trace.events.length - 1, edits: { d: 4 } }, trace);
  hands.press("s");
  assert.match(said(hands), /^At d = 4: slope/);
});

test("a step of descent moves the leaf against its gradient, and the trail stays", async () => {
  const hands = sloped();
  const rate = hands.find(".gl-rate") as HTMLInputElement;
  rate.value = "20";
  hands.click("Step");
  assert.match(said(hands), /^At d = 7: slope 0\.214/);
  assert.match(hands.text(".gl-p-slope .gl-note"), /^Step 1: d 10 → 7; e −2\.55 → −3\.08\.$/);
  assert.match(hands.find(".gl-trail").getAttribute("d") ?? "", /^M.*L/);
  rate.value = "nothing";
  hands.click("Step");
  assert.equal(hands.text(".gl-p-slope .gl-note"), "The rate is a number above 0, such as 0.1.");
  assert.match(said(hands), /^At d = 7/);
  rate.value = "1000";
  hands.click("Step");
  assert.match(
    hands.text(".gl-p-slope .gl-note"),
    /^Step 2: d 7 → −207; e −3\.08 → nan: it is not defined there\.$/,
  );
});

test("before the gradient is found there is no step to take", () => {
  const hands = sloped(0);
  hands.click("Step");
  hands.click("Close in");
  assert.match(said(hands), /not computed yet/);
  assert.equal(hands.find(".gl-here:not(.gl-trail)").getAttribute("d"), "");
  assert.equal(hands.text(".gl-p-slope .gl-note"), "");
});

test("the arrow keys move the point, and a screen reader hears where it is", async () => {
  const hands = sloped();
  const picture = hands.find(".gl-slope-svg");
  assert.equal(picture.getAttribute("aria-valuetext"), "d = 10, e = −2.55");
  hands.press("ArrowRight", { target: picture });
  await new Promise((done) => requestAnimationFrame(done));
  assert.match(picture.getAttribute("aria-valuetext") ?? "", /^d = 10\.6, e = /);
});

test("of two entries there are level lines, and the arrow points against the gradient", () => {
  const hands = sloped();
  hands.choose("and over", "0");
  assert.equal(hands.root.querySelectorAll(".gl-slope-svg g path").length, 12);
  assert.equal(said(hands), "At d = 10, a = 2: steepest descent of e is (−0.15, 3), minus the gradient.");
  const arrow = [...hands.root.querySelectorAll(".gl-slope-svg .gl-tangent")].at(-1)?.getAttribute("d") ?? "";
  const [, dx, dy] = /l(\S+) (\S+?)M/.exec(arrow) ?? [];
  assert.ok(Number(dx) < 0 && Number(dy) < 0, arrow); // left, and upwards
});

test("another tensor can be chosen, whose slope the walk does not compute", () => {
  const hands = sloped();
  const logarithm = [
    ...hands.root.querySelectorAll<HTMLOptionElement>("[aria-label='Slope of'] option"),
  ].find(({ textContent }) => textContent?.includes("log"));
  hands.choose("Slope of", logarithm?.value ?? "");
  const name = lesson().graph.tensors.find(({ id }) => id === logarithm?.value)?.name;
  const slope = `At d = 10: ${name} has the slope 0.1, by differences. The walk computes the gradients of e.`;
  assert.equal(said(hands), slope);
  hands.click("Step");
  assert.equal(hands.text(".gl-p-slope .gl-note"), "");
  hands.choose("Slope of", lesson().graph.root);
  assert.equal(said(hands), "At d = 10: slope 0.15, the gradient that the walk has found.");
});

test("a recording shows its real steps, and the slope of a pass once that is computed", () => {
  const hands = opened("training.json", 0);
  assert.match(said(hands), /^Pass 1: w = 1, loss = 12\.3; the gradient is not computed yet\./);
  assert.equal(hands.find(".gl-slope-svg").getAttribute("role"), "img");
  const trace = readTrace(fixture("training.json"));
  hands.player.setStep(trace.events.findLastIndex(({ kind }) => kind === "LeafWritten"));
  assert.match(said(hands), /^Pass 3: .*; slope −1\.25, the gradient that the pass found\./);
});

test("without formulas and with one pass there is no slope to show, and the key says so", () => {
  const hands = new Hands();
  assert.equal(fixture("lesson.json").replay, undefined);
  assert.equal(hands.find('[aria-label^="Slope"]').hidden, true);
  hands.press("s");
  assert.equal(hands.find(".gl-p-slope").hidden, true);
  assert.equal(
    hands.text(".gl-toast"),
    "A slope needs a result that is one number, and formulas that can run again.",
  );
});
