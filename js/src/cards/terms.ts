// Which entries of two factors an entry of their product is made of.
//
// Read next: cards/product.ts.

import type { Product, Value } from "../trace";

export type Place = readonly [row: number, col: number];
export type Pair = readonly [left: Place, right: Place];
type Form = Product["left"]["form"];
/** Two arrays and what is made of them: the product of a rule, or a sum of gradients. */
export type Joined = Omit<Product, "operator"> & { operator: Product["operator"] | "+" };

const NEAR = 12; // pairs along one dimension that are listed: those that are drawn are among them
const FARTHEST = 4096; // places of one dimension: what lies further is not counted

/** An array as a matrix: its first one, if it is a batch. */
export interface Matrix {
  value: Value;
  flat: boolean; // whether its last dimension alone is drawn, as in conv1d
  rows: number;
  cols: number;
  entry(row: number, col: number): string | undefined; // if the trace holds it
  index(row: number, col: number): number; // the index of the entry, row by row
}

/** `form`: how the array is read. */
export function matrixOf(value: Value, form: Form, flat: boolean): Matrix {
  const texts = value.entries ? value.entries.split(" ") : [value.text];
  const kept = value.kept?.length ? value.kept : value.shape;
  const plane = (shape: readonly number[]): Place => [
    flat || shape.length < 2 ? 1 : (shape.at(-2) as number),
    shape.at(-1) ?? 1,
  ];
  const [rows, cols] = plane(value.shape);
  const [high, wide] = plane(kept);
  const entry = (row: number, col: number) =>
    row < high && col < wide ? texts[row * wide + col] : undefined;
  const index = (row: number, col: number) => row * cols + col;
  if (form !== "transposed" && form !== "column") return { value, flat, rows, cols, entry, index };
  const [turned, place] = [entry, index].map((of) => (row: number, col: number) => of(col, row)) as [
    Matrix["entry"],
    Matrix["index"],
  ];
  return { value, flat, rows: cols, cols: rows, entry: turned, index: place };
}

/** What a product is made of, and how its result is read. */
export interface Making {
  left: Matrix;
  right: Matrix;
  result: Matrix;
  /** The first pairs of entries that an entry of the result sums, and how many there are. */
  pairs(place: Place): { pairs: Pair[]; count: number };
  each?: { count: number; name: string } | undefined; // matrices beside the first that are summed too
}

/** Undefined for arrays that are not pictures, such as those of conv3d. */
export function makingOf(product: Joined, left: Value, right: Value, made: Value): Making | undefined {
  const { operator, windows } = product;
  const dimensions = windows?.stride.length ?? 2;
  if (dimensions < 1 || dimensions > 2) return undefined;
  const flat = dimensions < 2;
  const column = right.shape.length === 1 && operator === "@" ? "column" : "";
  const [a, b] = [
    matrixOf(left, product.left.form, flat),
    matrixOf(right, column || product.right.form, flat),
  ];
  const making = { left: a, right: b, result: matrixOf(made, column, flat) };
  if (windows) return { ...making, ...windowed(product, left, right, made) };
  const entrywise = "⊙·+".includes(operator);
  const pairs = ([row, col]: Place) => {
    const k = range(entrywise ? 1 : Math.min(a.cols, NEAR));
    const pair = (k: number): Pair => [[row, k], [k, col]]; // biome-ignore format: a pair
    const same: Pair = [operator === "·" ? [0, 0] : [row, col], [row, col]];
    return { pairs: k.map((k) => (entrywise ? same : pair(k))), count: entrywise ? 1 : a.cols };
  };
  return { ...making, pairs };
}

export const range = (count: number): number[] => [...Array(Math.max(0, count)).keys()];

/** The three parts of a convolution: image place = output place · stride + kernel place · dilation - padding. */
function windowed({ windows, ...factors }: Joined, left: Value, right: Value, made: Value) {
  const forms = [factors.left.form, factors.right.form] as string[];
  const role = ["image", "kernel", "output"].find((one) => !forms.includes(one)) ?? "";
  const parts = { [forms[0] as string]: left, [forms[1] as string]: right, [role]: made };
  const size = (part: string, d: number) => parts[part]?.shape.at(d) ?? 1;

  /** The pairs of places along the last dimension (-1), or the one before it. */
  const along = (d: number, at: number): [left: number, right: number][] => {
    const [s = 1, p = 0, q = 1] = [windows?.stride.at(d), windows?.padding.at(d), windows?.dilation.at(d)];
    const places = (part: string) => (part === role ? [at] : range(Math.min(size(part, d), FARTHEST)));
    return places("output").flatMap((output) =>
      places("kernel").flatMap((kernel): [number, number][] => {
        const image = output * s + kernel * q - p;
        if (role === "image" ? image !== at : image < 0 || image >= size("image", d)) return [];
        const place: { [part: string]: number } = { image, kernel, output };
        return [[place[forms[0] as string] ?? 0, place[forms[1] as string] ?? 0]];
      }),
    );
  };
  const pairs = ([row, col]: Place) => {
    const down: [number, number][] = windows?.stride.length === 1 ? [[0, 0]] : along(-2, row);
    const across = along(-1, col);
    const near = down.slice(0, NEAR);
    return {
      pairs: near.flatMap(
        ([a, b]) =>
        across.slice(0, NEAR).map(([c, d]): Pair => [[a, c], [b, d]]), // biome-ignore format: a pair
      ),
      count: down.length * across.length,
    };
  };
  const [name, count] = {
    kernel: ["image", parts.output?.shape[0]],
    image: ["filter", parts.output?.shape[1]],
    output: ["channel", parts.image?.shape[1]],
  }[role] as [string, number | undefined];
  return { pairs, each: count && count > 1 ? { count, name } : undefined };
}
