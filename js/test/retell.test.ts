// A trace that is retold with the numbers that Python found at other values is the trace that Python made there
// (tests/adapters/retelling.py).

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Numbers, type Problem, replayer } from "../src/replay/replay.ts";
import { retold } from "../src/replay/retell.ts";
import { differences, pairs } from "./pairs.ts";

/** What only the rule of an operation reads, and the numbers of this fixture lack. */
const LACKING = /total_weight|saved\.2\.(value|text)|events\.4\.text/;
/** Dead units are counted where the program runs, and shown of what was recorded alone. */
const COUNTED = /^\.graph\.nodes\.\d+\.(units|silent|blocked): /;
/** Nor do they say where a rule does not hold; the formulas of the second test do. */
const HOLDS = /^\.graph\.nodes\.\d+\.proof: /;

for (const { name, one, other, numbers } of pairs())
  test(`${name}: what is retold at other values is what Python tells there`, () => {
    const { graph, events } = retold(one, numbers);
    const found = [...differences({ graph, events }, { graph: other.graph, events: other.events })];
    const told = found.filter((one) => !HOLDS.test(one) && !COUNTED.test(one));
    const others = name.startsWith("network") ? told.filter((one) => !LACKING.test(one)) : told;
    assert.deepEqual(others.slice(0, 9), []);
  });

for (const { name, one, other, numbers } of pairs())
  test(`${name}: so is what its formulas make of the leaves`, () => {
    const { cannot, editable, run } = replayer(one);
    if (cannot) return assert.match(cannot, /hook/);
    const leaves = one.graph.tensors.filter(({ id }) => !editable(id));
    assert.ok(leaves.length);
    const found = run(new Map(leaves.map(({ id }) => [id, numbers.tensors.get(id)?.data ?? []])));
    assert.ok(!("problem" in found), (found as Problem).problem);
    const { graph, events } = retold(one, found as Numbers);
    // the replay sums in double precision, NumPy in float32
    const others = [...differences({ graph, events }, { graph: other.graph, events: other.events }, 2e-3)];
    assert.deepEqual(others.filter((one) => !COUNTED.test(one)).slice(0, 9), []);
  });
