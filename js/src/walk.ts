// The place in the timeline and every way to move it: step by step, node by node, by playing, and up to
// a breakpoint. It draws nothing; whoever owns it is told when the place has moved.
//
// Read next: player.ts.

import type { Breakpoints } from "./breakpoints";
import { SPEEDS } from "./controls";
import type { Timeline } from "./timeline";
import type { Granularity } from "./trace";

const PACE = 1400; // milliseconds per step at speed x1

export type Move = "first" | "back" | "forward" | "last" | "nodeBack" | "nodeForward";

export interface WalkListener {
  /** A person, or playing, moved the place; `ahead`: to a later event. */
  moved(ahead: boolean): void;
  /** Playing or the speed changed. */
  changed(): void;
  /** Whether playing may go on from here. */
  mayPlay(): boolean;
}

export class Walk {
  step: number;
  granularity: Granularity;
  speed: number;
  playing = false;
  readonly #timeline: Timeline;
  readonly #breakpoints: Breakpoints;
  readonly #listener: WalkListener;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    timeline: Timeline,
    breakpoints: Breakpoints,
    listener: WalkListener,
    { step = 0, granularity = "node" as Granularity, speed = 1 },
  ) {
    this.#timeline = timeline;
    this.#breakpoints = breakpoints;
    this.#listener = listener;
    this.granularity = granularity;
    this.speed = speed;
    this.step = this.held(step);
  }

  /** `step` as an index that exists. */
  held(step: number): number {
    const whole = Number.isFinite(step) ? Math.trunc(step) : 0;
    return Math.max(0, Math.min(this.#timeline.length - 1, whole));
  }

  get stops(): readonly number[] {
    return this.#timeline.stops(this.granularity);
  }

  get position(): number {
    return this.#timeline.position(this.step, this.granularity);
  }

  get atEnd(): boolean {
    return this.step >= (this.stops.at(-1) ?? 0);
  }

  /** Move as a person asked, who takes over from playing. */
  move(how: Move): void {
    this.setPlaying(false);
    const [k, grain, timeline] = [this.step, this.granularity, this.#timeline];
    if (how === "first") this.go(this.stops[0] ?? 0);
    else if (how === "last") this.go(this.stops.at(-1) ?? k);
    else if (how === "back") this.go(timeline.move(k, -1, grain));
    else if (how === "nodeBack") this.go(timeline.moveNode(k, false, grain));
    else if (how === "forward") this.go(this.#until(timeline.move(k, 1, grain)));
    else this.go(this.#until(timeline.moveNode(k, true, grain)));
  }

  /** Go to where the next pass begins; backwards to where this one did, or else the one before. */
  turn(forward: boolean): boolean {
    this.setPlaying(false);
    const first = this.#timeline.pass(this.step, forward);
    if (first !== undefined) this.go(first);
    return first !== undefined;
  }

  go(step: number): void {
    const next = this.held(step);
    if (next === this.step) return;
    const ahead = next > this.step;
    this.step = next;
    this.#listener.moved(ahead);
  }

  /** Python, or another view, moved: nothing is reported, and the next step of playing is a beat away. */
  place(step: number): boolean {
    const next = this.held(step);
    if (next === this.step) return false;
    this.step = next;
    if (this.playing) this.#schedule();
    return true;
  }

  setPlaying(playing: boolean): void {
    if (playing === this.playing || this.#timeline.length === 0) return;
    this.playing = playing;
    clearTimeout(this.#timer);
    if (playing && this.atEnd) this.go(0);
    if (playing) this.#schedule();
    this.#listener.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.playing) this.#schedule();
    this.#listener.changed();
  }

  changeSpeed(by: number): void {
    const at = (SPEEDS as readonly number[]).indexOf(this.speed);
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))] ?? 1);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Where a way to `target` ends: at the first breakpoint on it. */
  #until(target: number): number {
    return this.#breakpoints.between(this.step, target, this.granularity) ?? target;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const target = this.#timeline.move(this.step, 1, this.granularity);
      const halt = this.#breakpoints.between(this.step, target, this.granularity);
      this.go(halt ?? target);
      if (this.atEnd || halt !== undefined || !this.#listener.mayPlay()) this.setPlaying(false);
      else if (this.playing) this.#schedule();
    }, PACE / this.speed);
  }
}
