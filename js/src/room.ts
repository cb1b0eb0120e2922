// Measures the highest equation of a walk. A presentation keeps room for it, so that the picture above it
// stays in its place from step to step.
//
// Read next: page.ts, styles/presenter.css.

import { equationPanel } from "./cards/equation";
import { momentAt } from "./moment";
import type { Recording } from "./recording";
import type { Granularity } from "./trace";

const MOST = 100; // steps that are measured, at equal distances

/** The height, in pixels, of the highest equation at these steps, drawn beside `panel`. */
export function highest(
  panel: HTMLElement,
  stops: readonly number[],
  granularity: Granularity,
  recording: Recording,
): number {
  const probe = equationPanel();
  probe.element.classList.add("gl-probe");
  probe.element.setAttribute("aria-hidden", "true");
  panel.after(probe.element);
  let height = 0;
  for (let at = 0; at < stops.length; at += Math.ceil(stops.length / MOST)) {
    probe.update(momentAt(stops[at] ?? 0, granularity, undefined, recording));
    height = Math.max(height, probe.element.getBoundingClientRect().height);
  }
  probe.element.remove();
  return Math.ceil(height);
}
