// What all heat maps share: how an entry is coloured and written, and the arrow keys inside a table.
//
// Read next: cards/arrays.ts, cards/product.ts.

import { setText } from "../dom";
import type { Value } from "../trace";

const ARROWS = ["ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"];
const STRONGEST = 45; // percent of the colour: text on it keeps a contrast of 4.5
const SPECIAL: { [text: string]: string } = { nan: "NaN", inf: "+∞", "-inf": "−∞" };

/** An entry for a narrow cell: 3 digits, a real minus sign, and with `plus` a plus sign. */
export function digits(text: string, plus = false): string {
  const number = Number(text);
  const tiny = number !== 0 && Math.abs(number) < 1e-4; // 1.22e−6, where toPrecision writes seven zeros
  const rounded = tiny ? number.toExponential(2) : number.toPrecision(3);
  const isShort = text.length < 6 && (!text.includes(".") || Number(rounded) === number);
  const short = Number.isNaN(number) || isShort ? text : rounded;
  return SPECIAL[text] ?? (plus && number > 0 ? "+" : "") + short.replaceAll("-", "−");
}

export const numberOf = (text = "") => (text === "True" ? 1 : text === "False" ? 0 : Number(text));

/** The largest size of an entry, and whether positive ones have a sign because there are negative ones. */
export interface Scale {
  most: number;
  signs: boolean;
}

export function scaleOf({ statistics }: Value): Scale {
  const ends = [statistics?.low, statistics?.high].map((text) => Math.abs(numberOf(text)) || 0);
  return {
    most: Math.max(...ends) || 1,
    signs: statistics?.low[0] === "-" || Boolean(statistics?.neg_inf),
  };
}

/** Colour a cell by the sign and size of its entry. Returns the text in it. */
export function paint(cell: HTMLElement, entry: string | undefined, { most, signs }: Scale): string {
  const text = entry ?? "…";
  const size = numberOf(text);
  cell.className = /nan|inf$/.test(text) ? "gl-odd" : size < 0 ? "gl-minus" : size > 0 ? "gl-plus" : "";
  const shown = digits(text, signs);
  setText(cell, shown);
  const share = Math.min(1, Math.abs(size) / most || 0) * STRONGEST;
  cell.style.setProperty("--gl-share", `${Math.round(share)}%`);
  return shown;
}

/**
 * Let the arrow keys go from cell to cell. They belong to the player until a person tabs into the table.
 * `beyond`: what to do at the edge, with the direction of the dimension (0: rows) and 1 or -1.
 */
export function arrows(
  table: HTMLElement,
  rows: readonly (readonly HTMLElement[])[],
  beyond?: (dimension: number, by: number) => void,
): void {
  table.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // after a click the arrow keys still belong to the player
    table.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true });
  });
  table.addEventListener("keydown", (event) => {
    const way = ARROWS.indexOf(event.key);
    const cell = event.target as HTMLElement;
    const row = rows.findIndex((cells) => cells.includes(cell));
    if (way < 0 || row < 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation(); // this is not a step of the player
    const by = way < 2 ? -1 : 1;
    const col = rows[row]?.indexOf(cell) ?? 0;
    const next = way % 2 ? rows[row]?.[col + by] : rows[row + by]?.[col];
    if (!next || next.hidden) return beyond?.(way % 2, by);
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
