// Packs the core and the extras: each carries itself compressed, as text, and unpacks itself where it runs.
//
// Read next: unpacking.mjs.

import { createHash } from "node:crypto";
import { minify_sync } from "terser";
import { byteOrder, continued, reader, unpack } from "./unpacking.mjs";

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

/** What writes bits, each in a context, as reader() in unpacking.mjs reads them. */
function writer() {
  const [quick, slow, seen] = [0, 1, 2].map((k) => new Uint16Array(1600).fill(k < 2 ? 32768 : 0));
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
    return +one;
  };
  const bytes = () => Uint8Array.from([...found, high >>> 24, 0, 0, 0]); // any number from low to high
  return { write, bytes };
}

/**
 * Bytes as unpack() reads them, and the row of the text itself. What stands before a letter tells more about it
 * than what follows, so the text is turned round; and letters that follow similar ones are neighbours.
 */
export function compressed(text) {
  const letters = byteOrder();
  const bytes = Uint8Array.from(text, (byte) => letters.indexOf(byte)).reverse();
  const size = bytes.length;
  const { write, bytes: found } = writer();
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
  return [found(), order.indexOf(0)];
}

/** Functions of unpacking.mjs as JavaScript. */
const [READER, UNPACK, CONTINUED] = [reader, unpack, continued].map((made) => {
  const text = `(${made.toString().replace("byteOrder()", `(${byteOrder})()`)})`;
  const compress = { passes: 3, expression: true, unsafe_arrows: true };
  const { code } = minify_sync(text, { ecma: 2022, compress });
  return `(${code.replace(/;$/, "").replaceAll("'", '"')})`;
});

/** JavaScript for the text that `text` was before it was compressed. read: JavaScript for reader(). */
export function unpacked(text, read = READER) {
  const bytes = Buffer.from(text);
  const [packed, row] = compressed(bytes);
  return `${UNPACK}(${read}('${encoded(packed)}'),${bytes.length},${row})`;
}

/** JavaScript for the text that `text` was. `before`: a text like it, and JavaScript for that. */
export function unpackedAfter(before, script, text, read = READER) {
  const bytes = Buffer.from(text);
  const { write, bytes: found } = writer();
  continued(write, before, bytes.length, bytes);
  return `${CONTINUED}(${read}('${encoded(found())}'),${script},${bytes.length})`;
}

/**
 * The two files, of two lines each, of which everything is composed, here and in
 * graphlab/faces/render/html.py. docs/decisions/0013 says why.
 *
 * core: JavaScript for what the core exports, the widget first. extras: JavaScript for a function of that.
 * The page holds an object for each version, so that other outputs take what the first one has unpacked: the reader
 * `r`, the texts `t` of the core and `e` of the extras, and what they export, `c` and `x`.
 */
export function packedFiles(core, extras) {
  const version = createHash("sha256")
    .update(core + extras)
    .digest("hex")
    .slice(0, 12);
  const page = `globalThis["graphlab-${version}"]`;
  const text = `${page}.c??=${core}`; // a script and a module; whoever runs it first makes the core
  const more = `(g=>g.x??=(${extras})(g.c))(${page})`;
  return {
    core: [
      `const w=globalThis,g=${page}??={r:${READER}};g.t??=${unpacked(text, "g.r")};`,
      // the rest of a module: it imports the core from a blob, as anywidget imports the module
      'if(!g.c){const u=URL.createObjectURL(new Blob([g.t],{type:"text/javascript"}));await import(u);URL.revokeObjectURL(u)}export default g.c[0];',
    ].join("\n"),
    extras: [
      `{const g=${page};g.e??=${unpackedAfter(text, "g.t", more, "g.r")}}`,
      // the rest of a script: it adds both to the page as an inline script, and plays what the page holds
      'if(!w.DecompressionStream)document.querySelectorAll("[data-graphlab]:not([data-graphlab-mounted])").forEach(e=>{e.dataset.graphlabMounted="";e.append("This browser is too old to play the recording. The picture shows its last step.")});else{if(!g.x){const s=document.createElement("script"),p=w.trustedTypes,t=g.t+";"+g.e;s.text=p?p.createPolicy("graphlab",{createScript:x=>x}).createScript(t):t;document.head.append(s);s.remove()}g.x()}',
    ].join("\n"),
  };
}

/** The script that plays what a page holds. The widget's module is the first file. */
export function scriptOf({ core, extras }) {
  const [unpacks] = core.split("\n");
  return `(()=>{${unpacks}${extras.replace("\n", "")}})()`;
}
