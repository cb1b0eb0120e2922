import assert from "node:assert/strict";
import { test } from "node:test";
import { heatParts } from "../src/heatmap.ts";
import type { Mark, Value } from "../src/trace.ts";
import { fixture } from "./page.ts";

interface Drawn {
  name: string;
  value: Value;
  mark: Mark;
  parts: unknown[];
  hollow: unknown[];
}

test("a heat map on a card is the one that Python draws", () => {
  const drawn = fixture("heat.json") as unknown as Drawn[];
  assert.ok(drawn.length > 5);
  for (const { name, value, mark, parts, hollow } of drawn) {
    assert.deepEqual(heatParts(mark, value, value.entries), parts, name);
    assert.deepEqual(heatParts(mark, value), hollow, name);
  }
});
