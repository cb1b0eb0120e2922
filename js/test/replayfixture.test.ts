// Graphs at other values: the player computes what Python computes, tests/fixtures/replay.json.
// GRAPHLAB_REPLAYS names a file of further cases (`python -m tests.adapters.replays --random 500`).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decoded } from "../src/replay/arrays.ts";
import { type Nd, type Numbers, replayer } from "../src/replay/index.ts";
import { bounded } from "../src/replay/interpret.ts";
import { readTrace, type Trace } from "../src/trace.ts";
import { fixture } from "./page.ts";

type Packed = { [id: string]: string };
interface Run {
  edits: { [tensor: string]: { dtype: string; shape: number[]; data: string } };
  problem?: string;
  node?: string;
  tensors: Packed;
  made: Packed;
  sent: Packed;
  gathered: Packed;
  leaves: Packed;
}
type Cases = { [name: string]: { trace: Trace; runs: Run[] } };

const more = process.env.GRAPHLAB_REPLAYS;
const cases = {
  ...(fixture("replay.json") as unknown as Cases),
  ...(more ? (JSON.parse(readFileSync(more, "utf8")) as Cases) : {}),
};

/**
 * The largest difference, relative to the largest finite entry; 0 where both are nan or the same infinity.
 * Entries are near 1; where the terms of a sum cancel, what is left of it is rounding, far below 1e-3.
 */
function apart(found: Nd | undefined, packed: string): number {
  const bytes = Uint8Array.from(Buffer.from(packed, "base64"));
  const wanted = new Float64Array(bytes.buffer);
  if (found?.data.length !== wanted.length) return Infinity;
  const largest = Math.max(1e-3, ...wanted.map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)));
  const each = [...wanted].map((x, i) => {
    const y = found.data[i] as number;
    return Object.is(x, y) || x === y ? 0 : Math.abs(x - y) / largest;
  });
  return Math.max(0, ...each.map((x) => (Number.isNaN(x) ? Infinity : x)));
}

for (const [name, { trace, runs }] of Object.entries(cases)) {
  test(`${name}: every number is that of Python, at the recorded and at other values`, () => {
    const { run, cannot } = replayer(readTrace(trace));
    assert.equal(cannot, "");
    for (const wanted of runs) {
      const edits = Object.entries(wanted.edits).map(([id, numbers]): [string, Float64Array] => {
        const entries = bounded(() => decoded(numbers));
        return typeof entries === "string" ? assert.fail(entries) : [id, entries.data];
      });
      const found = run(new Map(edits));
      if ("problem" in found) {
        assert.deepEqual(found, { problem: wanted.problem, node: wanted.node });
        continue;
      }
      assert.equal(wanted.problem, undefined);
      check(found, wanted);
    }
  });
}

function check(found: Numbers, wanted: Run): void {
  const { tensors, made, leaves } = wanted;
  const sent = { ...made, ...wanted.sent };
  const sums = { ...sent, ...wanted.gathered };
  for (const [part, packed] of Object.entries({ tensors, made, sent, sums, leaves })) {
    const map = found[part as "sums"];
    // 1e-12: the functions of two libraries differ in the last digit
    for (const [id, entries] of Object.entries(packed))
      assert.ok(apart(map.get(id), entries) < 1e-12, `${part} ${id}: ${map.get(id)?.data}`);
    assert.deepEqual([...map.keys()].sort(), Object.keys(packed).sort(), part);
  }
}
