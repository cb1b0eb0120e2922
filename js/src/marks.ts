// Turns the marks of a scene into SVG elements, and adds what only the player draws: ticks and breakpoints.
//
// Classes come from a fixed list and texts are text nodes, so a name from a notebook is never markup.
//
// Read next: groups.ts, which changes them as the state changes.

import { svg } from "./dom";
import { DROPPED } from "./lookup";
import type { Mark } from "./trace";

// A record: a role of the schema that is missing here is a type error.
const ROLES: Record<Mark["c"], true> = {
  card: true,
  divider: true,
  name: true,
  value: true,
  cells: true,
  key: true,
  grad: true,
  op: true,
  symbol: true,
  title: true,
  badge: true,
  differs: true,
  caption: true,
  index: true,
  wire: true,
  head: true,
  flow: true,
  flowhead: true,
  contribution: true,
  chip: true,
  chipkey: true,
  chiptext: true,
  stack: true,
  count: true,
  track: true,
  guess: true,
  stub: true,
};
const ANCHORS = new Set(["start", "middle", "end"]);

export function finite(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

/** Place and size, as finite numbers even if the trace holds something else. */
const box = ({ x, y, w, h, r }: Mark) =>
  [x, y, w, h, r].map(finite) as [x: number, y: number, w: number, h: number, r: number];

export function shape(mark: Mark): SVGElement | undefined {
  const role = Object.hasOwn(ROLES, mark.c) ? `gl-${mark.c}` : "gl-caption";
  const [x, y, width, height, r] = box(mark);
  if (mark.m === "rect") return svg("rect", { class: role, x, y, width, height, rx: r });
  if (mark.m === "circle") return svg("circle", { class: role, cx: x, cy: y, r });
  if (mark.m === "path") return svg("path", { class: role, d: String(mark.d ?? "") });
  if (mark.m === "heat") return svg("g", { class: role });
  if (mark.m !== "text") return undefined;
  const anchor = ANCHORS.has(mark.a ?? "") ? mark.a : "start";
  return svg("text", { class: role, x, y, "text-anchor": anchor }, String(mark.t ?? ""));
}

/** The centre of a mark. */
export function middle(mark: Mark): { x: number; y: number } {
  const [x, y, w, h] = box(mark);
  return { x: x + w / 2, y: y + h / 2 };
}

/** The upper left corner of what surrounds a mark. */
export function corner(mark: Mark): { x: number; y: number } {
  const [x, y, , , r] = box(mark);
  return mark.m === "circle" ? { x: x - r, y: y - r } : { x, y };
}

/** The tick of a node that is done, at its upper right, and the sign of a breakpoint, at its upper left. */
export function corners(marks: readonly Mark[]): SVGElement[] {
  const body = marks.find(({ c }) => c === "op" || c === "card");
  if (!body) return [];
  const [x, y, w, , r] = box(body);
  const [left, right, top] =
    body.m === "circle" ? [x - r * 0.74, x + r * 0.74, y - r * 0.74] : [x + 2, x + w - 2, y + 2];
  const tick = svg("g.gl-tick", { transform: `translate(${right} ${top})` });
  tick.append(svg("circle", { r: 7 }), svg("path", { d: "M-3.2 .3L-.9 2.7L3.4 -2.5" }));
  const halt = svg("path.gl-halt", { d: "M-2.5-6h5L6-2.5v5L2.5 6h-5L-6 2.5v-5z" });
  halt.setAttribute("transform", `translate(${left} ${top})`);
  return [tick, halt];
}

/** Strokes across a chip, for a tensor that is freed. They are lines because an SVG pattern needs an id. */
export function hatch(marks: readonly Mark[]): SVGElement[] {
  const chip = marks.find(({ m }) => m === "rect");
  if (!chip) return [];
  const [x, y, w, h] = box(chip);
  let d = "";
  for (let offset = 4 - h; offset < w; offset += 6) {
    const from = Math.max(0, -offset);
    const to = Math.min(h, w - offset);
    if (to > from) d += `M${x + offset + from} ${y + h - from}L${x + offset + to} ${y + h - to}`;
  }
  return [svg("path.gl-hatch", { d })];
}

/** Let a person choose the thing drawn in `element`, by a transparent button over it. */
export function pickable(element: SVGGElement, marks: readonly Mark[], pick: () => void): void {
  const body = marks.find(({ m }) => m === "circle" || m === "rect");
  if (body) {
    const hit = shape(body) as SVGElement;
    for (const [name, value] of Object.entries({ class: "gl-hit", tabindex: "0", role: "button" }))
      hit.setAttribute(name, value);
    element.append(hit);
  }
  named(element);
  for (const text of element.querySelectorAll("text")) text.setAttribute("aria-hidden", "true"); // its button says it
  element.classList.add("gl-pick");
  const edits = (target: Element | null | undefined) => target?.closest("[data-edit]"); // editor.ts
  element.addEventListener("click", (event) => {
    if (!edits(event.target as Element)) pick();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    if (edits(event.target as Element) || (event.key === "Enter" && element.querySelector("[data-edit]")))
      return;
    event.preventDefault();
    event.stopPropagation();
    pick();
  });
}

/** Set what a screen reader says of a button in the picture: title, gradient and status. */
export function named(element: Element): void {
  const hit = element.querySelector(":scope > .gl-hit:not([data-edit])");
  const grad = element.querySelector(".gl-grad")?.textContent;
  const parts = [
    element.querySelector(":scope > title")?.textContent,
    grad ? `grad ${grad}` : "",
    element.matches(".gl-dropped") ? DROPPED : "",
    element.getAttribute("data-status"),
  ];
  hit?.setAttribute(
    "aria-label",
    `${parts.filter(Boolean).join("; ")}. ${element.querySelector("[data-edit]") ? "Enter: change its value. Space: go" : "Go"} ${element.matches(".gl-scopes, .gl-stubs") ? "inside" : "to its step"}`,
  );
}
