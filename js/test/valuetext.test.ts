// The texts of numbers and arrays are those that Python writes (tests/graph/valuetexts.py).

import assert from "node:assert/strict";
import { test } from "node:test";
import { formOf, retoldSpans } from "../src/replay/phrases.ts";
import { entryText, toldValue } from "../src/replay/valuetext.ts";
import type { Span, Value } from "../src/trace.ts";
import { fixture } from "./page.ts";
import { array, differences, type Written } from "./pairs.ts";

interface Texts {
  numbers: [number: string, ...texts: string[]][];
  arrays: { array: Written; value: Value; told: Span[] }[];
}

const { numbers, arrays } = fixture("valuetexts.json") as unknown as Texts;
const read = (text: string) => Number(text.replace("inf", "Infinity"));

test("a number with 5, 4 and 3 digits is written as Python writes it", () => {
  assert.ok(numbers.length > 300);
  for (const [number, ...texts] of numbers)
    assert.deepEqual(
      [5, 4, 3].map((digits) => entryText(read(number), "float64", digits)),
      texts,
      number,
    );
});

test("an array is summarised as Python summarises it, and what is told of it is the same", () => {
  assert.ok(arrays.length > 40);
  for (const one of arrays) {
    const value = toldValue(array(one.array));
    assert.deepEqual([...differences({ ...value }, one.value)], [], one.value.text);
    for (const span of one.told) {
      const [, text, reference] = span as [string, string, string];
      if (typeof span === "string" || !reference) continue;
      assert.equal(formOf(value, reference.split(":")[1] ?? ""), text);
    }
  }
});

// A sentence keeps its words, so it must be true of any value: [role, recorded text, reference], its value now, what is said.
const CASES: [why: string, span: [string, string, string], now: number[], shape: number[], said: string][] = [
  ["a list that is too long for a card is told in full", ["gradient", "[1.0, 2.0]", "before:list"],
    [-1.23456e-7, 2.34567e-8, -7.125], [3], "[-1.2346e-07, 2.3457e-08, -7.125]"],
  ["all entries of a small matrix are listed", ["gradient", "[[1.0, 2.0]]", "after:list"],
    [3, Number.NaN], [1, 2], "[[3.0, nan]]"],
  ["what was 0 everywhere is not any more", ["gradient", "0", "after:told.1"],
    [0, 0, 0, 4, 0, 0, 0, 3], [2, 4], "(2, 4)"],
  ["its norm is told then", ["", " in all 8 entries", "after:told.2"],
    [0, 0, 0, 4, 0, 0, 0, 3], [2, 4], ", norm 5 and entries from 0 to 4, 6 of them 0"],
  ["and the verb fits", ["", " is ", "after:told.0"], [1, 2, 3, 4, 5, 6, 7, 8], [2, 4], " has shape "],
  ["a negative factor keeps its name", ["value", "b = 3.0", "slope:named"], [-2], [], "b = -2.0"],
  ["a name that is an equation does, too", ["value", "(x = 1) = 3.0", "slope:named"], [0.5], [], "(x = 1) = 0.5"],
  ["an entry that changed is the same entry", ["value", "1.0", "changes.0.after:2"], [1, 2, 7, 4], [2, 2], "7.0"],
  ["a form that nobody knows shows the text", ["value", "1.0", "after:else"], [9], [], "9.0"],
]; // biome-ignore format: a table

test("a sentence that keeps its words is true of other values", () => {
  for (const [why, span, now, shape, said] of CASES) {
    const value = toldValue({ shape, dtype: "float32", data: Float64Array.from(now) });
    assert.deepEqual(
      retoldSpans([span], () => value),
      [[span[0], said, span[2]]],
      why,
    );
  }
  const unknown: Span[] = ["plain", ["value", "1.0"], ["value", "1.0", "t9"]];
  assert.deepEqual(
    retoldSpans(unknown, () => undefined),
    unknown,
  );
});
