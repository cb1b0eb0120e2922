import assert from "node:assert/strict";
import { test } from "node:test";
import { readTrace, TraceError } from "../src/trace.ts";
import { fixture, lesson } from "./page.ts";

test("what Python packed is the same trace again", () => {
  const { scenes, ...rest } = readTrace(fixture("packed/lesson.json"));
  const { scenes: drawn, ...plain } = readTrace(fixture("lesson.json"));
  assert.deepEqual(rest, plain);
  assert.deepEqual(scenes, drawn);
});

for (const [what, document] of fixture("packed/hostile.json") as unknown as [string, unknown][]) {
  test(`${what} is refused with a sentence`, () => {
    assert.throws(
      () => readTrace(document),
      (error) => error instanceof TraceError && /^This GraphLab trace is damaged: /.test(error.message),
    );
  });
}

test("a patch that is nested without end is refused before anything folds it", () => {
  let patch = {};
  for (let depth = 0; depth < 5000; depth += 1) patch = { patch };
  const events = [{ ...lesson().events[0], patch }];
  assert.throws(() => readTrace({ ...lesson(), events }), /nested too deeply/);
});

test("a graph that runs in a circle is refused", () => {
  const { graph } = lesson();
  const [first] = graph.edges;
  assert.ok(first);
  const back = { ...first, id: "back", source: first.target, target: first.source };
  const circle = { ...graph, edges: [...graph.edges, back] };
  assert.throws(() => readTrace({ ...lesson(), graph: circle }), /an edge to a later node/);
});

test("of a million events the first are kept, and a notice says so", () => {
  const events = Array(1_000_000).fill(lesson().events[0]);
  const long = readTrace({ ...lesson(), events });
  assert.equal(long.events.length, 100_000);
  assert.match(long.notice ?? "", /1,000,000 events; only the first 100,000/);
  assert.equal(readTrace(lesson()).notice, "");
});

test("a key like any other stays a key", () => {
  const document = { ...lesson(), moulds: [], shared: ["__proto__"], initial: { grads: { "%": [[-1, 1]] } } };
  const { initial } = readTrace({ ...document, title: { $: ["a", 2] } });
  assert.deepEqual(Object.keys(initial.grads ?? {}), ["__proto__"]);
});
