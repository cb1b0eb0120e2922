// What is worked out of a trace once, when the player opens. It changes only with the trace: what a person
// changes is in state.ts. Where a person has edited a value, `retelling` makes another recording of it.
//
// Read next: state.ts.

import { BreakpointIndex } from "./breakpoints";
import { computationOf } from "./computation";
import { Lookup } from "./lookup";
import { type Own, ownQuestions } from "./own";
import { scenesOf } from "./redrawing";
import { ScopeTree, whenDone } from "./scopetree";
import { Timeline } from "./timeline";
import type { Scene, Trace } from "./trace";

const VIEWS = ["computation", "backward", "both"]; // in the order of the tabs

/** The drawings of one pass, by view. They are sorted into scopes when a view is first shown. */
export type Drawings = ReadonlyMap<string, () => ScopeTree>;

export interface Recording {
  trace: Trace;
  timeline: Timeline;
  lookup: Lookup;
  breakpoints: BreakpointIndex;
  own: readonly Own[]; // the questions of the author of the walk
  passes: readonly (() => Drawings)[]; // made when a pass is first shown
  still: boolean; // a picture without events
  sloped: boolean; // whether there is a slope to show: a result that is one number, and formulas or several passes
  was?: Recording; // the original recording, if this one shows it at other values
}

export function makeRecording(trace: Trace): Recording {
  const timeline = new Timeline(trace);
  const lookup = new Lookup(trace);
  const result = lookup.tensors.get(lookup.root(0))?.value;
  const moves = Boolean(trace.replay?.nodes) || (trace.passes?.length ?? 0) > 1;
  return {
    trace,
    timeline,
    lookup,
    breakpoints: new BreakpointIndex(timeline, lookup),
    own: ownQuestions(trace),
    passes: drawingsOf(trace, lookup),
    still: timeline.length === 0,
    sloped: moves && Boolean(result?.shape.every((length) => length === 1)),
  };
}

/** Let a recording tell another trace, if only values differ from its own. Returns whether it does. */
export function retell(recording: Recording, trace: Trace): boolean {
  if (!alike(recording.trace, trace)) return false;
  recording.timeline.read(trace);
  recording.lookup.read(trace);
  Object.assign(recording, { trace, own: ownQuestions(trace), passes: drawingsOf(trace, recording.lookup) });
  return true;
}

/** The recording `was` at other values: `trace` has the same events and the same graph. */
export function retelling(was: Recording, trace: Trace): Recording {
  const [timeline, lookup] = [new Timeline(trace, was.timeline), new Lookup(trace, was.lookup)];
  return { ...was, trace, timeline, lookup, was };
}

/** Whether two traces differ in values only. */
export const alike = (one: Trace, other: Trace): boolean => knownShape(one) === knownShape(other);

const shapes = new WeakMap<Trace, string>();
function knownShape(trace: Trace): string {
  const shape = shapes.get(trace) ?? shapeOf(trace);
  shapes.set(trace, shape);
  return shape;
}

/** Everything of a trace that its picture and its steps are made of, without any value. */
const shapeOf = ({ graph: { nodes, tensors }, events, title, notice, passes = [] }: Trace): string =>
  JSON.stringify([
    nodes.map(({ name, inputs, outputs, variable, scope }) => [name, inputs, outputs, variable, scope]),
    tensors.map(({ name, value, requires_grad }) => [name, value?.shape, requires_grad]),
    events.map((event) => [event.kind, event.level, event.focus]),
    passes.map(({ first, root }) => [first, root]),
    title,
    notice,
  ]);

function drawingsOf(trace: Trace, lookup: Lookup): (() => Drawings)[] {
  const passes = trace.passes?.length
    ? trace.passes
    : [{ title: "", root: "", first: 0, scenes: trace.scenes }];
  return passes.map((one, at) =>
    once(() => {
      const done = once(() => whenDone(trace, one.first, passes[at + 1]?.first ?? trace.events.length));
      return byView(scenesOf(one, passes), (of) => new ScopeTree(of, lookup, done()));
    }),
  );
}

/** The computation view is made from the view of both, in place of a recorded one. */
function byView(scenes: readonly Scene[], make: (of: Scene[]) => ScopeTree): Drawings {
  const found = new Map<string, Scene[]>();
  for (const scene of scenes) {
    const all = found.get(scene.view);
    if (all) all.push(scene);
    else found.set(scene.view, [scene]);
  }
  const both = found.get("both");
  const made = [...found].map(([view, all]): [string, () => ScopeTree] => [view, once(() => make(all))]);
  if (both) made.push(["computation", once(() => make(both.map(computationOf)))]);
  return new Map(made.sort(([a], [b]) => VIEWS.indexOf(a) - VIEWS.indexOf(b)));
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
