// Functions of single entries, under the names and with the meaning of primitives/numpy_reading/elementary.py
// and special_functions.py.
//
// Read next: shapes.ts.

import {
  type Entry,
  each,
  isFloat,
  type Nd,
  promoted,
  rounded,
  type Shape,
  scalar,
  unfit,
  zeros,
} from "./arrays";

const { abs, exp, floor, LN2, log, log1p, PI, sign, sqrt, trunc } = Math;
type Table = { [name: string]: Entry };

const toEven = (x: number): number => {
  const near = Math.round(x);
  return abs(x % 1) === 0.5 && near % 2 ? near - 1 : near;
};

/** By its series near 0, else by erfc. */
function erf(x: number): number {
  if (!(abs(x) < 2)) return sign(x) * (1 - erfc(abs(x)));
  let sum = x;
  for (let n = 1, term = x; n < 60; n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / sqrt(PI)) * exp(-x * x) * sum;
}

/** By the continued fraction 1/(x + ½/(x + 1/(x + …))) for large x. */
function erfc(x: number): number {
  if (x < 2) return 1 - erf(x);
  let tail = x;
  for (let k = 150; k; k--) tail = x + k / 2 / tail;
  return exp(-x * x) / tail / sqrt(PI);
}

const remainder = (x: number, y: number): number => {
  const rest = x % y;
  return rest ? (rest < 0 === y < 0 ? rest : rest + y) : y < 0 ? -abs(rest) : abs(rest);
};

const divideDown = (x: number, y: number): number => {
  const rest = x % y;
  const whole = (x - rest) / y;
  return y === 0 ? x / y : Math.round(rest && rest < 0 !== y < 0 ? whole - 1 : whole);
};

export const logaddexp = (x: number, y: number): number => {
  const apart = x - y;
  return x === y ? x + LN2 : apart > 0 ? x + log1p(exp(-apart)) : apart <= 0 ? y + log1p(exp(apart)) : apart;
};

const power = (x: number, y: number): number => (x === 1 || (x === -1 && abs(y) === Infinity) ? 1 : x ** y);

/** What is always floating. */
const FLOATING: Table = {
  atan2: (y, x) => Math.atan2(y, x),
  erf,
  erfc,
  exp2: (x) => 2 ** x,
  hypot: (x, y) => Math.hypot(x, y),
  logaddexp,
  logaddexp2: (x, y) => logaddexp(x * LN2, y * LN2) / LN2,
  sigmoid: (x) => (x >= 0 ? 1 : exp(x)) / (1 + exp(-abs(x))),
  softplus: (x) => Math.max(x, 0) + log1p(exp(-abs(x))),
  // near 1 with the last digit right, for the rule of tanh subtracts its square from 1
  tanh: (x) => (abs(x) < 1 ? Math.tanh(x) : sign(x) * (1 - 2 / (exp(2 * abs(x)) + 1))),
  truediv: (x, y) => x / y,
  xlog1py: (x, y) => (x === 0 && !Number.isNaN(y) ? 0 : x * log1p(y)),
  xlogy: (x, y) => (x === 0 && !Number.isNaN(y) ? 0 : x * log(y)),
};
for (const name of "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan".split(
  " ",
))
  FLOATING[name] = Math[name as "exp"];

/** What has the type of its arguments. */
const ALIKE: Table = {
  abs,
  add: (x, y) => x + y,
  and: (x, y) => x & y,
  ceil: Math.ceil,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -abs(x) : abs(x)),
  divide_down: divideDown,
  divide_to_zero: (x, y) => trunc(x / y),
  floor,
  floordiv: divideDown,
  fmax: (x, y) => (x >= y || Number.isNaN(y) ? x : y),
  fmin: (x, y) => (x <= y || Number.isNaN(y) ? x : y),
  fmod: (x, y) => x % y,
  lerp: (x, y, weight) => (abs(weight) < 0.5 ? x + weight * (y - x) : y - (1 - weight) * (y - x)),
  maximum: (x, y) => Math.max(x, y),
  minimum: (x, y) => Math.min(x, y),
  mod: remainder,
  mul: (x, y) => x * y,
  neg: (x) => -x,
  or: (x, y) => x | y,
  pos: (x) => x,
  pow: power,
  remainder,
  round: toEven,
  sign: (x) => +(x > 0) - +(x < 0),
  sub: (x, y) => x - y,
  trunc,
  xor: (x, y) => x ^ y,
};

