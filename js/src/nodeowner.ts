// The node that owns each event: the one that runs while the event happens.
//
// Read next: breakpoints.ts.

import { type Event, GRANULARITIES, type Granularity } from "./trace";

/** For each event the node that runs; "" before the first and after the last. */
export function ownersOf(events: readonly Event[]): string[] {
  let owner = "";
  return events.map((event) => {
    if (event.kind === "LeafWritten") return event.node; // AccumulateGrad, which has no NodeEntered of its own
    if (event.kind === "NodeEntered" || event.kind === "Computed") owner = event.node;
    if (event.kind === "Seeded" || /Finished|ForwardBegan/.test(event.kind)) owner = "";
    return owner;
  });
}

/** How fine a granularity is: story 0, node 1, micro 2. */
export const levelOf = (granularity: Granularity): number => GRANULARITIES.indexOf(granularity);
