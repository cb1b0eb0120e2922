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
  strip: Part; // which values are edited
  predict: Part;
  segments: Part;
  curve: Part | undefined; // the curve over the passes of a recording
  side: readonly Part[]; // cards beside the graph
  slope: Part; // the Slope card, in place of the node's card
  queue: Part;
  table: Part;
  controls: Part;
  dialogs: { [name: string]: Part };
  notice: string; // a sentence about the whole trace
}

export function makeFrame(parts: Framed): HTMLElement {
  const { viewport, narration, strip, side, slope, queue, table, controls, dialogs, notice } = parts;
  const elements = (of: readonly Part[]) => of.map(({ element }) => element);
  const source = h("div.gl-source", {}, ...narration.source, strip.element);
  const line = h("div.gl-line", {}, parts.segments.element, viewport.tabs);
  const said = notice ? [h("p.gl-notice", { role: "note" }, notice)] : [];
  return h(
    "div.gl-frame",
    {},
    h(
      "div.gl-up",
      {},
      h(
        `div.gl-head${parts.curve ? ".gl-curved" : ""}`,
        {},
        ...[narration.element, parts.predict.element, source, line, ...said],
        ...(parts.curve ? [parts.curve.element] : []),
      ),
      viewport.element,
      table.element,
      controls.element, // before the cards: Tab and a screen reader reach them in this order
    ),
    queue.element,
    h("div.gl-side", {}, ...elements([...side.slice(0, 1), slope, ...side.slice(1)])),
    ...elements(Object.values(dialogs)),
  );
}

/** A picture without steps. */
export const stillFrame = ({ viewport, dialogs }: Pick<Framed, "viewport" | "dialogs">): HTMLElement =>
  h("div.gl-frame.gl-still", {}, viewport.tabs, viewport.element, dialogs.search?.element ?? "");
