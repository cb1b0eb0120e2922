// Draws the Slope card: a curve or level lines, the point, its tangent or the arrow downhill, and the trail.
//
// Read next: linepath.ts, contours.ts.

import { contour, type Grid, levels } from "./contours";
import { setAttribute, setText, svg } from "./dom";
import { linePath, type Point, share, tick } from "./linepath";
import { heights, type Sample, sampled, undefinedWhere, type Window } from "./tangent";

const [LEFT, TOP, WIDE, HIGH] = [46, 16, 264, 142]; // pixels: the place of the plot
const [ACROSS, LEVELS, ARROW] = [33, 12, 44]; // points of the grid, level lines, pixels
const NUDGE = 40; // presses of an arrow key from one side to the other

export interface Shown {
  fresh: boolean; // whether the curve is to be sampled anew
  view: Window;
  side: Window; // the range of the second entry
  names: readonly string[]; // the names of one or two entries, and of the root
  point: readonly number[]; // the entries, and the height
  slopes: readonly number[] | undefined;
  kink: readonly [left: number, right: number] | undefined;
  secant: Point | undefined; // its second point
  trail: readonly (readonly number[])[]; // earlier points
  sample?: Sample; // for one entry
  rows?: (xs: readonly number[], ys: readonly number[]) => Grid; // for two entries
  still?: boolean; // nothing can be moved
}

export interface SlopePicture {
  element: SVGSVGElement;
  shape: number; // width / height
  update(shown: Shown): void;
}

