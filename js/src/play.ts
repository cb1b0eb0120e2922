// The loop of the player: every action goes through `dispatch`, which makes the new state, lets the page draw
// what changed, and tells the owner. Nothing plays by itself.
//
// Read next: reducer.ts (what an action does), page.ts (what is drawn).

import { focused, h } from "./dom";
import type { Editing } from "./editor";
import type { NamedEdits, Place } from "./edits";
import type { Follower } from "./follow";
import { rebased, walked } from "./forward";
import { applies, commandOf } from "./keys";
import type { Extras, PlayerOptions } from "./options";
import { type Kept, makePage, type Page } from "./page";
import { scopesOf } from "./picture";
import { MEMORY } from "./questions";
import { makeRecording, type Recording, retell, retelling } from "./recording";
import { continued, firstState, reduce } from "./reducer";
import { type Action, type Dispatch, NO_EDITS, type PlayerState, type Told } from "./state";
import type { Trace } from "./trace";

export const PACE = 1400; // milliseconds per step at speed x1
const NO_FORWARD = "This recording holds no forward pass.";
const TOLD = [
  "walks_forward",
  "step",
  "playing",
  "granularity",
  "breakpoints",
  "predicting",
  "subject",
  "reached",
  "score",
  "answers",
] as const;

/** In place of a follower, while the extras are not loaded: nothing is edited. */
const NO_FOLLOWER: Follower = {
  why: () => "",
  entries: () => [],
  waiting: () => undefined,
  busy: () => false,
  follow() {},
  stop() {},
};

export interface Play {
  readonly last: number; // the index of the last event; -1 where there is none
  dispatch: Dispatch;
  /** Show another trace, of the same program at other values. What a person has chosen stays. */
  replace(trace: Trace, told?: Told): void;
  destroy(): void;
}

