// What the cards beside the graph share: a moment to show, and small pieces of page.
//
// Read next: equation.ts, now.ts, gradients.ts, queue.ts (one card each).

import { h } from "./dom";
import type { Lookup } from "./lookup";
import type { Timeline } from "./timeline";
import type { Event, State, Value } from "./trace";

/** What is shown: the event at `k`, and the state that it led to (after event `settled`). */
export interface Moment {
  k: number;
  settled: number;
  event: Event;
  state: State;
  focus: ReadonlySet<string>; // ids to point at
  timeline: Timeline;
  lookup: Lookup;
}

export interface Panel {
  element: HTMLElement;
  update(moment: Moment): void;
}

/** A card with a small heading; what stands right of the heading can be changed. */
export function card(
  name: string,
  title: string,
): { element: HTMLElement; aside: HTMLElement; body: HTMLElement } {
  const aside = h("span", { class: "gl-aside" });
  const body = h("div", { class: "gl-body" });
  const heading = h(
    "div",
    { class: "gl-heading" },
    h("span", { role: "heading", "aria-level": 3 }, title),
    aside,
  );
  const element = h("section", { class: `gl-card gl-p-${name}`, "aria-label": title }, heading, body);
  return { element, aside, body };
}

/** A count of bytes: "20 B", "3.1 KB". */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const [size, unit] =
    count < 1e6 ? [count / 1e3, "KB"] : count < 1e9 ? [count / 1e6, "MB"] : [count / 1e9, "GB"];
  return `${size.toFixed(1)} ${unit}`;
}

/** The corner of an array as a heatmap; nothing for a single number, whose text says all. */
export function heatmap(label: string, value: Value | null | undefined): HTMLElement[] {
  const rows = value?.rows;
  if (!value || !rows?.length) return [];
  const numbers = rows.flat().map(Number).filter(Number.isFinite);
  const most = Math.max(...numbers.map(Math.abs), 1e-300);
  const table = h("table", {
    class: "gl-heat",
    "aria-label": `${label}, ${value.shape.join("×")} ${value.dtype}`,
  });
  for (const row of rows) {
    const cells = row.map((text) => {
      const number = Number(text);
      const sign = number < 0 ? "gl-minus" : number > 0 ? "gl-plus" : undefined;
      const share = Number.isFinite(number) ? Math.round((Math.abs(number) / most) * 34) : 0;
      const cell = h("td", { class: sign }, text);
      cell.style.setProperty("--gl-share", `${share}%`);
      return cell;
    });
    table.append(h("tr", {}, ...cells));
  }
  const [high = 1, wide = high] = value.shape.length > 1 ? value.shape.slice(-2) : [1, value.shape[0] ?? 1];
  const whole = value.shape.length <= 2 && rows.length >= high && (rows[0]?.length ?? 0) >= wide;
  const size = `${value.shape.join("×") || "0-d"} ${value.dtype}${whole ? "" : ", a corner"}`;
  return [h("figure", { class: "gl-figure" }, h("figcaption", {}, h("i", {}, label), ` ${size}`), table)];
}
