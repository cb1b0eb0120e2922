// Shapes, reductions, ranks, and taking entries from other places, as in primitives/numpy_reading/shapes.py,
// reductions.py, ranking.py, scatter_gather.py and strides.py.
//
// Read next: matrices.ts.

import {
  add,
  change,
  each,
  expand,
  isFloat,
  type Look,
  last,
  lines,
  type Nd,
  permute,
  pick,
  place,
  places,
  reshape,
  type Shape,
  scalar,
  spend,
  steps,
  sumTo,
  total,
  unfit,
  view,
  zeros,
} from "./arrays";
import { logaddexp, nd } from "./elementary";

/** A range of Python, a:b:c. */
export interface Range {
  slice: readonly (number | null)[];
}
type Part = Nd | number | Range | null;
type Line = Float64Array;

const isRange = (part: unknown): part is Range => !!(part as Range | null)?.slice;
const range = (n: number) => [...Array(spend([n])).keys()];
const replaced = (list: Shape, d: number, ...by: number[]) => list.toSpliced(d, 1, ...by);

/** x; of no dimensions, as a row of one entry. */
const row = (x: Nd): Nd => (x.shape.length ? x : reshape(x, [1]));

/** What f makes of each line along one dimension, whose size is then `width`. */
export function along(
  x: Nd,
  dim: number,
  f: (line: Line) => ArrayLike<number>,
  dtype = x.dtype,
  width?: number,
): Nd {
  if (!x.shape.length) return reshape(along(row(x), 0, f, dtype, width), []);
  const d = place(dim, x.shape.length);
  const made = lines(x, [d], width ?? (x.shape[d] as number), dtype, f);
  return permute(made, range(x.shape.length - 1).toSpliced(d, 0, -1));
}

// -- shapes ----------------------------------------------------------------------------------------

function transpose(x: Nd, a: number, b: number): Nd {
  const order = range(x.shape.length);
  const [one, other] = [order.at(a) as number, order.at(b) as number];
  return x.shape.length ? permute(x, order.with(one, other).with(other, one)) : x;
}

function cat(parts: readonly Nd[], dim: number): Nd {
  const arrays = parts.map((x) => transpose(x, 0, dim));
  const [first] = arrays;
  if (!first) return unfit();
  const data = new Float64Array(spend([arrays.reduce((sum, x) => sum + x.data.length, 0)]));
  arrays.reduce((start, x) => {
    data.set(x.data, start);
    return start + x.data.length;
  }, 0);
  return transpose(reshape({ ...first, data }, [-1, ...first.shape.slice(1)]), 0, dim);
}

const unsqueeze = (x: Nd, dim: number) =>
  reshape(x, x.shape.toSpliced(dim < 0 ? dim + x.shape.length + 1 : dim, 0, 1));

/** Keeps the entries of each matrix where f(column - row, k) holds. */
const triangle =
  (f: (right: number, k: number) => boolean) =>
  (x: Nd, k = 0): Nd => {
    const [high = 1, wide = 1] = x.shape.slice(-2);
    const data = x.data.map((entry, i) => (f((i % wide) - (Math.floor(i / wide) % high), k) ? entry : 0));
    return { ...x, data };
  };

const flip = (x: Nd, dims: Shape) => dims.reduce((y, d) => along(y, d, (line) => line.reverse()), x);

const roll = (x: Nd, shifts: Shape, dims: Shape): Nd =>
  dims.length
    ? dims.reduce(
        (y, d, k) =>
          along(y, d, (line) =>
            line.map((_, i) => line.at((i - (shifts[k] as number)) % line.length) as number),
          ),
        x,
      )
    : reshape(roll(reshape(x, [-1]), shifts, [0]), x.shape);

function tile(x: Nd, times: Shape): Nd {
  const ones = Array<number>(Math.max(times.length - x.shape.length, 0)).fill(1);
  const all = (y: Nd, n: number, k: number) => cat(Array(spend([n])).fill(y), k - times.length);
  return times.reduce(all, reshape(x, [...ones, ...x.shape]));
}

