import assert from "node:assert/strict";
import { test } from "node:test";
import { digits } from "../src/cards/heat.ts";
import { sumOf } from "../src/cards/product.ts";
import { makingOf, type Pair, type Place } from "../src/cards/terms.ts";
import type { RuleApplied, Trace, Value } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { fixture } from "./page.ts";

interface Made {
  trace: Trace;
  pairs: { [edge: string]: { word: string; entries: { [place: string]: [number[], number[]][] } } };
}
const MADE = fixture("products.json") as unknown as { [name: string]: Made };
const { layer, picture, large, biased } = MADE as { [name: string]: Made } & {
  [name in "layer" | "picture" | "large" | "biased"]: Made;
};

const rules = ({ trace }: Made) =>
  trace.events.filter((event): event is RuleApplied & typeof event => event.kind === "RuleApplied");

/** How the result of a rule is made, from what the trace holds. */
function making(made: Made, event: RuleApplied) {
  const { product } = event;
  assert.ok(product);
  const saved = made.trace.graph.nodes.find(({ id }) => id === event.node)?.saved ?? [];
  const of = (factor: typeof product.left) =>
    factor.value ?? (factor.saved ? saved.find(({ name }) => name === factor.saved)?.value : event.upstream);
  const found = makingOf(product, of(product.left) as Value, of(product.right) as Value, event.contribution);
  assert.ok(found);
  return { ...found, product };
}

test("the pairs of every entry are those that the rule itself multiplies", () => {
  let seen = 0;
  for (const [name, made] of Object.entries(MADE)) {
    for (const event of rules(made)) {
      const { entries = {} } = made.pairs[event.edge] ?? {};
      for (const [text, wanted] of Object.entries(entries)) {
        const at = text.split(", ").map(Number);
        const flat = event.product?.windows?.stride.length === 1;
        if (flat && at[0]) continue; // a sound's first channel is shown
        const { left, right, result, pairs } = making(made, event);
        const place = (at.length < 2 ? (result.cols > 1 ? [0, ...at] : [...at, 0]) : at) as [number, number];
        const stored = ([row, col]: Place, form: string | undefined, { value, rows }: typeof left) =>
          form === "transposed" ? [col, row] : value.shape.length > 1 ? [row, col] : [rows > 1 ? row : col];
        const found = pairs(place).pairs.map(([a, b]: Pair) => [
          value(stored(a, event.product?.left.form, left), left.value),
          value(stored(b, event.product?.right.form, right), right.value),
        ]);
        assert.deepEqual(
          new Set(found.map(String)),
          new Set(wanted.map(String)),
          `${name} ${event.edge} ${text}`,
        );
        seen += found.length;
      }
    }
  }
  assert.ok(seen > 150, String(seen));
});

/** The place of an entry; none in a single number. */
const value = (place: number[], { shape }: Value) => (shape.length ? place : []);

test("the sum of an entry is written out, and is that entry", () => {
  const event = rules(layer).find(({ to }) => layer.trace.events.length && to.length > 0 && to === "W");
  const [, , forW] = rules(layer);
  const shown = making(layer, event ?? (forW as RuleApplied));
  const text = sumOf(shown, shown.product, [0, 1]);
  assert.match(text, /^−2·.* \+ \(−1\)·.* [=≈] −?[\d.]+$/);
  const sum = shown
    .pairs([0, 1])
    .pairs.reduce(
      (total, [a, b]) => total + Number(shown.left.entry(...a)) * Number(shown.right.entry(...b)),
      0,
    );
  assert.ok(Math.abs(sum - Number(shown.result.entry(0, 1))) < 1e-3);
});

test("a number before the product, and a sum over images, are said", () => {
  const [, forX] = rules(biased) as RuleApplied[];
  const scaled = making(biased, forX as RuleApplied);
  assert.match(sumOf(scaled, scaled.product, [0, 0]), /^0\.5·\(.*\) [=≈] /);
  const [, forKernel] = rules(picture) as RuleApplied[];
  const windowed = making(picture, forKernel as RuleApplied);
  assert.match(sumOf(windowed, windowed.product, [1, 1]), / … ≈ .* \(12 terms, 6 of each image\)$/);
});

test("what comes to NaN is no approximation", () => {
  const row = (entries: string): Value => ({ shape: [1, 2], dtype: "float32", text: "", entries });
  const product = { operator: "⊙", left: { text: "a" }, right: { text: "b" } } as const;
  const found = makingOf(product, row("nan -inf"), row("2.0 -3.0"), row("nan inf"));
  assert.ok(found);
  assert.equal(sumOf(found, product, [0, 0]), "NaN·2 = NaN");
  assert.equal(sumOf(found, product, [0, 1]), "−∞·(−3) = +∞");
});

/** The player at the rule whose gradient goes to the last input. */
function shown(made: Made, at: number) {
  const hands = new Hands({}, made.trace);
  const event = rules(made)[at];
  hands.player.setStep(made.trace.events.indexOf(event as never));
  const tables = [...hands.root.querySelectorAll(".gl-product table")];
  const cells = (k: number) => [...(tables[k]?.querySelectorAll("td:not(.gl-more)") ?? [])] as HTMLElement[];
  const lit = (k: number) => cells(k).flatMap((cell, n) => (cell.classList.contains("gl-on") ? [n] : []));
  return { hands, tables, cells, lit, said: () => hands.text(".gl-sum") };
}

