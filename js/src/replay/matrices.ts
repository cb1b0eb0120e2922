// Products of matrices, and windows that slide over images, as in primitives/numpy_reading/matrices.py,
// convolution.py, padding.py and pooling.py.
//
// Read next: interpret.ts.

import {
  add,
  change,
  each,
  expand,
  type Nd,
  places,
  reshape,
  type Shape,
  scalar,
  spend,
  steps,
  together,
  view,
  zeros,
} from "./arrays";
import { along, shapes } from "./shapes";

const count = (sizes: Shape) => sizes.reduce((product, n) => product * n, 1);

function matmul(x: Nd, y: Nd): Nd {
  const left = x.shape.length > 1 ? x : reshape(x, [1, -1]);
  const right = y.shape.length > 1 ? y : reshape(y, [-1, 1]);
  const batch = together([left.shape.slice(0, -2), right.shape.slice(0, -2)]);
  const [n, k] = left.shape.slice(-2) as [number, number];
  const [same, m] = right.shape.slice(-2) as [number, number];
  spend([...batch, n, Math.ceil(k / 16), m]); // a product takes a small part of the time of a step
  const out = zeros([...batch, n, m], "float64");
  const a = expand(left, [...batch, n, same]).data;
  const b = expand(right, [...batch, k, m]).data;
  for (let i = 0; i < out.data.length; i++) {
    const [row, column] = [Math.floor(i / m), i % m];
    const start = Math.floor(row / n) * k * m + column;
    let sum = 0;
    for (let j = 0; j < k; j++) sum += (a[row * k + j] as number) * (b[start + j * m] as number);
    out.data[i] = sum;
  }
  return reshape(out, [...batch, ...(x === left ? [n] : []), ...(y === right ? [m] : [])]);
}

/** `value` around x; a negative width takes away. */
const pad = (x: Nd, before: Shape, behind: Shape, value: number) =>
  before.reduce((y, b, d) => {
    const [n, e] = [x.shape[d], behind[d]] as [number, number];
    if (!b && !e) return y;
    const padded = (line: Float64Array) => {
      const out = new Float64Array(n + b + e).fill(value);
      out.set(line.slice(Math.max(-b, 0), Math.max(n + Math.min(e, 0), 0)), Math.max(b, 0));
      return out;
    };
    return along(y, d, padded, x.dtype, n + b + e);
  }, x);

function constantPad(x: Nd, widths: Shape, value: number): Nd {
  const lead = Array<number>(x.shape.length - widths.length / 2).fill(0);
  const every = (odd: number) => [...lead, ...widths.filter((_, i) => i % 2 === odd).reverse()];
  return pad(x, every(0), every(1), value);
}

/** How windows look at an image that is padded to what they reach: (N, C, *kernel, *places). */
function slide(lead: Shape, kernel: Shape, many: Shape, stride: Shape, padding: Shape, dilation: Shape) {
  const around = [0, 0, ...kernel.map((_, d) => padding[padding.length > 1 ? d : 0] as number)];
  const reach = kernel.map(
    (k, d) => ((many[d] as number) - 1) * (stride[d] as number) + (k - 1) * (dilation[d] as number) + 1,
  );
  const sizes = [...lead, ...reach];
  const by = steps(sizes);
  const times = (factors: Shape) => factors.map((f, d) => f * (by[d + 2] as number));
  const look = [
    [...lead, ...kernel, ...many],
    [...by.slice(0, 2), ...times(dilation), ...times(stride)],
    0,
  ] as const;
  return { around, sizes, look };
}

function windows(x: Nd, kernel: Shape, many: Shape, stride: Shape, padding: Shape, dilation: Shape): Nd {
  const [n, c] = x.shape as [number, number];
  const { around, sizes, look } = slide([n, c], kernel, many, stride, padding, dilation);
  const behind = sizes.map((long, d) => long - (around[d] as number) - (x.shape[d] as number));
  return reshape(view(pad(x, around, behind, 0), look), [n, c * count(kernel), count(many)]);
}

function addWindows(
  columns: Nd,
  image: Shape,
  kernel: Shape,
  many: Shape,
  stride: Shape,
  padding: Shape,
  dilation: Shape,
): Nd {
  const [n, wide] = columns.shape as [number, number];
  const lead = [n, wide / (count(kernel) || 1)];
  const { around, sizes, look } = slide(lead, kernel, many, stride, padding, dilation);
  const out = change(zeros(sizes, columns.dtype), places(look), columns, add);
  const behind = [...lead, ...image].map((m, d) => m + (around[d] as number) - (sizes[d] as number));
  const before = around.map((p) => -p);
  return pad(out, before, behind, 0);
}

/** Which entry of each window is the largest, or nan. x: (N, *S) -> (N, *L). */
function largest(x: Nd, spans: readonly Nd[]): Nd {
  const image = x.shape.slice(1);
  const by = steps(image);
  const dims = spans.length;
  const at = spans.reduce((sum, span, d) => {
    const [places, taps] = span.shape as [number, number];
    const sizes = Array<number>(2 * dims)
      .fill(1)
      .with(d, places)
      .with(dims + d, taps);
    return each("int64", (a, i) => a + i * (by[d] as number), [sum, reshape(span, sizes)]);
  }, scalar(0));
  const many = at.shape.slice(0, dims);
  const wide = count(at.shape.slice(dims));
  const out = zeros([x.shape[0] as number, ...many], "int64");
  out.data.forEach((_, k) => {
    const row = Math.floor(k / count(many)) * count(image);
    const start = (k % count(many)) * wide;
    const entry = (place: number) => x.data[row + place] as number;
    const better = (top: number, i: number) => (entry(i) > entry(top) || Number.isNaN(entry(i)) ? i : top);
    out.data[k] = at.data.subarray(start, start + wide).reduce(better);
  });
  return out;
}

/** Weighted sums of entries along a dimension, or the way back: place, weight: (L, T), n -> L, or L -> n. */
function resampled(x: Nd, dim: number, n: number, place: Nd, weight: Nd, back: boolean): Nd {
  const taps = place.shape[1] as number;
  const f = (line: Float64Array) => {
    const out = new Float64Array(n);
    for (const [k, w] of weight.data.entries()) {
      const [i, j] = [Math.floor(k / taps), place.data[k] as number];
      const [to, from] = back ? [j, i] : [i, j];
      if (j >= 0) out[to] = (out[to] as number) + w * (line[from] as number); // -1: no entry
    }
    return out;
  };
  return along(x, dim, f, x.dtype, n);
}

function cross(a: Nd, b: Nd, dim: number): Nd {
  const product = (i: number) =>
    each("float64", (x, y) => x * y, [shapes.roll(a, [-i], [dim]), shapes.roll(b, [i - 3], [dim])]);
  return each("float64", (x, y) => x - y, [product(1), product(2)]);
}

export const matrices = {
  add_windows: addWindows,
  constant_pad: constantPad,
  cross,
  eye_like: (x: Nd) => shapes.put_diagonal({ ...scalar(1), dtype: x.dtype }, x.shape.slice(-2), 0, 0, 1),
  largest,
  matmul: (x: Nd, y: Nd) => matmul(x, y),
  resample: (x: Nd, dim: number, place: Nd, weight: Nd) =>
    resampled(x, dim, place.shape[0] as number, place, weight, false),
  resample_back: (grad: Nd, n: number, dim: number, place: Nd, weight: Nd) =>
    resampled(grad, dim, n, place, weight, true),
  scale_of: (query: Nd, scale: number | null) => scale ?? 1 / Math.sqrt(query.shape.at(-1) as number),
  windows,
};
