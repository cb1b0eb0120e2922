// What the panel writes: the code of a cell that shows a tensor, and the name of a file that keeps its walk.

import type { Row } from "./kernel";

export type Call = "step" | "trace" | "check";
export const CALLS: readonly Call[] = ["step", "trace", "check"];

/**
 * `torch.step(e)`, under the notebook's own name for graphlab; with an import where it has none, and with
 * a gradient where the tensor is not one number.
 */
export function cellCode(call: Call, row: Pick<Row, "code" | "shape">, module: string | null): string {
  const name = module ?? "graphlab";
  const one = row.shape.every((length) => length === 1);
  const gradient = one ? "" : `, gradient=${name}.ones_like(${row.code})`;
  const code = `${name}.${call}(${row.code}${gradient})`;
  return module ? code : `import graphlab\n\n${code}`;
}

export const ENDING = ".graphlab.json";

/** A file name for a tensor: `params['w']` becomes "params-w.graphlab.json". */
export function fileName(tensor: string): string {
  const plain = tensor.replaceAll(/[^\p{L}\p{N}_.]+/gu, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
  return (plain || "trace") + ENDING;
}
