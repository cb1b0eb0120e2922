// The bar of segments under the narration: one for each step, coloured by phase; a click goes to the step.
//
// It is for the mouse only. The scrubber in the footer does the same for the keyboard and screen readers.
//
// Read next: timeline.ts.

import { h, plain } from "./dom";
import type { Dispatch } from "./state";
import type { Timeline } from "./timeline";
import type { Event } from "./trace";

const MOST = 120; // segments; in a longer pass several steps share one
const COLOURS = {
  forward: "var(--gl-phase-forward)",
  leaf: "var(--gl-phase-leaf)",
  rule: "var(--gl-phase-rule)",
  between: "var(--gl-phase-between)",
  failed: "var(--gl-bad)",
  engine: "var(--gl-phase-engine)",
};
const PHASES: { [kind in Event["kind"]]?: keyof typeof COLOURS } = {
  ForwardBegan: "forward",
  Computed: "forward",
  SavedKept: "forward",
  ForwardFinished: "forward",
  LeafWritten: "leaf",
  GradRetained: "leaf",
  GradReturned: "leaf",
  RuleApplied: "rule",
  Reduced: "rule",
  Accumulated: "rule",
  HookRan: "rule",
  GradCleared: "between",
  GradReplaced: "between",
  ChangedInPlace: "between",
  OptimizerStepped: "between",
  Failed: "failed",
};

/** The phase of an event; the other kinds are the bookkeeping of the engine. */
const phase = (event: Event | undefined) => (event && PHASES[event.kind]) ?? "engine";

export interface Segments {
  element: HTMLElement;
  /** Draw the steps again, with marks at the positions in `breaks`. Returns their colours as a CSS image. */
  rebuild(stops: readonly number[], breaks: ReadonlySet<number>): string;
  /** Show the current step. The segments after event `known` do not say what happens there. */
  update(position: number, known: number): void;
}

export function makeSegments(timeline: Timeline, dispatch: Dispatch): Segments {
  const element = h("div.gl-segments");
  const ways = h("div.gl-ways");
  const whole = h("div.gl-scale", { "aria-hidden": "true" }, element, ways);
  let firsts: number[] = []; // the 1-based position at which each segment begins
  let all: readonly number[] = [];
  let told = 0;
  const positionOf = (event: globalThis.Event) =>
    firsts[[...element.children].indexOf(event.target as Element)];
  element.addEventListener("click", (event) => {
    const position = positionOf(event);
    if (position) dispatch({ type: "goToStop", position });
  });
  element.addEventListener("pointerover", (event) => {
    const position = positionOf(event);
    const k = all[(position ?? 0) - 1];
    if (position === undefined || k === undefined) return;
    const text = k <= told ? plain(timeline.events[k]?.caption ?? []) : "to be predicted";
    (event.target as HTMLElement).title = `${position}. ${text}`;
  });

  const rebuild: Segments["rebuild"] = (stops, breaks) => {
    all = stops;
    const count = Math.min(MOST, stops.length);
    firsts = Array.from({ length: count }, (_, at) => Math.floor((at * stops.length) / count) + 1);
    const phases = firsts.map((position) => phase(timeline.events[stops[position - 1] ?? 0]));
    const marked = firsts.map((position, at) => {
      const next = firsts[at + 1] ?? stops.length + 1;
      return [...breaks].some((one) => one >= position && one < next);
    });
    const halves = phases.map((name) => name === "forward");
    ways.replaceChildren(...waysOf(halves));
    ways.hidden = !timeline.forward;
    const passes = firsts.map((position) => timeline.passAt(stops[position - 1] ?? 0));
    const made = phases.map((name, at) =>
      h("span", {
        "data-phase": name,
        "data-break": marked[at],
        "data-pass": at > 0 && (passes[at] !== passes[at - 1] || halves[at] !== halves[at - 1]), // a pass begins
      }),
    );
    element.classList.toggle("gl-dense", count > 40);
    element.replaceChildren(...made);
    const edge = (at: number) => `${((100 * at) / Math.max(1, count)).toFixed(2)}%`;
    const bands = phases.map(
      (name, at) => `${marked[at] ? COLOURS.failed : COLOURS[name]} ${edge(at)} ${edge(at + 1)}`,
    );
    return bands.length ? `linear-gradient(to right,${bands.join()})` : "none";
  };

  const update: Segments["update"] = (position, known) => {
    told = known;
    const current = firsts.findLastIndex((first) => first <= position);
    for (const [at, segment] of [...element.children].entries())
      segment.className = at < current ? "gl-past" : at === current ? "gl-now" : "";
  };
  return { element: whole, rebuild, update };
}

/** Which parts of the bar go forward, and which go back: a word below each, as wide as the part. */
function waysOf(forward: readonly boolean[]): HTMLElement[] {
  const parts: [forward: boolean, count: number][] = [];
  for (const way of forward) {
    const last = parts.at(-1);
    if (last?.[0] === way) last[1] += 1;
    else parts.push([way, 1]);
  }
  return parts.map(([way, count]) =>
    h(
      "span",
      { class: way ? "gl-ahead" : undefined, style: `flex:${count}` },
      way ? "→ forward" : "← backward",
    ),
  );
}
