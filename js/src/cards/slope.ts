// The Slope card: the root as a function of one entry of a leaf, the others held, and its tangent, whose slope is
// the gradient that the walk has found; of two entries, level lines and the arrow of steepest descent. A step of
// descent moves the point. Of a recording it shows the real steps, on the curve of the first pass if that is known.
//
// Read next: tangent.ts (the function), contours.ts (level lines), slopepicture.ts (how they are drawn).

import { button, h, setText } from "../dom";
import { type Edits, placeName } from "../edits";
import { ends, tick } from "../linepath";
import type { Moment } from "../moment";
import type { Recording } from "../recording";
import { type Replayer, replayer } from "../replay";
import { curvesOf } from "../series";
import { makeSlopePicture, type Shown } from "../slopepicture";
import type { Dispatch } from "../state";
import { around, oneSided, type Sample, type Window } from "../tangent";
import type { TensorInfo, Trace, Value } from "../trace";
import { card } from "./card";
import { numberOf } from "./heat";

const MOST = 60; // entries to choose from
const CLOSING = 14; // pictures of a secant that closes in, each with half the distance of the one before
const PACE = 300; // milliseconds for each
const OFF = 1e-2; // part of a slope that differences and float32 may get wrong
const DIGITS = 4; // significant digits of a number that is chosen by pointing

type Entry = readonly [tensor: string, entry: number];

export interface SlopeCard {
  element: HTMLElement;
  update(open: boolean, moment: Moment, edits: Edits): void;
}

