// A graph at other values: what the interpreter of formulas computes, and what it refuses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Numbers, type Problem, replayer } from "../src/replay/index.ts";
import type { Formula } from "../src/schema.ts";
import { readTrace, type Trace } from "../src/trace.ts";
import { lesson } from "./page.ts";

const float32 = (...entries: number[]) => ({
  dtype: "float32",
  shape: [1],
  data: Buffer.from(Float32Array.from(entries).buffer).toString("base64"),
});
const program = (results: string[], ...steps: (string | number)[][]) => ({ steps, results });
const ADD: Formula = { forward: program(["s0"], ["add", "x0", "x1"]), backward: program(["g0", "g0"]) };
const MUL: Formula = {
  forward: program(["s0"], ["mul", "x0", "x1"]),
  backward: program(["s0", "s1"], ["mul", "g0", "x1"], ["mul", "g0", "x0"]),
};
const LOG: Formula = {
  forward: program(["s0"], ["log", "x0"]),
  backward: program(["s0"], ["truediv", "g0", "x0"]),
};

/** e = a*b + c*log(d), with its formulas. */
function playable(change: (trace: Trace) => void = () => {}): Trace {
  const trace = readTrace(lesson());
  trace.replay = {
    formulas: [ADD, MUL, LOG],
    nodes: { n0: 0, n1: 1, n3: 2, n5: 1 },
    data: { t0: float32(2), t1: float32(3), t3: float32(10), t5: float32(5) },
  };
  change(trace);
  return trace;
}
const ids = (trace: Trace) => new Map(trace.graph.tensors.map(({ id, name }) => [name, id]));
const id = (name: string) => ids(playable()).get(name) ?? assert.fail(name);

function numbers(found: Numbers | Problem): Numbers {
  return "problem" in found ? assert.fail(found.problem) : found;
}
const entry = (list: ReadonlyMap<string, { data: Float64Array }>, name: string) =>
  list.get(id(name))?.data[0];

test("every value and gradient of the lesson follows a leaf", () => {
  const { run, cannot } = replayer(playable());
  assert.equal(cannot, "");
  const recorded = numbers(run(new Map()));
  assert.equal(entry(recorded.tensors, "e"), Math.fround(6 + Math.fround(5 * Math.fround(Math.log(10)))));
  assert.equal(entry(recorded.leaves, "d"), 0.5);
  const now = numbers(run(new Map([[id("d"), [-1]]])));
  assert.ok(Number.isNaN(entry(now.tensors, "e")));
  assert.equal(entry(now.leaves, "d"), -5);
  assert.equal(entry(now.leaves, "a"), 3);
});

test("a curve is the root as a function of one entry, the others held", () => {
  const trace = playable();
  const { curve } = replayer(trace);
  const found = curve(id("e"), id("d"), 0, [1, Math.E, -1, 0], new Map([[id("a"), [0]]]));
  assert.deepEqual(
    [...found].map((x) => Math.round(x * 1e9) / 1e9),
    [0, 5, Number.NaN, -Infinity],
  );
});

test("a number that stands in the code is not editable, a named constant is", () => {
  const constant = (name: string | null) =>
    playable(({ graph: { tensors } }) => {
      for (const one of tensors) if (one.id === id("c")) Object.assign(one, { name, requires_grad: false });
    });
  assert.equal(replayer(constant("c")).editable(id("c")), "");
  const said = "5.0 stands in the code itself: give it a name to change it.";
  assert.equal(replayer(constant(null)).editable(id("c")), said);
});

test("a leaf is editable, and what is computed, counted or not known says why it is not", () => {
  const whole = {
    dtype: "int64",
    shape: [1],
    data: Buffer.from(BigInt64Array.of(3n).buffer).toString("base64"),
  };
  const { editable, run } = replayer(
    playable(({ replay }) => {
      if (replay) replay.data.t1 = whole;
    }),
  );
  assert.equal(editable(id("a")), "");
  assert.equal(editable(id("u")), "u is the result of an operation: change a leaf instead.");
  assert.equal(editable(id("b")), "b holds int64: only floating numbers can be changed.");
  assert.equal(editable("t99"), "No formula here reads the entries of t99.");
  for (const edits of [
    [id("u"), [1]],
    [id("a"), [1, 2]],
    ["t99", []],
  ] as [string, number[]][])
    assert.ok("problem" in run(new Map([edits])));
});

/** Why nothing follows in a trace whose formula for `log` is another. */
function refusal(forward: unknown, backward: unknown = LOG.backward, data: object = {}): string {
  const trace = playable(({ replay }) => {
    if (!replay) return;
    replay.formulas[2] = { forward, backward } as Formula;
    Object.assign(replay.data, data);
  });
  const { cannot, run, curve } = replayer(trace);
  const found = run(new Map());
  assert.ok("problem" in found);
  curve(id("e"), id("a"), 0, [1, 2]);
  return cannot || found.problem;
}
const deep = (lists: number): unknown => (lists ? [deep(lists - 1)] : 1);
const many = Array.from({ length: 3000 }, () => ["exp", "x0"]);
const at = "LogBackward0 cannot be computed at these values:";
const broken = "the formula of LogBackward0 is damaged";

