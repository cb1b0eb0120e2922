// How a name stands in a formula, as graphlab/adapters/native/variable_names.py writes it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bracketed } from "../src/dom";

test("an expression stands in brackets in a formula, a name or a call does not", () => {
  const names = ["a/b", "a*b+a", "log(d)", "x[0]", "(a/b)₂", "h₂", "net.w", "φ", "(a)(b)"];
  const shown = ["(a/b)", "(a*b+a)", "log(d)", "x[0]", "(a/b)₂", "h₂", "net.w", "φ", "((a)(b))"];
  assert.deepEqual(names.map(bracketed), shown);
});
