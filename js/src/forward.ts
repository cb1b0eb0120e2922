// The walk with the forward pass before each backward pass, or without it. As in graph/event_log.py.
//
// Read next: timeline.ts.

import type { Event, GraphLabTrace as Trace } from "./schema";

/** `trace` as it is walked; `on`: with its forward passes. It opens at the same event. */
export function walked(trace: Trace, on: boolean): Trace {
  const parts = trace.forward;
  if (on === Boolean(trace.walks_forward) || !parts?.length) return trace;
  const events: Event[] = [];
  let done = 0;
  const forward = parts.map((part) => {
    const { before, events: more } = part;
    const start = on ? before : before + done - events.length; // where it stands in the walk as it is
    events.push(...trace.events.slice(done, start), ...(on ? more : []));
    done = on ? start : start + more.length;
    return on ? part : { before, events: trace.events.slice(start, done) };
  });
  events.push(...trace.events.slice(done));
  const passes = (trace.passes ?? []).map((one) => ({ ...one, first: passFirst(one.first, trace, on) }));
  const { opening } = trace;
  const opens = opening && { opening: { ...opening, step: rebased(opening.step, trace, on) } };
  return { ...trace, events, forward, walks_forward: on, passes: passes as Trace["passes"], ...opens };
}

/** A pass begins with its forward part. */
function passFirst(first: number, trace: Trace, on: boolean): number {
  if (!on) return rebased(first, trace, false);
  return (trace.forward ?? []).reduce(
    (k, { before, events }) => k + (before < first ? events.length : 0),
    first,
  );
}

/** The index of event `k` in the walk with forward passes (`on`), or in that without them. The beginning stays. */
export function rebased(k: number, trace: Trace, on: boolean): number {
  let more = 0; // events of forward parts before the part
  let at = k;
  for (const { before, events } of trace.forward ?? []) {
    if (on) at += k && before <= k ? events.length : 0;
    else at -= Math.max(0, Math.min(k - before - more, events.length));
    more += events.length;
  }
  return at;
}
