// One number for each backward pass of a recording: the loss, a weight, the size of a gradient.
//
// graphlab/graph/series.py reads the same; tests/fixtures/training.json holds both to it.
//
// Read next: curve.ts, which draws them.

import { numberOf } from "./cards/heat";
import type { Lookup } from "./lookup";
import type { Trace, Value } from "./trace";

/** The value of a pass, and the event with which it is known. */
export interface Reading {
  value: Value;
  k: number;
}
export type Series = (Reading | undefined)[]; // undefined: the pass has none

export interface Curves {
  firsts: readonly number[]; // the event with which each pass begins
  series: ReadonlyMap<string, Series>; // by name: "loss", "w", "w.grad"
}

/** What a recording tells of each pass. Roots and leaves are found by name: each pass may have its own. */
export function curvesOf({ events, graph }: Trace, lookup: Lookup): Curves {
  const { tensors, nodes } = lookup;
  const series = new Map<string, Series>();
  const firsts: number[] = [];
  const now = new Map<string, Value>(); // leaves that were changed
  const place = new Map(graph.tensors.map(({ id }, k) => [id, k]));
  const note = (name: string, k: number, value?: Value | null) => {
    const one = series.get(name) ?? [];
    series.set(name, one);
    if (value) one[firsts.length - 1] = { value, k };
  };
  const gradOf = (id: string) => `${tensors.get(id)?.name}.grad`;
  for (const [k, event] of events.entries()) {
    if (event.kind === "PassBegan") {
      firsts.push(k);
      const begin = (id: string, name: string) => note(name, k, now.get(id) ?? tensors.get(id)?.value);
      for (const root of event.roots) begin(root, lookup.label(root));
      const leaves = event.waits.map(([node]) => nodes.get(node)?.variable ?? "");
      for (const id of leaves.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))) {
        const name = tensors.get(id)?.name;
        if (name) begin(id, name);
        if (name) note(gradOf(id), k);
      }
    } else if (event.kind === "LeafWritten" || event.kind === "GradReturned") {
      const name = gradOf(event.tensor);
      const value = event.kind === "LeafWritten" ? event.after : event.value;
      if (series.has(name)) note(name, k, value);
    } else if (event.kind === "ChangedInPlace" && !event.recorded) now.set(event.tensor, event.after);
    else if (event.kind === "OptimizerStepped")
      for (const { tensor, after } of event.changes) now.set(tensor, after);
  }
  for (const [name, { length }] of series) if (!length) series.delete(name);
  return { firsts, series };
}

/** A single number itself, the Euclidean norm of an array. */
export function magnitude({ value }: Reading): number {
  const { shape, text, entries, kept, norm } = value;
  if (norm || shape.reduce((a, b) => a * b, 1) === 1) return number(norm || text);
  if (kept?.length) return Number.NaN;
  return entries ? Math.hypot(...entries.split(" ").map(number)) : 0;
}

const number = (text: string) => numberOf(text.replace("inf", "Infinity"));
