// The moment that is shown: one event, and the state of the backward pass that it led to.
//
// Read next: cards/card.ts, sceneview.ts.

import type { Lookup } from "./lookup";
import type { Question } from "./questions";
import type { Recording } from "./recording";
import type { Timeline } from "./timeline";
import type { Event, Granularity, State } from "./trace";

/** What is shown: the event at `k`, and the state after event `settled`. */
export interface Moment {
  k: number;
  settled: number; // -1 for a picture without events
  event: Event; // undefined for a picture without events, which shows no card
  state: State;
  focus: ReadonlySet<string>; // ids to point at
  pass: number; // counted from 0
  root: string; // the tensor whose gradients this pass computes
  timeline: Timeline;
  lookup: Lookup;
  was: Moment | undefined; // the same moment as it was recorded, where a value is edited
}

/** The present step and its outcome; while `question` waits for its answer, what came before. */
export function momentAt(
  step: number,
  granularity: Granularity,
  question: Question | undefined,
  { timeline, lookup, still, was }: Recording,
): Moment {
  const k = question?.shown ?? step;
  const settled = still ? -1 : (question?.shown ?? timeline.settled(step, granularity));
  const state = timeline.stateAt(Math.max(0, settled));
  const pass = timeline.passAt(k);
  return {
    k,
    settled,
    event: timeline.events[k] as Event,
    state: question ? asked(state, question) : state,
    focus: question?.focus ?? timeline.focus(step),
    pass,
    root: lookup.root(pass),
    timeline,
    lookup,
    was: was && momentAt(step, granularity, question, was),
  };
}

/** The state with a "?" on the edge in question, and a queue that does not give the order away. */
function asked(state: State, { edge, answer }: Question): State {
  const edges = edge ? { ...state.edges, [edge]: { shape: [], dtype: "", text: "?" } } : state.edges;
  return { ...state, edges, queue: answer.kind === "node" ? [...answer.choices] : state.queue };
}

/** The node that runs, or else the tensor that the event is about. */
export const currentOf = ({ state, focus }: Moment): string => state.current || ([...focus][0] ?? "");
