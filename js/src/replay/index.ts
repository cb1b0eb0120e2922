// Values that a person changes, and everything that follows, without a kernel.
//
// Read next: replay.ts (the numbers), retell.ts (what is told of them).

import type { Replay } from "../follow";
import type { Trace } from "../trace";
import { replayer } from "./replay";
import { retold } from "./retell";

export type { Nd } from "./arrays";
export { type Edits, type Numbers, type Problem, type Replayer, replayer } from "./replay";

/** What lets a trace follow: its formulas, run at other values. */
export function replayOf(trace: Trace): Replay {
  const { editable, entries, run } = replayer(trace);
  return {
    why: editable,
    entries: (tensor) => entries(tensor) ?? [],
    run(edits) {
      const found = run(edits);
      return "problem" in found ? found.problem : retold(trace, found);
    },
  };
}
