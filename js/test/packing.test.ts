// How scripts/packing.mjs packs what is built.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encoded, selfUnpacking, unpacked } from "../scripts/packing.mjs";

const run = (script: string): string => new Function(`return ${script}`)();

test("a packed text is the text again when its script runs", () => {
  for (const length of [0, 1, 2, 3, 5, 8, 13, 100, 1001, 20_000]) {
    const text = Array.from({ length }, (_, k) => String.fromCharCode(32 + ((k * k * 7 + k) % 95))).join("");
    assert.equal(run(unpacked(text)), text);
  }
  for (const text of ["a".repeat(1000), "ab".repeat(500), "abcabcabd".repeat(7)])
    assert.equal(run(unpacked(text)), text);
  assert.equal(run(unpacked("∂e/∂a · ✓ 😀")), "∂e/∂a · ✓ 😀");
});

test("packed bytes hold no character that JSON, a script or HTML would change", () => {
  const every = Uint8Array.from({ length: 65_536 }, (_, k) => (k * 31 + (k >> 8)) % 256);
  const text = encoded(every);
  assert.match(text, /^[ -~]+$/);
  assert.doesNotMatch(text, /["'<\\]/);
  assert.ok(text.length < 1.24 * every.length);
});

test("a widget takes the code that the first one on its page unpacked", () => {
  const code = "export default '∂e/∂a'";
  const [module = ""] = selfUnpacking.widget(code, ["default"]).split(",u=URL"); // the rest imports it from a blob
  const page = globalThis as Record<string, unknown>;
  const key = /graphlab-[0-9a-f]{12}/.exec(module)?.[0] ?? "";
  const text = (): string => new Function(`${module};return t`)();
  assert.equal(text(), code);
  assert.equal(page[key], code);
  page[key] = "unpacked before";
  assert.equal(text(), "unpacked before");
  delete page[key];
});