/** `move`: what to do when a person has chosen another point. */
export function makeSlopePicture(move: (to: number[]) => void): SlopePicture {
  const text = (x: number, y: number, anchor: string) => svg("text", { x, y, "text-anchor": anchor });
  const bottom = TOP + HIGH;
  const [low, high] = [text(LEFT - 5, bottom, "end"), text(LEFT - 5, TOP + 9, "end")];
  const [start, end] = [text(LEFT, bottom + 14, "start"), text(LEFT + WIDE, bottom + 14, "end")];
  const [across, up] = [text(LEFT + WIDE / 2, bottom + 14, "middle"), text(LEFT, TOP - 5, "middle")];
  const path = (name: string) => svg("path", { class: `gl-${name}` });
  const [zero, curve, secant, tangent, sides] = [
    path("axis gl-zero"),
    path("stroke"),
    path("here"),
    path("tangent"),
    path("tangent gl-sided"),
  ];
  const [trail, dots, arrow] = [path("here gl-trail"), path("dots"), path("tangent")];
  const lines = svg("g");
  const point = svg("circle.gl-point", { r: 6 });
  const note = svg("text");
  const plot = svg(
    "svg",
    { x: LEFT, y: TOP, width: WIDE, height: HIGH, overflow: "hidden" },
    ...[zero, lines, curve, secant, sides, tangent, trail, dots, arrow, note, point],
  );
  const frame = svg("rect.gl-plot", { x: LEFT, y: TOP, width: WIDE, height: HIGH });
  const element = svg(
    "svg.gl-curve-svg.gl-slope-svg",
    { viewBox: `0 0 ${LEFT + WIDE + 8} ${bottom + 20}`, tabindex: 0 },
    ...[frame, plot, low, high, start, end, across, up],
  );
  let shown: Shown | undefined;
  let aimed: number[] | undefined; // where keys have moved the point since it was drawn
  let points: Point[] = [];
  let upright: Window = [0, 1];

  const px = (x: number) => WIDE * share(x, (shown as Shown).view);
  const py = (y: number) => HIGH * (1 - share(y, upright));
  const flat = () => (shown?.point.length ?? 0) > 2; // two entries, seen from above

  const update: SlopePicture["update"] = (next) => {
    shown = next;
    aimed = undefined;
    const { view, names, slopes, kink, still } = next;
    const at = next.point.map((x) => (Number.isFinite(x) ? x : Number.NaN));
    const [x = 0, y = 0] = at;
    const two = flat();
    if (two) upright = next.side;
    if (next.fresh) resample(next, two);
    if (!two) upright = heights(points, [y, ...next.trail.map(([, height = y]) => height)]);
    if (!two) drawCurve();
    const first = points.find(([, height]) => Number.isFinite(height)) ?? [0, 0];
    note.setAttribute("y", String(py(first[1]) > HIGH / 2 ? 14 : HIGH - 6)); // away from where the curve ends
    curve.style.display = two ? "none" : "";
    const [cx, cy] = [px(x), py(y)];
    const there = Number.isFinite(cx + cy);
    point.style.display = there ? "" : "none";
    if (there) {
      point.setAttribute("cx", String(cx));
      point.setAttribute("cy", String(cy));
    }
    const [left, right] = [px(0), py(0)];
    zero.setAttribute("d", `M${clamped(left)} 0V${HIGH}M0 ${clamped(right)}H${WIDE}`);
    const steep = WIDE / (view[1] - view[0]);
    const flatness = HIGH / (upright[1] - upright[0]);
    /** A line through the point, as far as the pixels `from` and `to` to its sides. */
    const line = (slope: number, from: number, to: number) => {
      const m = (-slope * flatness) / steep;
      if (!there || Number.isNaN(m)) return "";
      const reach = 1 / Math.hypot(1, Number.isFinite(m) ? m : 0);
      const [dx, dy] = Number.isFinite(m) ? [reach, m * reach] : [0, 1];
      return `M${cx + dx * from} ${cy + dy * from}L${cx + dx * to} ${cy + dy * to}`;
    };
    const far = 2 * WIDE;
    const [slope] = slopes ?? [];
    tangent.setAttribute("d", two || slope === undefined ? "" : line(slope, -far, far));
    sides.setAttribute("d", kink ? line(kink[0], -far, 0) + line(kink[1], 0, far) : "");
    const [x2 = 0, y2 = 0] = next.secant ?? [];
    const through = next.secant ? (y2 - y) / (x2 - x) : Number.NaN;
    secant.setAttribute("d", next.secant ? line(through, -far, far) : "");
    const dot = ([a = 0, b = 0]: readonly number[]): Point => [px(a), py(b)];
    const marks = [...next.trail, ...(next.secant ? [next.secant] : [])].map(dot);
    const all = [...next.trail, ...(still ? [] : [at])].map(dot);
    trail.setAttribute("d", next.trail.length ? linePathOf(all) : "");
    dots.setAttribute("d", marks.map((one) => (one.every(Number.isFinite) ? `M${one}h0` : "")).join(""));
    arrow.setAttribute("d", two && slopes && there ? arrowFrom(cx, cy, slopes) : "");
    setText(start, tick(view[0]));
    setText(end, tick(view[1]));
    setText(low, tick(upright[0]));
    setText(high, tick(upright[1]));
    setText(across, names[0] ?? "");
    setText(up, two ? (names[1] ?? "") : (names.at(-1) ?? ""));
    const told = names.map((name, k) => `${name} = ${tick(at[k] ?? Number.NaN)}`).join(", ");
    setAttribute(element, "role", still ? "img" : "slider");
    setAttribute(element, "aria-label", still ? told : names.slice(0, -1).join(" and "));
    for (const [key, value] of [
      ["aria-valuenow", x],
      ["aria-valuemin", view[0]],
      ["aria-valuemax", view[1]],
      ["aria-valuetext", told],
    ] as const)
      if (!still) setAttribute(element, key, String(value));
  };

  const resample = ({ sample, rows, view, side, names }: Shown, two: boolean) => {
    points = [];
    lines.replaceChildren();
    setText(note, "");
    if (sample && !two) {
      const found = sampled(sample, view);
      points = found.points;
      const [border] = found.borders;
      setText(note, undefinedWhere(found.borders, names[0] ?? "", tick, found.problem));
      note.setAttribute("x", String(border?.below ? WIDE - 6 : 6));
      note.setAttribute("text-anchor", border?.below ? "end" : "start");
    }
    if (!rows || !two) return;
    const down = Math.round((ACROSS * HIGH) / WIDE);
    const grid = rows(spread(view, ACROSS), spread(side, down));
    for (const [k, level] of levels(grid, LEVELS).entries()) {
      const pieces = contour(grid, level).map(
        ([x1, y1, x2, y2]) => `M${pixels(x1, y1, down)}L${pixels(x2, y2, down)}`,
      );
      const d = pieces.join("");
      lines.append(svg("path.gl-stroke", { d, "stroke-opacity": 1 - (0.75 * k) / LEVELS }));
    }
  };
  const pixels = (i: number, j: number, down: number) =>
    `${((WIDE * i) / (ACROSS - 1)).toFixed(1)} ${(HIGH - (HIGH * j) / (down - 1)).toFixed(1)}`;

  const drawCurve = () => {
    const drawn: Point[] = [];
    let before = Number.NaN;
    for (const [x, y] of points) {
      const height = py(y);
      // from above the picture to below it: a pole, not a line
      if ((before < 0 && height > HIGH) || (before > HIGH && height < 0)) drawn.push([px(x), Number.NaN]);
      before = height;
      drawn.push([px(x), Number.isFinite(height) ? clamped(height) : Number.NaN]);
    }
    curve.setAttribute("d", linePath(drawn));
  };

  /** The entries at a place of the picture. */
  const entriesAt = ({ clientX, clientY }: MouseEvent): number[] => {
    const { view, side } = shown as Shown;
    const { left, top, width, height } = frame.getBoundingClientRect();
    const [x, y] = [(clientX - left) / (width || WIDE), (clientY - top) / (height || HIGH)];
    const inside = (part: number) => Math.max(0, Math.min(1, part));
    const between = ([from, to]: Window, part: number) => from + (to - from) * inside(part);
    return flat() ? [between(view, x), between(side, 1 - y)] : [between(view, x)];
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button || !shown || shown.still) return;
    event.preventDefault(); // after a click the arrow keys still belong to the player
    element.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true });
    element.setPointerCapture?.(event.pointerId);
    move(entriesAt(event));
  });
  element.addEventListener("pointermove", (event) => {
    if (event.buttons & 1 && shown && !shown.still && element.hasPointerCapture?.(event.pointerId))
      move(entriesAt(event));
  });
  element.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
    if (!by || !shown || shown.still || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { view, side, point } = shown;
    const [x = 0, y = 0] = aimed ?? point;
    const size = (window: Window) => (window[1] - window[0]) / (event.shiftKey ? NUDGE / 5 : NUDGE);
    const [dx = 0, dy = 0] = by;
    aimed = flat() ? [x + dx * size(view), y + dy * size(side)] : [x + (dx + dy) * size(view)];
    move(aimed);
  });
  return { element, shape: WIDE / HIGH, update };
}

const spread = ([low, high]: Window, count: number) =>
  Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
const clamped = (pixel: number) => Math.max(-HIGH, Math.min(2 * WIDE, pixel));
const linePathOf = (points: readonly Point[]) =>
  points
    .filter((one) => one.every(Number.isFinite))
    .map((one, k) => `${k ? "L" : "M"}${one}`)
    .join("");

/** The arrow of steepest descent: minus the gradient. Upwards in the picture is downwards in pixels. */
function arrowFrom(x: number, y: number, [gx = 0, gy = 0]: readonly number[]): string {
  const size = Math.hypot(gx, gy);
  if (!size || !Number.isFinite(size)) return "";
  const [dx, dy] = [(-gx / size) * ARROW, (gy / size) * ARROW];
  const wing = (turn: number) => `l${-dx * 0.25 - dy * 0.14 * turn} ${-dy * 0.25 + dx * 0.14 * turn}`;
  const tip = `M${x + dx} ${y + dy}`;
  return `M${x} ${y}l${dx} ${dy}${tip}${wing(1)}${tip}${wing(-1)}`;
}
