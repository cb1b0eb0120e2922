// Arrays as heatmaps: the background of an entry shows its sign by colour and its size by strength.
//
// The trace holds small arrays in full and only a corner of large ones; the rest is asked of the kernel
// while that is alive. The arrow keys belong to the player until a person tabs into an array: then they
// go from entry to entry.
//
// Read next: cards/node.ts, which shows them.

import { brief, button, differs, focused, h, setAttribute, setText, shapeText } from "../dom";
import type { Value } from "../trace";
import { arrows, digits, paint, scaleOf } from "./heat";
import { range } from "./terms";

/** A request for a part of a tensor: `at` indexes the first dimensions, then come rows and columns. */
export interface Ask {
  value: string; // "t5", or "t5.grad"
  like: Value; // as it was recorded, to find out whether it has changed
  at: number[];
  rows: [from: number, to: number];
  cols: [from: number, to: number];
}
/** The entries, row by row; rejects with a sentence to show. */
export type Fetch = (ask: Ask) => Promise<string[]>;
export type Spec = [label: string, value: Value | null | undefined, live?: string | null];

const SIDE = 5; // rows and columns shown at once
/** The statistics of all entries, on one line. */
export function summary({ statistics, shape, dtype }: Value): string {
  const size = shape.reduce((a, b) => a * b, 1);
  if (!size) return "no entries";
  if (!statistics) return "";
  const { zeros = 0, nan, pos_inf, neg_inf, mean, std, low, high } = statistics;
  const about =
    dtype === "bool"
      ? [`${size - zeros} True, ${zeros} False`]
      : [
          mean !== "nan" &&
            `${digits(low)} to ${digits(high)}, mean\u00a0${digits(mean)}, std\u00a0${digits(std)}`,
          zeros && `${zeros} zero${zeros > 1 ? "s" : ""}`,
        ];
  return [nan && `${nan} NaN`, pos_inf && `${pos_inf} +∞`, neg_inf && `${neg_inf} −∞`, ...about]
    .filter(Boolean)
    .join(" · ");
}

export interface Figure {
  element: HTMLElement;
  /** Show the array at other values; `was`: as it was recorded. */
  update(value: Value, was: Value | undefined): void;
}

