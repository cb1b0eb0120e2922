import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { mountDocument } from "../src/pair.ts";
import type { PlayerHandle, PlayerOptions } from "../src/player.ts";
import { lesson, newPage } from "./page.ts";

const WHY = "The second graph waits: it has no counterpart of mul (line 1).";

/** The lesson beside itself, as if the second graph had no counterpart of some events. */
function comparison(): { [part: string]: unknown } {
  const events = lesson().events;
  // a step of "node" that only the first graph has, and the finer events after it
  const alone = events.flatMap(({ level }, k) => (level === "node" ? [k] : []))[2] as number;
  return {
    format: "graphlab.comparison",
    version: 3,
    summary: "e beside e: 2 differences.",
    notice: "",
    names: ["e", "<b>e</b>"],
    traces: [lesson(), lesson()],
    rows: events.map((_, k) => (k === alone ? [k, null, 1] : [k, k, 0])),
    whys: ["", WHY],
    differences: [
      { sentence: "c is <i>3.0</i>", values: ["", ""], lines: ["line 1: c", ""], row: 0 },
      { sentence: "a differs", values: ["", ""], lines: ["", ""], row: 51 },
    ],
  };
}

let root: HTMLElement;
let pair: PlayerHandle;
let told: unknown[];

function mount(data: unknown = comparison(), options: PlayerOptions = {}): void {
  root = newPage().appendChild(document.createElement("div"));
  told = [];
  pair = mountDocument(root, data, { onChange: (name, value) => told.push([name, value]), ...options });
}

const all = (selector: string) => [...root.querySelectorAll<HTMLElement>(selector)];
const position = () => root.querySelector(".gl-pair > .gl-foot .gl-position")?.textContent;
const sides = () => all(".gl-one .gl-narration").map((one) => one.textContent);
const notes = () => all(".gl-pause").map((one) => one.textContent);
const press = (key: string, shiftKey = false, target: HTMLElement = root) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));

beforeEach(() => mount());
afterEach(() => {
  pair.destroy();
  mock.timers.reset();
});

test("both graphs stand beside each other, with one set of controls that steps both", () => {
  assert.equal(all(".gl-one").length, 2);
  assert.equal(position(), "step 1 of 14");
  press("ArrowRight");
  const [one, other] = sides();
  assert.equal(one, other);
  assert.match(one ?? "", /^AddBackward0 /);
  press("End");
  assert.equal(position(), "step 14 of 14");
  press("Home");
  assert.equal(position(), "step 1 of 14");
});

test("a graph without a counterpart waits, and says why", () => {
  press("ArrowRight", true); // to the next step at which the graphs part
  assert.deepEqual(notes(), ["", WHY]);
  assert.equal(all(".gl-halted").length, 1);
  const [one, other] = sides();
  assert.notEqual(one, other);
  press("ArrowRight");
  assert.deepEqual(notes(), ["", ""]);
  press("ArrowLeft", true);
  assert.deepEqual(notes(), ["", WHY]);
});

test("a key in one player steps both", () => {
  const inner = all(".gl-one .graphlab")[1] as HTMLElement;
  press("ArrowRight", false, inner);
  assert.equal(position(), "step 2 of 14");
  press("p", false, inner); // which one player alone would take
  assert.equal(all(".gl-one [aria-pressed=true]").filter((one) => one.textContent === "Predict").length, 0);
});

test("what a person chooses in one picture is shown in both", () => {
  const card = all(".gl-one")[1]?.querySelector('[data-id="t0"]');
  card?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const [one, other] = sides();
  assert.match(one ?? "", /^The gradient reaches the leaf a/);
  assert.equal(one, other);
  assert.equal(told.length, 1);
});

test("a row of the table goes to its step, and is marked there", () => {
  const rows = all(".gl-differences tbody tr");
  assert.equal(rows[0]?.getAttribute("aria-current"), "step");
  rows[1]?.querySelector("button")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.equal(position(), "step 14 of 14");
  assert.deepEqual(
    rows.map((row) => row.getAttribute("aria-current")),
    [null, "step"],
  );
  assert.deepEqual(told, [["step", 51]]);
});

test("text is never read as markup", () => {
  assert.equal(all(".gl-which b b, .gl-which i i, .gl-differences :is(i, b)").length, 0);
  assert.match(root.textContent ?? "", /c is <i>3\.0<\/i>/);
  assert.match(root.textContent ?? "", /<b>e<\/b>/);
});

test("finer steps are steps of both, and keep the place", () => {
  const list = all(".gl-pair > .gl-foot select")[1] as HTMLSelectElement;
  press("End");
  list.value = "micro";
  list.dispatchEvent(new Event("change"));
  assert.equal(position(), "step 52 of 52");
});

test("Space plays both to the end", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  press(" ");
  for (let beat = 0; beat < 20; beat += 1) mock.timers.tick(1400);
  assert.equal(position(), "step 14 of 14");
});

test("it opens at the row that it is given", () => {
  pair.destroy();
  mount(comparison(), { step: 51 });
  assert.equal(position(), "step 14 of 14");
  assert.equal(pair.last, 51);
});

test("a trace is shown by the player alone", () => {
  pair.destroy();
  mount(lesson());
  assert.equal(all(".gl-pair").length, 0);
  assert.equal(all(".gl-frame").length, 1);
});

for (const [what, change] of [
  ["no rows", { rows: undefined }],
  ["rows that are no lists", { rows: [1, 2] }],
  ["no traces", { traces: {} }],
  ["a trace of another kind", { traces: [{ events: [] }, 3] }],
  ["differences that are no objects", { differences: [null] }],
] as const) {
  test(`a damaged document says so: ${what}`, () => {
    pair.destroy();
    mount({ ...comparison(), ...change });
    assert.ok(all('[role="alert"]').length > 0);
  });
}

test("rows that lead nowhere are left out", () => {
  pair.destroy();
  mount({
    ...comparison(),
    rows: [
      [0, 0, 0],
      [999, -1, 0],
      ["x", null, 0],
      [1, null, 77],
    ],
  });
  assert.equal(pair.last, 1);
});
