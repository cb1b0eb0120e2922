// The page of the player: all its parts, and what of them to draw again when the state has changed.
//
// Read next: viewport.ts (the graph), cards/card.ts (the cards), frame.ts (where each part stands).

import { equationPanel } from "./cards/equation";
import { gradientsPanel } from "./cards/gradients";
import { nodePanel } from "./cards/node";
import { queuePanel } from "./cards/queue";
import { makeControls } from "./controls";
import { makeCurve } from "./curve";
import { focused, h, plain } from "./dom";
import type { Editing } from "./editor";
import { makeEditorSlot } from "./editorslot";
import { makeFrame, stillFrame } from "./frame";
import type { Moment } from "./moment";
import { makeNarration } from "./narration";
import type { PlayerOptions } from "./options";
import { makePredictForm } from "./predict";
import { makePresenter, type Presenter } from "./presenter";
import { type Question, questionsAt } from "./questions";
import type { Recording } from "./recording";
import { heights } from "./room";
import { makeSegments } from "./segments";
import { seldomDialog } from "./seldomdialog";
import { makeSlopeSlot } from "./slopeslot";
import { type Action, type DialogName, type Dispatch, knownUpTo, momentOf, type PlayerState } from "./state";
import { makeStrip } from "./strip";
import { style } from "./styles";
import { makeTableSlot } from "./tableslot";
import type { Span } from "./trace";
import { makeViewport } from "./viewport";
import type { Place } from "./zoom";

const ENTERING = new Set<Action["type"]>(["enterScope", "inside", "outside"]);

const LOW = 620; // pixels of a window whose controls take one line: see narrow.css

type Parts = ReturnType<typeof makeParts> & { present: Presenter };

/** Whether one of these parts of the state is not as it was. */
type Changed = (...names: (keyof PlayerState)[]) => boolean;

export interface Page {
  /** Draw what is not as it was `before`; at first, everything. */
  draw(state: PlayerState, before?: PlayerState, action?: Action): void;
  /** From now on draw this recording: the recorded one, or the same at other values. */
  follow(recording: Recording): void;
  /** Move over the drawing, or zoom, if that is what the action asks for. */
  run(action: Action["type"]): void;
  /** Listen to the keys. */
  listen(onKey: (event: KeyboardEvent) => void): void;
  /** Draw everything that may hold a value again: the recording has other ones. */
  retell(state: PlayerState): void;
  /** Mark what the trace before did not have. */
  mark(came: readonly string[]): void;
  /** Make room for another page, which takes over what this returns. */
  leave(): Kept;
  destroy(): void;
}

/** What the page of the next trace takes over. */
export interface Kept {
  held: (() => Element | null | undefined) | undefined; // finds the element that has the place of the focus
  box: Place;
  present: Presenter;
}

