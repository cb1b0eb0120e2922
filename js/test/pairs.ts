// The programs that Python traced at two sets of values, with all numbers of the second.

import { gunzipSync } from "node:zlib";
import type { Nd } from "../src/replay/arrays.ts";
import type { Retold } from "../src/replay/retell.ts";
import type { Trace } from "../src/trace.ts";
import { fixture } from "./page.ts";

export interface Pair {
  name: string;
  one: Trace;
  other: Trace;
  numbers: Retold;
}

export interface Written {
  dtype: string;
  shape: number[];
  data: string; // bytes in base64
}

type WrittenNumbers = { [part in keyof Retold]: { [key: string]: Written | (Written | null)[] } };

const READ: { [dtype: string]: (bytes: ArrayBuffer) => ArrayLike<number | bigint> } = {
  float32: (bytes) => new Float32Array(bytes),
  float64: (bytes) => new Float64Array(bytes),
  int64: (bytes) => new BigInt64Array(bytes),
  int32: (bytes) => new Int32Array(bytes),
  bool: (bytes) => new Uint8Array(bytes),
};

/** An array as Python writes it. */
export function array({ dtype, shape, data }: Written): Nd {
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  return { dtype, shape, data: Float64Array.from(READ[dtype]?.(bytes.buffer) ?? [], Number) };
}

/** Numbers as tests/adapters/retelling.py writes them. */
export function numbersOf(written: WrittenNumbers): Retold {
  const map = (part: keyof Retold) =>
    new Map(Object.entries(written[part] ?? {}).map(([key, one]) => [key, array(one as Written)]));
  const came = Object.entries(written.came as { [node: string]: (Written | null)[] });
  const slopes = map("slopes");
  return {
    tensors: map("tensors"),
    came: new Map(came.map(([node, all]) => [node, all.map((one) => one && array(one))])),
    made: map("made"),
    sent: map("sent"),
    gathered: new Map([...map("gathered")].map(([k, sum]) => [Number(k), sum])),
    leaves: map("leaves"),
    slopes: (edge) => slopes.get(edge),
  };
}

export function pairs(): Pair[] {
  const { gzip } = fixture("retold.json") as unknown as { gzip: string };
  const all = JSON.parse(gunzipSync(Buffer.from(gzip, "base64")).toString()) as Pair[];
  return all.map((pair) => ({ ...pair, numbers: numbersOf(pair.numbers as unknown as WrittenNumbers) }));
}

const NUMBER = /-?\d[\d.]*(e[+-]\d+)?|-?\binf\b/g;

/** Whether two texts differ only in numbers, and in these by so little. */
function alike(one: unknown, other: unknown, by: number, least: number): boolean {
  const [a, b] = [String(one), String(other)];
  const [found, wanted] = [a.match(NUMBER) ?? [], b.match(NUMBER) ?? []];
  const near = (x: number, y: number) => Math.abs(x - y) <= by * Math.abs(y) + least;
  return (
    a.replaceAll(NUMBER, "#") === b.replaceAll(NUMBER, "#") &&
    found.every((text, k) => text === wanted[k] || near(Number(text), Number(wanted[k])))
  );
}

/** The places at which two documents differ, with both texts; `by`: how much numbers in them may differ. */
export function* differences(one: unknown, other: unknown, by = 0, path = ""): Generator<string> {
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) {
    // sums of float32, in another order
    const [share, least] = /\.(mean|std)$/.test(path) ? [by || 1e-4, 1e-7] : [by, 1e-30];
    if (one !== other && !(share && alike(one, other, share, least)))
      yield `${path}: ${JSON.stringify(one)}, not ${JSON.stringify(other)}`;
    return;
  }
  const [a, b] = [one, other] as { [key: string]: unknown }[];
  for (const key of new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]))
    yield* differences(a?.[key], b?.[key], by, `${path}.${key}`);
}
