// How a name stands in a formula, as graphlab/adapters/native/variable_names.py writes it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bracketed, breakable } from "../src/dom";
import { newPage } from "./page.ts";

test("an expression stands in brackets in a formula, a name or a call does not", () => {
  const names = ["a/b", "a*b+a", "log(d)", "x[0]", "(a/b)₂", "h₂", "net.w", "φ", "(a)(b)"];
  const shown = ["(a/b)", "(a*b+a)", "log(d)", "x[0]", "(a/b)₂", "h₂", "net.w", "φ", "((a)(b))"];
  assert.deepEqual(names.map(bracketed), shown);
});

test("a long name breaks between its parts, never within a word or a shape", () => {
  newPage();
  const broken = (text: string) =>
    breakable(text)
      .map((piece) => (typeof piece === "string" ? piece : (piece as HTMLElement).textContent || "|"))
      .join("");
  assert.equal(broken("torch::autograd::CopySlices"), "torch::|autograd::|CopySlices");
  assert.equal(broken("gelu(rms(x)).std()"), "gelu(|rms(|x)).|std()");
  assert.equal(broken("norm2.out_proj"), "norm2.|out_|proj");
  assert.equal(broken("(2,\u00a04) at 0.25"), "(2,\u00a04) at 0.25");
});
