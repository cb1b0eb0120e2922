// The build refuses code of npm packages whose licence is not named (scripts/licences.mjs).

import assert from "node:assert/strict";
import { test } from "node:test";
import { packagesIn, unnamed } from "../scripts/licences.mjs";

test("the packages in a bundle are read off its inputs", () => {
  const inputs = {
    "src/widget.ts": {},
    "css-text:src/styles/graph.css": {},
    "node_modules/d3-array/src/index.js": {},
    "node_modules/@lumino/widgets/dist/index.js": {},
    "node_modules/d3-array/node_modules/internmap/src/index.js": {},
  };
  assert.deepEqual(packagesIn({ inputs }), ["@lumino/widgets", "d3-array", "internmap"]);
  assert.deepEqual(unnamed({ inputs }, "`d3-array` is under ISC, and so is internmap"), [
    "@lumino/widgets",
    "internmap",
  ]);
  assert.deepEqual(packagesIn({ inputs: { "src/widget.ts": {} } }), []);
});
