// Changes the state of the player. `reduce` is the only function that does, and it is pure: it makes a new
// state from the old one and an action, and touches neither the page nor a clock.
//
// Read next: picture.ts (which drawing is shown), play.ts (which draws the states and sends the actions).

import { ahead, stopBefore } from "./ahead";
import { currentOf } from "./moment";
import type { PlayerOptions } from "./options";
import {
  collapse,
  enter,
  enterCurrent,
  find,
  firstPicture,
  followStep,
  leave,
  type PictureState,
  present,
  scopesOf,
  showPass,
} from "./picture";
import { answer, ask, predict, reveal, stopPredicting } from "./predicting";
import { OWN, questionAt } from "./questions";
import type { Recording } from "./recording";
import {
  type Action,
  type DialogName,
  momentOf,
  NO_EDITS,
  type PlayerState,
  type Shared,
  SPEEDS,
} from "./state";

const NO_SLOPE = "A slope needs a result that is one number, and formulas that can run again.";

/** Actions that nobody on this page asked for: they leave the message over the picture. */
const QUIET = new Set<Action["type"]>(["set", "warn", "closed", "followed"]);

export function firstState(options: PlayerOptions, recording: Recording): PlayerState {
  const opens = { ...options.otherwise, ...recording.trace.opening, ...options };
  const step = inside(opens.step ?? 0, recording);
  const state: PlayerState = {
    step,
    granularity: opens.granularity ?? "node",
    speed: opens.speed ?? 1,
    playing: false,
    breakpoints: recording.breakpoints.known(options.breakpoints ?? []),
    predicting: Boolean(opens.predicting),
    walks_forward: recording.timeline.forward,
    subject: recording.own.length ? OWN : "gradient",
    question: undefined,
    reached: step,
    tries: 0,
    given: [],
    done: [],
    feedback: undefined,
    score: options.score ?? { right: 0, asked: 0 },
    answers: options.answers ?? [],
    edits: NO_EDITS,
    touched: undefined,
    dialog: undefined,
    table: false,
    slope: false,
    presenting: false,
    picture: firstPicture(opens.view ?? "both", recording),
    warning: { label: "stale", text: options.stale ?? "" },
    message: "",
  };
  return { ...state, picture: pictureOf(state, recording) };
}

/** The state that goes on with another trace. `same`: only values differ from the trace before. */
export function continued(
  state: PlayerState,
  recording: Recording,
  same: boolean,
  step = state.step,
): PlayerState {
  const next = {
    ...state,
    step: inside(step, recording),
    reached: inside(state.reached, recording),
    question: undefined,
  };
  if (!same) {
    next.breakpoints = recording.breakpoints.known(state.breakpoints);
    next.picture = { ...state.picture, pass: -1, target: "" };
  }
  next.picture = pictureOf(next, recording);
  const { scope, collapsed } = state.picture;
  const scopes = scopesOf(next.picture, recording);
  if (!same && scopes?.any && (!scope || scopes.has(scope)))
    next.picture = { ...next.picture, scope, collapsed };
  return ask(next, { ...next, step: -1 }, recording);
}

type Patch = Partial<PlayerState>;

/** The state with `patch` applied; the same object if that changes nothing. */
function merged(state: PlayerState, patch: Patch): PlayerState {
  const names = Object.keys(patch) as (keyof PlayerState)[];
  return names.every((name) => patch[name] === state[name]) ? state : { ...state, ...patch };
}

/** The state after `action`: the same object when nothing changes. */
export function reduce(before: PlayerState, action: Action, recording: Recording): PlayerState {
  const state = QUIET.has(action.type) ? before : merged(before, { message: "" });
  const next = settled(merged(state, change(state, action, recording)), state, recording);
  return action.type === "find" ? { ...next, picture: find(next.picture, action.id, recording) } : next;
}