/** `refuse`: what to do with a trace that turns out to be damaged while it is drawn. */
export function play(
  root: HTMLElement,
  trace: Trace,
  options: PlayerOptions,
  refuse: (error: unknown) => void,
): Play {
  let recorded = makeRecording(walked(trace, options.walks_forward ?? Boolean(trace.walks_forward)));
  let recording = recorded; // at the values that are edited
  let known = "{}"; // the edits that the owner knows
  let state = firstState(options, recording);
  let timer: ReturnType<typeof setTimeout> | undefined;

  let touched: Place | undefined; // the place that the latest edit changed
  let extras = typeof options.extras === "function" ? undefined : options.extras;
  const newFollower = () =>
    extras?.makeFollower(
      recorded,
      retelling,
      options.replay ?? extras.replayOf,
      options.rerun,
      options.explored,
      (edits, found) => {
        if (typeof found !== "string") dispatch({ type: "followed", edits, touched, message: "" }, found);
        else dispatch({ type: "followed", edits: state.edits, touched: state.touched, message: found });
      },
    ) ?? NO_FOLLOWER;
  let follower = newFollower();

  /** Load the extras, if they are not there yet. */
  async function load(): Promise<Extras> {
    if (extras) return extras;
    const found = await (options.extras as () => Promise<Extras>)();
    if (!extras) {
      extras = found;
      follower = newFollower();
      dress(found);
    }
    return found;
  }

  /** Put the style sheet of the extras before the player's own, whose rules may override it. */
  function dress({ style }: Extras): void {
    root.querySelector(":scope > .gl-seldom")?.remove();
    root.querySelector(":scope > .gl-sheet")?.before(h("style.gl-seldom", {}, style));
  }

  /** Load what an edit or a question needs, if it is not there yet; the action is dispatched again then. */
  function loads(action: Action): boolean {
    const edits = action.type === "edit" || (action.type === "set" && action.name === "edits");
    const asks = action.type === "setSubject" && (MEMORY as readonly string[]).includes(action.subject);
    if (!(edits || asks) || extras || typeof options.extras !== "function") return false;
    load().then(
      () => dispatch(action),
      ({ message }: Error) => dispatch({ type: "say", text: message }),
    );
    return true;
  }

  /** Let the recording follow what an action edits. Returns whether that is all that it does. */
  function edit(action: Action): boolean {
    const edits = follower.waiting() ?? state.edits;
    const { lookup } = recorded;
    if (action.type === "edit" && extras) {
      const { tensor, entry, value, now } = action;
      const why = follower.why(tensor);
      const dtype = lookup.tensors.get(tensor)?.value?.dtype ?? "";
      touched = [tensor, entry];
      if (why) dispatch({ type: "say", text: why });
      else follower.follow(extras.withEntry(edits, touched, value, follower.entries(tensor), dtype), now);
      return true;
    }
    if (action.type === "set" && action.name === "edits" && extras) {
      const text = JSON.stringify(action.value);
      if (text === known && !follower.waiting()) return true;
      known = text;
      touched = undefined;
      follower.follow(extras.unnamed(action.value as NamedEdits, lookup, follower.entries));
      return true;
    }
    if ((action.type === "reset" || action.type === "resetEdits") && edits.size) follower.follow(NO_EDITS);
    return action.type === "resetEdits";
  }

  const dispatch = (action: Action, followed?: Recording) => {
    if (loads(action) || edit(action)) return;
    const before = state;
    try {
      if (action.type === "showForward") return walk(!state.walks_forward, action);
      if (action.type === "set" && action.name === "walks_forward")
        return walk(Boolean(action.value), action);
      if (followed) page.follow(followed);
      recording = followed ?? recording;
      state = reduce(before, action, recording);
      if (state !== before) page.draw(state, before, action);
      page.run(action.type);
    } catch (error) {
      return refuse(error);
    }
    schedule(before, action);
    tell(before, state, action);
  };

  /** Begin with the forward pass, or leave it out: another recording, and a new page, at the same event. */
  function walk(forward: boolean, action: Action): void {
    const { trace } = recorded;
    if (forward === state.walks_forward) return;
    if (!trace.forward?.length) {
      dispatch({ type: "say", text: NO_FORWARD });
      return;
    }
    const before = state;
    const edits = follower.waiting() ?? before.edits;
    const at = (k: number) => rebased(k, trace, forward);
    follower.stop();
    recorded = makeRecording(walked(trace, forward));
    recording = recorded;
    follower = newFollower();
    const more = {
      walks_forward: forward,
      step: at(before.step),
      reached: at(before.reached),
      playing: false,
    };
    state = {
      ...before,
      ...more,
      question: undefined,
      feedback: undefined,
      tries: 0,
      given: [],
      message: "",
    };
    state = { ...state, edits: NO_EDITS };
    page = open(page.leave());
    schedule(before, action);
    tell(before, state, action);
    if (edits.size) follower.follow(edits);
  }

  /** The next step of playing is a beat after the last step, whoever took that. */
  function schedule(before: PlayerState, action: Action): void {
    const { playing, step, speed } = state;
    const same = playing === before.playing && step === before.step && speed === before.speed;
    if (same && action.type !== "tick") return;
    clearTimeout(timer);
    if (playing) timer = setTimeout(() => dispatch({ type: "tick" }), PACE / speed);
  }

  /** Tell the owner what changed, except what came from there. */
  function tell(before: PlayerState, after: PlayerState, action: Action): void {
    const from = action.type === "set" ? action.name : "";
    if (from === "walks_forward") return; // the owner moves its step itself
    const tellOwner = options.onChange as ((name: string, value: unknown) => void) | undefined;
    for (const name of TOLD)
      if (after[name] !== before[name] && name !== from) tellOwner?.(name, after[name]);
    if (action.type !== "followed") return;
    const edits = extras?.named(after.edits, recorded.lookup) ?? {};
    const text = JSON.stringify(edits);
    const news = text !== known;
    known = text; // before the owner hears it, who may send it back
    if (news && !options.explored) tellOwner?.("edits", edits);
  }

  function onKey(event: KeyboardEvent): void {
    const type = commandOf(event);
    if (!type || !applies(type, recording.still)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat && state.question) return;
    const before = state;
    dispatch({ type });
    if (type !== "escape" || state !== before) return; // something else was left to leave
    focused(root)?.blur();
    root.parentElement?.closest<HTMLElement>("[tabindex]")?.focus(); // a notebook's cell, whose keys work again
  }

  /** Draw the page of the recording; `kept` is what it takes over from the page before. */
  function open(kept?: Kept): Page {
    const loading = typeof options.extras === "function" ? { ...options, extras: extras ?? load } : options;
    const made = makePage(root, recording, loading, dispatch, editing, kept);
    if (extras) dress(extras);
    if (!recording.still || scopesOf(state.picture, recording)?.any) made.listen(onKey);
    made.draw(state);
    // a document holds its forward passes apart
    const { opening } = recorded.trace; // its step counts the forward events
    const apart = { ...walked(recorded.trace, false), walks_forward: state.walks_forward };
    const trace = opening ? { ...apart, opening } : apart;
    options.tools?.(root, { trace, step: () => state.question?.shown ?? state.step, load });
    return made;
  }

  const editing: Editing = {
    why: (tensor) => follower.why(tensor),
    recorded: (tensor) => follower.entries(tensor),
    entries: (tensor) => (follower.waiting() ?? state.edits).get(tensor) ?? follower.entries(tensor),
    sentence: (edits, touched, { lookup, was }) =>
      (was && extras?.sentence(edits, touched, follower.entries, lookup, was.lookup)) ?? "",
    changes: (now) => (now.was && extras?.changes(now, now.was)) ?? "",
  };
  let page = open();
  if (options.explored) load().catch(() => undefined); // sliders may move before somebody comes near
  if (Object.keys(options.edits ?? {}).length)
    dispatch({ type: "set", name: "edits", value: options.edits as NamedEdits });
  if (options.playing) dispatch({ type: "set", name: "playing", value: true });

  return {
    get last() {
      return recording.timeline.length - 1;
    },
    dispatch,
    replace(next, told) {
      const before = state;
      const waiting = extras?.named(follower.waiting() ?? NO_EDITS, recorded.lookup);
      follower.stop();
      try {
        const shown = walked(next, before.walks_forward);
        const same = retell(recorded, shown);
        if (!same) recorded = makeRecording(shown);
        recording = recorded;
        follower = newFollower();
        const at = shown === next ? told?.step : told && rebased(told.step ?? 0, next, before.walks_forward);
        state = continued({ ...before, edits: NO_EDITS }, recording, same, at);
        state = { ...state, walks_forward: recording.timeline.forward };
        if (same) page.retell(state);
        else page = open(page.leave());
        page.mark(told?.came ?? []);
        const edits = waiting && extras?.unnamed(waiting, recorded.lookup, follower.entries);
        if (edits?.size) follower.follow(edits); // the latest that a person has asked for
      } catch (error) {
        return refuse(error);
      }
      tell(before, state, { type: "followed", edits: NO_EDITS, touched: undefined, message: "" });
    },
    destroy() {
      clearTimeout(timer);
      follower.stop();
      page.destroy();
    },
  };
}
