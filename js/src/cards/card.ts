// What the cards beside the graph have in common.
//
// Read next: cards/equation.ts, cards/node.ts, cards/gradients.ts, cards/queue.ts (one card each).

import { h } from "../dom";
import type { Moment } from "../moment";

export interface Panel {
  element: HTMLElement;
  update(moment: Moment): void;
  /** Forget what was worked out of the trace before. */
  renew?(): void;
  /** Scroll to what matters, once all cards are drawn: to measure in between would cost another layout. */
  settle?(): void;
}

/** A card with a small heading, and a text to the right of it, `aside`. */
export function card(
  name: string,
  title: string,
): { element: HTMLElement; aside: HTMLElement; body: HTMLElement; head: HTMLElement } {
  const aside = h("span.gl-aside");
  const body = h("div.gl-body");
  if (name === "gradients") body.tabIndex = 0; // it scrolls, so it must be reached by the keyboard
  const head = h("span", { role: "heading", "aria-level": 3 }, title);
  const heading = h("div.gl-heading", {}, head, aside);
  const about = { role: "group", class: `gl-card gl-p-${name}`, "aria-label": title }; // not a landmark each
  const element = h("section", about, heading, body);
  return { element, aside, body, head };
}

/** A number of bytes: "20 B", "3.1 KB". */
export function bytes(count: number): string {
  if (count < 1000) return `${count}\u00a0B`;
  const [size, unit] =
    count < 1e6 ? [count / 1e3, "KB"] : count < 1e9 ? [count / 1e6, "MB"] : [count / 1e9, "GB"];
  return `${size.toFixed(1)}\u00a0${unit}`;
}
