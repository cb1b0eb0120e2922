// A change of an array is told by an entry, in the same words as in Python (tests/graph/test_changes.py).

import assert from "node:assert/strict";
import { test } from "node:test";
import { change } from "../src/cards/equation.ts";
import type { Value } from "../src/trace.ts";

const value = (entries: string, shape: number[], more: Partial<Value> = {}): Value => ({
  shape,
  dtype: "float32",
  text: `(${shape.join(", ")}) float32`,
  entries,
  ...more,
});
const said = (before: Value | null, after: Value) =>
  change(before, after)
    .map((span) => (typeof span === "string" ? span : span[1]))
    .join("");

test("for a matrix, the first entry that changed is shown", () => {
  const before = value("0.0 0.0 0.0 0.0", [2, 2]);
  assert.equal(said(before, value("0.0 0.0 7.0 1.0", [2, 2])), "[1, 0] 0.0 → 7.0 (only this entry is shown)");
});

test("for a large array, a changed entry of the recorded part is shown, or that the change is outside it", () => {
  const corner = { kept: [2, 3] };
  const before = value("0 0 0 0 0 0", [300, 400], corner);
  const after = value("0 0 0 0 0 2", [300, 400], corner);
  assert.equal(said(before, after), "[1, 2] 0 → 2 (only this entry is shown)");
  assert.equal(said(before, before), "(300, 400) float32, changed outside the part shown");
});

test("a small array is written in full", () => {
  assert.equal(said(value("", [], { text: "1.0" }), value("", [], { text: "2.0" })), "1.0 → 2.0");
  assert.equal(said(null, value("", [], { text: "2.0" })), "2.0");
});
