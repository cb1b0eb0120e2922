// What is worked out of a trace once, when the player opens. Nothing in it changes afterwards: what
// changes is in state.ts.
//
// Read next: state.ts.

import { BreakpointIndex } from "./breakpoints";
import { computationOf } from "./computation";
import { Lookup } from "./lookup";
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
  passes: readonly Drawings[];
  still: boolean; // a picture without events
}

export function makeRecording(trace: Trace): Recording {
  const timeline = new Timeline(trace);
  const lookup = new Lookup(trace);
  return {
    trace,
    timeline,
    lookup,
    breakpoints: new BreakpointIndex(timeline, lookup),
    passes: drawingsOf(trace, lookup),
    still: timeline.length === 0,
  };
}

function drawingsOf(trace: Trace, lookup: Lookup): Drawings[] {
  const passes = trace.passes?.length ? trace.passes : [{ first: 0, scenes: trace.scenes }];
  return passes.map(({ first, scenes }, at) => {
    const done = once(() => whenDone(trace, first, passes[at + 1]?.first ?? trace.events.length));
    return byView(scenes ?? [], (of) => new ScopeTree(of, lookup, done()));
  });
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