// -- reductions ------------------------------------------------------------------------------------

type Dims = Shape | number | null;
type Reduction = (x: Nd, dim?: Dims, keepdim?: boolean) => Nd;

/** The type of a sum: of truth values it is a whole number. */
const summed = (x: Nd) => (isFloat(x) ? x.dtype : "int64");

const reduction =
  (f: (line: Line) => number, dtype = summed): Reduction =>
  (x, dim = null, keepdim = false) => {
    const all = range(x.shape.length);
    const dims =
      dim === null || !all.length ? all : all.filter((d) => [dim].flat().some((e) => all.at(e) === d));
    const kept = all.flatMap((d) => (dims.includes(d) ? (keepdim ? [1] : []) : [x.shape[d] as number]));
    return reshape(
      lines(x, dims, 1, dtype(x), (line) => [f(line)]),
      kept,
    );
  };

type Two = (a: number, b: number) => number;
const times: Two = (a, b) => a * b;
const biggest: Two = (a, b) => Math.max(a, b);
const smallest: Two = (a, b) => Math.min(a, b);
const typeOf = (x: Nd) => x.dtype;

const running = (f: Two) => (x: Nd, dim: number) =>
  along(
    x,
    dim,
    (line) => {
      for (let i = 1; i < line.length; i++) line[i] = f(line[i - 1] as number, line[i] as number);
      return line;
    },
    summed(x),
  );

function safeSoftmax(line: Line): Line {
  const top = line.reduce(biggest, -Infinity);
  const powers = line.map((x) => Math.exp(x - (top === -Infinity ? 0 : top)));
  const all = total(powers) || 1;
  return powers.map((x) => x / all);
}

// -- ranking ---------------------------------------------------------------------------------------

const { isNaN: missing } = Number;

/** The places of the entries, the smallest first, nan last; ties keep their order. */
const sorted = (line: Line, sign = 1) =>
  range(line.length).sort((i, j) => {
    const [a, b] = [line[i] as number, line[j] as number];
    return sign * (+missing(a) - +missing(b) || +(a > b) - +(a < b));
  });

/** Where the largest entry is (sign 1), or the smallest: the first of those that tie, or the first nan. */
const best =
  (sign: number) =>
  (x: Nd, dim: number, keepdim = false): Nd => {
    const better = (held: number, entry: number, i: number, line: Line) => {
      const old = line[held] as number;
      return !missing(old) && (missing(entry) || sign * entry > sign * old) ? i : held;
    };
    const found = along(x, dim, (line) => [line.reduce(better, 0)], "int64", 1);
    return keepdim || !x.shape.length ? found : reshape(found, replaced(x.shape, place(dim, x.shape.length)));
  };

const median = (skip: boolean) => (line: Line) => {
  const there = line.length - line.filter(missing).length;
  return [sorted(line)[skip || there === line.length ? Math.max(there - 1, 0) >> 1 : there] as number];
};

// -- windows on memory -------------------------------------------------------------------------------

function diagonalOf(shape: Shape, offset: number, dim1: number, dim2: number): Look {
  const dims = range(shape.length);
  const [a, b] = [dims.at(dim1), dims.at(dim2)] as [number, number];
  const [high, wide] = [shape[a], shape[b]] as [number, number];
  const by = steps(shape);
  const [step, side] = [by[a], by[b]] as [number, number];
  const rest = (list: Shape, end: number) => [...list.filter((_, d) => d !== a && d !== b), end];
  const long = Math.max(Math.min(high + Math.min(offset, 0), wide - Math.max(offset, 0)), 0);
  return [rest(shape, long), rest(by, step + side), long && (offset < 0 ? -offset * step : offset * side)];
}

