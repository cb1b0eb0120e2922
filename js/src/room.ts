// Measures the equations of a walk. A presentation keeps room for them, so that the picture above them stays
// in its place from step to step: for most of them; a higher one, with arrays, rises over the picture.
//
// Read next: page.ts, styles/presenter.css.

import { equationPanel } from "./cards/equation";
import { momentAt } from "./moment";
import type { Recording } from "./recording";
import type { Granularity } from "./trace";

const MOST = 100; // steps that are measured, at equal distances
const SHARE = 0.75; // of the equations without arrays, which need no more than their room

/** Heights, in pixels, of the equations at these steps, drawn beside `panel`: what most need, and the highest. */
export function heights(
  panel: HTMLElement,
  stops: readonly number[],
  granularity: Granularity,
  recording: Recording,
): [most: number, highest: number] {
  const probe = equationPanel();
  probe.element.classList.add("gl-probe");
  probe.element.setAttribute("aria-hidden", "true");
  panel.after(probe.element);
  const all: number[] = [];
  const low: number[] = []; // without arrays
  for (let at = 0; at < stops.length; at += Math.ceil(stops.length / MOST)) {
    probe.update(momentAt(stops[at] ?? 0, granularity, undefined, recording));
    const height = Math.ceil(probe.element.getBoundingClientRect().height);
    all.push(height);
    if (!probe.element.querySelector(".gl-product:not(:empty)")) low.push(height);
  }
  probe.element.remove();
  low.sort((a, b) => a - b);
  const highest = Math.max(0, ...all);
  return [low[Math.floor(low.length * SHARE)] ?? highest, highest];
}
