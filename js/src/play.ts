// The loop of the player: every action goes through `dispatch`, which makes the new state, lets the page draw
// what changed, and tells the owner. Nothing plays by itself.
//
// Read next: reducer.ts (what an action does), page.ts (what is drawn).

import { focused } from "./dom";
import { applies, commandOf } from "./keys";
import { makePage } from "./page";
import { scopesOf } from "./picture";
import { makeRecording } from "./recording";
import { firstState, reduce } from "./reducer";
import type { Action, Dispatch, PlayerOptions, PlayerState } from "./state";
import type { Trace } from "./trace";

const PACE = 1400; // milliseconds per step at speed x1
const TOLD = ["step", "playing", "granularity", "breakpoints", "predicting", "score"] as const;

export interface Play {
  last: number; // the index of the last event; -1 where there is none
  dispatch: Dispatch;
  destroy(): void;
}

/** `refuse`: what to do with a trace that turns out to be damaged while it is drawn. */
export function play(
  root: HTMLElement,
  trace: Trace,
  options: PlayerOptions,
  refuse: (error: unknown) => void,
): Play {
  const recording = makeRecording(trace);
  const { timeline, still } = recording;
  let state = firstState(options, recording);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const dispatch: Dispatch = (action) => {
    const before = state;
    try {
      state = reduce(before, action, recording);
      if (state !== before) page.draw(state, before, action);
      page.run(action.type);
    } catch (error) {
      return refuse(error);
    }
    schedule(before, action);
    tell(before, state, action);
  };

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
    const tellOwner = options.onChange as ((name: string, value: unknown) => void) | undefined;
    for (const name of TOLD)
      if (after[name] !== before[name] && name !== from) tellOwner?.(name, after[name]);
  }

  function onKey(event: KeyboardEvent): void {
    const type = commandOf(event);
    if (!type || !applies(type, still)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat && state.question) return;
    const before = state;
    dispatch({ type });
    if (type === "escape" && state === before) focused(root)?.blur(); // nothing else was left to leave
  }

  const page = makePage(root, recording, options, dispatch);
  if (!still || scopesOf(state.picture, recording)?.any) page.listen(onKey);
  page.draw(state);
  options.tools?.(root, { trace, step: () => state.step });
  if (options.playing) dispatch({ type: "set", name: "playing", value: true });

  return {
    last: timeline.length - 1,
    dispatch,
    destroy() {
      clearTimeout(timer);
      page.destroy();
    },
  };
}
