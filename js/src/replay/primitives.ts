// What a step may name: the primitives that have a form in TypeScript, under their names in Python.
//
// Read next: interpret.ts.

import type { Nd } from "./arrays";
import { elementary } from "./elementary";
import { matrices } from "./matrices";
import { type Range, shapes } from "./shapes";

/** What a step takes and gives. */
export type Value = Nd | number | boolean | string | null | undefined | Range | readonly Value[];
export type Primitive = (...args: Value[]) => Value;

export const primitives: ReadonlyMap<string, Primitive> = new Map(
  Object.entries({ ...elementary, ...shapes, ...matrices } as unknown as { [name: string]: Primitive }),
);
