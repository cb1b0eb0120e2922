// The code of a cell that shows a tensor, and the name of a file for its recording.

import type { Row } from "./kernel";

export type Call = "step" | "trace" | "check";
export const CALLS: readonly Call[] = ["step", "trace", "check"];

/**
 * A call such as `torch.step(e)`, with the name that the notebook has for graphlab, or with an import if it
 * has none. A tensor of more than one number also gets a gradient.
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
