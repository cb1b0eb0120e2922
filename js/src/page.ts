// The page of the player: all its parts, and what of them to draw again when the state has changed.
//
// Read next: viewport.ts (the graph), cards/card.ts (the cards), frame.ts (where each part stands).

import { makeBreakpointList } from "./breakpointlist";
import { equationPanel } from "./cards/equation";
import { gradientsPanel } from "./cards/gradients";
import { nodePanel } from "./cards/node";
import { queuePanel } from "./cards/queue";
import { makeControls } from "./controls";
import { focused, h, plain } from "./dom";
import { makeFrame, stillFrame } from "./frame";
import { makeHelp } from "./help";
import type { Moment } from "./moment";
import { makeNarration } from "./narration";
import { makePredictForm } from "./predict";
import { makePresenter } from "./presenter";
import { questionAt } from "./questions";
import type { Recording } from "./recording";
import { highest } from "./room";
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
import type { Span } from "./trace";
import { makeViewport } from "./viewport";

const ENTERING = new Set<Action["type"]>(["enterScope", "inside", "outside"]);

type Parts = ReturnType<typeof makeParts>;

/** Whether one of these parts of the state is not as it was. */
type Changed = (...names: (keyof PlayerState)[]) => boolean;

export interface Page {
  /** Draw what is not as it was `before`; at first, everything. */
  draw(state: PlayerState, before?: PlayerState, action?: Action): void;
  /** Move over the drawing, or zoom, if that is what the action asks for. */
  run(action: Action["type"]): void;
  /** Listen to the keys. */
  listen(onKey: (event: KeyboardEvent) => void): void;
  destroy(): void;
}

export function makePage(
  root: HTMLElement,
  recording: Recording,
  options: PlayerOptions,
  dispatch: Dispatch,
): Page {
  const { trace, still } = recording;
  const gone = new AbortController();
  const { signal } = gone;
  const parts = makeParts(root, recording, options, dispatch, signal);
  const { viewport, narration, warning, dialogs } = parts;
  let moment: Moment | undefined;
  let sentences: readonly (readonly Span[])[] = [];
  let shown: PlayerState | undefined;

  /** Keep room for the longest sentence, and in a presentation for the highest equation. */
  const reserve = () => {
    if (still || !shown) return;
    narration.reserve(sentences);
    const { granularity, presenting } = shown;
    const { element } = parts.side[0];
    element.style.minHeight = "";
    if (!presenting) return;
    const stops = recording.timeline.stops(granularity);
    element.style.minHeight = `${highest(element, stops, granularity, recording)}px`;
  };

  const draw: Page["draw"] = (state, before, action) => {
    const changed: Changed = (...names) => !before || names.some((name) => state[name] !== before[name]);
    const moved = changed("step", "granularity", "question");
    if (!moment || moved) moment = momentOf(state, recording);
    const reserves = changed("granularity", "presenting", "predicting", "subject");
    if (reserves) sentences = sentencesOf(state, recording);
    if (changed("warning")) {
      warning.replaceChildren(h("b", {}, state.warning.label), state.warning.text);
      warning.hidden = !state.warning.text;
    }
    parts.present(state.presenting);
    if (changed("table")) showTable(state.table, parts, root);
    // A token runs with a step forward, and with every step from outside.
    const ahead = before && (action?.type === "set" || state.step > before.step);
    const runs = Boolean(ahead) && changed("step") && !state.question;
    if (still) viewport.update(state, moment, false);
    else drawSteps(parts, recording, state, moment, moved, changed, runs);
    shown = state;
    if (reserves) reserve();
    if (moved || changed("picture")) viewport.settle(); // when all else is measured
    for (const [name, dialog] of Object.entries(dialogs)) dialog.open(name === state.dialog);
    if (before && action) moveFocus(parts, root, state, before, action);
  };

  const listen: Page["listen"] = (onKey) => {
    root.tabIndex = 0; // a click anywhere inside brings the keys here
    const around: EventTarget = options.everywhere ? document : root;
    around.addEventListener("keydown", (event) => onKey(event as KeyboardEvent), { signal });
    if (typeof ResizeObserver === "undefined") return;
    const { element } = narration;
    let width = element.clientWidth;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth !== width) reserve();
      width = element.clientWidth;
    });
    watcher.observe(element);
    signal.addEventListener("abort", () => watcher.disconnect());
  };

  const destroy = () => {
    parts.present(false);
    gone.abort();
    viewport.destroy();
  };

  const title = trace.title ? `The backward pass of ${trace.title}` : "A backward pass";
  const frame = still ? stillFrame(parts) : makeFrame({ ...parts, notice: trace.notice ?? "" });
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", still ? "A graph" : `${title}, step by step`);
  root.replaceChildren(h("style", {}, style), warning, frame);
  return { draw, run: viewport.run, listen, destroy };
}

