// The two arrays that a rule multiplies and their product, side by side, as heat maps; also two gradients and
// their sum. Pointing at an entry of the result shows the entries that it is made of, and the sum.
//
// Read next: cards/terms.ts.

import { bracketed, breakable, h, setText, shapeText } from "../dom";
import { valueNow } from "../lookup";
import type { Moment } from "../moment";
import type { Event, Product, Span, Value } from "../trace";
import { arrows, digits, paint, scaleOf } from "./heat";
import { type Joined, type Making, type Matrix, makingOf, type Place, range } from "./terms";

export const ALL = 6; // rows or columns: so many are shown in full
const CORNER = 4; // of longer ones, this many are shown
const FEWEST = 2; // columns that are shown where there is little room
const TERMS = 9; // the longest sum that is written out in full: a window of 3 x 3
const HINT = "Point at an entry of the result to see what makes it.";

type Rule = Extract<Event, { kind: "RuleApplied" | "Computed" | "Accumulated" | "LeafWritten" }>;

/** The arrays that an event joins: those that a rule multiplies, or gradients that add up. */
function joinedBy(event: Event | undefined): Joined | null | undefined {
  if (event?.kind === "RuleApplied" || event?.kind === "Computed") return event.product;
  if (event?.kind !== "Accumulated" && event?.kind !== "LeafWritten") return undefined;
  const { before, added, after } = event;
  if (!before?.entries || !after.entries) return undefined;
  return { operator: "+", left: { text: "before", value: before }, right: { text: "added", value: added } };
}

/** The values of the factors; undefined if one is not in the trace. */
function makingAt(event: Rule, product: Joined, { lookup, state }: Moment): Making | undefined {
  const { left, right } = product;
  const known = (id: string) => state.values?.[id] ?? lookup.tensors.get(id)?.value;
  const rule = event.kind === "RuleApplied";
  const of = ({ saved, tensor, value }: Product["left"]): Value | null | undefined => {
    if (tensor) return known(tensor);
    if (value || !saved) return value ?? (rule ? event.upstream : undefined);
    const held = lookup.saved(event.node).find(({ name }) => name === saved);
    return held && valueNow(held, state);
  };
  const [a, b] = [of(left), of(right)];
  const made = rule
    ? event.contribution
    : event.kind === "Computed"
      ? known(event.tensors[0] ?? "")
      : event.after;
  return a && b && made ? makingOf(product, a, b, made) : undefined;
}

/** How many of `length` rows or columns are drawn. */
const drawn = (length: number) => (length > ALL ? CORNER : length);

const sign = (text: string) => h("b.gl-sign", {}, text);

/** One heat map: its cells by place, and the element with its name above it. */
interface Map {
  element: HTMLElement;
  rows: HTMLTableCellElement[][];
  /** Show at most so many columns. */
  narrow(most: number): void;
}

/** `leaf`: the id of the leaf that it is, whose entries a person may edit. */
function map(matrix: Matrix, name: Span, leaf: string, grid = Boolean(leaf)): Map {
  const [role, text] = name as [string, string];
  const { shape } = matrix.value;
  const [high, wide] = [drawn(matrix.rows), drawn(matrix.cols)];
  const scale = scaleOf(matrix.value);
  const rows = range(high).map((row) =>
    range(wide).map((col) => {
      const cell = h("td", grid ? { tabindex: row || col ? -1 : 0 } : {});
      if (leaf) cell.dataset.edit = `${leaf} ${matrix.index(row, col)}`;
      paint(cell, matrix.entry(row, col), scale);
      return cell;
    }),
  );
  const more = () => h("td.gl-more", { "aria-hidden": "true" }, "…");
  const longest = Math.max(...rows.flat().map((cell) => cell.textContent?.length ?? 0));
  const lines = rows.map((cells) => h("tr", {}, ...cells, more()));
  // "gl-rest" is shown where a presentation leaves out the last rows: see styles/presenter.css
  const under = high < matrix.rows ? "tr" : "tr.gl-rest";
  if (high < matrix.rows || high > CORNER) lines.push(h(under, {}, ...range(wide).map(more)));
  const before = matrix.flat ? shape.slice(0, -1) : shape.slice(0, -2); // only the first matrix of a batch is drawn
  const size = shape.length < 2 ? shape : [...before, ...(matrix.flat ? [] : [matrix.rows]), matrix.cols];
  const which = before.some((length) => length > 1) ? ` [${before.map(() => 0)}] of` : "";
  const about = grid ? { role: "grid", "aria-label": `${text}, entries` } : { "aria-label": text };
  const caption = h(
    "figcaption",
    {},
    h(`span.gl-s-${role}` as "span", {}, ...breakable(text)),
    `${which} ${shapeText(size)}`,
  );
  const table = h("table.gl-heat", about, ...lines);
  table.style.setProperty("--gl-wide", `${longest}ch`); // all columns are alike, as in a book
  const narrow = (most: number) => {
    for (const line of lines)
      for (const [k, cell] of [...line.children].entries())
        (cell as HTMLElement).hidden = k < wide ? k >= most : most >= matrix.cols;
  };
  return { rows, narrow, element: h("figure.gl-figure", {}, caption, table) };
}

const bare = (text: string | undefined) => (text === undefined ? "…" : digits(text).replace(/\.0$/, ""));
/** A factor in a product of numbers: a negative one in brackets, unless it begins the sum. */
const factor = (text: string, first: boolean) => (text.startsWith("−") && !first ? `(${text})` : text);

