// Builds elements. Text always becomes a text node: nothing in a trace is read as markup.
//
// Read next: sceneview.ts.

import type { Span } from "./trace";

export type Attributes = { [name: string]: string | number | boolean | undefined };
export type Child = Node | string;

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/** The icon of a button. `d`: a path in a box of 16 x 16. */
export function icon(d: string): SVGSVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    svg("path", { d }),
  );
}

const SPAN_ROLES = new Set(["strong", "gradient", "value", "code", "name"]);

/** The text of a value without the default dtype, as PyTorch prints it; the same as in render/metrics.py. */
export const brief = (text: string): string => text.replace(/ float32$/, "");

/** The spans of a caption: plain text, or text in a role that has its own colour and weight. */
export function spans(parts: readonly Span[]): Child[] {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    const [role, text] = part;
    return h("span", { class: SPAN_ROLES.has(role) ? `gl-s-${role}` : undefined }, brief(String(text)));
  });
}

/** The text of a caption. */
export function plain(parts: readonly Span[]): string {
  return parts.map((part) => (typeof part === "string" ? part : brief(part[1]))).join("");
}

/** Change the text only if it differs: text that stays is not announced again and costs no layout. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Change an attribute only if it differs. */
export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** `text` with the part from `start` to `end` marked; all of it when `end` is 0. */
export function marked(text: string, start: number, end: number): Child[] {
  const [from, to] = end > start ? [start, end] : [0, text.length];
  return [text.slice(0, from), h("mark", {}, text.slice(from, to)), text.slice(to)].filter(
    (part) => part !== "",
  );
}

/** The element that has the focus, in the page or shadow tree of `element`. */
export function focused(element: HTMLElement): HTMLElement | null {
  return (element.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null;
}
