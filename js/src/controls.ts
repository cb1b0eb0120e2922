// The footer: buttons, the scrubber, speed and granularity. It only reports what a person asked for.
//
// Read next: player.ts.

import { h, icon, setText } from "./dom";
import { GRANULARITIES, type Granularity } from "./trace";

export const SPEEDS = [0.25, 0.5, 1, 2, 4] as const;

const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M12 3v10L4 8z",
  play: "M4 3v10l9-5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};

/** What a person can ask of the player. */
export interface Actions {
  first(): void;
  back(): void;
  toggle(): void;
  forward(): void;
  last(): void;
  toStop(position: number): void;
  setSpeed(speed: number): void;
  setGranularity(granularity: Granularity): void;
  help(): void;
}

export interface ControlState {
  position: number; // 1-based; 0 before the first stop
  count: number; // stops in this granularity
  caption: string;
  playing: boolean;
  speed: number;
  granularity: Granularity;
}

export interface Controls {
  element: HTMLElement;
  update(state: ControlState): void;
}

const GRAIN_HINTS: Record<Granularity, string> = {
  story: "from leaf to leaf",
  node: "every rule that is applied",
  micro: "everything that the engine does",
};

export function makeControls(actions: Actions): Controls {
  const button = (d: string, label: string, key: string, act: () => void) => {
    const made = h(
      "button",
      { type: "button", class: "gl-button", "aria-label": label, title: `${label} (${key})` },
      icon(d),
    );
    made.addEventListener("click", act);
    return made;
  };
  const first = button(ICONS.first, "First step", "Home", actions.first);
  const back = button(ICONS.back, "One step back", "Left", actions.back);
  const forward = button(ICONS.forward, "One step forward", "Right", actions.forward);
  const last = button(ICONS.last, "Last step", "End", actions.last);

  const playWord = h("span", {}, "Play");
  const playIcon = icon(ICONS.play);
  const play = h(
    "button",
    { type: "button", class: "gl-button gl-play", title: "Play or pause (Space)" },
    playIcon,
    playWord,
  );
  play.addEventListener("click", actions.toggle);

  const count = h("span", { class: "gl-count" });
  const range = h("input", { type: "range", class: "gl-range", min: 1, step: 1, "aria-label": "Step" });
  range.addEventListener("input", () => actions.toStop(range.valueAsNumber));

  const speed = h("select", { class: "gl-select", "aria-label": "Speed", title: "Speed ([ and ])" });
  for (const value of SPEEDS) speed.append(h("option", { value }, `×${value}`));
  speed.addEventListener("change", () => actions.setSpeed(Number(speed.value)));

  const grain = h("select", {
    class: "gl-select",
    "aria-label": "Granularity: how much happens in one step",
  });
  for (const value of GRANULARITIES) grain.append(h("option", { value, title: GRAIN_HINTS[value] }, value));
  grain.addEventListener("change", () => actions.setGranularity(grain.value as Granularity));

  const help = h(
    "button",
    { type: "button", class: "gl-button", "aria-label": "Help: keys and signs", title: "Help (?)" },
    "?",
  );
  help.addEventListener("click", actions.help);

  const buttons = h("div", { class: "gl-buttons" }, first, back, play, forward, last);
  const element = h(
    "div",
    { class: "gl-foot" },
    buttons,
    count,
    range,
    h("div", { class: "gl-options" }, speed, grain, help),
  );

  const update = (state: ControlState) => {
    const [atFirst, atLast] = [state.position <= 1, state.position >= state.count];
    // aria-disabled, not disabled: a button that is switched off under the finger would lose the focus.
    for (const [which, off] of [
      [first, atFirst],
      [back, atFirst],
      [forward, atLast],
      [last, atLast],
    ] as const) {
      which.setAttribute("aria-disabled", String(off));
    }
    setText(count, `step ${state.position} of ${state.count}`);
    range.max = String(Math.max(1, state.count));
    range.value = String(state.position);
    range.disabled = state.count < 2;
    range.setAttribute("aria-valuetext", `step ${state.position} of ${state.count}: ${state.caption}`);
    range.style.setProperty(
      "--gl-done",
      `${state.count > 1 ? (100 * (state.position - 1)) / (state.count - 1) : 0}%`,
    );
    setText(playWord, state.playing ? "Pause" : "Play");
    playIcon.firstElementChild?.setAttribute("d", state.playing ? ICONS.pause : ICONS.play);
    play.classList.toggle("gl-on", state.playing);
    speed.value = String(state.speed);
    grain.value = state.granularity;
  };
  return { element, update };
}
