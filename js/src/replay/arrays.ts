// Arrays as NumPy has them: a shape, the name of a type, and the entries row by row. Every entry is held
// as a double; a float32 is one that was rounded.
//
// Read next: elementary.ts.

export type Shape = readonly number[];

export interface Nd {
  readonly shape: Shape;
  readonly dtype: string; // "float32", "int64", "bool"
  readonly data: Float64Array;
}

/** Which entries of memory an array looks at: sizes, the step along each dimension, and the first entry. */
export type Look = readonly [Shape, Shape, number];

/** How many entries may still be computed. Whoever starts a calculation sets it. */
export const budget = { left: 0 };

/** Why something cannot be computed. */
export class Refusal extends Error {}

export function refuse(why: string): never {
  throw new Refusal(why);
}

export const unfit = (): never => refuse("shapes or numbers do not fit");

export const isSame = (one: Shape, other: Shape): boolean =>
  one.length === other.length && one.every((n, d) => n === other[d]);

/** The number of entries of a shape, taken from the budget. Throws when it is spent. */
export function spend(shape: Shape): number {
  const count = shape.reduce((product, n) => (Number.isInteger(n) && n >= 0 ? product * n : Number.NaN), 1);
  budget.left -= count;
  return budget.left >= 0 ? count : refuse("it stands for too many numbers");
}

/** Zeros to compute with: of a floating type they are doubles, until they are rounded. */
export const zeros = (shape: Shape, dtype: string): Nd => ({
  shape,
  dtype: dtype[0] === "f" ? "float64" : dtype,
  data: new Float64Array(spend(shape)),
});

export const scalar = (x: number | boolean): Nd => ({
  shape: [],
  dtype: typeof x === "boolean" ? "bool" : Number.isInteger(x) ? "int64" : "float64",
  data: Float64Array.of(+x),
});

export const isFloat = ({ dtype }: Nd): boolean => dtype[0] === "f";

/** A dimension, or another index, counted from the front. */
export const place = (index: number, count: number): number =>
  index >= -count && index < count ? (index + count) % count : unfit();

/** The steps of an array that lies in memory row by row: (2, 3, 4) -> (12, 4, 1). */
export function steps(shape: Shape): number[] {
  const by: number[] = [];
  shape.reduceRight((step, n, d) => {
    by[d] = step;
    return step * n;
  }, 1);
  return by;
}

/** The places in memory that a look sees, row by row. */
export function places([shape, by, start]: Look): Int32Array {
  const at = new Int32Array(spend(shape)).fill(start, 0, 1);
  let filled = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    const block = filled;
    for (let i = 1; i < (shape[d] as number); i++)
      for (let k = 0; k < block; k++) at[filled++] = (at[k] as number) + i * (by[d] as number);
  }
  return at;
}

/** The entries of x at some places. */
export function pick(x: Nd, shape: Shape, at: ArrayLike<number>): Nd {
  const out = zeros(shape, x.dtype);
  for (let i = 0; i < out.data.length; i++) out.data[i] = x.data[at[i] as number] ?? unfit();
  return out;
}

/** Changes the entries of `out` at some places: each becomes f(entry, value). */
export function change(
  out: Nd,
  at: ArrayLike<number>,
  values: Nd,
  f: (old: number, value: number) => number,
): Nd {
  for (let i = 0; i < at.length; i++) {
    const to = at[i] as number;
    out.data[to] = f(out.data[to] ?? unfit(), values.data[i] ?? unfit());
  }
  return out;
}

export const add = (a: number, b: number) => a + b;
export const last = (_: number, b: number) => b;

export const view = (x: Nd, look: Look): Nd => pick(x, look[0], places(look));

/** The same entries in another shape, of which one size may be -1. */
export function reshape(x: Nd, shape: Shape): Nd {
  const count = x.data.length;
  const rest = -shape.reduce((product, n) => product * n, 1); // the product of the other sizes, if one size is -1
  const sizes = shape.map((n) => (n === -1 ? count / rest || 0 : n));
  return spend(sizes) === count ? { ...x, shape: sizes } : unfit();
}

/** The shape that several have together. */
export const together = (shapes: readonly Shape[]): Shape =>
  shapes.reduce((one, other) => {
    if (isSame(one, other)) return one;
    const [long, short] = one.length < other.length ? [other, one] : [one, other];
    return long.map((n, d) => {
      const m = short[d - long.length + short.length] ?? 1;
      return n === m || m === 1 ? n : n === 1 ? m : unfit();
    });
  });

