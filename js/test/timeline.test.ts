import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, merge } from "../src/merge.ts";
import { Timeline } from "../src/timeline.ts";
import { type Granularity, readTrace, type Trace } from "../src/trace.ts";
import { fixture, lesson, traceFixtures } from "./page.ts";

/** The states found the slow way: patch after patch from the start. */
function folded(trace: Trace): Json[] {
  let state = trace.initial as unknown as Json;
  return trace.events.map((event) => {
    state = merge(state, event.patch as Json);
    return state;
  });
}

for (const name of traceFixtures()) {
  test(`${name}: every state is the fold of the patches up to it, in whatever order it is asked for`, () => {
    const trace = fixture(name);
    const expected = trace.states ?? folded(trace);
    const timeline = new Timeline(readTrace(trace));
    const forwards = trace.events.map((_, k) => k);
    const jumping = forwards.map((k) => (k * 31) % forwards.length);
    for (const k of [...forwards, ...forwards.toReversed(), ...jumping]) {
      assert.deepEqual(timeline.stateAt(k), expected[k], `state ${k}`);
    }
  });
}

test("states across several keyframes are the fold of their patches", () => {
  const [first] = lesson().events;
  assert.ok(first);
  const events = Array.from({ length: 200 }, (_, k) => ({
    ...first,
    patch: { deps: { [`n${k % 7}`]: k % 5 ? k : null } },
  }));
  const trace = { ...lesson(), events };
  const timeline = new Timeline(trace);
  const expected = folded(trace);
  for (const k of [199, 0, 31, 32, 33, 150, 64, 63, 199, 5])
    assert.deepEqual(timeline.stateAt(k), expected[k]);
  const back = new Timeline(trace); // a jump to the end, and the whole way back
  for (let k = 199; k >= 0; k -= 1) assert.deepEqual(back.stateAt(k), expected[k]);
});

test("the lesson ends with the gradients of calculus", () => {
  const timeline = new Timeline(lesson());
  const { leaves, finished, held } = timeline.stateAt(timeline.length - 1);
  const texts = Object.fromEntries(Object.entries(leaves ?? {}).map(([id, { after }]) => [id, after.text]));
  assert.deepEqual(texts, { t0: "3.0", t1: "2.0", t3: "0.5", t4: "5.0", t5: "2.3026" }); // a b d t c
  assert.equal(finished, true);
  assert.equal(held, 0);
});

test("a state outside the timeline is an error that says what there is", () => {
  const timeline = new Timeline(lesson());
  for (const k of [-1, 52, 1.5]) assert.throws(() => timeline.stateAt(k), /steps are 0 to 51/);
});

test("the steps of a story are among those of node, and these among those of micro", () => {
  const timeline = new Timeline(lesson());
  const [story, node, micro] = (["story", "node", "micro"] as const).map((grain) => timeline.stops(grain));
  assert.ok(story?.every((k) => node?.includes(k)));
  assert.ok(node?.every((k) => micro?.includes(k)));
  assert.equal(micro?.length, timeline.length);
});

test("moving forwards visits every stop, moving backwards visits them again", () => {
  const timeline = new Timeline(lesson());
  for (const grain of ["story", "node", "micro"] satisfies Granularity[]) {
    const stops = timeline.stops(grain);
    const there = [0];
    while (there.at(-1) !== stops.at(-1)) there.push(timeline.move(there.at(-1) ?? 0, 1, grain));
    assert.deepEqual(there, stops);
    const back = [there.at(-1) ?? 0];
    while (back.at(-1) !== 0) back.push(timeline.move(back.at(-1) ?? 0, -1, grain));
    assert.deepEqual(back.reverse(), stops);
  }
});

test("between two stops, one step back goes to the stop just passed", () => {
  const timeline = new Timeline(lesson());
  const [, second, third] = timeline.stops("node");
  assert.equal(timeline.move((second ?? 0) + 1, -1, "node"), second);
  assert.equal(timeline.move((second ?? 0) + 1, 1, "node"), third);
});

test("moving by nodes goes from the first rule of one node to that of the next", () => {
  const timeline = new Timeline(lesson());
  const nodes = [];
  for (let k = 0; k < timeline.length - 1; ) {
    k = timeline.moveNode(k, true, "node");
    const event = timeline.events[k];
    nodes.push(event && "node" in event ? event.node : event?.kind);
    if (nodes.length > 20) break;
  }
  assert.deepEqual(nodes, ["n0", "n1", "n2", "GradRetained", "n4", "n5", "n6", "n7", "Finished"]);
});

test("the step of a rule shows its outcome at once, but not that the saved tensors are freed", () => {
  const timeline = new Timeline(lesson());
  const rule = timeline.events.findLastIndex((event) => event.kind === "RuleApplied" && event.node === "n1");
  const settled = timeline.stateAt(timeline.settled(rule, "node"));
  assert.equal(settled.grads?.t5?.text, "2.3026");
  assert.equal(settled.status.n2, "ready");
  assert.equal(settled.freed?.n1, undefined);
  assert.equal(timeline.settled(rule, "micro"), rule);
});
