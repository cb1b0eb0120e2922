// The state of the player: everything that changes while a person uses it, in one object, and the actions
// that change it.
//
// Read next: reducer.ts (what an action does), picture.ts (which drawing is shown), play.ts.

import type { Edits, NamedEdits, Place } from "./edits";
import type { Command } from "./keys";
import { type Moment, momentAt } from "./moment";
import type { PictureState } from "./picture";
import type { Question, Subject } from "./questions";
import type { Recording } from "./recording";
import type { Granularity } from "./trace";

export const NO_EDITS: Edits = new Map();
export const SPEEDS = [0.25, 0.5, 1, 2, 4] as const;

/** What the player shares with its owner: Python, through the widget, or a page. */
export interface Shared {
  step: number; // index of the event shown
  playing: boolean;
  granularity: Granularity;
  breakpoints: readonly string[]; // ids of nodes ("n2") and names of kinds ("MulBackward0")
  predicting: boolean;
  subject: Subject; // what predict mode asks for
  reached: number; // the furthest step whose outcome was shown: later ones are asked for
  walks_forward: boolean; // whether the walk begins with the forward pass
  score: Score;
  answers: readonly Answered[];
  stale: string; // why what is shown is out of date; "" when it is not
  edits: NamedEdits; // the leaves that have other values than recorded
}

/** What is known of a trace that replaces another. */
export interface Told {
  step?: number | undefined; // the index of the event that stands where the learner stood
  came?: readonly string[] | undefined; // ids that the trace before did not have
}

export type DialogName = "help" | "breakpoints" | "search" | "health" | "save";

export interface Score {
  right: number; // answered right at the first try
  asked: number;
}

/** A question that was answered, or whose answer was shown. */
export interface Answered {
  step: number;
  question: string;
  answers: readonly string[]; // as they were given
  tries: number; // how many these are
  hints: number; // how many hints were asked for
  right: boolean; // whether the last one was
}

/** What the player says about an answer. */
export interface Feedback {
  text: string;
  kind: "" | "right" | "wrong";
}

export interface PlayerState extends Omit<Shared, "stale" | "edits"> {
  edits: Edits; // the edits that the picture shows
  touched: Place | undefined; // the entry that was edited last
  speed: number; // 1: one step every 1.4 seconds
  question: Question | undefined; // the question that waits for an answer
  tries: number; // at the question: wrong answers, and hints that were asked for
  given: readonly string[]; // the answers to it
  done: readonly number[]; // which of the author's questions were asked
  feedback: Feedback | undefined;
  dialog: DialogName | undefined; // the dialog that is open
  table: boolean; // whether the table of all steps is open
  slope: boolean; // whether the Slope card is open
  presenting: boolean;
  picture: PictureState;
  warning: { label: string; text: string }; // why what is shown is out of date; "" when it is not
  message: string; // a message over the picture, until the next action
}

export type Action =
  | { type: Command }
  | { type: "tick" } // the clock, while it plays
  | { type: "goTo"; step: number } // the index of an event
  | { type: "goToStop"; position: number } // the 7 of "step 7 of 18"
  | { type: "setSpeed"; speed: number }
  | { type: "setGranularity"; granularity: Granularity }
  | { type: "toggleBreakpoint"; mark: string }
  | { type: "setSubject"; subject: Subject }
  | { type: "answer"; text: string }
  | { type: "hint" | "reveal" }
  | { type: "closed"; dialog: DialogName } // the browser closed it
  | { type: "leftFullscreen" }
  | { type: "showView"; view: string }
  | { type: "enterScope"; scope: string }
  | { type: "follow"; on: boolean }
  | { type: "setHops"; hops: number }
  | { type: "find"; id: string }
  | { type: "warn"; label: string; text: string }
  | { type: "say"; text: string }
  | { type: "edit"; tensor: string; entry: number; value: number; now?: boolean } // now: do not wait for a frame
  | { type: "followed"; edits: Edits; touched: Place | undefined; message: string } // what came of edits
  | { type: "set"; name: keyof Shared; value: Shared[keyof Shared] }; // a change from outside

export type Dispatch = (action: Action) => void;

export function momentOf({ step, granularity, question }: PlayerState, recording: Recording): Moment {
  return momentAt(step, granularity, question, recording);
}

/** The last event of which the player may tell the outcome: later ones are to be predicted. */
export function knownUpTo(
  { predicting, question, step, reached }: PlayerState,
  { timeline }: Recording,
): number {
  if (!predicting) return timeline.length;
  return question ? question.k - 1 : Math.max(step, reached);
}

export const sameQuestion = (one: Question | undefined, other: Question | undefined): boolean =>
  one?.k === other?.k && one?.answer.kind === other?.answer.kind && one?.own === other?.own;
