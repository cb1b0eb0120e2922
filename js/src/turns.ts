// Whose turn it is: the node whose work each event belongs to.
//
// Read next: breakpoints.ts.

import { type Event, GRANULARITIES, type Granularity } from "./trace";

/** For each event the node at work; "" before the first and after the last. */
export function runners(events: readonly Event[]): string[] {
  let owner = "";
  return events.map((event) => {
    if (event.kind === "LeafWritten") return event.node; // AccumulateGrad, whose turn nobody announced
    if (event.kind === "NodeEntered") owner = event.node;
    if (event.kind === "Seeded" || event.kind === "Finished") owner = "";
    return owner;
  });
}

/** How fine a granularity is: story 0, node 1, micro 2. */
export const rank = (granularity: Granularity): number => GRANULARITIES.indexOf(granularity);
