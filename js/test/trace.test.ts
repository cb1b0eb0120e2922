import assert from "node:assert/strict";
import { test } from "node:test";
import { readTrace } from "../src/trace.ts";
import { lesson } from "./page.ts";

test("a trace is read from an object and from text alike", () => {
  assert.equal(readTrace(lesson()).events.length, 52);
  assert.equal(readTrace(JSON.stringify(lesson())).events.length, 52);
});

test("a picture needs neither events nor an initial state", () => {
  const { graph, format, version } = lesson();
  const still = readTrace({ graph, format, version, events: [] });
  assert.deepEqual([still.events, still.scenes, still.initial.queue], [[], [], []]);
});

const FAULTS: [what: string, data: unknown, sentence: RegExp][] = [
  ["nothing", undefined, /not a GraphLab trace/],
  ["a list", [], /not a GraphLab trace/],
  ["another document", { cells: [] }, /"format" is "graphlab\.trace"/],
  ["text that was cut off", JSON.stringify(lesson()).slice(0, 5000), /not complete JSON/],
  [
    "a newer version",
    { ...lesson(), version: 4 },
    /newer GraphLab \(trace version 4; .* version 3\)\. Update/,
  ],
  ["an older version", { ...lesson(), version: 1 }, /before its first release.*Run the cell/],
  ["no version", { ...lesson(), version: "x" }, /version should be a number, but it is string/],
  ["no graph", { ...lesson(), graph: null }, /graph should be an object, but it is null/],
  ["no nodes", { ...lesson(), graph: { ...lesson().graph, nodes: 3 } }, /graph\.nodes should be a list/],
  [
    "a tensor without id",
    { ...lesson(), graph: { ...lesson().graph, tensors: [{}] } },
    /graph\.tensors\[0\]/,
  ],
  ["no events", { ...lesson(), events: undefined }, /events should be a list, but it is nothing/],
  ["an event of no kind", { ...lesson(), events: [{}] }, /events\[0\] should be an event/],
  ["an event of no level", { ...lesson(), events: [{ kind: "Finished", patch: {} }] }, /events\[0\]\.level/],
  [
    "an event without a patch",
    { ...lesson(), events: [{ kind: "Finished", level: "story" }] },
    /events\[0\]\.patch/,
  ],
  ["a scene of no size", { ...lesson(), scenes: [{}] }, /scenes\[0\]/],
  ["no list of causes", { ...lesson(), causes: 3 }, /causes should be a list/],
  ["a cause that is nothing", { ...lesson(), causes: [null] }, /causes\[0\] should be an object/],
];

for (const [what, data, sentence] of FAULTS) {
  test(`${what} is refused with a sentence`, () => {
    assert.throws(() => readTrace(data), sentence);
  });
}
