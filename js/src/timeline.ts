// A recorded backward pass: its events, and the state after each of them.
//
// The state after event k is the initial state with the patches 0..k merged in, one by one.
// Every so many events the state is kept, so that a jump back costs few merges; a long walk keeps no
// more states than that, or they would fill the memory.
//
// Read next: trace.ts for what a state holds, player.ts for who asks.

import { fold, type JsonObject } from "./merge";
import type { Event, Granularity, State, Trace } from "./trace";

const KEYFRAME = 32; // events between two kept states, at least
const MOST = 64; // kept states
const TURNS = new Set(["NodeEntered", "SavedUnpacked", "SavedFreed"]); // what a stop before them did is over
const RANK: Record<Granularity, number> = { story: 0, node: 1, micro: 2 };

export class Timeline {
  readonly events: readonly Event[];
  readonly #keyframes: State[] = [];
  readonly #stops = new Map<Granularity, readonly number[]>();
  readonly #initial: State;
  readonly #every: number; // events between two kept states
  readonly #owners: readonly string[];
  readonly #firsts: readonly number[]; // the event with which each pass begins
  #last: { k: number; state: State } | undefined;

  constructor(trace: Trace) {
    this.events = trace.events;
    this.#initial = trace.initial;
    this.#every = Math.max(KEYFRAME, Math.ceil(trace.events.length / MOST));
    this.#firsts = (trace.passes ?? []).map(({ first }) => first);
    let owner = "";
    this.#owners = trace.events.map((event) => {
      if (event.kind === "NodeEntered") owner = event.node;
      if (event.kind === "Finished" || event.kind === "PassBegan") owner = "";
      return owner;
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
      // Half of the frames on the way at once: each fold copies whole maps, and a jump needs few of them.
      const frame = Math.floor((at + 1) / this.#every);
      const more = Math.ceil((Math.floor((k + 1) / this.#every) - frame) / 2);
      const to = more ? (frame + more) * this.#every - 1 : k;
      state = apply(state, this.events.slice(at + 1, to + 1));
      if (more) this.#keyframes[frame + more - 1] = state;
      at = to;
    }
    this.#last = { k, state };
    return state;
  }

  /** The latest state already known at or before `k`, and its index (-1: the initial state). */
  #nearest(k: number): [number, State] {
    const known = this.#last;
    let index = Math.min(Math.floor((k + 1) / this.#every), this.#keyframes.length) - 1;
    while (index >= 0 && !this.#keyframes[index]) index -= 1;
    const frame = this.#keyframes[index];
    const at = frame ? (index + 1) * this.#every - 1 : -1;
    if (known && known.k <= k && known.k > at) return [known.k, known.state];
    return [at, frame ?? this.#initial];
  }

  /** The pass that event `k` belongs to, counted from 0. */
  passAt(k: number): number {
    return Math.max(
      0,
      this.#firsts.findLastIndex((first) => first <= k),
    );
  }

  /** The event with which the next pass after `k` begins; backwards, the latest that begins before `k`. */
  passStart(k: number, forward: boolean): number | undefined {
    return forward ? this.#firsts.find((first) => first > k) : this.#firsts.findLast((first) => first < k);
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

function apply(state: State, events: readonly Event[]): State {
  const patches = events.map(({ patch }) => patch as JsonObject);
  return fold(state as unknown as JsonObject, patches) as unknown as State;
}