/** An index or a range along one dimension; an index takes the dimension away. */
function partOf(shape: Shape, dim: number, part: number | Range): Look {
  if (!shape.length) return [[], [], 0];
  const d = place(dim, shape.length);
  const by = steps(shape);
  const [n, step] = [shape[d], by[d]] as [number, number];
  if (typeof part === "number") return [replaced(shape, d), replaced(by, d), place(part, n) * step];
  const [from, to, pace] = part.slice;
  const clipped = (k: number) => Math.min(Math.max(k < 0 ? k + n : k, 0), n);
  const [start, stride] = [clipped(from ?? 0), pace ?? 1];
  const long = Math.max(Math.ceil((clipped(to ?? n) - start) / stride), 0);
  return [replaced(shape, d, long), replaced(by, d, step * stride), long && start * step];
}

/** x with values at the places of a look. */
const written = (x: Nd, look: Look, values: Nd) => change(x, places(look), expand(values, look[0]), last);

// -- keys --------------------------------------------------------------------------------------------

const whole = (at: ArrayLike<number>): Nd => ({
  shape: [at.length],
  dtype: "int64",
  data: Float64Array.from(at),
});

/** The places of what a key takes: of each dimension all, a range, or what an array names; a mask is several arrays. */
function keyed(shape: Shape, key: readonly Part[]): Nd {
  const by = steps(shape);
  const parts = key.flatMap((part, k): (Nd | null)[] => {
    if (part === null) return [null];
    if (isRange(part)) return [whole(places(partOf([shape[k] as number], 0, part)))];
    const index = nd(part);
    if (index.dtype !== "bool") return [index];
    const at = range(index.data.length).filter((i) => index.data[i]);
    const size = (d: number) => index.shape[d] as number;
    return steps(index.shape).map((step, d) => whole(at.map((i) => Math.floor(i / step) % size(d))));
  });
  while (parts.length < shape.length) parts.push(null);
  const named = range(parts.length).filter((d) => parts[d]);
  const first = named[0] ?? 0;
  const apart = named.some((d, k) => d !== first + k); // NumPy then puts the arrays first
  const dims = Math.max(0, ...parts.map((part) => part?.shape.length ?? 0));
  let at = scalar(0);
  for (const [d, part] of parts.entries()) {
    const [n, step] = [shape[d], by[d]] as [number, number];
    const index = part ?? whole(range(n));
    // how many dimensions of the result stand behind
    const behind = parts.filter((other, e) => !other && (part ? apart || e > first : e > d)).length;
    const ones = Array<number>(behind + (part || apart || d > first ? 0 : dims)).fill(1);
    at = each("int64", (sum, i) => sum + place(i, n) * step, [at, reshape(index, [...index.shape, ...ones])]);
  }
  return at;
}

/** Changes entries at a key. */
function keyedChange(out: Nd, key: readonly Part[], values: Nd, f: Two): Nd {
  const at = keyed(out.shape, key);
  return change(out, at.data, expand(values, at.shape), f);
}

const copyOf = (x: Nd): Nd => ({ ...x, data: x.data.slice() });

/** The places that an index names along one dimension; what has no dimensions counts as a row. */
function placesAlong(shape: Shape, dim: number, index: Nd): Int32Array {
  const sizes = shape.length ? shape : [1];
  const d = place(dim, sizes.length);
  const by = steps(sizes);
  const [n, step] = [sizes[d], by[d]] as [number, number];
  return places([row(index).shape, by.with(d, 0), 0]).map(
    (from, k) => from + place(index.data[k] as number, n) * step,
  );
}

function alongChange(out: Nd, dim: number, index: Nd, values: Nd, f: Two): Nd {
  return change(out, placesAlong(out.shape, dim, index), expand(row(values), row(index).shape), f);
}

