// Predict mode: what a question, an answer and the end of predicting change in the state.
//
// Read next: questions.ts, ahead.ts.

import { plain } from "./dom";
import { helpFor, type Question, questionAt, verdictOn } from "./questions";
import type { Recording } from "./recording";
import { type Feedback, type PlayerState, sameQuestion } from "./state";

const STOPPED = "Predicting has ended before the answer. The key p asks again.";

type Patch = Partial<PlayerState>;

/** Begin or end to predict: the present step and those before it are not asked for. */
export function predict(state: PlayerState, predicting: boolean): Patch {
  if (predicting === state.predicting) return {};
  return { predicting, playing: false, reached: state.step, feedback: undefined };
}

/** End to predict. The step of an open question stays hidden: the step before it is shown. */
export function stopPredicting(state: PlayerState, recording: Recording): Patch {
  if (!state.question) return predict(state, false);
  const before = recording.timeline.move(state.step, -1, state.granularity);
  return { ...predict({ ...state, step: before }, false), step: before, message: STOPPED };
}

const ASKING = ["step", "granularity", "subject", "predicting", "reached"] as const;

/** Open the question of a step that was not seen yet. */
export function ask(state: PlayerState, before: PlayerState, recording: Recording): PlayerState {
  if (ASKING.every((name) => state[name] === before[name])) return state;
  const { step, granularity, subject, predicting, reached, done } = state;
  const unseen = predicting && step > reached;
  const question = unseen ? questionAt(step, granularity, subject, recording, done) : undefined;
  const next = { ...state, question, reached: question ? reached : Math.max(reached, step) };
  const same = step === before.step && sameQuestion(question, state.question);
  return same ? next : { ...next, tries: 0, given: [], feedback: undefined };
}

/** Compare what was typed with the answer: only the first try counts as right. */
export function answer(state: PlayerState, text: string, recording: Recording): Patch {
  const { question, tries } = state;
  if (!question) return {};
  const right = verdictOn(question, text, recording.lookup);
  if (typeof right === "string") return { feedback: { text: right, kind: "wrong" } };
  const given = [...state.given, text.trim()];
  const { why, answer } = question;
  const said = `Right: ${answer.text}${why ? `${/[.?!]$/.test(answer.text) ? "" : "."} ${why}` : ""}`;
  if (right) return resolve({ ...state, given }, question, { text: said, kind: "right" }, recording);
  const what = answer.kind === "choice" ? "Not this one." : `Not ${text.trim()}.`;
  return {
    tries: tries + 1,
    given,
    feedback: { text: `${what} ${helpFor(question, text)}`.trim(), kind: "wrong" },
  };
}

/** Show the answer unasked: it does not count as right. */
export function reveal(state: PlayerState, recording: Recording): Patch {
  const { question } = state;
  return question
    ? resolve(state, question, { text: `It is ${question.answer.text}`, kind: "" }, recording)
    : {};
}

/** Close a question, and open the next one about the same step. It counts as right at the first try. */
function resolve(state: PlayerState, question: Question, feedback: Feedback, recording: Recording): Patch {
  const { score, tries, given, granularity, subject } = state;
  const right = feedback.kind === "right";
  const { k, own, prompt } = question;
  const wrong = given.length - Number(right);
  const told = {
    ...{ step: k, question: plain(prompt), answers: given },
    ...{ tries: given.length, hints: tries - wrong, right },
  };
  const done = own === undefined ? state.done : [...state.done, own];
  const next = own === undefined ? undefined : questionAt(k, granularity, subject, recording, done);
  return {
    question: next,
    reached: next ? state.reached : k,
    score: { right: score.right + Number(right && !tries), asked: score.asked + 1 },
    answers: [...state.answers, told],
    ...{ done, feedback, tries: 0, given: [] },
  };
}