/** What an action changes. */
function change(state: PlayerState, action: Action, recording: Recording): Patch {
  const { timeline, breakpoints } = recording;
  const { step, granularity, picture } = state;
  const dialog = (name: DialogName) => ({ dialog: state.dialog === name ? undefined : name });
  switch (action.type) {
    case "first":
      return goTo(timeline.stops(granularity)[0] ?? 0);
    case "last":
      return { ...ahead(timeline.stops(granularity).at(-1) ?? step, state, recording), playing: false };
    case "back":
      return goTo(timeline.move(step, -1, granularity));
    case "nodeBack":
      return goTo(timeline.moveNode(step, false, granularity));
    case "forward":
      if (state.question) return reveal(state, recording);
      if (atEnd(state, recording)) return { playing: false, message: "There is no step after this one." };
      return goTo(stopBefore(timeline.move(step, 1, granularity), state, recording));
    case "nodeForward":
      if (state.question) return reveal(state, recording);
      return goTo(stopBefore(timeline.moveNode(step, true, granularity), state, recording));
    case "passBack":
    case "passForward": {
      const to = timeline.passStart(step, action.type === "passForward");
      if (to !== undefined)
        return { ...(recording.own.length ? ahead(to, state, recording) : { step: to }), playing: false };
      const where = action.type === "passForward" ? "after" : "before";
      return { playing: false, message: `There is no pass ${where} this one.` };
    }
    case "goTo":
      return ahead(inside(action.step, recording), state, recording);
    case "goToStop":
      return ahead(timeline.stops(granularity)[action.position - 1] ?? step, state, recording);
    case "toggle":
      return play(state, !state.playing && !state.question, recording);
    case "tick":
      return tick(state, recording);
    case "slower":
    case "faster": {
      const at = (SPEEDS as readonly number[]).indexOf(state.speed) + (action.type === "faster" ? 1 : -1);
      const speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))] ?? 1;
      return { speed, message: `Speed ×${speed}` };
    }
    case "setSpeed":
      return { speed: action.speed };
    case "setGranularity":
      return { granularity: action.granularity };
    case "breakpoint": {
      const node = breakpoints.nodeAt(step);
      if (!node) return {};
      const marks = toggleBreakpoint(state, node);
      const on = marks.breakpoints.includes(node) ? "" : "no ";
      return { ...marks, message: `${recording.lookup.nodeLabel(node)}: ${on}breakpoint` };
    }
    case "toggleBreakpoint":
      return toggleBreakpoint(state, action.mark);
    case "predict":
      return state.predicting ? stopPredicting(state, recording) : predict(state, true);
    case "setSubject":
      return { subject: action.subject };
    case "answer":
      return answer(state, action.text, recording);
    case "reveal":
      return reveal(state, recording);
    case "hint":
      return { tries: state.tries + 1, feedback: { text: state.question?.hint ?? "", kind: "" } };
    case "help":
    case "breakpoints":
    case "search":
    case "health":
      return dialog(action.type);
    case "closed":
      return state.dialog === action.dialog ? dialog(action.dialog) : {};
    case "table":
      return { table: !state.table };
    case "slope":
      return recording.sloped ? { slope: !state.slope } : { message: NO_SLOPE };
    case "present":
      return setPresenting(state, !state.presenting, recording);
    case "leftFullscreen":
      return setPresenting(state, false, recording);
    case "reset":
      return {
        ...goTo(timeline.stops(granularity)[0] ?? 0),
        speed: 1,
        breakpoints: [],
        reached: 0,
        score: { right: 0, asked: 0 },
        answers: [],
        done: [],
      };
    case "escape":
      return leaveInnermost(state, recording);
    case "showView":
      return { picture: { ...picture, view: action.view } };
    case "enterScope":
      return { picture: enter(picture, action.scope, recording) };
    case "inside":
      return enterCurrent(picture, currentOf(momentOf(state, recording)), recording);
    case "outside":
      return leave(picture, recording);
    case "collapse":
      return collapse(picture, recording);
    case "follow": {
      const next = { ...picture, follows: action.on };
      const current = currentOf(momentOf(state, recording));
      return { picture: action.on ? followStep(next, current, recording) : next };
    }
    case "setHops":
      return { picture: { ...picture, hops: action.hops } };
    case "find": {
      const to = recording.lookup.stepOf(action.id, picture.pass, true) ?? step;
      return { ...ahead(to, state, recording), dialog: undefined };
    }
    case "warn":
      return { warning: { label: action.label, text: action.text } };
    case "say":
      return { message: action.text };
    case "followed": {
      const { edits, touched, message } = action;
      const { question } = state;
      // What was answered stays answered; an open question is asked about the new numbers.
      const own = question?.own !== undefined; // the author's questions are about the recorded values
      const anew = own ? question : question && questionAt(question.k, granularity, state.subject, recording);
      const back = state.edits.size && !edits.size ? "The recorded values are back." : "";
      return { edits, touched, message: message || back, question: anew };
    }
    case "set":
      return set(state, action.name, action.value, recording);
    default:
      return {}; // a command that moves over the picture: viewport.ts
  }
}