test("pointing at an entry lights its row and its column", () => {
  const { cells, lit, said, hands } = shown(layer, 2); // (2, 3) @ (3, 4) = (2, 4)
  assert.equal(said(), "Point at an entry of the result to see what makes it.");
  assert.ok(hands.find(".gl-numbers").hidden);
  assert.deepEqual(
    [0, 1, 2].map((k) => cells(k).length),
    [6, 12, 8],
  );
  cells(2)[5]?.dispatchEvent(new Event("pointerenter"));
  assert.deepEqual([lit(0), lit(1), lit(2)], [[3, 4, 5], [1, 5, 9], [5]]);
  assert.match(said(), /·.* \+ .* [=≈] /);
  hands.find(".gl-result table").dispatchEvent(new Event("pointerleave"));
  assert.deepEqual([lit(0), lit(1), lit(2)], [[], [], []]);
});

test("a line of dots stands only below rows that are left out, in a presentation also below four", () => {
  const heights = new Set<number>();
  for (const made of Object.values(MADE))
    for (const [at, { product }] of rules(made).entries())
      for (const table of product ? shown(made, at).tables : []) {
        const lines = [...table.querySelectorAll("tr")];
        const dots = lines.filter((line) => line.firstElementChild?.matches(".gl-more"));
        const rows = lines.length - dots.length;
        const presented = dots.filter((line) => line.matches(".gl-rest"));
        if (rows !== 4) assert.deepEqual([dots.length, presented.length], rows < 4 ? [0, 0] : [1, 1]);
        else if (dots.length) assert.equal(presented.length, 0); // the corner of more than six rows
        heights.add(dots.length ? -rows : rows);
      }
  assert.ok(heights.has(4) && heights.has(-4), [...heights].join());
});

test("the arrow keys go from entry to entry, and take no step", () => {
  const { hands, cells, lit } = shown(layer, 2);
  const place = hands.text(".gl-position");
  cells(2)[0]?.focus();
  cells(2)[0]?.dispatchEvent(
    new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }),
  );
  assert.equal(document.activeElement, cells(2)[4]);
  assert.deepEqual(lit(2), [4]);
  assert.equal(hands.text(".gl-position"), place);
  assert.match(cells(2)[4]?.getAttribute("aria-label") ?? "", /; \[1, 0\]: .*·/);
});

test("a large matrix shows a corner, and the sum says how many terms it has", () => {
  const { cells, said, hands, lit } = shown(large, 1); // Xᵀ (30, 20) @ (20, 12)
  assert.deepEqual(
    [0, 1, 2].map((k) => cells(k).length),
    [16, 16, 16],
  );
  cells(2)[0]?.dispatchEvent(new Event("pointerenter"));
  assert.deepEqual(
    [lit(0), lit(1)],
    [
      [0, 1, 2, 3],
      [0, 4, 8, 12],
    ],
  );
  assert.match(said(), /\(20 terms\)$/);
  assert.match(hands.text(".gl-product"), /\(30,\s20\)/);
});

test("gradients that add up are shown entry by entry, in their colour", () => {
  for (const kind of ["Accumulated", "LeafWritten"]) {
    const sums = layer.trace.events.flatMap((event) =>
      event.kind === "Accumulated" || event.kind === "LeafWritten" ? [event] : [],
    );
    const of = sums.find((event) => event.kind === kind && event.after.shape.length > 1);
    assert.ok(of);
    const one: Value = { ...of.after, entries: Array(8).fill("-1.5").join(" "), shape: [2, 4], kept: [] };
    const both = { ...one, entries: Array(8).fill("-3.0").join(" ") };
    const event = { ...of, before: one, added: one, after: both };
    const events = layer.trace.events.map((other) => (other === of ? event : other));
    const hands = new Hands({}, { ...layer.trace, events } as Trace);
    hands.player.setStep(events.indexOf(event));
    const captions = [...hands.root.querySelectorAll(".gl-product .gl-s-gradient")];
    assert.deepEqual(captions.map((one) => one.textContent), ["before", "added", "after"]); // biome-ignore format: short
    assert.equal(hands.text(".gl-sign:nth-child(3)"), "+");
    assert.ok(hands.find(".gl-numbers").hidden);
    const cells = [...hands.root.querySelectorAll(".gl-product td:not(.gl-more)")];
    cells[21]?.dispatchEvent(new Event("pointerenter"));
    const lit = cells.flatMap((cell, n) => (cell.classList.contains("gl-on") ? [n] : []));
    assert.deepEqual(lit, [5, 13, 21]);
    assert.equal(hands.text(".gl-sum"), "−1.5 + (−1.5) = −3");
  }
});

test("a step without a product shows its numbers", () => {
  const hands = new Hands();
  hands.press("ArrowRight");
  assert.ok(!hands.find(".gl-numbers").hidden);
  assert.equal(hands.text(".gl-product"), "");
});

test("a damaged product is not drawn, and stops nothing", () => {
  const text = JSON.stringify(picture.trace)
    .replaceAll('"stride": [2, 1]', '"stride": []')
    .replaceAll('"stride":[2,1]', '"stride":[]');
  const { tables } = shown({ trace: JSON.parse(text), pairs: {} }, 1);
  assert.equal(tables.length, 0);
});

test("entries in cells are those of the trace", () => {
  const { cells } = shown(layer, 2);
  const event = rules(layer)[2] as RuleApplied;
  assert.deepEqual(
    cells(2).map((cell) => cell.textContent?.replace("+", "")),
    event.contribution.entries?.split(" ").map((text) => digits(text)),
  );
});

test("the focus stays in the player when the entry that has it goes with its step", () => {
  const hands = new Hands({ step: layer.trace.events.indexOf(rules(layer)[0] as never) }, layer.trace);
  const cell = hands.find(".gl-result td[tabindex='0']");
  cell.focus();
  assert.equal(document.activeElement, cell);
  hands.press("PageDown", { target: cell });
  assert.equal(document.activeElement, hands.root);
});