/** `editable`: the tensor is a leaf, whose entries a person may edit. */
export function figure(
  label: string,
  recorded: Value,
  live: string | null | undefined,
  fetch: Fetch | undefined,
  editable: boolean,
): Figure {
  const { shape } = recorded;
  const kept = recorded.kept?.length ? recorded.kept : shape;
  const textsOf = ({ entries }: Value) => (entries ? entries.split(" ") : []);
  let [value, texts, scale] = [recorded, textsOf(recorded), scaleOf(recorded)];
  let before: string[] | undefined; // the recorded texts, where they differ now
  const rank = shape.length; // the last two dimensions are rows and columns; a vector is one row
  const shown = shape.map((length, d) => (d < rank - 2 ? 1 : Math.min(SIDE, length)));
  const wide = shown[rank - 1] || 1; // also of no entries
  const start = shape.map(() => 0);
  const more = new Map<string, string | undefined>(); // entries that the kernel sent
  const said = h("div.gl-reading");
  let reach = live && fetch ? shape : kept; // how far a person can go along each dimension

  const say = (text: string, bad = false) => {
    setText(said, text);
    said.classList.toggle("gl-bad", bad);
  };
  const summarised = () => {
    const { nan, pos_inf, neg_inf } = value.statistics ?? {};
    say(summary(value), Boolean(nan || pos_inf || neg_inf));
  };
  const place = (k: number) => [
    ...start.slice(0, rank - 1).map((from, d) => from + (d === rank - 2 ? Math.floor(k / wide) : 0)),
    (start[rank - 1] as number) + (k % wide),
  ];
  const index = (at: number[], within: readonly number[]) =>
    at.reduce((sum, k, d) => sum * (within[d] as number) + k, 0);
  const entry = (at: number[], of = texts) =>
    at.some((k, d) => k >= (kept[d] as number)) ? more.get(at.join()) : of[index(at, kept)];

  const cells = Array.from({ length: texts.length && (shown[rank - 2] ?? 1) * wide }, (_, k) => {
    const cell = h("td", { tabindex: k ? -1 : 0 });
    for (const kind of ["pointerenter", "focus"])
      cell.addEventListener(kind, () => say(`${label}${name(k)}`));
    return cell;
  });
  const name = (k: number) => `[${place(k).join(", ")}] = ${entry(place(k)) ?? "…"}`;

  const pieces = shape.map((length, d) => {
    const size = shown[d] as number;
    const text = h("span");
    const nudge = (by: number, sign: string, way: string) => {
      const tabindex = d < rank - 2 ? undefined : -1; // the arrow keys do the same
      const about = { "aria-label": `${way} along dimension ${d}`, tabindex };
      return button("button.gl-nudge", () => move(d, by), about, sign);
    };
    const buttons = [nudge(-size, "‹", "back"), nudge(size, "›", "forward")];
    const draw = () => {
      const from = start[d] as number;
      setText(text, d < rank - 2 ? String(from) : size === length ? ":" : `${from}:${from + size}`);
      for (const [k, button] of buttons.entries()) {
        button.hidden = (reach[d] as number) <= size;
        const off = k ? from + size >= (reach[d] as number) : !from;
        setAttribute(button, "aria-disabled", String(off)); // not disabled, or the button would lose the focus
      }
    };
    return { draw, parts: [d ? ", " : "[", ...buttons.slice(0, 1), text, ...buttons.slice(1)] };
  });

  /** Move the window along dimension `d`, inside the array. Returns whether it has moved. */
  const move = (d: number, by: number): boolean => {
    const from = start[d] as number;
    start[d] = Math.max(0, Math.min((reach[d] as number) - (shown[d] as number), from + by));
    draw();
    load();
    return start[d] !== from;
  };
  const load = () => {
    const places = cells.map((_, k) => place(k));
    if (before || !live || !fetch || places.every((at) => entry(at) !== undefined)) return;
    const [row = 0, col = 0] = rank > 1 ? start.slice(-2) : [0, start[0]];
    const at = start.slice(0, Math.max(0, rank - 2));
    const [rows, cols]: [number, number][] = [
      [row, row + cells.length / wide],
      [col, col + wide],
    ] as const;
    fetch({ value: live, like: value, at, rows, cols } as Ask).then(
      (found) => {
        for (const [k, one] of places.entries()) more.set(one.join(), found[k]);
        draw();
      },
      (why: Error) => {
        reach = kept; // only recorded entries are left
        for (const d of start.keys()) move(d, 0);
        said.setAttribute("role", "alert");
        say(why.message, true);
      },
    );
  };
  const draw = () => {
    for (const piece of pieces) piece.draw();
    for (const [k, cell] of cells.entries()) {
      const shown = paint(cell, entry(place(k)), scale);
      differs(cell, entry(place(k)), before && entry(place(k), before));
      if (editable) setAttribute(cell, "data-edit", `${live} ${index(place(k), shape)}`);
      // the name contains the text that is shown, so that voice control finds the cell
      cell.setAttribute("aria-label", name(k).endsWith(` ${shown}`) ? name(k) : `${shown}; ${name(k)}`);
    }
  };

  const grid = range(cells.length / wide).map((row) => cells.slice(row * wide, (row + 1) * wide));
  const rows = grid.map((row) => h("tr", {}, ...row));
  const table = h("table.gl-heat", { role: "grid", "aria-label": `${label}, entries` }, ...rows);
  for (const kind of ["pointerleave", "focusout"]) table.addEventListener(kind, summarised);
  arrows(table, grid, (dimension, by) => {
    if (rank < 2 && !dimension) return;
    move(rank - 2 + dimension, by);
    const at = cells.indexOf(focused(table) as HTMLTableCellElement);
    say(`${label}${name(at)}`);
  });
  const caption = h("figcaption", {}, h("i", {}, label), ` ${brief(`${shapeText(shape)} ${value.dtype}`)} `);
  if (cells.length && shown.some((size, d) => size < (shape[d] as number)))
    caption.append(h("span.gl-slices", {}, ...pieces.flatMap(({ parts }) => parts), "]"));
  draw();
  summarised();
  const update: Figure["update"] = (next, was) => {
    if (next === value || (!was && !before)) return;
    [value, texts, scale, before] = [next, textsOf(next), scaleOf(next), was && textsOf(was)];
    reach = live && fetch && !before ? shape : kept; // the kernel holds the recorded entries
    for (const d of start.keys())
      start[d] = Math.min(start[d] as number, (reach[d] as number) - (shown[d] as number));
    draw();
    summarised();
  };
  return { element: h("figure.gl-figure", {}, caption, ...(cells.length ? [table] : []), said), update };
}

export interface ArrayBox {
  element: HTMLElement;
  /**
   * Show these side by side. An array that was shown before keeps its window and the focus. `was`: as they were
   * recorded, where a value is edited. `isLeaf`: whether the entries of a tensor can be edited.
   */
  show(specs: readonly Spec[], was?: readonly Spec[], isLeaf?: (id: string) => boolean): void;
}

/** A row of arrays. Single numbers are left out, because their text is enough. */
export function makeArrays(fetch?: Fetch): ArrayBox {
  const element = h("div.gl-figures");
  let shown = new Map<string, Figure>();
  const show: ArrayBox["show"] = (specs, was, isLeaf = () => false) => {
    const next = new Map<string, Figure>();
    for (const [at, [label, value, live]] of specs.entries()) {
      if (!value?.entries && !value?.shape.includes(0)) continue;
      const recorded = was?.[at]?.[1] ?? value; // the recorded value identifies the array while values are edited
      const key = JSON.stringify([label, recorded, live]);
      const found = shown.get(key) ?? figure(label, recorded, live, fetch, isLeaf(live ?? ""));
      found.update(value, was && recorded);
      next.set(key, found);
    }
    const same = [...next.keys()].join() === [...shown.keys()].join();
    shown = next;
    if (same) return;
    const root = element.closest<HTMLElement>(".graphlab");
    const inside = root && element.contains(focused(root));
    element.replaceChildren(...[...next.values()].map((one) => one.element));
    if (inside && !element.contains(focused(root))) root.focus({ preventScroll: true });
  };
  return { element, show };
}
