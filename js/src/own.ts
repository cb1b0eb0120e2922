// The questions that the author of a walk asks: what is right, and the hints, are sealed in the trace.
//
// Read next: questions.ts. Python's side is graph/questions.py.

import { rebased } from "./forward";
import { type Trace, TraceError } from "./trace";

export interface Own {
  at: number; // the index of the event before which it is asked
  text: string;
  kind: string; // "whole", "number", "text" or "choice"
  choices: readonly string[];
  right: readonly string[];
  hints: readonly (readonly [answer: string, hint: string])[]; // wrong answers, each with its hint
  hint: string; // the hint for every other wrong answer
  why: string; // what is said to a right answer
}

/** The questions of the walk, in order; those of forward passes only where these are walked. */
export function ownQuestions(trace: Trace): Own[] {
  return (trace.questions ?? []).flatMap(({ at, text, kind, choices = [], sealed }) => {
    const [here, next] = trace.walks_forward
      ? [at, at + 1]
      : [rebased(at, trace, false), rebased(at + 1, trace, false)];
    if (here === next) return [];
    try {
      const { right, hints = [], hint = "", why = "" } = JSON.parse(unsealed(sealed, text)) as Own;
      return [
        { at: here, text: String(text), kind, choices: [...choices].map(String), right, hints, hint, why },
      ];
    } catch {
      throw new TraceError(
        "This GraphLab trace is damaged: a question in it cannot be read. Make it again with timeline.ask.",
      );
    }
  });
}

/** What `seal` of graph/questions.py was given: the bytes without its noise, which follows from the key. */
export function unsealed(sealed: string, key: string): string {
  let state = 2166136261;
  for (const byte of new TextEncoder().encode(key)) state = Math.imul(state ^ byte, 16777619);
  state ||= 1;
  const bytes = Uint8Array.from(atob(sealed), (sign) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return sign.charCodeAt(0) ^ (state & 255);
  });
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
