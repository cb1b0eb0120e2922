// Where the rule of a node holds, at values that a person has chosen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { replayOf } from "../src/replay/index.ts";
import type { Trace } from "../src/trace.ts";
import { fixture } from "./page.ts";

const { trace } = (fixture("replay.json") as unknown as { lesson: { trace: Trace } }).lesson;
for (const node of trace.graph.nodes) // the fixture has no proofs
  node.proof = node.op === "log" ? "✓ rule proved where d > 0" : "✓ rule proved";
const d = trace.graph.tensors.find(({ name }) => name === "d")?.id ?? "";
const proofOf = ({ graph }: Trace) => graph.nodes.find(({ op }) => op === "log")?.proof;

test("the proof of a rule turns where a value leaves the domain, and turns back", () => {
  assert.equal(proofOf(trace), "✓ rule proved where d > 0");
  const { run } = replayOf(trace);
  const outside = run(new Map([[d, Float64Array.of(-1)]])) as Trace;
  assert.equal(proofOf(outside), "✗ outside of its domain: rule proved where d > 0");
  const inside = replayOf(outside).run(new Map([[d, Float64Array.of(2)]])) as Trace;
  assert.equal(proofOf(inside), "✓ rule proved where d > 0");
});

test("a rule that holds everywhere keeps its sentence", () => {
  const products = (one: Trace) => one.graph.nodes.filter(({ op }) => op === "mul").map(({ proof }) => proof);
  const moved = replayOf(trace).run(new Map([[d, Float64Array.of(-1)]])) as Trace;
  assert.deepEqual(products(moved), products(trace));
});
