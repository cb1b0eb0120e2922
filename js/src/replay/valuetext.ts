// The text of numbers and arrays, as graph/value.py and graph/array_sample.py write it: it is written when
// it is read, because of thousands of arrays only a few are shown.
//
// tests/fixtures/valuetexts.json holds both to it.
//
// Read next: phrases.ts.

import { laidOut, pointed } from "../fitting";
import { COMPLETE } from "../merge";
import type { Statistics } from "../schema";
import type { Value } from "../trace";
import type { Nd, Shape } from "./arrays";

const LONGEST = 24; // characters of a text
const CORNER = 5; // rows and columns of the corner of a large array
const WHOLE = 200; // entries; so many are all kept
const SLICES = 8; // corners of matrices, of an array of three dimensions or more

/** A number with so many significant digits, as Python's f"{x:.5g}" writes it. */
export function general(x: number, digits: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (Object.is(x, -0)) return "-0";
  const [near, longer] = [x.toExponential(digits - 1), x.toExponential(digits)];
  // An exact half goes to the even digit in Python, and away from 0 in JavaScript.
  const half = /^(-?[\d.]*[02468]\.?)5e(.*)$/.exec(longer);
  const exact = half && /50{30}e/.test(x.toExponential(digits + 30));
  return laidOut(exact ? `${half[1]}e${half[2]}` : near, digits);
}

/** One entry of an array of a type. */
export function entryText(x: number, dtype: string, digits = 5): string {
  if (dtype === "bool") return x ? "True" : "False";
  if (!dtype.includes("float")) return String(x);
  return Number.isInteger(x) && Math.abs(x) < 10 ** digits && x ? `${x}.0` : pointed(general(x, digits));
}

/** A shape in a sentence, as Python writes it: "(3,)". */
export const tupleText = (shape: Shape): string => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

export const sizeOf = (shape: Shape): number => shape.reduce((product, n) => product * n, 1);

const made = new WeakMap<Nd, Value>();

/** What a trace says of an array. Made once for each. */
export function toldValue(nd: Nd): Value {
  let value = made.get(nd);
  if (!value) {
    value = summarised(nd);
    made.set(nd, value);
  }
  return value;
}

function summarised(nd: Nd): Value {
  const { shape, dtype, data } = nd;
  const nbytes = data.length * (dtype === "bool" ? 1 : Number(/\d+$/.exec(dtype)?.[0] ?? 8) / 8);
  const whole = data.length <= WHOLE;
  const kept = whole ? [] : cornerOf(shape);
  const single = data.length === 1;
  let entries: string | undefined;
  let statistics: Statistics | null | undefined;
  return {
    shape: [...shape],
    dtype,
    text: single ? entryText(data[0] as number, dtype) : oneLine(nd),
    get entries() {
      entries ??= single ? "" : texts(nd, kept).join(" ");
      return entries;
    },
    kept,
    nbytes,
    get statistics() {
      if (statistics === undefined) statistics = single ? null : measured(nd);
      return statistics;
    },
    [COMPLETE]: true,
  } as Value;
}

function oneLine({ shape, dtype, data }: Nd): string {
  for (const digits of shape.length === 1 && data.length <= CORNER ? [5, 4, 3] : []) {
    const listed = `[${Array.from(data, (x) => entryText(x, dtype, digits)).join(", ")}]`;
    if (listed.length <= LONGEST) return listed;
  }
  const size = tupleText(shape);
  const text = `${size} ${dtype}`;
  if (text.length <= LONGEST) return text;
  return size.length <= LONGEST ? size : `${size.slice(0, LONGEST - 1)}…`;
}

/** The number of entries to keep along each dimension of a large array. */
function cornerOf(shape: Shape): number[] {
  const kept = shape.slice(-2).map((n) => Math.min(n, CORNER));
  let slices = SLICES;
  for (const n of shape.slice(0, -2).reverse()) {
    const some = Math.max(1, Math.min(n, slices));
    kept.unshift(some);
    slices = Math.floor(slices / some);
  }
  return kept;
}

/** The entries of a corner, row by row; [] keeps all. */
function texts({ shape, dtype, data }: Nd, kept: readonly number[]): string[] {
  if (!kept.length) return Array.from(data, (x) => entryText(x, dtype));
  let places = [0];
  for (const [d, n] of shape.entries())
    places = places.flatMap((at) => Array.from({ length: kept[d] as number }, (_, k) => at * n + k));
  return places.map((at) => entryText(data[at] as number, dtype));
}

function measured({ dtype, data }: Nd): Statistics | null {
  if (!data.length) return null;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [nan, pos_inf, neg_inf, zeros, count] = [0, 0, 0, 0, 0];
  for (const x of data) {
    if (Number.isNaN(x)) nan += 1;
    else if (x === Number.POSITIVE_INFINITY) pos_inf += 1;
    else if (x === Number.NEGATIVE_INFINITY) neg_inf += 1;
    else {
      count += 1;
      if (x === 0) zeros += 1;
      if (x < low) low = x;
      if (x > high) high = x;
    }
  }
  const counts = { nan, pos_inf, neg_inf, zeros };
  if (!count) return { low: "nan", high: "nan", mean: "nan", std: "nan", ...counts };
  // computed relative to the largest size, so that no square overflows
  const most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const scale = most > 1e150 || most < 1e-150 ? most : 1;
  const finite = data.filter(Number.isFinite);
  const mean = finite.reduce((sum, x) => sum + x / scale, 0) / count;
  const squares = finite.reduce((sum, x) => sum + (x / scale - mean) ** 2, 0);
  const [ends, rest] = [(x: number) => entryText(x, dtype), (x: number) => entryText(x * scale, "float")];
  const std = Math.sqrt(squares / (count - 1));
  return { low: ends(low), high: ends(high), mean: rest(mean), std: rest(std), ...counts };
}
