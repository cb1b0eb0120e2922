// Large documents by columns: what stands under one name is written together, and once.
//
// graphlab/graph/columns.py writes them; docs/trace.md describes the form. tests/fixtures/columns.json holds
// both to it.
//
// Read next: trace.ts.

import { laidOut, pointed } from "./fitting";
import { isObject } from "./merge";

const MOST = 2 ** 28; // parts and characters that a document in columns may stand for
const DEEPEST = 100; // lists within lists
const REPEATED = 8; // parts from which on a list or an object can be named
const LONG = 40; // characters from which on a text without digits can be named
const UNFIT = "its columns do not fit together";
const [OBJECT, LIST, MAP, WORDS, FLOAT] = [0, 1, 2, 3, 4];

type Token = null | boolean | number | string | [number, ...(number | string)[]];
interface Column {
  tokens: Token[];
  letters: string; // three for the digits of each float
  next: number;
  read: number; // letters
  last: number; // the thing that was written or named last
  numbers: Map<string, (number | string)[]>; // texts around integers -> the last of these parts
}

/** The document in the JSON `text`, which a large one's columns stand for. Throws where it is damaged. */
export function documentIn(text: string): unknown {
  const found: unknown = JSON.parse(text);
  return isObject(found) && "columns" in found && !("format" in found) ? fromColumns(found) : found;
}

/** What was written once is one object here, which many others share. */
export function fromColumns(data: { [key: string]: unknown }): unknown {
  const shapes = data.shapes as string[][];
  const columns = new Map(
    (data.columns as [string, Token[], string?][]).map(([name, tokens, letters = ""]): [string, Column] => [
      name,
      { tokens, letters, next: 0, read: 0, last: 0, numbers: new Map() },
    ]),
  );
  const things: [unknown, number][] = []; // what can be named, and its parts
  let room = MOST;

  const take = (parts: number) => {
    room -= parts;
    if (room < 0) throw new Error(`it stands for more than ${MOST} parts`);
  };
  const keep = (column: Column, thing: unknown, parts: number): unknown => {
    column.last = things.push([thing, parts]) - 1;
    return thing;
  };
  let parts = 0; // the number of parts of what was read last

  function read(name: string, depth: number): unknown {
    const column = columns.get(name);
    const token = column?.tokens[column.next];
    if (!column || token === undefined) throw new Error(UNFIT);
    column.next += 1;
    parts = 1;
    if (!Array.isArray(token))
      return typeof token === "string" && isKept(token) ? keep(column, token, 1) : token;
    const [count, what] = token;
    if (what === undefined) {
      column.last += count;
      const thing = things[column.last];
      if (!thing) throw new Error(UNFIT);
      parts = thing[1];
      take(parts);
      return thing[0];
    }
    if (typeof what === "string") {
      const pieces: (number | string)[] = [...token]; // texts and integers in turn
      [pieces[0], pieces[1]] = [what, count];
      let around = `${pieces.length}`; // a1b and a1b2 have the same texts
      for (let k = 0; k < pieces.length; k += 2) around += `${pieces[k]}0`; // no text has a digit
      const last = column.numbers.get(around);
      if (last) for (let k = 1; k < pieces.length; k += 2) (pieces[k] as number) += last[k] as number;
      column.numbers.set(around, pieces);
      return pieces.join("");
    }
    if (what === FLOAT) {
      let figures = 0;
      for (let k = 0; k < 3; k += 1) figures = figures * 45 + column.letters.charCodeAt(column.read++) - 35; // "#"
      if (Number.isNaN(figures)) throw new Error(UNFIT);
      const text = `${count & 1 ? "-" : ""}${(1 + figures / 10_000).toFixed(4)}e${count >> 1}`;
      return keep(column, pointed(laidOut(text, 5)), 1);
    }
    if (depth > DEEPEST) throw new Error("it is nested too deeply");
    if (what === WORDS) {
      const words: unknown[] = [];
      for (let k = 0; k < count; k += 1) words.push(read(`${name} `, depth + 1));
      const text = words.join(" ");
      take(text.length);
      parts = 1;
      return isKept(text) ? keep(column, text, 1) : text;
    }
    let size = 1;
    const part = (inner: string) => {
      const made = read(inner, depth + 1);
      size += parts;
      return made;
    };
    let made: unknown;
    if (what === LIST) {
      const entries: unknown[] = [];
      for (let k = 0; k < count; k += 1) entries.push(part(`${name}*`));
      made = entries;
    } else {
      const pairs: [string, unknown][] = [];
      if (what === OBJECT) {
        const keys = shapes[count];
        if (!keys) throw new Error(UNFIT);
        for (const key of keys) pairs.push([key, part(key)]);
      } else if (what === MAP)
        for (let k = 0; k < count; k += 1)
          pairs.push([String(read(`${name}@`, depth + 1)), part(`${name}=`)]);
      made = Object.fromEntries(pairs); // fromEntries keeps a key called "__proto__" an ordinary key
    }
    take(1);
    parts = size;
    return size >= REPEATED ? keep(column, made, size) : made;
  }
  return read("", 0);
}

/** Python counts a character beyond U+FFFF as one, and JavaScript as two: such texts are never named. */
const isKept = (text: string) =>
  (text.length >= LONG || (text.length > 3 && !text.includes(" ") && /[0-9]/.test(text))) &&
  !/[^\0-\ud7ff]/.test(text);