/** x repeated to a shape. */
export function expand(x: Nd, shape: Shape): Nd {
  if (isSame(x.shape, shape)) return x;
  const lead = shape.length - x.shape.length;
  const by = steps(x.shape);
  const stretched = shape.map((_, d) => (x.shape[d - lead] === 1 ? 0 : (by[d - lead] ?? 0)));
  return isSame(together([x.shape, shape]), shape) ? view(x, [shape, stretched, 0]) : unfit();
}

/** The type of what is computed from arrays: floating if one is, else whole, or bool if all are. */
export function promoted(arrays: readonly Nd[]): string {
  if (arrays.some(isFloat)) return "float64";
  return arrays.every(({ dtype }) => dtype === "bool") ? "bool" : "int64";
}

/** A function of one, two or three entries. */
export type Entry = (a: number, b: number, c: number) => number | boolean;

/** f of entries that stand at the same place, of arrays that are stretched to one shape. */
export function each(dtype: string, f: Entry, arrays: readonly Nd[]): Nd {
  const out = zeros(together(arrays.map(({ shape }) => shape)), dtype);
  const [a, b = a, c = a] = arrays.map((x) => expand(x, out.shape).data);
  if (a && b && c)
    for (let i = 0; i < a.length; i++) {
      const entry = f(a[i] as number, b[i] as number, c[i] as number);
      out.data[i] = +(dtype === "bool" ? Boolean(entry) : entry);
    }
  return out;
}

/** The dimensions of x in another order. */
export function permute(x: Nd, order: Shape): Nd {
  const by = steps(x.shape);
  const moved = (list: Shape) => order.map((d) => list[place(d, x.shape.length)] as number);
  return view(x, [moved(x.shape), moved(by), 0]);
}

/** What f makes of the entries along some dimensions: those are replaced by one of size `width` at the end. */
export function lines(
  x: Nd,
  dims: Shape,
  width: number,
  dtype: string,
  f: (line: Float64Array) => ArrayLike<number>,
): Nd {
  const kept = [...x.shape.keys()].filter((d) => !dims.includes(d));
  const { shape, data } = permute(x, [...kept, ...dims]);
  const out = zeros([...shape.slice(0, kept.length), width], dtype);
  const long = spend(shape.slice(kept.length));
  for (let row = 0; row * width < out.data.length; row++)
    out.data.set(f(data.slice(row * long, (row + 1) * long)), row * width);
  return out;
}

/** The sum, added up in pairs, as NumPy does: with many entries it loses fewer digits. */
export function total(line: Float64Array): number {
  const { length } = line;
  return length > 64
    ? total(line.subarray(0, length >> 1)) + total(line.subarray(length >> 1))
    : line.reduce(add, 0);
}

/** The sum of x over the dimensions that a broadcast to its shape has added or stretched. */
export function sumTo(x: Nd, shape: Shape): Nd {
  if (isSame(x.shape, shape)) return x;
  const lead = x.shape.length - shape.length;
  const dims = [...x.shape.keys()].filter((d) => d < lead || shape[d - lead] === 1);
  return reshape(
    lines(x, dims, 1, x.dtype, (line) => [total(line)]),
    shape,
  );
}

/** x rounded to float32; only what is rounded has that type. */
export const rounded = (x: Nd): Nd =>
  x.dtype === "float32" ? x : { ...x, dtype: "float32", data: x.data.map(Math.fround) };

const KINDS: {
  [dtype: string]: { new (buffer: ArrayBuffer): ArrayLike<number | bigint>; BYTES_PER_ELEMENT: number };
} = {
  float64: Float64Array,
  float32: Float32Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int16: Int16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

/** The array that {"dtype", "shape", "data"} describes, its bytes in base64. Throws if they do not fit. */
export function decoded({ dtype, shape, data }: { dtype: string; shape: Shape; data: string }): Nd {
  const kind = KINDS[dtype];
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  if (bytes.length !== spend(shape) * (kind?.BYTES_PER_ELEMENT ?? Number.NaN) || !kind) return unfit();
  return { shape, dtype, data: Float64Array.from(new kind(bytes.buffer), Number) };
}
