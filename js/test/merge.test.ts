import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, merge } from "../src/merge.ts";

// The examples of RFC 7396, appendix A: [target, patch, result].
const EXAMPLES: [Json, Json, Json][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test("merge does what the examples of RFC 7396 say", () => {
  for (const [target, patch, result] of EXAMPLES) assert.deepEqual(merge(target, patch), result);
});

test("merge changes neither the target nor the patch", () => {
  const [target, patch] = [{ a: { b: 1 } }, { a: { c: 2 } }];
  merge(target, patch);
  assert.deepEqual([target, patch], [{ a: { b: 1 } }, { a: { c: 2 } }]);
});

test("a key called __proto__ is a key like any other", () => {
  const merged = merge({}, JSON.parse('{"__proto__": {"bad": true}, "fine": 1}') as Json);
  assert.equal((merged as { bad?: unknown }).bad, undefined);
  assert.equal(({} as { bad?: unknown }).bad, undefined);
  assert.deepEqual(Object.keys(merged as object), ["__proto__", "fine"]);
});
