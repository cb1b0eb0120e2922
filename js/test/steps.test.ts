// Single steps of formulas: what the player computes is what NumPy computes, tests/fixtures/steps.json.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decoded, type Nd } from "../src/replay/arrays.ts";
import { bounded, readProgram } from "../src/replay/interpret.ts";
import { primitives } from "../src/replay/primitives.ts";
import type { Numbers } from "../src/schema.ts";
import { fixture } from "./page.ts";

interface Case {
  step: [string, ...unknown[]];
  results: ({ array: Numbers } | null)[];
}
const cases = fixture("steps.json") as unknown as Case[];

const near = (x: number, y: number, scale: number) =>
  Object.is(x, y) || x === y || Math.abs(x - y) <= 1e-12 * scale; // 1e-12: what replay promises

function check(found: Nd, wanted: Nd): void {
  assert.deepEqual(found.shape, wanted.shape);
  assert.equal(found.dtype[0], wanted.dtype[0], "the kind of entries");
  for (const [i, x] of wanted.data.entries()) {
    const y = found.data[i] as number;
    // of what is small beside 1, the digits that a sum of entries near 1 has
    assert.ok(near(x, y, Math.max(Math.abs(x), 1e-3)), `${found.data} is not ${wanted.data}`);
  }
}

for (const [k, { step, results }] of cases.entries()) {
  test(`step ${k}, ${step[0]}: the entries of NumPy`, () => {
    const parts = results.map((_, part) => (results.length > 1 ? `s0.${part}` : "s0"));
    const there = parts.filter((_, part) => results[part]);
    const found = bounded(() => readProgram({ steps: [step], results: there }).run({}, false));
    if (typeof found === "string") return assert.fail(found);
    const wanted = results.filter((one) => one !== null);
    for (const [part, one] of wanted.entries()) {
      const numbers = bounded(() => decoded(one.array));
      check(
        found[part] ?? assert.fail("nothing"),
        typeof numbers === "string" ? assert.fail(numbers) : numbers,
      );
    }
  });
}

test("every primitive of the player is among the steps", () => {
  const known = new Set(cases.map(({ step }) => step[0]));
  assert.deepEqual([...primitives.keys()].filter((name) => !known.has(name)).sort(), []);
});
