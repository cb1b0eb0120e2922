// Arranges the parts of the player on the page; styles/frame.css says where each part goes.
//
// Read next: play.ts.

import { h } from "./dom";
import type { Narration } from "./narration";
import type { Viewport } from "./viewport";

type Part = { element: HTMLElement };

export interface Framed {
  viewport: Viewport;
  narration: Narration;
  predict: Part;
  segments: Part;
  side: readonly Part[]; // cards beside the graph
  queue: Part;
  below: readonly Part[]; // the table, the controls and the dialogs
  search: Part;
  notice: string; // a sentence about the whole trace
}

export function makeFrame(parts: Framed): HTMLElement {
  const { viewport, narration, side, queue, below, search, notice } = parts;
  const elements = (of: readonly Part[]) => of.map(({ element }) => element);
  const source = h("div.gl-source", {}, ...narration.source);
  const line = h("div.gl-line", {}, parts.segments.element, viewport.tabs);
  const said = notice ? [h("p.gl-notice", { role: "note" }, notice)] : [];
  return h(
    "div.gl-frame",
    {},
    h("div.gl-head", {}, narration.element, parts.predict.element, source, line, ...said),
    viewport.element,
    queue.element,
    h("div.gl-side", {}, ...elements(side)),
    ...elements(below),
    search.element,
  );
}

/** A picture without steps. */
export const stillFrame = ({ viewport, search }: { viewport: Viewport; search: Part }): HTMLElement =>
  h("div.gl-frame.gl-still", {}, viewport.tabs, viewport.element, search.element);
