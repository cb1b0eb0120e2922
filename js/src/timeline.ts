// The timeline of a recording: its events, and the state after each of them.
//
// The state after event k is the initial state with the patches 0 to k merged in, one by one. Some of the
// states are kept as keyframes, so that a jump back costs few merges; to keep all of them would take too
// much memory.
//
// Read next: trace.ts (what a state holds), state.ts (which step is shown).

import { fold, type JsonObject } from "./merge";
import { levelOf, ownersOf } from "./nodeowner";
import type { Event, Granularity, State, Trace } from "./trace";

const KEYFRAME = 32; // events between two keyframes, at least
const MOST = 64; // keyframes
const TURNS = new Set(["NodeEntered", "SavedUnpacked", "SavedFreed", "Computed"]); // these events end the step before them

export class Timeline {
  events!: readonly Event[];
  #keyframes: State[] = [];
  #stops = new Map<Granularity, readonly number[]>();
  #initial!: State;
  #every = KEYFRAME; // events between two keyframes
  owners!: readonly string[]; // the node that runs at each event; "" for none
  #entered!: readonly string[]; // the node that was entered last
  forward = false; // whether it walks a forward pass
  #firsts!: readonly number[]; // the event with which each pass begins
  #last: { k: number; state: State } | undefined;

  /** `like`: the timeline of the same events with other values, whose steps and nodes are the same. */
  constructor(trace: Trace, like?: Timeline) {
    this.read(trace, like);
  }

  /** Become the timeline of another trace. */
  read(trace: Trace, like?: Timeline): void {
    this.#keyframes = [];
    this.#last = undefined;
    this.events = trace.events;
    this.#initial = trace.initial;
    this.#every = Math.max(KEYFRAME, Math.ceil(trace.events.length / MOST));
    this.#firsts = (trace.passes ?? []).map(({ first }) => first);
    this.#stops = like ? like.#stops : new Map();
    this.owners = like?.owners ?? ownersOf(trace.events);
    this.forward = trace.events.some(({ kind }) => kind === "ForwardBegan");
    let entered = "";
    this.#entered = like
      ? like.#entered
      : trace.events.map((event) => {
          if (event.kind === "NodeEntered" || event.kind === "Computed" || event.kind === "LeafWritten")
            entered = event.node;
          if (/Finished|PassBegan/.test(event.kind)) entered = "";
          return entered;
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
      // Make only the keyframe half-way: each fold copies whole maps, and a jump needs few of them.
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

  /** The latest known state at or before `k`, and its index; -1 is that of the initial state. */
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

  /** The steps of a granularity: those of "story" are among those of "node", and these among "micro". */
  stops(granularity: Granularity): readonly number[] {
    let stops = this.#stops.get(granularity);
    if (!stops) {
      const limit = levelOf(granularity);
      stops = this.events.flatMap((event, k) => (levelOf(event.level) <= limit ? [k] : []));
      this.#stops.set(granularity, stops);
    }
    return stops;
  }

  /** How many stops lie at or before event `k`: the 7 of "step 7 of 18". */
  position(k: number, granularity: Granularity): number {
    return countUpTo(k, this.stops(granularity));
  }

  /** The stop that lies `by` stops after `k`, or before it if `by` is negative; at most the first or last. */
  move(k: number, by: number, granularity: Granularity): number {
    const stops = this.stops(granularity);
    const before = this.position(k, granularity);
    const standing = stops[before - 1] === k;
    // Between two stops, one step back leads to the stop just passed.
    const from = by < 0 && !standing ? before : before - 1;
    const to = Math.max(0, Math.min(stops.length - 1, from + by));
    return stops[to] ?? k;
  }

  /** The first stop of the next node; backwards, of this node, or else of the node before. */
  moveNode(k: number, forward: boolean, granularity: Granularity): number {
    const starts = this.stops(granularity).filter(
      (stop, at, stops) => at === 0 || this.#entered[stop] !== this.#entered[stops[at - 1] as number],
    );
    if (forward) return starts.find((stop) => stop > k) ?? this.move(k, this.length, granularity);
    return starts.findLast((stop) => stop < k) ?? this.move(k, -this.length, granularity);
  }

  /** The ids to point at in event `k`. A rule also points at the saved tensors that it used, an operation at what it saves. */
  focus(k: number): ReadonlySet<string> {
    const focus = new Set(this.events[k]?.focus);
    if (this.events[k]?.kind === "Computed")
      for (let at = k + 1; this.events[at]?.kind === "SavedKept"; at += 1)
        for (const id of this.events[at]?.focus ?? []) focus.add(id);
    if (this.events[k]?.kind !== "RuleApplied") return focus;
    for (let at = k - 1; this.events[at]?.kind === "SavedUnpacked"; at -= 1) {
      for (const id of this.events[at]?.focus ?? []) focus.add(id);
    }
    return focus;
  }

  /**
   * The event whose state shows the outcome of the stop at `k`. A RuleApplied is followed by finer events:
   * the sum in the buffer of the receiver, and the nodes that become ready. A granularity without these
   * shows their outcome at once, up to the event at which the engine goes on.
   */
  settled(k: number, granularity: Granularity): number {
    if (granularity === "micro") return k;
    const limit = levelOf(granularity);
    let last = k;
    for (let next = k + 1; next < this.length; next += 1) {
      const event = this.events[next] as Event;
      if (levelOf(event.level) <= limit || TURNS.has(event.kind)) break;
      last = next;
    }
    return last;
  }
}

/** How many of `sorted` are at most `k`, by binary search. */
export function countUpTo(k: number, sorted: readonly number[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

function apply(state: State, events: readonly Event[]): State {
  const patches = events.map(({ patch }) => patch as JsonObject);
  return fold(state as unknown as JsonObject, patches) as unknown as State;
}
