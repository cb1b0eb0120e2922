import assert from "node:assert/strict";
import { test } from "node:test";
import { close, readNumber, readNumbers, readShape, sameShape, tolerance } from "../src/answers.ts";

test("a number is read in every usual form, and nothing else is read", () => {
  const written: [string, number][] = [
    ["2.5", 2.5],
    [" -1e-3 ", -0.001],
    ["−3", -3],
    ["+.5", 0.5],
    ["1/4", 0.25],
    ["-inf", Number.NEGATIVE_INFINITY],
  ];
  for (const [text, number] of written) assert.equal(readNumber(text), number, text);
  assert.ok(Number.isNaN(readNumber("NaN")));
  for (const text of ["", "2+3", "1/2/3", "0x10", "two", "alert(1)", "constructor", "1e", "--2"])
    assert.equal(readNumber(text), undefined, text);
});

test("a list is read with any brackets", () => {
  for (const text of ["1, 2, 3", "[1 2 3]", "tensor([[1.], [2], [3]])", "(1; 2; 3)"])
    assert.deepEqual(readNumbers(text), [1, 2, 3], text);
  for (const text of ["", "[]", "1, two", "f(1)"]) assert.equal(readNumbers(text), undefined, text);
});

test("a shape is read as Python, PyTorch and people write it", () => {
  for (const text of ["(4, 2)", "4x2", "4×2", "4 2", "torch.Size([4, 2])", "[4,2]"])
    assert.deepEqual(readShape(text), [4, 2], text);
  for (const text of ["()", "[]", "scalar", "0-d", "torch.Size([])"])
    assert.deepEqual(readShape(text), [], text);
  assert.deepEqual(readShape("(3,)"), [3]);
  for (const text of ["", "four", "-1", "2.5"]) assert.equal(readShape(text), undefined, text);
});

test("an answer is right within one hundredth of the largest entry", () => {
  assert.equal(tolerance([100, -1]), 1);
  assert.ok(close([2.4], [2.41]));
  assert.ok(!close([2.3], [2.41]));
  assert.ok(!close([1], [1, 1]));
  assert.ok(close([0.0005], [0]));
  assert.ok(!close([0.5], [0]));
});

test("NaN is right for NaN only, and inf for inf of the same sign", () => {
  assert.ok(close([Number.NaN, Number.POSITIVE_INFINITY], [Number.NaN, Number.POSITIVE_INFINITY]));
  assert.ok(!close([0], [Number.NaN]));
  assert.ok(!close([Number.NaN], [0]));
  assert.ok(!close([Number.NEGATIVE_INFINITY], [Number.POSITIVE_INFINITY]));
  assert.ok(!close([1e9], [Number.POSITIVE_INFINITY]));
});

test("shapes are the same in every dimension", () => {
  assert.ok(sameShape([], []));
  assert.ok(!sameShape([4], [4, 1]));
  assert.ok(!sameShape([2, 4], [4, 2]));
});
