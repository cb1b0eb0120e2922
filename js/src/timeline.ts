// A recorded backward pass: its events, and the state after each of them.
//
// The state after event k is the initial state with the patches 0..k merged in, one by one.
// Every 32nd state is kept, so that a jump back costs at most 31 merges.
//
// Read next: trace.ts for what a state holds, player.ts for who asks.

import { type Json, merge } from "./merge";
import type { Event, Granularity, State, Trace } from "./trace";

const KEYFRAME = 32; // events between two kept states
const TURNS = new Set(["NodeEntered", "SavedUnpacked", "SavedFreed"]); // what a stop before them did is over
const RANK: Record<Granularity, number> = { story: 0, node: 1, micro: 2 };

export class Timeline {
  readonly events: readonly Event[];
  readonly #keyframes: State[] = [];
  readonly #stops = new Map<Granularity, readonly number[]>();
  readonly #initial: State;
  readonly #owners: readonly string[];
  #last: { k: number; state: State } | undefined;

  constructor(trace: Trace) {
    this.events = trace.events;
    this.#initial = trace.initial;
    let owner = "";
    this.#owners = trace.events.map((event) => {
      if (event.kind === "NodeEntered") owner = event.node;
      return event.kind === "Finished" ? "" : owner;
    });
  }

  get length(): number {
    return this.events.length;
  }

  /** The state after event `k`; without events, the initial state. */
  stateAt(k: number): State {
    if (this.length === 0) return this.#initial;
    if (!Number.isInteger(k) || k < 0 || k >= this.length) {
      throw new RangeError(`step ${k} is outside this timeline (its steps are 0 to ${this.length - 1})`);
    }
    let [at, state] = this.#nearest(k);
    while (at < k) {
      at += 1;
      state = apply(state, this.events[at]?.patch ?? {});
      if ((at + 1) % KEYFRAME === 0) this.#keyframes[(at + 1) / KEYFRAME - 1] = state;
    }
    this.#last = { k, state };
    return state;
  }

  /** The latest state already known at or before `k`, and its index (-1: the initial state). */
  #nearest(k: number): [number, State] {
    const known = this.#last;
    let index = Math.min(Math.floor((k + 1) / KEYFRAME), this.#keyframes.length) - 1;
    while (index >= 0 && !this.#keyframes[index]) index -= 1;
    const frame = this.#keyframes[index];
    const at = frame ? (index + 1) * KEYFRAME - 1 : -1;
    if (known && known.k <= k && known.k > at) return [known.k, known.state];
    return [at, frame ?? this.#initial];
  }

  /** The events at which a walk of this granularity halts: story ⊂ node ⊂ micro. */
  stops(granularity: Granularity): readonly number[] {
    let stops = this.#stops.get(granularity);
    if (!stops) {
      const limit = RANK[granularity];
      stops = this.events.flatMap((event, k) => (RANK[event.level] <= limit ? [k] : []));
      this.#stops.set(granularity, stops);
    }
    return stops;
  }

  /** How many stops lie at or before event `k`: the 7 of "step 7 of 18". */
  position(k: number, granularity: Granularity): number {
    const stops = this.stops(granularity);
    let [low, high] = [0, stops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((stops[middle] as number) <= k) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The stop that lies `by` stops after `k` (before it, when negative), held inside the timeline. */
  move(k: number, by: number, granularity: Granularity): number {
    const stops = this.stops(granularity);
    const before = this.position(k, granularity);
    const standing = stops[before - 1] === k;
    // Between two stops, one step back is to the stop just passed.
    const from = by < 0 && !standing ? before : before - 1;
    const to = Math.max(0, Math.min(stops.length - 1, from + by));
    return stops[to] ?? k;
  }

  /** The first stop of the next node's work; backwards, of this node's, or else of the one before. */
  moveNode(k: number, forward: boolean, granularity: Granularity): number {
    const starts = this.stops(granularity).filter(
      (stop, at, stops) => at === 0 || this.#owners[stop] !== this.#owners[stops[at - 1] as number],
    );
    if (forward) return starts.find((stop) => stop > k) ?? this.move(k, this.length, granularity);
    return starts.findLast((stop) => stop < k) ?? this.move(k, -this.length, granularity);
  }

  /** Where to look at event `k`. A rule also points at the saved values that were taken out for it. */
  focus(k: number): ReadonlySet<string> {
    const focus = new Set(this.events[k]?.focus);
    if (this.events[k]?.kind !== "RuleApplied") return focus;
    for (let at = k - 1; this.events[at]?.kind === "SavedUnpacked"; at -= 1) {
      for (const id of this.events[at]?.focus ?? []) focus.add(id);
    }
    return focus;
  }

  /**
   * The event whose state shows what the stop at `k` brought about. A RuleApplied is followed by finer
   * events (the sum in the receiver's buffer, who became ready); a walk that does not halt at those
   * sees their outcome at once, up to the moment when the engine turns to something else.
   */
  settled(k: number, granularity: Granularity): number {
    if (granularity === "micro") return k;
    const limit = RANK[granularity];
    let last = k;
    for (let next = k + 1; next < this.length; next += 1) {
      const event = this.events[next] as Event;
      if (RANK[event.level] <= limit || TURNS.has(event.kind)) break;
      last = next;
    }
    return last;
  }
}

function apply(state: State, patch: object): State {
  return merge(state as unknown as Json, patch as Json) as unknown as State;
}