/** All sentences that may stand at the top: what is told, and what is asked. */
function sentencesOf({ granularity, predicting, subject }: PlayerState, recording: Recording) {
  const { timeline } = recording;
  const stops = timeline.stops(granularity);
  const told = stops.map((k) => timeline.events[k]?.caption ?? []);
  if (!predicting) return told;
  return [...told, ...stops.map((k) => questionAt(k, granularity, subject, recording)?.prompt ?? [])];
}

function drawSteps(
  { viewport, narration, predict, segments, side, queue, table, controls, dialogs }: Parts,
  recording: Recording,
  state: PlayerState,
  moment: Moment,
  moved: boolean,
  changed: Changed,
  runs: boolean,
): void {
  const { timeline, breakpoints: index } = recording;
  const { granularity, breakpoints, question } = state;
  const stops = timeline.stops(granularity);
  const position = timeline.position(state.step, granularity);
  if (changed("granularity", "breakpoints")) {
    const events = index.events(breakpoints, granularity);
    const at = new Set(events.map((k) => timeline.position(k, granularity)));
    controls.colour(segments.rebuild(stops, at));
    dialogs.breakpoints.update(breakpoints);
  }
  if (moved) narration.update(moment, question);
  predict.update(state, position >= stops.length);
  viewport.update(state, moment, runs);
  if (moved) for (const panel of [...side, queue]) panel.update(moment);
  const known = knownUpTo(state, recording);
  segments.update(position, known);
  table.update(stops, position, known, moment.root);
  controls.update(state, position, stops.length, plain(question?.prompt ?? moment.event.caption));
  if (moved) for (const part of [narration, ...side, queue]) part.settle?.();
}

function showTable(open: boolean, { table: { element } }: Parts, root: HTMLElement): void {
  const inside = element.contains(focused(root));
  element.hidden = !open;
  element.parentElement?.classList.toggle("gl-tabled", open);
  if (inside) root.focus({ preventScroll: true });
}

/** Put the focus where a person goes on from. */
function moveFocus(
  { table, predict, viewport }: Parts,
  root: HTMLElement,
  state: PlayerState,
  before: PlayerState,
  action: Action,
): void {
  const answered = state.score.asked > before.score.asked;
  const outside = action.type === "set";
  if ((before.dialog && !state.dialog) || (answered && !outside)) root.focus({ preventScroll: true });
  else if (state.table && !before.table) table.focus();
  else if (state.question && state.step !== before.step && !outside && root.contains(focused(root)))
    predict.focus();
  if (ENTERING.has(action.type) && state.picture !== before.picture && !state.picture.target)
    viewport.focusScope();
}

function makeParts(
  root: HTMLElement,
  recording: Recording,
  { fetch }: PlayerOptions,
  dispatch: Dispatch,
  signal: AbortSignal,
) {
  const { trace, timeline, lookup } = recording;
  const controls = makeControls(dispatch);
  const table = makeTable(timeline, lookup, dispatch);
  const breakpoints = makeBreakpointList(lookup, dispatch);
  const dialogs = { help: makeHelp(dispatch), breakpoints, search: makeSearch(lookup, dispatch) };
  return {
    warning: h("p.gl-stale", { role: "status" }),
    viewport: makeViewport(recording, dispatch),
    narration: makeNarration(timeline, dispatch),
    predict: makePredictForm(lookup, dispatch),
    segments: makeSegments(timeline, dispatch),
    side: [equationPanel(), nodePanel(fetch), gradientsPanel(trace, lookup)] as const,
    queue: queuePanel(),
    table,
    controls,
    dialogs,
    below: [table, controls, dialogs.help, dialogs.breakpoints],
    search: dialogs.search,
    present: makePresenter(root, signal, dispatch),
  };
}
