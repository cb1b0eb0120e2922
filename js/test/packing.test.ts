// How scripts/packing.mjs packs what is built.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encoded, packedFiles, scriptOf, unpacked, unpackedAfter } from "../scripts/packing.mjs";
import { coreAndExtras } from "../scripts/parts.mjs";
import { scriptOf as labScript } from "../src/lab/playerscript.ts";

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

test("a text that follows another is the text again, and smaller than alone", () => {
  const before = Array.from(
    { length: 400 },
    (_, k) => `const name${k % 40} = document.createElement("p");`,
  ).join("\n");
  for (const text of [
    "",
    "a",
    "const name3 = document;",
    "∂e/∂a · ✓ 😀",
    before.slice(500, 1500),
    "\0\n\u007f~",
  ]) {
    const script = unpackedAfter(before, "before", text);
    assert.equal(new Function("before", `return ${script}`)(before), text);
  }
  const text = 'document.createElement("p").append(document.createElement("b"))';
  const packed = (script: string) => /'([^']*)'/.exec(script)?.[1]?.length ?? 0;
  assert.ok(packed(unpackedAfter(before, "before", text)) < 0.7 * packed(unpacked(text)));
});

const CORE = "(()=>{const made={};globalThis.cores=(globalThis.cores??0)+1;return['widget',made]})()";
const EXTRAS =
  "([,made])=>{globalThis.players=(globalThis.players??0)+1;return Object.assign(()=>made,{extras:made})}";
interface Version {
  t: string;
  e: string;
  c: unknown[];
  x: { (): unknown; extras: unknown };
}

/** A page without elements, that counts what runs on it: `files` are of a version. */
function pageWith(files: { core: string; extras: string }) {
  const page = globalThis as unknown as { [key: string]: Version | undefined } & {
    cores: number;
    players: number;
  };
  Object.assign(page, { cores: 0, players: 0 });
  const key = /graphlab-[0-9a-f]{12}/.exec(files.core)?.[0] ?? "";
  delete page[key];
  const version = () => page[key] as Version;
  const unpacks = files.core.split("\n")[0];
  return {
    page,
    key,
    version,
    widget: () => new Function(`${unpacks};(0,eval)(g.t);return g.c[0]`)(), // the rest imports g.t from a blob
    askForExtras: () => new Function(`${files.extras.split("\n")[0]};(0,eval)(globalThis["${key}"].e)`)(),
  };
}

test("the extras of a widget use what its core exports, and nothing runs twice", () => {
  const { page, version, widget, askForExtras } = pageWith(packedFiles(CORE, EXTRAS));
  assert.equal(widget(), "widget");
  assert.equal(widget(), "widget"); // of another output
  askForExtras();
  askForExtras();
  assert.equal(version().x.extras, version().c[1]);
  assert.deepEqual([page.cores, page.players], [1, 1]);
});

test("two versions on a page have a core each", () => {
  const one = pageWith(packedFiles(CORE, EXTRAS));
  one.widget();
  const other = pageWith(packedFiles(`${CORE}/* another */`, EXTRAS));
  other.widget();
  other.askForExtras();
  assert.notEqual(one.key, other.key);
  assert.equal(other.version().x.extras, other.version().c[1]);
  assert.equal(one.version().x, undefined);
  assert.notEqual(one.version().c[1], other.version().c[1]);
});

test("each part of what esbuild splits becomes an expression, and the extras import from the core", () => {
  const file = (path: string, text: string) => ({ path, text });
  const parts = coreAndExtras([
    file("/core.js", 'import{c as a}from"./chunk-AB12.js";export{a as default};\n'),
    file("/extras.js", 'import{b as r}from"./chunk-AB12.js";var f=()=>r;export{f as default};\n'),
    file("/chunk-AB12.js", "var h={},w={h};export{h as b,w as c};\n"),
  ]);
  const [core, extras] = parts.map((text) => new Function(`return ${text}`)());
  assert.equal(extras(core)(), core[0].h);
  assert.throws(() => coreAndExtras([]), /esbuild made 0 files/);
});

test("JupyterLab makes of the files the script that the limit is for", () => {
  const { core, extras } = packedFiles(CORE, EXTRAS);
  assert.equal(labScript(core, extras), scriptOf({ core, extras }));
});
