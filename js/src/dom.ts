// Builds elements. Text always becomes a text node: nothing in a trace is read as markup.
//
// Read next: sceneview.ts.

import type { Span } from "./trace";

export type Attributes = { [name: string]: string | number | boolean | undefined };
export type Child = Node | string;

const SVG = "http://www.w3.org/2000/svg";

function filled<Made extends Element>(
  make: (tag: string) => Made,
  name: string,
  attributes: Attributes,
  children: readonly Child[],
): Made {
  const [tag = "", ...classes] = name.split(".");
  const made = make(tag);
  if (classes.length) made.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** An HTML element: `h("p.gl-note", { title }, "text")` has the class gl-note. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K | `${K}.${string}`,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled((tag) => document.createElement(tag as K), name, attributes, children);
}

/** An SVG element, made in the same way. */
export function svg<K extends keyof SVGElementTagNameMap>(
  name: K | `${K}.${string}`,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return filled((tag) => document.createElementNS(SVG, tag as K), name, attributes, children);
}

/** A button, and what a click on it does. */
export function button(
  name: "button" | `button.${string}`,
  act: () => void,
  attributes: Attributes,
  ...children: Child[]
): HTMLButtonElement {
  const made = h(name, { type: "button", ...attributes }, ...children);
  made.addEventListener("click", act);
  return made;
}

/** A list to choose from, and what a choice does. */
export function select(
  options: readonly (string | number | readonly [value: string | number, label: string])[],
  act: (value: string) => void,
  attributes: Attributes,
): HTMLSelectElement {
  const made = h("select.gl-select", attributes);
  for (const option of options) {
    const [value, label] = typeof option === "object" ? option : [option, String(option)];
    made.append(h("option", { value }, label));
  }
  made.addEventListener("change", () => act(made.value));
  return made;
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

/**
 * The text of a value without the default dtype, as PyTorch prints it. A shape never breaks into two lines, and
 * what follows a name that is written from right to left stays on the right of it.
 */
export const brief = (text: string): string =>
  text
    .replace(/\(\d+, [\d, ]*\)/g, (shape) => shape.replaceAll(" ", "\u00a0"))
    .replace(/[\u0590-\u08ff]+/g, "$&\u200e")
    .replace(/\sfloat32$/, "");

const PLAIN = /^([\p{L}\p{N}_.]+(\[[^\]]*\])*|\[[^\][]*\]|[\p{L}\p{N}_]*\([^()]*\))[₀-₉]*$/u;

/** A name for use in a formula: an expression in brackets, but `log(d)` as it is. */
export const bracketed = (name: string): string => (PLAIN.test(name) ? name : `(${name})`);

/** A shape as Python writes it: "()", "(3,)", "(4, 2)". */
export const shapeText = (shape: readonly number[]): string =>
  `(${shape.join(",\u00a0")}${shape.length === 1 ? "," : ""})`;

/**
 * A text whose names may break after a dot, a slash, an underscore, "::" or "f(", but not after a number, before
 * Backward0, and before a capital far in; its numbers never break.
 */
export const breakable = (text: string): Child[] =>
  text.split(/(-?[\d.]+e-\d+)/).flatMap((part, k) => {
    if (k % 2) return [h("span.gl-whole", {}, part)];
    return part
      .split(/(?<=[./_]|::|\w\()(?<!\b\d+.)(?=[^)])|(?=Backward\d)|(?<=\w{19})(?=[A-Z])/)
      .flatMap((piece, at) => (at ? [h("wbr"), piece] : [piece]));
  });

/**
 * The spans of a caption: plain text, or text in a role that has its own colour and weight. What differs from
 * `was`, the caption that was recorded, is marked.
 */
export function spans(parts: readonly Span[], was: readonly Span[] = parts): Child[] {
  return parts.map((part, at) => {
    const [role, text] = typeof part === "string" ? ["", part] : part;
    const short = brief(String(text));
    const pieces = short.length < 13 && !short.includes("e-") ? [short] : breakable(short); // `c.grad` stays in one piece
    if (!role && pieces.length === 1) return pieces[0] as string;
    const made = h("span", { class: SPAN_ROLES.has(role) ? `gl-s-${role}` : undefined }, ...pieces);
    if (role && was.length === parts.length) differs(made, text, was[at]?.[1]);
    return made;
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

/** Mark what is not as it `was` recorded, by more than colour; undefined: nothing is edited. */
export function differs(element: Element, now: string | undefined, was: string | undefined): void {
  const other = was !== undefined && was !== now;
  if (element.classList.contains("gl-moved") === other && !other) return;
  element.classList.toggle("gl-moved", other);
  if (!other) element.removeAttribute("title");
  else if (element.namespaceURI !== SVG) setAttribute(element, "title", `recorded: ${was && brief(was)}`);
}

/** Change an attribute only if it differs. */
export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** `text` with the part from `start` to `end` marked, counted in code points; all of it when `end` is 0. */
export function marked(text: string, start: number, end: number): Child[] {
  const signs = [...text];
  const [from, to] = end > start ? [start, end] : [0, signs.length];
  const piece = (a: number, b?: number) => signs.slice(a, b).join("");
  return [piece(0, from), h("mark", {}, piece(from, to)), piece(to)].filter((part) => part);
}

/** The element that has the focus, in the page or shadow tree of `element`. */
export function focused(element: HTMLElement): HTMLElement | null {
  return (element.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null;
}

const KEPT = "data-lm-suppress-shortcuts"; // with it, JupyterLab takes no key from this element or from what is in it

/** Keep the shortcuts of JupyterLab away from what is in `root`, but for those with Ctrl or Cmd, as Ctrl+S. */
export function keepKeys(root: HTMLElement): void {
  root.setAttribute(KEPT, "graphlab");
  root.addEventListener("keydown", (event) => event.ctrlKey || event.metaKey || event.stopPropagation());
  document.defaultView?.addEventListener("keydown", letPass, true); // once for all players, and before Notebook 7 hears the key
}

function letPass({ ctrlKey, metaKey }: KeyboardEvent): void {
  if (!ctrlKey && !metaKey) return;
  for (const root of document.querySelectorAll(`[${KEPT}=graphlab]`)) {
    root.removeAttribute(KEPT);
    setTimeout(() => root.setAttribute(KEPT, "graphlab"));
  }
}
