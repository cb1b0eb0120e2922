import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { makeRecording } from "../src/recording.ts";
import { scenesOf } from "../src/redrawing.ts";
import { readTrace, type Scene, type Trace, TraceError } from "../src/trace.ts";

const path = new URL("../../../tests/fixtures/redrawn.json", import.meta.url); // as in page.ts
const { trace, scenes } = JSON.parse(readFileSync(path, "utf8")) as { trace: Trace; scenes: Scene[][] };

/** Scenes in which every text mark has its text, also one that is "", which Python leaves out. */
const complete = (all: readonly Scene[]) =>
  all.map(({ groups, ...scene }) => {
    const filled = groups.map(({ marks, ...group }) => ({
      ...group,
      marks: marks.map((mark) => (mark.m === "text" ? { ...mark, t: mark.t ?? "" } : mark)),
    }));
    return { ...scene, groups: filled };
  });

/** The trace with another last pass. */
const changed = (change: { [key: string]: unknown }) => ({
  ...trace,
  passes: [...(trace.passes ?? []).slice(0, -1), { ...trace.passes?.at(-1), ...change }],
});

test("a pass that is drawn like another has the scenes that Python drew", () => {
  const { passes = [] } = readTrace(trace);
  assert.deepEqual(
    passes.map(({ like }) => like),
    [undefined, undefined, 1],
  );
  assert.deepEqual(
    passes.map((one) => complete(scenesOf(one, passes))),
    scenes.map(complete),
  );
});

test("its drawings are made when they are first shown, and then kept", () => {
  const drawings = makeRecording(readTrace(trace)).passes.at(-1);
  assert.deepEqual([...(drawings?.() ?? new Map()).keys()], ["computation", "backward", "both"]);
  assert.equal(drawings?.(), drawings?.());
  assert.deepEqual(drawings?.().get("both")?.().scene("", true)?.groups[0], scenes[2]?.[0]?.groups[0]);
});

for (const [what, change] of Object.entries({
  "an index of a later pass": { like: 2 },
  "an index below 0": { like: -1 },
  "a word as index": { like: "constructor" },
  "no list of texts": { texts: null },
  "texts that are no lists": { texts: [["loss"], []] },
  "texts of a group that does not exist": { texts: [[[1000, "loss"]], []] },
  "no ids": { ids: undefined },
})) {
  test(`${what} is refused with a sentence`, () => {
    assert.throws(
      () => readTrace(changed(change)),
      (error) => error instanceof TraceError && /passes\[2\]\.(like|texts) should be/.test(error.message),
    );
  });
}
