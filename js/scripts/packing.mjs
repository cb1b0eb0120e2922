// Packs a bundle: it carries itself compressed, as text, and unpacks itself where it runs.
//
// Read next: unpacking.mjs.

import { createHash } from "node:crypto";
import { minify_sync } from "terser";
import { byteOrder, unpack } from "./unpacking.mjs";

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

/** The numbers of the rotations of some bytes, sorted: by 1 byte, then by 2, 4, 8 ... */
function sortedRotations(bytes) {
  const size = bytes.length;
  let rank = Float64Array.from(bytes);
  let order = Uint32Array.from(bytes.keys());
  for (let length = 1, ranks = 0; ranks < size && length < 2 * size; length *= 2) {
    const key = rank.map((one, k) => one * 2 ** 22 + rank[(k + length) % size]);
    order = order.sort((a, b) => key[a] - key[b]);
    rank = new Float64Array(size);
    ranks = 0;
    for (let k = 0; k < size; k++)
      rank[order[k]] = k && key[order[k]] === key[order[k - 1]] ? ranks - 1 : ranks++;
  }
  return order;
}

/**
 * Bytes as unpacking.mjs reads them, and the row of the text itself. What stands before a letter tells more about it
 * than what follows, so the text is turned round; and letters that follow similar ones are neighbours.
 */
export function compressed(text) {
  const letters = byteOrder();
  const bytes = Uint8Array.from(text, (byte) => letters.indexOf(byte)).reverse();
  const size = bytes.length;
  const [quick, slow, seen] = [0, 1, 2].map((k) => new Uint16Array(1400).fill(k < 2 ? 32768 : 0));
  const found = [];
  let [low, high] = [0, -1 >>> 0];
  const write = (context, one) => {
    const chance = Math.min(Math.max((quick[context] + slow[context]) >> 1, 32), 65504);
    const middle = low + Math.floor(((high - low) * chance) / 65536);
    if (one) high = middle;
    else low = middle + 1;
    for (; (low ^ high) >>> 24 === 0; high = ((high << 8) | 255) >>> 0) {
      found.push(high >>> 24);
      low = (low << 8) >>> 0;
    }
    quick[context] += ((one ? 65535 : 0) - quick[context]) / 16;
    slow[context] += ((one ? 65535 : 0) - slow[context]) / (seen[context] + 1.5);
    if (seen[context] < 400) seen[context]++;
  };
  const recent = [...Array(256).keys()];
  let [a, b, c] = [0, 0, 0];
  const order = sortedRotations(bytes);
  for (const start of order) {
    const place = recent.indexOf(bytes[(start + size - 1) % size]);
    const context = a * 25 + b * 5 + c;
    write(context, !place);
    if (place) write(125 + context, place === 1);
    if (place > 1) {
      const length = 31 - Math.clz32(place);
      for (let k = 1; k < 7 && k <= length; k++) write(250 + Math.min(a, 3) * 8 + k, k < length);
      for (let n = length; n--; ) write(282 + length * 128 + (place >> (n + 1)), (place >> n) & 1);
    }
    [a, b, c] = [place < 2 ? place : place < 4 ? 2 : place < 16 ? 3 : 4, a, b];
    recent.unshift(...recent.splice(place, 1));
  }
  found.push(high >>> 24, 0, 0, 0); // any number from low to high
  return [Uint8Array.from(found), order.indexOf(0)];
}

/** What unpacks a text, as JavaScript: a function of the packed text and its size. */
const unpacking = minify_sync(`(${unpack.toString().replace("byteOrder()", `(${byteOrder})()`)})`, {
  ecma: 2022,
  compress: { passes: 3, expression: true },
})
  .code.replace(/;$/, "")
  .replaceAll("'", '"');

/** JavaScript for the text that `text` was before it was compressed. */
export function unpacked(text) {
  const bytes = Buffer.from(text);
  const [packed, row] = compressed(bytes);
  return `${unpacking}('${encoded(packed)}',${bytes.length},${row})`;
}

const hashOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/**
 * A module that imports the real one, with these exports, from a blob, as anywidget imports the widget: once for
 * each widget. What the first one has unpacked is left for the others.
 */
const moduleOf = (text, names) =>
  `const t=globalThis["graphlab-${hashOf(text)}"]??=${unpacked(text)},u=URL.createObjectURL(new Blob([t],{type:"text/javascript"})),m=await import(u);URL.revokeObjectURL(u);` +
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