export function makePage(
  root: HTMLElement,
  recorded: Recording,
  options: PlayerOptions,
  dispatch: Dispatch,
  editing: Editing,
  kept?: Kept,
): Page {
  const { trace, still } = recorded;
  const gone = new AbortController();
  const { signal } = gone;
  const present = kept?.present ?? makePresenter(root, dispatch);
  const now = (): [PlayerState | undefined, Recording] => [shown, recording];
  const parts = { ...makeParts(recorded, options, dispatch, editing, now), present };
  const editor = still
    ? undefined
    : makeEditorSlot(root, recorded, editing, dispatch, options.extras, signal);
  let recording = recorded; // at the values that are edited
  const { viewport, narration, dialogs } = parts;
  const kindred = (name: string) => kept && root.querySelector<HTMLElement>(`:scope > ${name}`);
  const warning = kindred(".gl-stale") ?? h("p.gl-stale", { role: "status" }); // the same, so that it is heard
  let moment: Moment | undefined;
  let sentences: readonly (readonly Span[])[] = [];
  let questions: readonly Question[] = [];
  let shown: PlayerState | undefined;

  /** Keep room for the longest sentence, and in a presentation for the equations. */
  const reserve = () => {
    if (still || !shown) return;
    narration.reserve(sentences);
    parts.predict.reserve(questions);
    const { granularity, presenting } = shown;
    const { element } = parts.side[0];
    if (!presenting) return;
    const stops = recording.timeline.stops(granularity);
    const [most, highest] = heights(element, stops, granularity, recording);
    frame.style.setProperty("--gl-usual", `${most}px`);
    frame.style.setProperty("--gl-highest", `${highest}px`);
  };

  const draw: Page["draw"] = (state, before, action) => {
    const inside = before && root.contains(focused(root));
    const changed: Changed = (...names) => !before || names.some((name) => state[name] !== before[name]);
    const moved = changed("step", "granularity", "question");
    const retold = !moment || moment.timeline !== recording.timeline;
    if (!moment || moved || retold) moment = momentOf(state, recording);
    const reserves = changed("granularity", "presenting", "predicting", "subject");
    if (reserves) questions = questionsOf(state, recording);
    if (reserves) sentences = [...sentencesOf(state, recording), ...questions.map(({ prompt }) => prompt)];
    if (changed("warning")) {
      warning.replaceChildren(h("b", {}, state.warning.label), state.warning.text);
      warning.hidden = !state.warning.text;
    }
    parts.present(state.presenting);
    root.classList.toggle("gl-forwards", Boolean(moment.state.computed));
    if (changed("table")) showTable(state.table, parts, root);
    // A token runs with a step forward, and with every step from outside.
    const ahead = before && (action?.type === "set" || state.step > before.step);
    const runs = Boolean(ahead) && changed("step") && !state.question;
    if (still) viewport.update(state, moment, false);
    else drawSteps(parts, recording, state, moment, moved || retold, changed, runs);
    shown = state;
    if (reserves) reserve();
    if (moved || changed("picture")) viewport.settle(); // when all else is measured
    if (moved && hears()) uncover();
    for (const [name, dialog] of Object.entries(dialogs)) dialog.open(name === state.dialog);
    editor?.update(state, moment, moved);
    if (before && action) moveFocus(parts, root, state, before, action, hears());
    if (inside && isLost(root)) root.focus({ preventScroll: true });
    if (!before && kept) comeBack();
  };

  /** Whether the keys come here: on a page that holds nothing else, also while nothing has the focus. */
  const hears = () => {
    const at = focused(root);
    return root.contains(at) || (Boolean(options.everywhere) && at === document.body);
  };

  /** Scroll the page if the controls, which stay in sight, cover the present step. */
  const uncover = () => {
    const { top } = parts.controls.element.getBoundingClientRect();
    const covered = (one: Element) => one.getBoundingClientRect().bottom > top;
    if (![...frame.querySelectorAll('.gl-focus, [data-status="current"]')].some(covered)) return;
    // a low window has no room for the whole player
    const low = globalThis.innerHeight <= LOW;
    const whole = low ? frame.querySelector(".gl-predict:not([hidden]), .gl-canvas") : frame;
    whole?.scrollIntoView({ block: "nearest" });
  };

  const listen: Page["listen"] = (onKey) => {
    root.tabIndex = 0; // a click anywhere inside brings the keys here
    const around: EventTarget = options.everywhere ? document : root;
    around.addEventListener("keydown", (event) => onKey(event as KeyboardEvent), { signal });
    const foot = parts.controls.element;
    root.addEventListener(
      "focusin",
      ({ target }) => {
        const one = target as Element;
        if (foot.contains(one) || one.contains(foot) || !one.matches(":focus-visible")) return;
        const [place, over] = [one.getBoundingClientRect(), foot.getBoundingClientRect()];
        if (place.bottom > over.top && place.top < over.bottom) one.scrollIntoView({ block: "center" });
      },
      { signal },
    );
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

  const leave = (): Kept => {
    const held = focused(root);
    const name = held && held !== root && root.contains(held) ? (held.getAttribute("class") ?? "") : "";
    const at = name ? [...root.getElementsByClassName(name)].indexOf(held as HTMLElement) : -1;
    const id = held?.closest("[data-id]")?.getAttribute("data-id");
    const place = id ? `[data-id="${CSS.escape(id)}"] > .gl-hit` : "";
    gone.abort();
    const box = viewport.place();
    viewport.destroy();
    const find = () => (place ? root.querySelector(place) : root.getElementsByClassName(name)[at]);
    return { held: name ? find : undefined, box, present };
  };

  const retell: Page["retell"] = (state) => {
    recording = recorded;
    moment = momentOf(state, recording);
    for (const part of [parts.side[2], parts.table]) part.renew?.();
    viewport.retell();
    if (still) viewport.update(state, moment, false);
    else drawSteps(parts, recording, state, moment, true, () => false, false);
    editor?.update(state, moment, true);
    shown = state;
  };

  /** Go back to where the page before was. */
  const comeBack = () => {
    viewport.place(kept?.box);
    (kept?.held?.() as HTMLElement | undefined)?.focus({ preventScroll: true });
  };

  const destroy = () => {
    leave();
    present(false, true);
  };

  const ways = recording.timeline.forward ? "forward and backward" : "backward";
  const title = trace.title ? `The ${ways} pass of ${trace.title}` : `A ${ways} pass`;
  const frame = still ? stillFrame(parts) : makeFrame({ ...parts, notice: trace.notice ?? "" });
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", still ? "A graph" : `${title}, step by step`);
  const sheet = kindred(".gl-sheet") ?? h("style.gl-sheet", {}, style); // parsing a style sheet is slow, so it is kept
  if (kept) root.querySelector(":scope > .gl-frame")?.replaceWith(frame);
  else root.replaceChildren(sheet, warning, frame);
  frame.classList.toggle(
    "gl-arrays",
    trace.events.some((event) => "product" in event && event.product),
  );
  editor?.show(frame);
  const follow: Page["follow"] = (next) => {
    recording = next;
  };
  return { draw, follow, run: viewport.run, listen, retell, mark: viewport.mark, leave, destroy };
}

/** All sentences that may stand at the top, but for what is asked. */
const sentencesOf = ({ granularity }: PlayerState, { timeline }: Recording) =>
  timeline.stops(granularity).map((k) => timeline.events[k]?.caption ?? []);

/** All that may be asked. */
const questionsOf = ({ granularity, predicting, subject }: PlayerState, recording: Recording): Question[] =>
  predicting
    ? recording.timeline.stops(granularity).flatMap((k) => questionsAt(k, granularity, subject, recording))
    : [];

function drawSteps(
  {
    viewport,
    narration,
    predict,
    segments,
    curve,
    strip,
    slope,
    side,
    queue,
    table,
    controls,
    dialogs,
  }: Parts,
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
  strip.update(state, recording);
  predict.update(state, position >= stops.length);
  viewport.update(state, moment, runs);
  if (moved) for (const panel of [...side, queue]) panel.update(moment);
  const known = knownUpTo(state, recording);
  segments.update(position, known);
  curve?.update(moment, known);
  if (moved || changed("slope")) {
    const sloped = state.slope && recording.sloped;
    slope.element.parentElement?.parentElement?.classList.toggle("gl-sloped", sloped);
    side[1].element.hidden = sloped; // the Slope card takes its place
    slope.update(sloped, moment, state.edits);
  }
  table.update(stops, position, known, moment);
  controls.update(state, position, stops.length, plain(question?.prompt ?? moment.event.caption));
  if (moved) for (const part of [narration, ...side, queue]) part.settle?.();
}

function showTable(open: boolean, { table: { element } }: Parts, root: HTMLElement): void {
  const inside = element.contains(focused(root));
  element.hidden = !open;
  element.closest(".gl-frame")?.classList.toggle("gl-tabled", open);
  if (inside) root.focus({ preventScroll: true });
}

/** Whether the focus is nowhere in the player, or on something that is gone or hidden. */
function isLost(root: HTMLElement): boolean {
  const at = focused(root);
  return !root.contains(at) || at?.checkVisibility?.() === false || !!at?.closest("dialog:not([open])");
}

/** Put the focus where a person goes on from. */
function moveFocus(
  { table, predict, viewport }: Parts,
  root: HTMLElement,
  state: PlayerState,
  before: PlayerState,
  action: Action,
  hears: boolean,
): void {
  const answered = state.score.asked > before.score.asked;
  const outside = action.type === "set";
  if (answered && state.question && !outside) predict.focus();
  else if ((before.dialog && !state.dialog && isLost(root)) || (answered && !outside))
    root.focus({ preventScroll: true });
  else if (state.table && !before.table) table.focus();
  else if (state.question && state.step !== before.step && !outside && hears) predict.focus();
  if (ENTERING.has(action.type) && state.picture !== before.picture && !state.picture.target)
    viewport.focusScope();
}

function makeParts(
  recording: Recording,
  { fetch, extras }: PlayerOptions,
  dispatch: Dispatch,
  editing: Editing,
  now: () => [PlayerState | undefined, Recording], // what is shown, with the values that are edited
) {
  const { trace, timeline, lookup } = recording;
  const slope = makeSlopeSlot(recording, editing.entries, dispatch, extras);
  const controls = makeControls(dispatch, recording.sloped, Boolean(trace.forward?.length));
  const table = makeTableSlot(extras, dispatch);
  const dialog = (name: DialogName, make: Parameters<typeof seldomDialog>[2]) =>
    seldomDialog(name, extras, make, dispatch);
  const dialogs = {
    help: dialog("help", ({ makeHelp }) => makeHelp(dispatch)),
    breakpoints: dialog("breakpoints", ({ makeBreakpointList }) => makeBreakpointList(lookup, dispatch)),
    search: dialog("search", ({ makeSearch }) => makeSearch(lookup, dispatch)),
    health: dialog("health", ({ makeHealthDialog }) => makeHealthDialog(now, dispatch)),
  };
  return {
    viewport: makeViewport(recording, dispatch),
    narration: makeNarration(dispatch),
    strip: makeStrip(editing, dispatch),
    predict: makePredictForm(recording, dispatch),
    segments: makeSegments(timeline, dispatch),
    curve: makeCurve(recording, dispatch),
    side: [equationPanel(), nodePanel(fetch), gradientsPanel(recording, lookup)] as const,
    slope,
    queue: queuePanel(),
    table,
    controls,
    dialogs,
  };
}
