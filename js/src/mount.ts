// Mounts the player, which shows one trace in one element: narration, graph, cards and controls.
//
// Read next: play.ts (its parts), player.ts (with all of them), widget.ts (which mounts it in a notebook).

import { h, keepKeys } from "./dom";
import type { PlayerOptions } from "./options";
import { type Play, play } from "./play";
import type { Shared, Told } from "./state";
import { style } from "./styles";
import { followTheme } from "./theme";
import { decompressed, opened, readTrace, TraceError } from "./trace";

export type { PlayerOptions } from "./options";
export type { Shared, Told } from "./state";

export interface PlayerHandle {
  /** The index of the last event; -1 where there is none. */
  readonly last: number;
  destroy(): void;
  /**
   * Show another trace, of the same program at other values: the step, the view, the zoom and what else a
   * person has chosen stay. Of traces that follow one another quickly, the last is shown.
   */
  replace(data: unknown, told?: Told): void;
  /** Show event `step`, or else the nearest one. Does not call onChange. */
  setStep(step: number): void;
  /** Change one of the shared things from outside. */
  set<Name extends keyof Shared>(name: Name, value: Shared[Name]): void;
  /** Show a message over the picture until a person does something. */
  say(text: string): void;
  /** Show a warning above the player: a label and a sentence; the sentence "" removes it. */
  warn(label: string, text: string): void;
}

/** Show `data` (a trace) inside `root`. Never throws: any other document shows a sentence that says why. */
export function mount(root: HTMLElement, data: unknown, options: PlayerOptions = {}): PlayerHandle {
  root.classList.add("graphlab");
  if (!options.everywhere) keepKeys(root);
  const stopTheme = followTheme(root);
  let player: Play | undefined;
  let gone = false;
  const refuse = (error: unknown) => {
    if (gone) return;
    player?.destroy();
    player = undefined;
    const said =
      error instanceof TraceError ? error.message : "This GraphLab trace is damaged: it cannot be drawn.";
    root.replaceChildren(h("style", {}, style), h("div.gl-frame.gl-broken", { role: "alert" }, said));
    if (!(error instanceof TraceError)) console.error(error);
  };
  const waiting: ((player: Play) => void)[] = []; // what is to be done once the trace is there
  let reading = false; // a document whose step may have come already
  const then = (act: (player: Play) => void) => {
    if (player && !reading) act(player);
    else waiting.push(act);
  };
  let latest = 0; // the number of the document that was asked for last
  const show = (document: unknown, told: Told | undefined) => {
    reading = false;
    try {
      const trace = readTrace(document);
      if (!trace.graph.tensors.length) {
        player?.destroy();
        player = undefined;
        sayNothing(root, trace.title);
      } else if (player) player.replace(trace, told);
      else
        player = play(
          root,
          trace,
          told?.step === undefined ? options : { ...options, step: told.step },
          refuse,
        );
      if (player) for (const act of waiting.splice(0)) then(act);
    } catch (error) {
      refuse(error);
    }
  };
  const read = (data: unknown, told?: Told) => {
    latest += 1;
    const mine = latest;
    const current = () => mine === latest && !gone;
    try {
      const document = opened(data);
      reading = "gzip" in document;
      if (reading)
        decompressed(document).then(
          (whole) => current() && show(whole, told),
          (error) => current() && refuse(error),
        );
      else show(document, told);
    } catch (error) {
      refuse(error);
    }
  };
  read(data);
  return {
    replace: read,
    get last() {
      return player?.last ?? -1;
    },
    destroy() {
      gone = true;
      player?.destroy();
      stopTheme();
      root.replaceChildren();
      root.classList.remove("graphlab");
    },
    setStep: (step) => then(({ dispatch }) => dispatch({ type: "set", name: "step", value: step })),
    set: (name, value) => then(({ dispatch }) => dispatch({ type: "set", name, value })),
    say: (text) => then(({ dispatch }) => dispatch({ type: "say", text })),
    warn: (label, text) => then(({ dispatch }) => dispatch({ type: "warn", label, text })),
  };
}

/** A recording without tensors shows only the reason why there is nothing. */
function sayNothing(root: HTMLElement, why: string): void {
  const said = why || "there is nothing to draw: no backward pass was recorded";
  const sentence = said.charAt(0).toUpperCase() + said.slice(1) + (said.endsWith(".") ? "" : ".");
  root.replaceChildren(h("style", {}, style), h("div.gl-frame.gl-nothing", { role: "note" }, sentence));
}
