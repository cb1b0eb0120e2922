// The player's parts together: every action goes through `dispatch`, which makes the new state, draws what
// changed, and tells the owner. Nothing plays by itself.
//
// Read next: state.ts (what can change), viewport.ts (the graph), cards/card.ts (the cards).

import { makeBreakpointList } from "./breakpointlist";
import { equationPanel } from "./cards/equation";
import { gradientsPanel } from "./cards/gradients";
import { nodePanel } from "./cards/node";
import { queuePanel } from "./cards/queue";
import { makeControls } from "./controls";
import { focused, h, plain } from "./dom";
import { makeFrame, stillFrame } from "./frame";
import { makeHelp } from "./help";
import { applies, commandOf } from "./keys";
import { makeNarration } from "./narration";
import { scopesOf } from "./picture";
import { makePredictForm } from "./predict";
import { makePresenter } from "./presenter";
import { makeRecording } from "./recording";
import { firstState, reduce } from "./reducer";
import { makeSearch } from "./search";
import { makeSegments } from "./segments";
import {
  type Action,
  type Dispatch,
  knownUpTo,
  momentOf,
  type PlayerOptions,
  type PlayerState,
} from "./state";
import { style } from "./styles";
import { makeTable } from "./tableview";
import type { Trace } from "./trace";
import { makeViewport } from "./viewport";

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
  const gone = new AbortController();
  const { signal } = gone;
  const recording = makeRecording(trace);
  const { timeline, lookup, still } = recording;
  let state = firstState(options, recording);
  let moment = momentOf(state, recording);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const dispatch: Dispatch = (action) => {
    const before = state;
    try {
      state = reduce(before, action, recording);
      if (state !== before) render(before, action);
      viewport.run(action.type);
    } catch (error) {
      return refuse(error);
    }
    schedule(before, action);
    tell(before, state, action);
  };

  const viewport = makeViewport(recording, dispatch);
  const narration = makeNarration(timeline, dispatch);
  const predict = makePredictForm(lookup, dispatch);
  const panels = [equationPanel(), nodePanel(options.fetch), gradientsPanel(trace, lookup)] as const;
  const queue = queuePanel();
  const segments = makeSegments(timeline, dispatch);
  const table = makeTable(timeline, lookup, dispatch);
  const controls = makeControls(dispatch);
  const present = makePresenter(root, signal, dispatch);
  const list = makeBreakpointList(lookup, dispatch);
  const dialogs = { help: makeHelp(dispatch), breakpoints: list, search: makeSearch(lookup, dispatch) };
  const warning = h("p.gl-stale", { role: "status" });

  /** Draw what is not as it was; without `before`, everything. */
  function render(before?: PlayerState, action?: Action): void {
    const changed = (...names: (keyof PlayerState)[]) =>
      !before || names.some((name) => state[name] !== before[name]);
    const { stops, position } = place();
    if (changed("warning")) {
      warning.replaceChildren(h("b", {}, state.warning.label), state.warning.text);
      warning.hidden = !state.warning.text;
    }
    present(state.presenting);
    const moved = changed("step", "granularity", "question");
    if (moved) moment = momentOf(state, recording);
    const ahead = before ? action?.type === "set" || state.step > before.step : false;
    if (still) {
      viewport.update(state, moment, false);
      if (moved) viewport.settle();
    } else {
      if (changed("granularity", "breakpoints")) mark(stops);
      if (moved) narration.update(moment, state.question);
      predict.update(state);
      if (changed("granularity", "presenting", "predicting")) narration.reserve(stops);
      viewport.update(state, moment, changed("step") && ahead && !state.question);
      if (moved) for (const panel of [...panels, queue]) panel.update(moment);
      const inTable = table.element.contains(focused(root));
      if (changed("table")) showTable();
      const known = knownUpTo(state, recording);
      segments.update(position, known);
      table.update(stops, position, known, moment.root);
      controls.update(state, position, stops.length, plain(state.question?.prompt ?? moment.event.caption));
      if (moved) for (const part of [narration, ...panels]) part.settle?.();
      if (moved || changed("picture")) viewport.settle(); // a token runs when all else is measured
      if (before?.table && !state.table && inTable) comeBack();
    }
    for (const [name, dialog] of Object.entries(dialogs)) dialog.open(name === state.dialog);
    if (before && action) moveFocus(before, action);
  }

  const place = () => ({
    stops: timeline.stops(state.granularity),
    position: timeline.position(state.step, state.granularity),
  });
  const comeBack = () => root.focus({ preventScroll: true });

  /** Draw the stops and the breakpoints among them anew. */
  function mark(stops: readonly number[]): void {
    const { breakpoints, granularity } = state;
    const events = recording.breakpoints.events(breakpoints, granularity);
    const at = new Set(events.map((k) => timeline.position(k, granularity)));
    controls.colour(segments.rebuild(stops, at));
    list.update(breakpoints);
  }

  function showTable(): void {
    table.element.hidden = !state.table;
    table.element.parentElement?.classList.toggle("gl-tabled", state.table);
  }

  /** Put the focus where a person goes on from. */
  function moveFocus(before: PlayerState, action: Action): void {
    const outside = action.type === "set";
    if (before.dialog && !state.dialog) comeBack();
    else if (state.table && !before.table) table.focus();
    else if (state.score.asked > before.score.asked && !outside) comeBack();
    else if (state.question && state.step !== before.step && !outside && root.contains(focused(root)))
      predict.focus();
    const entered = ["enterScope", "inside", "outside"].includes(action.type);
    if (entered && state.picture !== before.picture && !state.picture.target) viewport.focusScope();
  }

  /** Keep the beat: the next step of playing is a beat after the last, whoever took that. */
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

  function listen(): void {
    root.tabIndex = 0; // a click anywhere inside brings the keys here
    const around: EventTarget = options.everywhere ? document : root;
    around.addEventListener("keydown", (event) => onKey(event as KeyboardEvent), { signal });
    if (typeof ResizeObserver === "undefined") return;
    const { element } = narration;
    let width = element.clientWidth;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth !== width) narration.reserve(place().stops);
      width = element.clientWidth;
    });
    watcher.observe(element);
    signal.addEventListener("abort", () => watcher.disconnect());
  }

  function onKey(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (!command || !applies(command, still)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat && state.question) return;
    const before = state;
    dispatch({ type: command });
    if (command === "escape" && state === before) focused(root)?.blur(); // nothing else was left to leave
  }

  const below = [table, controls, dialogs.help, dialogs.breakpoints];
  const parts = {
    viewport,
    narration,
    predict,
    segments,
    side: panels,
    queue,
    below,
    search: dialogs.search,
  };
  const frame = still ? stillFrame(parts) : makeFrame({ ...parts, notice: trace.notice ?? "" });
  const title = trace.title ? `The backward pass of ${trace.title}` : "A backward pass";
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", still ? "A graph" : `${title}, step by step`);
  root.replaceChildren(h("style", {}, style), warning, frame);
  if (!still || scopesOf(state.picture, recording)?.any) listen();
  render();
  if (options.playing) dispatch({ type: "set", name: "playing", value: true });

  return {
    last: timeline.length - 1,
    dispatch,
    destroy() {
      clearTimeout(timer);
      present(false);
      gone.abort();
      viewport.destroy();
    },
  };
}
