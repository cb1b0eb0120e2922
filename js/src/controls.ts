// The footer: buttons, the scrubber, speed and granularity.
//
// Read next: reducer.ts, which does what they ask for.

import { button, h, icon, select, setAttribute, setText } from "./dom";
import type { Command } from "./keys";
import { type Dispatch, type PlayerState, SPEEDS } from "./state";
import { GRANULARITIES, type Granularity } from "./trace";

const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M12 3v10L4 8z",
  play: "M4 3v10l9-5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  table: "M2 3h12v2.4H2zM2 6.8h3.4v2.4H2zM6.8 6.8H14v2.4H6.8zM2 10.6h3.4V13H2zM6.8 10.6H14V13H6.8z",
  slope: "M2 2h1.6v10.4H14V14H2zM4.6 10.6L11.6 2.4l1.2 1L5.8 11.6z",
  breakpoints: "M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2z",
  present: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  help: "M5.4 5.6a2.7 2.7 0 1 1 4 2.6c-.5.3-.7.5-.7 1.4H7.3c0-1.5.4-2 1.2-2.5a1.3 1.3 0 1 0-1.9-1.5zM7.3 11h1.5v1.7H7.3z",
  reset: "M8 3V.6L3.6 4 8 7.4V5a4 4 0 1 1-4 4H2a6 6 0 1 0 6-6z",
};

/** What the controls show of the state. */
export type Controlled = Pick<
  PlayerState,
  "playing" | "predicting" | "table" | "slope" | "breakpoints" | "presenting" | "speed" | "granularity"
> & { walks_forward?: boolean };

export interface Controls {
  element: HTMLElement;
  /** The lists, the button to predict, and the icons. */
  options: HTMLElement;
  /** `position`: of `count` stops, from 1; 0 before the first. */
  update(state: Controlled, position: number, count: number, caption: string): void;
  /** Paint the scrubber's track. `track`: a CSS image with the phases of the pass, from left to right. */
  colour(track: string): void;
}

const GRAIN_HINTS: Record<Granularity, string> = {
  story: "from leaf to leaf",
  node: "every backward rule",
  micro: "every event of the engine",
};

/** Choose an entry of a list, if it is another one: setting it always costs a new layout. */
function choose(list: HTMLSelectElement, value: string): void {
  if (list.value !== value) list.value = value;
}

/** `sloped`, `ahead`: whether there is a slope, and a forward pass, to show. */
export function makeControls(dispatch: Dispatch, sloped = false, ahead = false): Controls {
  const tool = (d: string, label: string, key: string, type: Command) => {
    const about = { "aria-label": label, title: `${label} (${key})` };
    return button("button.gl-button", () => dispatch({ type }), about, icon(d));
  };
  const first = tool(ICONS.first, "First step", "Home", "first");
  const back = tool(ICONS.back, "One step back", "Left", "back");
  const forward = tool(ICONS.forward, "One step forward", "Right", "forward");
  const last = tool(ICONS.last, "Last step", "End", "last");

  const playWord = h("span", {}, "Play");
  const playIcon = icon(ICONS.play);
  const play = button(
    "button.gl-button.gl-play",
    () => dispatch({ type: "toggle" }),
    { title: "Play or pause (Space)" },
    playIcon,
    playWord,
  );

  const place = h("span.gl-position");
  const range = h("input.gl-range", { type: "range", min: 1, step: 1, "aria-label": "Step" });
  range.addEventListener("input", () => dispatch({ type: "goToStop", position: range.valueAsNumber }));

  const speed = select(
    SPEEDS.map((value) => [value, `×${value}`] as const),
    (value) => dispatch({ type: "setSpeed", speed: Number(value) }),
    { "aria-label": "Speed", title: "Speed ([ and ])" },
  );
  const grain = select(
    GRANULARITIES,
    (value) => dispatch({ type: "setGranularity", granularity: value as Granularity }),
    { "aria-label": "Granularity: how much happens in one step" },
  );
  for (const option of grain.options) option.title = GRAIN_HINTS[option.value as Granularity];

  const predict = button(
    "button.gl-button",
    () => dispatch({ type: "predict" }),
    { title: "Predict (p)" },
    "Predict",
  );
  const forwards = button(
    "button.gl-button.gl-forward",
    () => dispatch({ type: "showForward" }),
    { title: "Begin with the forward pass (Shift+F)" },
    "Forward",
  );
  forwards.hidden = !ahead;
  const table = tool(ICONS.table, "Table of all steps", "t", "table");
  const slope = tool(ICONS.slope, "Slope: the curve and its tangent", "s", "slope");
  slope.hidden = !sloped;
  const breakpoints = tool(ICONS.breakpoints, "Breakpoints", "Shift+B", "breakpoints");
  const present = tool(ICONS.present, "Present", "f", "present");
  const reset = tool(ICONS.reset, "Reset", "0", "reset");
  const help = tool(ICONS.help, "Help: keys and signs", "?", "help");

  const buttons = h("div.gl-buttons", {}, first, back, play, forward, last);
  const options = h(
    "div.gl-options",
    {},
    h("span.gl-lists", {}, speed, grain),
    forwards,
    predict,
    h("span.gl-icons", {}, table, slope, breakpoints, present, reset, help),
  );
  const element = h("div.gl-foot", {}, buttons, place, range, options);

  const update: Controls["update"] = (state, position, count, caption) => {
    const [atFirst, atLast] = [position <= 1, position >= count];
    // aria-disabled, not disabled: a button that is switched off under the finger would lose the focus.
    for (const [which, off] of [
      [first, atFirst],
      [back, atFirst],
      [forward, atLast],
      [last, atLast],
    ] as const) {
      setAttribute(which, "aria-disabled", String(off));
    }
    const words = `step ${position} of ${count}`;
    setText(place, words);
    setAttribute(range, "max", String(Math.max(1, count)));
    range.value = String(position);
    range.disabled = count < 2;
    range.setAttribute("aria-valuetext", `${words}: ${caption}`);
    range.style.setProperty("--gl-done", `${count > 1 ? (100 * (position - 1)) / (count - 1) : 0}%`);
    setText(playWord, state.playing ? "Pause" : "Play");
    setAttribute(playIcon.firstElementChild as Element, "d", state.playing ? ICONS.pause : ICONS.play);
    play.classList.toggle("gl-on", state.playing);
    for (const [button, on] of [
      [forwards, Boolean(state.walks_forward)],
      [predict, state.predicting],
      [table, state.table],
      [slope, state.slope],
      [breakpoints, state.breakpoints.length > 0],
      [present, state.presenting],
    ] as const) {
      setAttribute(button, "aria-pressed", String(on));
    }
    choose(speed, String(state.speed));
    choose(grain, state.granularity);
  };
  return { element, options, update, colour: (track) => range.style.setProperty("--gl-phases", track) };
}
