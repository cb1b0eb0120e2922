// The small heat map on a card: blue is positive, orange negative, a dash says negative without colour.
//
// render/heat.py draws the same; tests/fixtures/heat.json holds both to it.
//
// Read next: groups.ts, which draws it anew when the entries change.

import { numberOf } from "./cards/heat";
import { svg } from "./dom";
import { finite } from "./marks";
import type { Mark, Value } from "./trace";

const [CORNER, LEVELS] = [5, 4];
const SHARE = 0.22; // how much of the colour each level adds

type Part = [kind: string, level: number, d: string];

/** The paths of a heat map; none if there are no `entries`. */
export function heatParts(mark: Mark, { shape, kept }: Pick<Value, "shape" | "kept">, entries = ""): Part[] {
  if (!entries) return [];
  const [x = 0, y = 0, w = 0, h = 0, cell = 0] = [mark.x, mark.y, mark.w, mark.h, mark.r].map(finite);
  const across = (kept?.length ? kept : shape).at(-1) ?? 1;
  const [high, wide] = [Math.min(CORNER, Math.round(h / cell)), Math.min(CORNER, Math.round(w / cell))];
  const texts = entries.split(" ");
  const numbers: number[][] = [];
  for (let i = 0; i < high; i += 1)
    numbers.push(texts.slice(i * across, i * across + wide).map((text) => numberOf(text)));
  const most = Math.max(0, ...numbers.flat().filter(Number.isFinite).map(Math.abs));
  const cells = new Map<string, string>();
  let signs = "";
  for (const [i, row] of numbers.entries())
    for (const [j, number] of row.entries()) {
      const kind = !Number.isFinite(number) ? "odd" : number > 0 ? "plus" : "minus";
      const level = kind === "odd" ? LEVELS : number && Math.ceil((LEVELS * Math.abs(number)) / most);
      if (!level) continue;
      const [left, top] = [x + j * cell, y + i * cell];
      const key = `${kind} ${level}`;
      cells.set(key, `${cells.get(key) ?? ""}M${left} ${top}h${cell}v${cell}h-${cell}z`);
      const inset = Math.floor(cell / 2 + 0.5) / 2; // half pixels, as in Python
      const size = cell - 2 * inset;
      if (kind === "minus") signs += `M${left + inset} ${top + Math.floor(cell + 0.5) / 2}h${size}`;
      if (kind === "odd")
        signs += `M${left + inset} ${top + inset}l${size} ${size}m-${size} 0l${size} -${size}`;
    }
  const whole = shape.at(-2) === high && shape.at(-1) === wide;
  const frame = `M${x + w} ${y}h-${w}v${h}${whole ? `h${w}z` : ""}`;
  const parts = [...cells]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, d]): Part => {
      const [kind = "", level] = key.split(" ");
      return [kind, Number(level), d];
    });
  return [...parts, ...(signs ? [["dash", 0, signs] as Part] : []), ["frame", 0, frame]];
}

export const heatPaths = (...given: Parameters<typeof heatParts>): SVGElement[] =>
  heatParts(...given).map(([kind, level, d]) =>
    svg("path", { class: `gl-${kind}`, d, "fill-opacity": level ? level * SHARE : undefined }),
  );