export function slopeCard(
  recording: Recording,
  entries: (tensor: string) => ArrayLike<number>,
  dispatch: Dispatch,
): SlopeCard {
  const { trace, lookup } = recording;
  const { element, aside, body } = card("slope", "Slope");
  const root = lookup.root(0);
  let target = root; // the tensor whose curve is drawn
  let name = lookup.label(root);
  const passes = trace.passes?.length ?? 0;
  let made: readonly [Trace, Replayer] | undefined; // of an explorer, each run has another trace
  const choices: Entry[] = [];
  let chosen: number[] = []; // one or two of the choices
  let view: Window = [0, 1];
  let side: Window = [0, 1]; // the range of the second entry
  let zoomed = 1;
  let closing = 0; // how often the distance of the secant was halved; 0: there is none
  let timer: ReturnType<typeof setInterval> | undefined;
  let trail: number[][] = []; // the points that steps have left
  let last: [Moment, Edits] | undefined;
  let [drawn, trouble] = ["", ""]; // what is drawn; why there are no numbers, if a formula is damaged

  const replay = () => {
    if (made?.[0] !== recording.trace) [made, drawn] = [[recording.trace, replayer(recording.trace)], ""];
    return (made as [Trace, Replayer])[1];
  };
  const at = (k = 0) => choices[chosen[k] ?? 0] as Entry;
  const nameOf = ([id, entry]: Entry) =>
    count(lookup.tensors.get(id)?.value?.shape ?? []) > 1 ? placeName([id, entry], lookup) : lookup.label(id);
  const label = (k = 0) => nameOf(at(k));
  const points = () => chosen.map((_, k) => entries(at(k)[0])[at(k)[1]] ?? Number.NaN);

  // -- what a person can do ----------------------------------------------------------------------

  const first = h("select.gl-select", { "aria-label": "Slope over" });
  const second = h("select.gl-select", { "aria-label": "and over" });
  const of = h("select.gl-select", { "aria-label": "Slope of" });
  of.addEventListener("change", () => {
    target = of.value;
    name = lookup.label(target);
    choose(chosen);
  });
  first.addEventListener("change", () => choose([Number(first.value)]));
  second.addEventListener("change", () =>
    choose([chosen[0] ?? 0, Number(second.value)].filter((k) => k >= 0)),
  );
  const choose = (next: number[]) => {
    chosen = next;
    first.value = String(next[0]);
    second.value = String(next[1] ?? -1);
    zoomed = 1;
    forget();
    look();
    redraw();
  };
  const look = () => {
    if (recorded) return;
    const [x = 0, y = 0] = points();
    view = around(x, zoomed);
    side = around(y, zoomed);
    if (chosen.length < 2) return;
    // the same scale for both, so that the arrow stands upright on the level lines
    const half = Math.max(view[1] - x, side[1] - y);
    view = [x - half * picture.shape, x + half * picture.shape];
    side = [y - half, y + half];
  };
  const forget = () => {
    trail = [];
    setText(formula, "");
    close();
  };
  const close = () => {
    clearInterval(timer);
    closing = 0;
    said.ariaBusy = null;
  };
  const zoom = (factor: number) => {
    zoomed *= factor;
    look();
    redraw();
  };
  const move = (to: readonly number[], keep = false) => {
    if (!keep) forget();
    for (const [k, value] of to.entries()) {
      const [tensor, entry] = at(k);
      if (Number.isFinite(value)) dispatch({ type: "edit", tensor, entry, value, now: keep });
    }
  };
  const picture = makeSlopePicture((to) => move(to.map((x) => Number(x.toPrecision(DIGITS)))));
  const smaller = button("button.gl-button", () => zoom(0.5), { "aria-label": "Zoom in" }, "+");
  const larger = button("button.gl-button", () => zoom(2), { "aria-label": "Zoom out" }, "−");
  const closer = button(
    "button.gl-button",
    () => {
      if (!gradients()) return; // it would tell the slope before the walk does
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      clearInterval(timer);
      const next = () => {
        closing = (closing % CLOSING) + 1;
        if (closing === CLOSING) clearInterval(timer);
        said.ariaBusy = String(!still && closing < CLOSING); // a screen reader says the last of them
        redraw();
      };
      next();
      if (!still && closing < CLOSING) timer = setInterval(next, PACE);
    },
    { title: "A line through a second point, which comes closer" },
    "Close in",
  );
  const rate = h("input.gl-rate", { type: "text", inputmode: "decimal", value: "0.1", "aria-label": "rate" });
  const step = button("button.gl-button", () => descend(), { title: "w ← w − rate · gradient" }, "Step");
  const formula = h("span.gl-note", { role: "status" });
  const said = h("p.gl-slope-said", { role: "status" });
  const tools = h("div.gl-slope-tools", {}, larger, smaller, closer, h("label", {}, "rate ", rate), step);
  body.append(picture.element, said, tools, formula);
  aside.append(of, first, second);

  const descend = () => {
    const slopes = gradients();
    const size = Number(rate.value.trim().replace("−", "-"));
    const right = Number.isFinite(size) && size > 0;
    rate.setAttribute("aria-invalid", String(!right));
    if (!right) return setText(formula, "The rate is a number above 0, such as 0.1.");
    if (!slopes || target !== root) return;
    close();
    const [from, before] = [points(), heightHere()];
    trail.push(from);
    move(
      from.map((x, k) => x - size * (slopes[k] ?? 0)),
      true,
    );
    const to = points();
    const went = from.map((x, k) => `${label(k)} ${tick(x)} → ${tick(to[k] ?? x)}`).join(", ");
    const after = heightHere();
    const lost = Number.isNaN(after) ? ": it is not defined there" : "";
    const rose = after > before ? ": it rose, the rate is too large" : lost;
    setText(formula, `Step ${trail.length}: ${went}; ${name} ${tick(before)} → ${tick(after)}${rose}.`);
  };

  // -- the numbers --------------------------------------------------------------------------------

  /** The chosen tensor over one of the entries, the others held. */
  const sampleOf =
    (k: number, edits: Edits): Sample =>
    (xs) =>
      replay().curve(target, ...at(k), xs, edits);
  const heightHere = () => sampleOf(0, last?.[1] ?? new Map())(points().slice(0, 1))[0] ?? Number.NaN;

  /** The slopes that the walk has found up to this step; undefined where one is not computed yet. */
  const gradients = (): number[] | undefined => {
    const [moment, edits] = last as [Moment, Edits];
    if (target !== root) {
      const sides = chosen.map((_, k) => oneSided(sampleOf(k, edits), points()[k] ?? 0));
      return sides.map(({ left, right }) => (left + right) / 2);
    }
    const numbers = replay().run(edits);
    trouble = "problem" in numbers ? numbers.problem : "";
    if ("problem" in numbers) return;
    const seed = trace.events.find((one) => one.kind === "Seeded");
    const start = seed?.kind === "Seeded" ? numberOf(seed.value.text) : 1;
    const found = chosen.map((k) => {
      const [tensor, entry] = choices[k] as Entry;
      const when = trace.events.findIndex((one) => one.kind === "LeafWritten" && one.tensor === tensor);
      if (when < 0 || when > moment.settled) return undefined;
      const sum = trace.events.findLastIndex((one) => one.kind === "Accumulated" && one.tensor === tensor);
      return Number(numbers.gathered.get(sum)?.data[entry]) / start;
    });
    return found.includes(undefined) ? undefined : (found as number[]);
  };

  /** The curve, or the levels; made anew only if something else than the point has changed. */
  const shape = (edits: Edits): Pick<Shown, "sample" | "rows"> => {
    if (chosen.length < 2) return { sample: sampleOf(0, edits) };
    const [tensor, entry] = at(1);
    return {
      rows: (xs, ys) =>
        ys.map((y) => {
          const held = Float64Array.from(entries(tensor));
          held[entry] = y;
          return replay().curve(target, ...at(0), xs, new Map([...edits, [tensor, held]]));
        }),
    };
  };

  const keyOf = (edits: Edits) => {
    const others = [...edits].map(([id, all]) =>
      Array.from(all, (x, k) =>
        choices.some(([t, e], c) => t === id && e === k && chosen.includes(c)) ? "" : x,
      ),
    );
    return `${target} ${chosen} ${view} ${side} ${others}`;
  };

  // -- what is shown ------------------------------------------------------------------------------

  const redraw = () => last && show(...last);
  const show = (moment: Moment, edits: Edits) => {
    if (passes > 1) return showSteps(moment);
    const now = points();
    const [x = 0, y] = now;
    const out = (value: number, [low, high]: Window) => !(value >= low && value <= high);
    if (out(x, view) || (y !== undefined && out(y, side))) {
      const reach = Math.max(Math.abs(x - (view[0] + view[1]) / 2), y === undefined ? 0 : Math.abs(y));
      zoomed *= Math.max(2, (2.4 * reach) / (view[1] - view[0]));
      view = [Math.min(view[0], x - (view[1] - view[0]) / 4), Math.max(view[1], x + (view[1] - view[0]) / 4)];
      if (y !== undefined) look();
    }
    const slopes = gradients();
    const key = keyOf(edits);
    const fresh = key !== drawn;
    drawn = key;
    const sample = sampleOf(0, edits);
    const { 0: height = Number.NaN, problem = "" } = sample([x, ...view]);
    const [sides, distance] = [oneSided(sample, x), ((view[1] - view[0]) / 3) * 0.5 ** (closing - 1)];
    const far = closing ? x + distance : undefined;
    const farHeight = far === undefined ? Number.NaN : (sample([far])[0] ?? Number.NaN);
    picture.update({
      ...shape(edits),
      fresh,
      view,
      side,
      names: [...chosen.map((_, k) => label(k)), name],
      point: [...now, height],
      slopes,
      kink: y === undefined && slopes && sides.kink ? [sides.left, sides.right] : undefined,
      secant: far === undefined ? undefined : [far, farHeight],
      trail: trail.map((one) => [...one, sample(one.slice(0, 1))[0] ?? Number.NaN]),
    });
    closer.hidden = y !== undefined;
    closer.setAttribute("aria-disabled", String(!slopes));
    step.setAttribute("aria-disabled", String(!slopes || target !== root));
    setText(
      said,
      sentence(now, height, slopes, sides, closing ? (farHeight - height) / distance : Number.NaN, distance) +
        (problem && !trouble && y === undefined && ` Where the curve ends: ${problem}`),
    );
  };

  const sentence = (
    now: readonly number[],
    height: number,
    slopes: readonly number[] | undefined,
    { left, right, kink }: ReturnType<typeof oneSided>,
    secant: number,
    distance: number,
  ): string => {
    const where = now.map((x, k) => `${label(k)} = ${tick(x)}`).join(", ");
    const names = now.map((_, k) => label(k)).join(" and ");
    if (!slopes) return trouble || `The gradient of ${names} is not computed yet: walk on until it is.`;
    const [slope = 0] = slopes;
    if (now.length > 1) {
      const arrow = slopes.map((one) => tick(-one)).join(", ");
      return `At ${where}: steepest descent of ${name} is (${arrow}), minus the gradient.`;
    }
    if (Number.isNaN(height)) return `At ${where}: ${name} is not defined; autograd found ${tick(slope)}.`;
    if (closing)
      return `Over h = ${tick(distance)} the secant has the slope ${tick(secant)}; the tangent has ${tick(slope)}.`;
    if (target !== root && !kink)
      return `At ${where}: ${name} has the slope ${tick(slope)}, by differences. The walk computes the gradients of ${lookup.label(root)}.`;
    if (kink)
      return `At ${where}: a kink. Slope ${tick(left)} from the left, ${tick(right)} from the right${target === root ? `; autograd uses ${tick(slope)}` : ""}.`;
    const middle = (left + right) / 2;
    if (middle !== slope && Math.abs(middle - slope) >= OFF * Math.max(Math.abs(middle), Math.abs(slope)))
      return `At ${where}: the curve has the slope ${tick(middle)}, but autograd found ${tick(slope)}.`;
    return `At ${where}: slope ${tick(slope)}, the gradient that the walk has found.`;
  };

  // -- a recording of real steps ------------------------------------------------------------------

  const recorded = passes > 1 ? curvesOf(trace, lookup) : undefined;
  const showSteps = ({ pass, settled }: Moment) => {
    const [tensor, entry] = at();
    const [xs, ys, grads] = ["", name, ".grad"].map(
      (key) => recorded?.series.get(key === name ? name : lookup.label(tensor) + key) ?? [],
    );
    const dots = Array.from(xs ?? [], (x, k) => [entryOf(x?.value, entry), entryOf(ys?.[k]?.value, 0)]);
    const trail = dots.filter((dot) => dot.every(Number.isFinite));
    const [low, high] = ends(trail.map(([x]) => x)) ?? [0, 0];
    const free = (high - low) * 0.1 || Math.abs(high) || 1;
    const found = grads?.[pass];
    const event = found && found.k <= settled ? trace.events[found.k] : undefined;
    const slope = entryOf(event?.kind === "LeafWritten" ? event.added : found?.value, entry);
    const [x = Number.NaN, y = Number.NaN] = dots[pass] ?? [];
    const known = Boolean(replay().entries(tensor));
    picture.update({
      fresh: true,
      ...(known && { sample: sampleOf(0, new Map()) }),
      view: [low - free, high + free],
      side,
      names: [label(), name],
      point: [x, y],
      slopes: event && [slope],
      kink: undefined,
      secant: undefined,
      trail,
      still: true,
    });
    const slanted = event
      ? `slope ${tick(slope)}, the gradient that the pass found`
      : "the gradient is not computed yet";
    const others = choices.length > 1 ? " Other entries moved too, so dots may lie off one curve." : "";
    const curve = known ? " The curve is that of pass 1." : "";
    const numbers = `${label()} = ${tick(x)}, ${name} = ${tick(y)}`;
    setText(said, `Pass ${pass + 1}: ${numbers}; ${slanted}.${curve}${others}`);
  };

  /** Work out what there is to choose from, when the card is opened for the first time. */
  const prepare = () => {
    const known = new Set<string>();
    for (const { id, name, value, is_leaf, requires_grad } of trace.graph.tensors) {
      if (!is_leaf || !requires_grad || !value) continue;
      // a recording may have a leaf of this name in each pass
      const has = !known.has(name ?? "") && recorded?.series.has(`${name}.grad`) && !value.kept?.length;
      if (recorded ? !has : replay().editable(id)) continue;
      known.add(name ?? "");
      for (let k = 0; k < count(value.shape) && choices.length < MOST; k += 1) choices.push([id, k]);
    }
    const names = choices.map(nameOf);
    first.append(...names.map((text, value) => h("option", { value }, text)));
    second.append(h("option", { value: -1 }, "one entry"));
    second.append(...names.map((text, value) => h("option", { value }, `and ${text}`)));
    second.hidden = Boolean(recorded) || names.length < 2;
    tools.hidden = Boolean(recorded);
    const single = ({ id, producer, value }: TensorInfo) =>
      id === root || (producer && value && count(value.shape) === 1);
    const all = recorded ? [] : trace.graph.tensors.filter(single).slice(-MOST);
    of.append(...all.map(({ id }) => h("option", { value: id }, `of ${lookup.label(id)}`)));
    of.value = root;
    of.hidden = all.length < 2;
    return names.length > 0;
  };

  /** The choice that was edited last, or else that the walk has reached last, or else the first. */
  const likeliest = ({ settled }: Moment, edits: Edits): number => {
    const last = trace.events.findLast((one, k) => one.kind === "LeafWritten" && k <= settled);
    const leaf = [...edits.keys()].at(-1) ?? (last?.kind === "LeafWritten" ? last.tensor : "");
    const found = choices.findIndex(([tensor]) => tensor === leaf);
    return Math.max(0, found);
  };

  let ready: boolean | undefined;
  const update: SlopeCard["update"] = (open, moment, edits) => {
    element.hidden = !open;
    if (!open) return close();
    last = [moment, edits];
    if (ready === undefined) {
      ready = prepare();
      picture.element.style.display = ready ? "" : "none";
      tools.hidden ||= !ready;
      if (ready) return choose([likeliest(moment, edits)]);
    }
    if (ready) redraw();
    else setText(said, (recorded ? "" : replay().cannot) || "No leaf here can be changed.");
  };
  element.hidden = true;
  return { element, update };
}

const count = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1);

/** One entry of a value that is kept in full. */
function entryOf(value: Value | undefined, entry: number): number {
  const text = (value?.entries || value?.text || "nan").split(" ")[entry] ?? "nan";
  return numberOf(text.replace("inf", "Infinity"));
}
