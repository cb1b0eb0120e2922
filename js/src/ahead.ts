// How far a person may go at once: to a breakpoint, or to the first question that is open.
//
// Read next: reducer.ts, questions.ts.

import { questionAt } from "./questions";
import type { Recording } from "./recording";
import type { PlayerState } from "./state";

const OPEN = "This step is to be predicted first. To end predicting, leave the field (Esc), then press p.";

/** The first breakpoint or open question on the way to `target`, or else `target`. */
export function stopBefore(target: number, state: PlayerState, recording: Recording): number {
  const { step, breakpoints, granularity } = state;
  const stop = recording.breakpoints.between(step, target, breakpoints, granularity) ?? target;
  return ahead(stop, state, recording).step;
}

/** Go to `target`, or to the first step before it whose question is open, and say so. */
export function ahead(
  target: number,
  state: PlayerState,
  recording: Recording,
): { step: number; message?: string } {
  const { granularity, subject, predicting, reached, done } = state;
  const asks = (k: number) => questionAt(k, granularity, subject, recording, done);
  const open =
    predicting && recording.timeline.stops(granularity).find((k) => k > reached && k < target && asks(k));
  return open ? { step: open, message: OPEN } : { step: target };
}
