// Packs a bundle: it carries itself compressed, as text, and unpacks itself where it runs.
//
// Read next: unpacking.mjs.

import { createHash } from "node:crypto";
import { compress } from "lzma1";
import { minify_sync } from "terser";
import { unpack } from "./unpacking.mjs";

// The printable characters of ASCII that neither JSON, a JavaScript string nor HTML changes.
const DIGITS = Array.from({ length: 95 }, (_, k) => k + 32).filter(
  (code) => !"\"'<\\".includes(String.fromCharCode(code)),
);

/** Bytes as text, 13 or 14 bits in two of 91 characters: an eighth more than the bytes; base64 takes a third. */
export function encoded(bytes) {
  let [bits, count, text] = [0, 0, ""];
  const write = (pair) => {
    text += String.fromCharCode(DIGITS[pair % 91], DIGITS[Math.floor(pair / 91)]);
  };
  for (const byte of bytes) {
    bits |= byte << count;
    count += 8;
    if (count <= 13) continue;
    const short = (bits & 8191) > 88; // what 13 bits can hold; else 14 bits fit
    write(short ? bits & 8191 : bits & 16383);
    bits >>= short ? 13 : 14;
    count -= short ? 13 : 14;
  }
  if (count > 7 || bits > 90) write(bits);
  else if (count) text += String.fromCharCode(DIGITS[bits]);
  return text;
}

const HEADER = 13; // bytes before what LZMA has written: its settings, and the size of the text

/** What unpacks a text, as JavaScript: a function of the packed text and its size. */
const unpacking = minify_sync(`(${unpack})`, { ecma: 2022, compress: { passes: 3, expression: true } })
  .code.replace(/;$/, "")
  .replaceAll("'", '"');

/** JavaScript for the text that `text` was before it was compressed. */
export function unpacked(text) {
  const bytes = Buffer.from(text);
  const packed = Uint8Array.from(compress(bytes, 9)).subarray(HEADER);
  return `${unpacking}('${encoded(packed)}',${bytes.length})`;
}

const hashOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** A module that imports the real one, with these exports, from a blob, as anywidget imports the widget. */
const moduleOf = (text, names) =>
  `const t=${unpacked(text)},u=URL.createObjectURL(new Blob([t],{type:"text/javascript"})),m=await import(u);URL.revokeObjectURL(u);` +
  names.map((name) => `export ${name === "default" ? "default " : `const ${name}=`}m.${name};`).join("");

/**
 * How the text of a bundle that is compressed runs; a module has exports of these names. docs/decisions/0013 says
 * why.
 */
export const selfUnpacking = {
  widget: moduleOf,
  // a script that adds the real one to the page, once for each version on the page
  player: (text) =>
    `(async()=>{const w=globalThis,k="graphlab-${hashOf(text)}";if(w[k])return(await w[k])();if(!w.DecompressionStream)return document.querySelectorAll("[data-graphlab]:not([data-graphlab-mounted])").forEach(e=>{e.dataset.graphlabMounted="";e.append("This browser is too old to play the recording. The picture shows its last step.")});w[k]=(async()=>{const t=${unpacked(text)},s=document.createElement("script"),p=w.trustedTypes;s.text=p?p.createPolicy("graphlab",{createScript:x=>x}).createScript(t):t;document.head.append(s);s.remove();return w.graphlabMount})()})()`,
};
