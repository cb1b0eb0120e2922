// The parts that are needed only when a person edits a value or opens the Slope card.
//
// Read next: replay/index.ts, cards/slope.ts.

export { slopeCard } from "./cards/slope";
export { replayOf } from "./replay";
