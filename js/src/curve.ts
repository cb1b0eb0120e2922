// The curve over the passes of a recording: the loss, a weight, a gradient. A click, or the arrow keys, go to a pass.
//
// It is a slider, so that a screen reader says the value of each pass; the table says them all.
//
// Read next: series.ts (the numbers), linepath.ts (the path).

import { h, select, setAttribute, setText, svg } from "./dom";
import { ends, linePath, type Point, share, tick } from "./linepath";
import type { Moment } from "./moment";
import type { Recording } from "./recording";
import { curvesOf, magnitude, type Reading, type Series } from "./series";
import type { Dispatch } from "./state";

const [WIDE, HIGH] = [240, 84];
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 232, 10, 66]; // pixels: the edges of the plot
const DOTTED = 40; // passes; of more, the curve has no dots
const ROWS = 100; // rows of the table
const KEYS: { [key: string]: (pass: number, count: number) => number } = {
  ArrowLeft: (pass) => pass - 1,
  ArrowDown: (pass) => pass - 1,
  ArrowRight: (pass) => pass + 1,
  ArrowUp: (pass) => pass + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export interface Curve {
  element: HTMLElement;
  /** Mark the pass of a moment. What lies after event `known` is hidden: it is to be predicted. */
  update(moment: Moment, known: number): void;
}

/** The curve of a recording; undefined where no result has two passes. */
export function makeCurve({ trace, lookup }: Recording, dispatch: Dispatch): Curve | undefined {
  if ((trace.passes?.length ?? 0) < 2) return undefined;
  const { firsts, series } = curvesOf(trace, lookup);
  const count = firsts.length;
  const roots = new Set<string>();
  for (const event of trace.events)
    if (event.kind === "PassBegan") for (const root of event.roots) roots.add(lookup.label(root));
  let name = [...roots].find((root) => (series.get(root)?.filter(Boolean).length ?? 0) > 1) ?? "";
  if (!name) return undefined;
  let [pass, told, drawn] = [-1, trace.events.length, ""];
  let numbers: readonly (number | undefined)[] = [];

  const list = select(
    [...series].map(([name, one]) => [name, labelOf(name, one)] as const),
    (value) => {
      name = value;
      draw();
    },
    { "aria-label": "Curve over the passes" },
  );
  list.value = name;
  const said = h("output.gl-curve-value");
  const text = (x: number, y: number, anchor: string, words = "") =>
    svg("text", { x, y, "text-anchor": anchor }, words);
  const [high, low] = [text(LEFT - 6, TOP + 4, "end"), text(LEFT - 6, BOTTOM + 4, "end")];
  const axis = svg("path.gl-axis", { d: `M${LEFT} ${TOP - 4}V${BOTTOM + 5}H${RIGHT + 4}` });
  const line = svg("path.gl-stroke");
  const dots = svg("path.gl-dots");
  const odd = svg("path.gl-lost");
  const later = svg("rect.gl-later", { y: 0, height: BOTTOM + 4 });
  const here = svg("path.gl-here");
  const dot = svg("circle.gl-point", { r: 4.5 });
  const tip = svg("title");
  const lowest = BOTTOM + 16;
  const picture = svg(
    "svg.gl-curve-svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "slider", tabindex: 0, "aria-label": "Pass" },
    ...[tip, axis, line, dots, odd, later, here, dot, high, low],
    ...[text(LEFT, lowest, "start", "1"), text((LEFT + RIGHT) / 2, lowest, "middle", "pass")],
    text(RIGHT, lowest, "end", String(count)),
  );
  for (const [key, value] of [
    ["aria-valuemin", 1],
    ["aria-valuemax", count],
  ] as const)
    picture.setAttribute(key, String(value));
  const caption = h("caption");
  const rows = h("tbody");
  const table = h("table.gl-unseen", {}, caption, rows);
  const element = h(
    "div.gl-curve",
    { role: "group", "aria-label": "Curve over the passes" },
    h("div.gl-curve-head", {}, list, said),
    picture,
    table,
  );

  const across = (k: number) => LEFT + ((RIGHT - LEFT) * k) / (count - 1);
  /** What stands for a pass in the table: all digits that the recording has. */
  const texts = (k: number) => {
    const reading = series.get(name)?.[k];
    if (!reading) return "–";
    if (reading.k > told) return "?";
    return isArray(reading) ? String(Number(magnitude(reading).toPrecision(5))) : reading.value.text;
  };

  /** Draw the curve anew, if what it shows is not as it was. */
  const draw = () => {
    const known = firsts.map((_, k) => {
      const reading = series.get(name)?.[k];
      return reading && reading.k <= told ? reading : undefined;
    });
    const wanted = `${name} ${known.filter(Boolean).length}`;
    if (wanted !== drawn) {
      drawn = wanted;
      numbers = known.map((reading) => reading && magnitude(reading));
      drawLine();
    }
    mark();
  };
  const drawLine = () => {
    const range = ends(numbers) ?? [0, 0];
    const points: Point[] = [];
    for (const [k, number] of numbers.entries()) {
      const y = BOTTOM - (BOTTOM - TOP) * share(number ?? 0, range);
      if (number !== undefined) points.push([across(k), Number.isFinite(number) ? y : Number.NaN]);
    }
    const finite = points.filter(([, y]) => Number.isFinite(y));
    line.setAttribute("d", linePath(points));
    dots.setAttribute("d", count <= DOTTED ? finite.map(([x, y]) => `M${x} ${y}h0`).join("") : "");
    const lost = new Set(points.filter((p) => !finite.includes(p)).map(([x]) => Math.round(x)));
    odd.setAttribute("d", [...lost].map((x) => `M${x - 3} ${TOP - 3}l6 6m-6 0l6-6`).join(""));
    setText(high, finite.length ? tick(range[1]) : "");
    setText(low, range[0] === range[1] ? "" : tick(range[0]));
    const every = Math.ceil(count / ROWS);
    setText(
      caption,
      `${labelOf(name, series.get(name))} in ${every > 1 ? `every ${every}th of ` : ""}${count} passes`,
    );
    rows.replaceChildren(
      ...firsts.flatMap((_, k) =>
        k % every ? [] : [h("tr", {}, h("th", { scope: "row" }, `pass ${k + 1}`), h("td", {}, texts(k)))],
      ),
    );
  };
  const mark = () => {
    const x = across(pass);
    const number = numbers[pass];
    const shown = number !== undefined && Number.isFinite(number);
    const y = BOTTOM - (BOTTOM - TOP) * share(number ?? 0, ends(numbers) ?? [0, 0]);
    later.setAttribute("x", String(x));
    later.setAttribute("width", String(RIGHT + 8 - x));
    here.setAttribute("d", `M${x} ${TOP - 4}V${BOTTOM + 5}`);
    dot.style.display = shown ? "" : "none";
    dot.setAttribute("cx", String(x));
    if (shown) dot.setAttribute("cy", String(y));
    setText(said, `${labelOf(name, series.get(name))} = ${texts(pass)}`);
    setAttribute(picture, "aria-valuenow", String(pass + 1));
    setAttribute(picture, "aria-valuetext", `pass ${pass + 1} of ${count}: ${said.textContent}`);
  };

  const go = (to: number) => {
    const step = firsts[Math.max(0, Math.min(count - 1, to))];
    if (step !== undefined && to !== pass) dispatch({ type: "goTo", step });
  };
  const passAt = ({ clientX }: MouseEvent) => {
    const { left, width } = picture.getBoundingClientRect();
    const x = ((clientX - left) * WIDE) / (width || WIDE);
    return Math.max(0, Math.min(count - 1, Math.round(((x - LEFT) / (RIGHT - LEFT)) * (count - 1))));
  };
  picture.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault(); // after a click the arrow keys still belong to the player
    picture.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true });
    picture.setPointerCapture?.(event.pointerId);
    go(passAt(event));
  });
  picture.addEventListener("pointermove", (event) => {
    const k = passAt(event);
    setText(tip, `pass ${k + 1}: ${texts(k)}`);
    if (event.buttons & 1) go(k);
  });
  picture.addEventListener("keydown", (event) => {
    const to = KEYS[event.key]?.(pass, count);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation(); // a pass, not a step of the player
    go(to);
  });

  const update: Curve["update"] = (moment, known) => {
    if (moment.pass === pass && known === told && drawn) return;
    [pass, told] = [moment.pass, known];
    draw();
  };
  return { element, update };
}

/** "w", or "‖w‖" where it is the norm of an array. */
function labelOf(name: string, series: Series | undefined): string {
  return series?.some((reading) => reading && isArray(reading)) ? `‖${name}‖` : name;
}

const isArray = ({ value }: Reading) => value.shape.some((length) => length !== 1);
