// The packed form of a trace (docs/trace.md) taken apart again, with suspicion: it comes from anywhere.
//
// A small text can stand for a huge one, so what comes out is counted and bounded. Moulds hold no
// records and shared things hold nothing shared, so nothing can hold itself.
//
// Read next: trace.ts, which checks what comes out.

import { isObject } from "./merge";

const LARGEST = 20_000_000; // lists, objects, numbers and texts; a long text counts more
const DEEPEST = 60; // lists within lists

type Coded = { [key: string]: unknown };
type Negative = (number: number) => unknown; // what a negative number stands for

/** Why a document cannot be taken apart: a part of a sentence. */
export class PackError extends Error {}

const onlyKey = (thing: unknown) =>
  isObject(thing) && Object.keys(thing).length === 1 ? Object.keys(thing)[0] : undefined;

function list(found: unknown): unknown[] {
  if (!Array.isArray(found)) throw new PackError("a list is missing");
  return found;
}

function number(found: unknown): number {
  if (typeof found !== "number") throw new PackError("a number is missing");
  return found;
}

const nothing: Negative = () => {
  throw new PackError("something shared refers to something shared");
};

/** `document` with `list` at "events" cut to `most` entries; its length before. */
export function firstEvents(document: Coded, most: number): [document: Coded, count: number] {
  const events = document.events;
  const cast = isObject(events) && onlyKey(events) === "#";
  const listed = cast ? events["#"] : events;
  if (!Array.isArray(listed) || listed.length <= most) return [document, 0];
  const first = listed.slice(0, most);
  return [{ ...document, events: cast ? { "#": first } : first }, listed.length];
}

/** The document that Python's `pack` made small; one without `moulds` as it is, if it is not too deep. */
export function unpack({ moulds: cast, shared: common, ...body }: Coded): Coded {
  let left = LARGEST;
  const count = (much: number) => {
    left -= much;
    if (left < 0) throw new PackError("it is too large when it is unpacked");
  };
  /** A place where things are kept with their sizes: each use of one counts as much as the thing. */
  const store = () => {
    const kept: unknown[] = [];
    const sizes: number[] = [];
    const add = (make: () => unknown) => {
      const before = left;
      kept.push(make());
      sizes.push(before - left);
    };
    const get: Negative = (number) => {
      if (!(-1 - number in kept)) throw new PackError("a reference leads nowhere");
      count(sizes[-1 - number] as number);
      return kept[-1 - number];
    };
    return { add, get };
  };

  const read = (coded: unknown, negative: Negative, depth: number): unknown => {
    count(1);
    if (typeof coded === "string") count(coded.length >> 4);
    if (typeof coded === "number" && coded < 0) return negative(coded);
    if (typeof coded !== "object" || coded === null) return coded;
    if (depth > DEEPEST) throw new PackError("it is nested too deeply");
    if (Array.isArray(coded)) return coded.map((entry) => read(entry, negative, depth + 1));
    const key = onlyKey(coded);
    const inside = (coded as Coded)[key ?? ""];
    if (key === "=") return number(inside);
    if (key === "$") {
      const text = list(inside).map((part) => {
        const piece = read(part, negative, depth + 1);
        if (typeof piece !== "string" && typeof piece !== "number") throw new PackError("a text is missing");
        return piece;
      });
      const joined = text.join("");
      count(joined.length >> 4);
      return joined;
    }
    if (key === "+") {
      const [hole, tenths] = list(inside);
      return (Math.round(number(read(hole, negative, depth + 1)) * 10) + number(tenths)) / 10;
    }
    if (key === "%") {
      const pairs = list(inside).map((pair) => list(read(pair, negative, depth + 1)));
      if (pairs.some((pair) => pair.length !== 2 || typeof pair[0] !== "string"))
        throw new PackError("a key is missing");
      return Object.fromEntries(pairs);
    }
    if (key === "#") {
      if (negative !== shared.get) throw new PackError("records stand where none may");
      return list(inside).map((entry) =>
        Array.isArray(entry) ? record(entry, negative, depth) : read(entry, negative, depth + 1),
      );
    }
    // fromEntries: a key called "__proto__" stays an ordinary key
    return Object.fromEntries(
      Object.entries(coded).map(([name, entry]) => [name, read(entry, negative, depth + 1)]),
    );
  };
  /** A record: the place of its mould, and what fills the holes. */
  const record = (coded: unknown, negative: Negative, depth: number): unknown => {
    const [place, ...filled] = list(coded);
    if (!(typeof place === "number" && place in moulds)) throw new PackError("a mould is missing");
    const holes = store();
    for (const one of filled) holes.add(() => read(one, negative, depth + 1));
    return read(moulds[place], holes.get, depth + 1);
  };

  if (cast === undefined) {
    const walk = (thing: unknown, depth: number): void => {
      if (typeof thing !== "object" || thing === null) return;
      if (depth > DEEPEST) throw new PackError("it is nested too deeply");
      for (const entry of Object.values(thing)) walk(entry, depth + 1);
    };
    walk(body, 0);
    return body;
  }
  const moulds = list(cast);
  const shared = store();
  for (const entry of list(common ?? [])) {
    const made = onlyKey(entry) === "#" ? () => record((entry as Coded)["#"], nothing, 0) : undefined;
    shared.add(made ?? (() => read(entry, nothing, 0)));
  }
  return Object.fromEntries(Object.entries(body).map(([key, entry]) => [key, read(entry, shared.get, 0)]));
}
