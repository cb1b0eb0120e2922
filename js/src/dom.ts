// Elements from parts. Text only ever becomes a text node: nothing from a trace is read as markup.
//
// Read next: view.ts.

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

/** A drawing on a button; `d` fills a 16 x 16 box. */
export function icon(d: string): SVGSVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    svg("path", { d }),
  );
}

const SPAN_ROLES = new Set(["strong", "gradient", "value", "code", "name"]);

/** A value's text without what goes without saying, as in PyTorch; render/metrics.py says the same. */
export const brief = (text: string): string => text.replace(/ float32$/, "");

/** A caption's spans: plain text, or text in a role that has a colour and a weight. */
export function spans(parts: readonly Span[]): Child[] {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    const [role, text] = part;
    return h("span", { class: SPAN_ROLES.has(role) ? `gl-s-${role}` : undefined }, brief(String(text)));
  });
}

export function plain(parts: readonly Span[]): string {
  return parts.map((part) => (typeof part === "string" ? part : brief(part[1]))).join("");
}

/** Change the text only when it differs: an untouched node is not announced again and costs no layout. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Change an attribute only when it differs. */
export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** `text` with the part from `start` to `end` marked (all of it when `end` is 0). */
export function marked(text: string, start: number, end: number): Child[] {
  const [from, to] = end > start ? [start, end] : [0, text.length];
  return [text.slice(0, from), h("mark", {}, text.slice(from, to)), text.slice(to)].filter(
    (part) => part !== "",
  );
}

/** The element that has the focus, in the page or in the shadow tree that `element` stands in. */
export function focused(element: HTMLElement): HTMLElement | null {
  return (element.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null;
}