const DAMAGED: { [what: string]: [unknown, RegExp] } = {
  "a step that no player knows": [
    program(["s0"], ["launch", "x0"]),
    /^LogBackward0 needs a running kernel\.$/,
  ],
  "a step named like a method": [program(["s0"], ["constructor", "x0"]), /needs a running kernel/],
  "a step that reads itself": [program(["s0"], ["exp", "s0"]), RegExp(broken)],
  "a step that reads a later one": [program(["s1"], ["exp", "s1"], ["exp", "x0"]), RegExp(broken)],
  "too few arguments": [program(["s0"], ["mul", "x0"]), RegExp(at)],
  "too many arguments": [program(["s0"], ["exp", "x0", "x0"]), RegExp(at)],
  "an input that is not there": [program(["s0"], ["exp", "x7"]), RegExp(at)],
  "another shape": [program(["s0"], ["expand", "x0", [2, 1]] as never), /would give another shape/],
  "shapes that do not fit": [program(["s0"], ["expand", "x0", [0.5]] as never), RegExp(at)],
  "a billion entries": [program(["s0"], ["expand", "x0", [1e9]] as never), /stands for too many numbers/],
  "endless entries": [program(["s0"], ["expand", "x0", [1e300, 1e300]] as never), /too many numbers/],
  "a billion steps of work": [
    program(["s11"], ...Array.from({ length: 12 }, (_, k) => ["tile", k ? `s${k - 1}` : "x0", [9]] as never)),
    /too many numbers/,
  ],
  "a negative size": [program(["s0"], ["reshape", "x0", [-3]] as never), RegExp(at)],
  "a part of what has none": [program(["s0.1"], ["exp", "x0"]), RegExp(at)],
  "an index beyond the end": [program(["s0"], ["select", "x0", 0, 5]), RegExp(at)],
  "lists within lists": [program(["s0"], ["reshape", "x0", deep(50)] as never), RegExp(broken)],
  "too many steps": [{ steps: many, results: ["s0"] }, RegExp(broken)],
  "a word for a reference": [program(["s0"], ["exp", "__proto__"]), RegExp(broken)],
  "an unknown object": [program(["s0"], ["exp", { run: "x" }] as never), RegExp(broken)],
  "no list of steps": [{ steps: "exp", results: ["s0"] }, RegExp(broken)],
  nothing: [null, RegExp(broken)],
  "a text where numbers should be": [program(["s0"], ["add", "x0", { text: "1" }] as never), RegExp(at)],
};
for (const [what, [forward, says]] of Object.entries(DAMAGED))
  test(`a damaged formula ends in a sentence: ${what}`, () => {
    assert.match(refusal(forward), says);
  });

test("a damaged rule, damaged numbers and too many of them end in a sentence", () => {
  assert.match(refusal(LOG.forward, program(["s0"], ["truediv", "g0", "x1"])), RegExp(at));
  const damaged = { t0: { ...float32(2), shape: [7] } };
  assert.match(refusal(LOG.forward, LOG.backward, damaged), /formulas are damaged \(shapes or numbers/);
  assert.match(refusal(LOG.forward, LOG.backward, { t0: { ...float32(2), data: "!" } }), /are damaged/);
  const large = { dtype: "bool", shape: [10_001], data: Buffer.alloc(10_001).toString("base64") };
  assert.match(refusal(LOG.forward, LOG.backward, { t0: large }), /more than 10,000 numbers/);
  assert.match(
    refusal(LOG.forward, LOG.backward, { t0: { ...large, shape: [1e308, 1e308] } }),
    /too many numbers/,
  );
});

test("without formulas, and where a node has none, the reason is told", () => {
  assert.match(replayer(playable((trace) => delete trace.replay)).cannot, /carries no formulas/);
  const said = "Square cannot be followed here: it is a Function of your own.";
  const without = (trace: Trace) => {
    delete trace.replay?.nodes.n3;
    Object.assign(trace.replay ?? {}, { cannot: { n3: said } });
  };
  assert.equal(replayer(playable(without)).cannot, said);
  const { cannot, editable, run } = replayer(playable((trace) => delete trace.replay?.nodes.n3));
  assert.equal(cannot, "LogBackward0 needs a running kernel.");
  assert.equal(editable(id("a")), cannot);
  assert.deepEqual(run(new Map()), { problem: cannot, node: "" });
});

test("a node knows where its rule holds", () => {
  const trace = playable(({ replay }) => {
    Object.assign(replay?.formulas[2] ?? {}, { domain: program(["s0"], ["gt", "x0", 0]) });
  });
  const { run } = replayer(trace);
  assert.deepEqual([...numbers(run(new Map())).outside], []);
  assert.deepEqual([...numbers(run(new Map([[id("d"), [-1]]]))).outside], ["n3"]);
});

test("the rule of an edge given the gradient 1 is its slope", () => {
  const { slopes } = numbers(replayer(playable()).run(new Map([[id("c"), [7]]])));
  assert.deepEqual([slopes("n3.0")?.data[0], slopes("n1.0")?.data[0]], [Math.fround(0.1), 7]);
  assert.equal(slopes("n9.9"), undefined);
});