export const shapes = {
  amax: reduction((line) => line.reduce(biggest), typeOf),
  amin: reduction((line) => line.reduce(smallest), typeOf),
  argmax: best(1),
  argmin: best(-1),
  argsort: (x: Nd, dim: number, descending?: boolean) =>
    along(x, dim, (line) => sorted(line, descending ? -1 : 1), "int64"),
  as_strided: (
    x: Nd,
    size: Shape,
    stride: Shape,
    [room, start, sizes, strides, offset]: [number, number, Shape, Shape, number],
  ) => view(written(zeros([room], x.dtype), [sizes, strides, offset], x), [size, stride, start]),
  at_dim: (dim: number, part: Part, sizes: Shape) =>
    sizes.length
      ? [...Array(place(dim, sizes.length)).fill(null), (part as Nd).shape ? row(part as Nd) : part]
      : [],
  cat,
  cumprod: running(times),
  cumsum: running(add),
  diagonal: (x: Nd, offset: number, dim1: number, dim2: number) =>
    view(x, diagonalOf(x.shape, offset, dim1, dim2)),
  expand,
  flip,
  gather: (x: Nd, dim: number, index: Nd) => pick(x, index.shape, placesAlong(x.shape, dim, index)),
  getitem: (x: Nd, index: number) => view(x, partOf(x.shape, 0, index)),
  logcumsumexp: running(logaddexp),
  mean: reduction((line) => total(line) / line.length, typeOf),
  median_places: (x: Nd, dim: number, skip: boolean) => along(x, dim, median(skip), "int64", 1),
  mT: (x: Nd) => transpose(x, -2, -1),
  permute: (x: Nd, dims?: Shape | null) => permute(x, dims ?? range(x.shape.length).reverse()),
  prod: reduction((line) => line.reduce(times, 1)),
  put: (x: Nd, key: readonly Part[], values: Nd | number) => keyedChange(copyOf(x), key, nd(values), last),
  put_along: (values: Nd, sizes: Shape, dim: number, index: Nd) => {
    const out = zeros(sizes, values.dtype);
    return index.data.length ? alongChange(out, dim, index, values, add) : out;
  },
  put_at: (values: Nd, sizes: Shape, key: readonly Part[]) =>
    keyedChange(zeros(sizes, values.dtype), key, values, add),
  put_diagonal: (x: Nd, sizes: Shape, offset: number, dim1: number, dim2: number) =>
    written(zeros(sizes, x.dtype), diagonalOf(sizes, offset, dim1, dim2), x),
  put_slice: (x: Nd, sizes: Shape, dim: number, index: number | Range) =>
    written(zeros(sizes, x.dtype), partOf(sizes, dim, index), x),
  reshape,
  roll,
  safe_softmax: (x: Nd, dim: number) => along(x, dim, safeSoftmax),
  scatter: (x: Nd, dim: number, index: Nd, values: Nd | number) =>
    alongChange(copyOf(x), dim, index, nd(values), last),
  select: (x: Nd, dim: number, index: number) => view(x, partOf(x.shape, dim, index)),
  slice_: (x: Nd, dim: number, ...slice: number[]) => view(x, partOf(x.shape, dim, { slice })),
  squeeze: (x: Nd, dim: number) =>
    x.shape.length ? reshape(x, replaced(x.shape, place(dim, x.shape.length))) : x,
  stack: (parts: readonly Nd[], dim: number) =>
    cat(
      parts.map((x) => unsqueeze(x, dim)),
      dim,
    ),
  sum: reduction(total),
  sum_to: sumTo,
  take: (x: Nd, key: readonly Part[]) => {
    const at = keyed(x.shape, key);
    return pick(x, at.shape, at.data);
  },
  tile,
  transpose,
  tril: triangle((right, k) => right <= k),
  triu: triangle((right, k) => right >= k),
  unbind: (x: Nd, dim: number) =>
    range(x.shape.at(dim) as number).map((i) => view(x, partOf(x.shape, dim, i))),
  unsqueeze,
};
