// Which entries of two factors an entry of their product is made of.
//
// Read next: cards/product.ts.

import type { Product, Value } from "../trace";

export type Place = readonly [row: number, col: number];
export type Pair = readonly [left: Place, right: Place];
type Form = NonNullable<Product["left"]["form"]>;

const NEAR = 12; // pairs along one dimension that are listed: those that are drawn are among them
const FARTHEST = 4096; // places of one dimension: what lies further is not counted

/** An array as a matrix: its first one, if it is a batch. */
export interface Matrix {
  value: Value;
  flat: boolean; // whether its last dimension alone is drawn, as in conv1d
  rows: number;
  cols: number;
  entry(row: number, col: number): string | undefined; // if the trace holds it
}

/** `form`: how the array is read. */
export function matrixOf(value: Value, form: Form, flat = false): Matrix {
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
  if (form !== "transposed" && form !== "column") return { value, flat, rows, cols, entry };
  return { value, flat, rows: cols, cols: rows, entry: (row, col) => entry(col, row) };
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

/** Undefined for arrays that are no matrices, such as those of conv3d. */
export function makingOf(product: Product, left: Value, right: Value, made: Value): Making | undefined {
  const { operator, windows } = product;
  const [leftForm, rightForm] = [product.left.form ?? "", product.right.form ?? ""];
  if (windows) return windowed(product, left, right, made);
  if (operator === "⊙" || operator === "·") {
    const matrices = [left, right, made].map((value) => matrixOf(value, "")) as [Matrix, Matrix, Matrix];
    const alone: Place = [0, 0];
    const pairs = (at: Place) => ({
      pairs: [[operator === "·" ? alone : at, at]] as Pair[],
      count: 1,
    });
    return { left: matrices[0], right: matrices[1], result: matrices[2], pairs };
  }
  const column = right.shape.length === 1 && operator === "@";
  const a = matrixOf(left, leftForm);
  const b = matrixOf(right, column ? "column" : rightForm);
  const pairs = ([row, col]: Place) => ({
    pairs: range(Math.min(a.cols, NEAR)).map(
      (k): Pair => [
        [row, k],
        [k, col],
      ],
    ),
    count: a.cols,
  });
  return { left: a, right: b, result: matrixOf(made, column ? "column" : ""), pairs };
}

export const range = (count: number): number[] => [...Array(Math.max(0, count)).keys()];

function windowed(product: Product, left: Value, right: Value, made: Value): Making | undefined {
  const { stride = [], padding = [], dilation = [] } = product.windows ?? {};
  const flat = stride.length === 1;
  if (stride.length > 2 || !stride.length) return undefined;
  const forms = [product.left.form, product.right.form];
  const role = (["image", "kernel", "output"] as const).find((one) => !forms.includes(one)) ?? "image";
  const part: { [form: string]: Value } = { [role]: made, [forms[0] ?? ""]: left, [forms[1] ?? ""]: right };
  const [image, kernel, output] = [part.image, part.kernel, part.output];
  if (!image || !kernel || !output) return undefined;

  /** The pairs of places along dimension `d`: image place = output place · stride + k · dilation - padding. */
  const along = (d: number, at: number): [left: number, right: number][] => {
    const step = (list: readonly number[], otherwise: number) => list.at(d) ?? otherwise;
    const size = ({ shape }: Value) => shape.at(d) ?? 1;
    const [s, p, q] = [step(stride, 1), step(padding, 0), step(dilation, 1)];
    const places = (of: Value) => range(Math.min(size(of), FARTHEST));
    const found: { [form: string]: number }[] = [];
    for (const o of role === "output" ? [at] : places(output))
      for (const k of role === "kernel" ? [at] : places(kernel)) {
        const i = o * s + k * q - p;
        if (role === "image" ? i === at : i >= 0 && i < size(image))
          found.push({ image: i, output: o, kernel: k });
      }
    return found.map((one) => [one[forms[0] ?? ""] ?? 0, one[forms[1] ?? ""] ?? 0]);
  };
  const pairs = ([row, col]: Place) => {
    const down: [number, number][] = flat ? [[0, 0]] : along(-2, row);
    const across = along(-1, col);
    const near = across.slice(0, NEAR);
    const pairs = down.slice(0, NEAR).flatMap(([a, b]) =>
      near.map(
        ([c, d]): Pair => [
          [a, c],
          [b, d],
        ],
      ),
    );
    return { pairs, count: down.length * across.length };
  };
  const summed = { kernel: "image", image: "filter", output: "channel" }[role];
  const count = { kernel: output.shape[0], image: output.shape[1], output: image.shape[1] }[role] ?? 1;
  const each = count > 1 ? { count, name: summed } : undefined;
  const [a, b, result] = [left, right, made].map((value) => matrixOf(value, "", flat)) as [
    Matrix,
    Matrix,
    Matrix,
  ];
  return { left: a, right: b, result, pairs, each };
}