const TRUE_OR_FALSE: Table = {
  eq: (x, y) => x === y,
  ge: (x, y) => x >= y,
  gt: (x, y) => x > y,
  isfinite: (x) => Number.isFinite(x),
  isnan: (x) => Number.isNaN(x),
  le: (x, y) => x <= y,
  lt: (x, y) => x < y,
  ne: (x, y) => x !== y,
};

/** An argument as an array: a number is one without dimensions. */
export function nd(x: unknown): Nd {
  if (typeof x === "number" || typeof x === "boolean") return scalar(x);
  return (x as Nd | null)?.data ? (x as Nd) : unfit();
}

const pointwise =
  (f: Entry, type: (arrays: readonly Nd[]) => string) =>
  (...args: unknown[]): Nd => {
    if (args.length !== f.length) unfit();
    const arrays = args.map(nd);
    return each(type(arrays), f, arrays);
  };

const LARGEST = { float32: 3.4028234663852886e38, float64: Number.MAX_VALUE };
const filled = (value: number) => (x: Nd) => each(x.dtype, () => value, [x]);
const itself = (x: Nd) => x;

export const elementary = {
  ...Object.fromEntries([
    ...Object.entries(FLOATING).map(([name, f]) => [name, pointwise(f, () => "float64")]),
    ...Object.entries(ALIKE).map(([name, f]) => [name, pointwise(f, promoted)]),
    ...Object.entries(TRUE_OR_FALSE).map(([name, f]) => [name, pointwise(f, () => "bool")]),
  ]),
  power: (x: Nd | number, y: Nd | number) => {
    const arrays = [nd(x), nd(y)];
    const type = promoted(arrays);
    // a negative power of an integer rounds to 0 unless x is 1 or -1
    return each(type, type[0] === "f" ? power : (a, b) => trunc(power(a, b)), arrays);
  },
  astype: (x: Nd, dtype: string) => {
    if (dtype === "float32" && isFloat(x)) return rounded(x);
    const cast: Entry = dtype === "bool" ? (a) => a !== 0 : dtype[0] === "f" ? (a) => a : trunc;
    return each(dtype, cast, [x]);
  },
  constant: (array: Nd | number, x: Nd) => each(x.dtype, (entry) => entry, [nd(array)]),
  copy: itself,
  in_order: itself,
  heaviside: (x: Nd, at0: Nd) => each(x.dtype, (a, b) => (a === 0 ? b : a > 0), [x, nd(at0)]),
  invert: (x: Nd) => each(x.dtype, x.dtype === "bool" ? (a) => !a : (a) => ~a, [x]),
  nan_to_num: (x: Nd, nan: number, high: number | null, low: number | null) => {
    const most = x.dtype === "float32" ? LARGEST.float32 : LARGEST.float64;
    const finite: Entry = (a) =>
      Number.isNaN(a) ? nan : a === Infinity ? (high ?? most) : a === -Infinity ? (low ?? -most) : a;
    return each(x.dtype, finite, [x]);
  },
  ones_like: filled(1),
  zeros_like: filled(0),
  zeros_beside: (sizes: Shape, x: Nd) => zeros(sizes, x.dtype),
  unless: (mask: Nd, x: Nd) =>
    mask.data.some(Boolean) ? each(x.dtype, (m, a) => (m ? 0 : a), [mask, x]) : x,
  where: (condition: Nd, x: Nd | number, y: Nd | number) => {
    const [a, b] = [nd(x), nd(y)];
    return each(promoted([a, b]), (c, p, q) => (c ? p : q), [nd(condition), a, b]);
  },
};