/** An entry as the sum that it is: "0.5·2 + 1·(−1) = −0.5". */
export function sumOf(making: Making, { times, operator }: Joined, place: Place): string {
  const { left, right, result, each } = making;
  const { pairs, count } = making.pairs(place);
  const known = pairs.filter(([a, b]) => left.entry(...a) !== undefined && right.entry(...b) !== undefined);
  const shown = known.slice(0, count > TERMS ? CORNER : TERMS);
  const terms = shown.map(([a, b], k) => {
    const [one, other] = [bare(left.entry(...a)), bare(right.entry(...b))];
    return `${factor(one, !k)}${operator === "+" ? " + " : "·"}${factor(other, false)}`;
  });
  const all = count * (each?.count ?? 1);
  if (all > shown.length) terms.push("…");
  const sum = terms.join(" + ") || "0";
  const whole = times ? `${factor(times.replace("-", "−"), true)}·(${sum})` : sum;
  const texts = [...shown.flatMap(([a, b]) => [left.entry(...a), right.entry(...b)]), result.entry(...place)];
  const exact = texts.every((text) => text && (/n/.test(text) || digits(text) === text.replace("-", "−")));
  const of = each ? `, ${count} of each ${each.name}` : "";
  const told = all > shown.length ? ` (${all} terms${of})` : "";
  return `${whole} ${exact && !told ? "=" : "≈"} ${bare(result.entry(...place))}${told}`;
}

/** The heat maps of one event, a line that writes out the sum of an entry, and what fits the maps into their room. */
function draw(
  event: Rule,
  product: Joined,
  making: Making,
  { lookup, pass }: Moment,
): [parts: HTMLElement[], fit: () => void] {
  const { left, right, result } = making;
  const span = ({ text, saved, tensor, value }: Product["left"]): Span => [
    (saved || value || tensor) && product.operator !== "+" ? "value" : "gradient",
    text,
  ];
  const leaf = ({ saved, tensor, value }: Product["left"]) => {
    const of = value
      ? undefined
      : tensor || lookup.saved(event.node).find(({ name }) => name === saved)?.tensor;
    return (lookup.tensors.get(of ?? "")?.is_leaf && of) || "";
  };
  const maps = [
    map(left, span(product.left), leaf(product.left)),
    map(right, span(product.right), leaf(product.right)),
    map(
      result,
      event.kind === "RuleApplied"
        ? ["gradient", `∂${lookup.derived(pass)}/∂${bracketed(event.to)}`]
        : event.kind === "Computed"
          ? ["value", event.to]
          : ["gradient", "after"],
      "",
      true,
    ),
  ] as const;
  const [first, second, made] = maps;
  made.element.classList.add("gl-result");
  const said = h("div.gl-sum");
  const light = (place: Place | undefined) => {
    for (const cell of [...first.rows, ...second.rows, ...made.rows].flat()) cell.classList.remove("gl-on");
    setText(said, place ? sumOf(making, product, place) : HINT);
    said.classList.toggle("gl-told", place !== undefined);
    if (!place) return;
    made.rows[place[0]]?.[place[1]]?.classList.add("gl-on");
    for (const [a, b] of making.pairs(place).pairs) {
      first.rows[a[0]]?.[a[1]]?.classList.add("gl-on");
      second.rows[b[0]]?.[b[1]]?.classList.add("gl-on");
    }
  };
  for (const [row, cells] of made.rows.entries())
    for (const [col, cell] of cells.entries()) {
      const name = `${cell.textContent}; [${row}, ${col}]: ${sumOf(making, product, [row, col])}`;
      cell.setAttribute("aria-label", name);
      for (const kind of ["pointerenter", "focus"]) cell.addEventListener(kind, () => light([row, col]));
    }
  const table = made.element.querySelector("table") as HTMLTableElement;
  for (const kind of ["pointerleave", "focusout"]) table.addEventListener(kind, () => light(undefined));
  for (const { element, rows } of maps) arrows(element.querySelector("table") as HTMLTableElement, rows);
  light(undefined);
  const times = product.times ? `${product.times.replace("-", "−")} ·` : "";
  const strip = h(
    "div.gl-factors",
    {},
    ...[sign(times), first.element, sign(product.operator), second.element, sign("="), made.element],
  );
  /** As many columns as fit, beside each other; where no two of each do, and rather than cut a row, below. */
  const fit = () => {
    const least = maps.every(({ rows }) => rows.length < 2) ? ALL : FEWEST;
    for (const under of [false, true]) {
      strip.classList.toggle("gl-under", under);
      for (let most = ALL; most >= (under ? 1 : least); most -= 1) {
        for (const { narrow } of maps) narrow(most);
        if (strip.scrollWidth <= strip.clientWidth) return;
      }
    }
  };
  return [[strip, said], fit];
}

export interface ProductBox {
  element: HTMLElement;
  /** Show the product of a rule, or a sum; nothing for other events. Returns whether there is one. */
  show(event: Event | undefined, moment: Moment): boolean;
}

export function makeProduct(): ProductBox {
  const element = h("div.gl-product");
  let last: Event | undefined;
  let fit = () => {};
  if (typeof ResizeObserver !== "undefined") new ResizeObserver(() => fit()).observe(element);
  const show = (event: Event | undefined, moment: Moment) => {
    if (event !== last) {
      last = event;
      const rule = event as Rule;
      const joined = joinedBy(event);
      const making = joined && makingAt(rule, joined, moment);
      let parts: HTMLElement[] = [];
      fit = () => {};
      if (making) [parts, fit] = draw(rule, joined, making, moment);
      element.replaceChildren(...parts);
      fit();
    }
    return Boolean(element.firstChild);
  };
  return { element, show };
}
