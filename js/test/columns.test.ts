import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { documentIn, fromColumns } from "../src/columns.ts";
import { decompressed, readTrace, TraceError } from "../src/trace.ts";
import { lesson } from "./page.ts";

type Columns = { [key: string]: unknown };
const path = new URL("../../../tests/fixtures/columns.json", import.meta.url); // as in page.ts
const { pairs, refused } = JSON.parse(readFileSync(path, "utf8")) as {
  pairs: [unknown, Columns][];
  refused: { [what: string]: Columns };
};
const gzip = (document: unknown) => gzipSync(JSON.stringify(document)).toString("base64");

test("documents come back from the columns that Python wrote", () => {
  for (const [document, columns] of pairs) {
    assert.equal(JSON.stringify(fromColumns(columns)), JSON.stringify(document));
  }
});

test("what is written twice is one object", () => {
  const { again, first } = fromColumns(pairs[6]?.[1] ?? {}) as { again: unknown[]; first: unknown };
  assert.ok(again[0] === again[1] && again[0] === first);
});

test("a compressed trace in columns is the same trace", async () => {
  const found = await decompressed({ gzip: gzip(pairs.at(-1)?.[1]) });
  assert.deepEqual(readTrace(found), readTrace(pairs.at(-1)?.[0]));
  assert.deepEqual(documentIn(JSON.stringify(lesson())), lesson());
});

for (const [what, columns] of Object.entries(refused)) {
  test(`${what} is refused with a sentence`, async () => {
    await assert.rejects(
      () => decompressed({ gzip: gzip(columns) }),
      (error) => error instanceof TraceError && /^This GraphLab trace is damaged: /.test(error.message),
    );
  });
}