/** What follows from a change: the question of the step, and the drawing that shows it. */
function settled(next: PlayerState, before: PlayerState, recording: Recording): PlayerState {
  const state = ask(next, before, recording);
  const { step, granularity, question } = before;
  if (state.step === step && state.granularity === granularity && state.question === question) return state;
  const picture = pictureOf(state, recording);
  return { ...state, picture: picture.target ? { ...picture, target: "" } : picture };
}

function pictureOf(state: PlayerState, recording: Recording): PictureState {
  const moment = momentOf(state, recording);
  const picture = showPass(state.picture, moment.pass, state.presenting, recording);
  return picture.follows ? followStep(picture, currentOf(moment), recording) : picture;
}

/** `step` as an index that exists. */
function inside(step: number, { timeline }: Recording): number {
  const whole = Number.isFinite(step) ? Math.trunc(step) : 0;
  return Math.max(0, Math.min(timeline.length - 1, whole));
}

/** Go where a person asked, who takes over from playing. */
const goTo = (step: number): Patch => ({ step, playing: false });

function atEnd({ step, granularity }: PlayerState, { timeline }: Recording): boolean {
  return step >= (timeline.stops(granularity).at(-1) ?? 0);
}

/** Start or stop playing; at the end it starts at the beginning. */
function play(state: PlayerState, playing: boolean, recording: Recording): Patch {
  if (playing === state.playing || recording.still) return {};
  return { playing, step: playing && atEnd(state, recording) ? 0 : state.step };
}

/** One step of playing; it stops at the end, at a breakpoint and at a question. */
function tick(state: PlayerState, recording: Recording): Patch {
  if (!state.playing) return {};
  const { step, granularity, breakpoints } = state;
  const target = recording.timeline.move(step, 1, granularity);
  const stop = recording.breakpoints.between(step, target, breakpoints, granularity);
  const next = ask({ ...state, step: stop ?? target }, state, recording);
  const over = stop !== undefined || next.question || atEnd(next, recording);
  return { step: next.step, playing: !over };
}

function toggleBreakpoint(state: PlayerState, mark: string): Pick<PlayerState, "breakpoints"> {
  const others = state.breakpoints.filter((one) => one !== mark);
  const breakpoints = others.length < state.breakpoints.length ? others : [...others, mark];
  return { breakpoints };
}

function setPresenting(state: PlayerState, on: boolean, recording: Recording): Patch {
  if (on === state.presenting) return {};
  return { presenting: on, picture: present(state.picture, on, recording) };
}

/** Leave the innermost thing that can be left. */
function leaveInnermost(state: PlayerState, recording: Recording): Patch {
  if (state.dialog) return { dialog: undefined };
  if (state.presenting) return setPresenting(state, false, recording);
  if (state.table) return { table: false };
  if (state.slope) return { slope: false };
  return state.predicting ? stopPredicting(state, recording) : {};
}

/** Python, or another view of the same widget, changed something. */
function set(
  state: PlayerState,
  name: keyof Shared,
  value: Shared[keyof Shared],
  recording: Recording,
): Patch {
  switch (name) {
    case "step":
      return { step: inside(value as number, recording) };
    case "playing":
      return play(state, value as boolean, recording);
    case "predicting":
      return predict(state, value as boolean);
    case "breakpoints":
      return { breakpoints: recording.breakpoints.known(value as string[]) };
    case "stale":
      return { warning: { label: "stale", text: value as string } };
    default:
      return { [name]: value };
  }
}
