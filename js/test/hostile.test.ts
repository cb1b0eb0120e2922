import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { inflate } from "../src/inflate.ts";
import { mountPlayer } from "../src/player.ts";
import { decompressed, opened, readTrace, TraceError } from "../src/trace.ts";
import { fixture, lesson, newPage } from "./page.ts";

const packed = (document: unknown) => gzipSync(JSON.stringify(document)).toString("base64");
const { format, version } = lesson();
const small = { format, version, gzip: packed(lesson()) };

/** The trace in a document that may be compressed. */
async function read(data: unknown) {
  const document = opened(data);
  return readTrace("gzip" in document ? await decompressed(document) : document);
}

test("a compressed trace is the same trace", async () => {
  assert.deepEqual(await read(small), readTrace(lesson()));
  assert.deepEqual(await read(JSON.stringify(small)), readTrace(lesson()));
});

for (const [what, document] of fixture("hostile.json") as unknown as [string, unknown][]) {
  test(`${what} is refused with a sentence`, async () => {
    await assert.rejects(
      () => read(document),
      (error) =>
        error instanceof TraceError &&
        /^This (GraphLab trace is damaged: |is not a GraphLab trace: )/.test(error.message),
    );
  });
}

test("a small text that stands for a huge one is not decompressed to its end", async () => {
  const text = packed("0".repeat(1_000_000));
  assert.equal((await inflate(text, 1_000_002)).length, 1_000_002);
  await assert.rejects(() => inflate(text, 1_000_001), /larger than 1000001 bytes/);
});

test("a compressed trace of a newer version is refused before it is decompressed", () => {
  assert.throws(() => opened({ ...small, version: 99, gzip: 3 }), /newer GraphLab/);
});

test("a player of a compressed trace does what it was told meanwhile", async () => {
  const root = newPage().appendChild(document.createElement("div"));
  const player = mountPlayer(root, small);
  player.setStep(3);
  player.setStep(5);
  player.say("Hello.");
  assert.equal(player.last, -1);
  for (let k = 0; k < 200 && player.last < 0; k += 1) await new Promise((next) => setTimeout(next, 5));
  assert.equal(player.last, 51);
  assert.match(root.textContent ?? "", /Hello\./);
  player.destroy();
});

test("a player that is gone before its trace is decompressed stays gone", async () => {
  const root = newPage().appendChild(document.createElement("div"));
  const player = mountPlayer(root, small);
  player.destroy();
  await new Promise((next) => setTimeout(next, 50));
  assert.deepEqual([root.childElementCount, player.last], [0, -1]);
});

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
  const text = JSON.stringify({ ...lesson(), initial: {} });
  const { initial } = readTrace(text.replace('"initial":{}', '"initial":{"grads":{"__proto__":3}}'));
  assert.deepEqual(Object.keys(initial.grads ?? {}), ["__proto__"]);
});
