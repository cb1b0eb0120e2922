// The bar of segments under the narration: one per stop, coloured by phase, a click goes there.
//
// For the mouse only: the scrubber in the footer says the same to keys and to screen readers.

import { h, plain } from "./dom";
import type { Timeline } from "./timeline";
import type { Event } from "./trace";

const MOST = 120; // segments; a longer walk shares them

function phase(event: Event | undefined): string {
  if (event?.kind === "LeafWritten" || event?.kind === "GradRetained") return "leaf";
  return event?.kind === "Failed" ? "failed" : "rule";
}

export interface Segments {
  element: HTMLElement;
  /** Draw the stops anew (after a change of granularity). */
  rebuild(stops: readonly number[]): void;
  update(position: number): void;
}

export function makeSegments(timeline: Timeline, toStop: (position: number) => void): Segments {
  const element = h("div", { class: "gl-segments", "aria-hidden": "true" });
  let firsts: number[] = []; // the 1-based position at which each segment begins
  element.addEventListener("click", (event) => {
    const at = [...element.children].indexOf(event.target as Element);
    if (at >= 0) toStop(firsts[at] ?? 1);
  });

  const rebuild = (stops: readonly number[]) => {
    const count = Math.min(MOST, stops.length);
    firsts = Array.from({ length: count }, (_, at) => Math.floor((at * stops.length) / count) + 1);
    const made = firsts.map((position) => {
      const event = timeline.events[stops[position - 1] ?? 0];
      return h("span", { "data-phase": phase(event), title: `${position}. ${plain(event?.caption ?? [])}` });
    });
    element.classList.toggle("gl-dense", count > 40);
    element.replaceChildren(...made);
  };

  const update = (position: number) => {
    const current = firsts.findLastIndex((first) => first <= position);
    for (const [at, segment] of [...element.children].entries()) {
      segment.className = at < current ? "gl-past" : at === current ? "gl-now" : "";
    }
  };
  return { element, rebuild, update };
}
