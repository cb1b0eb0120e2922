// Where playing and Shift+Right halt: at nodes that a person marked, or at every node of one kind.
//
// A breakpoint is written as a node's id ("n2") or as the name of a kind of node ("MulBackward0").
//
// Read next: walk.ts, which asks; breaklist.ts, where they are chosen.

import type { Lookup } from "./lookup";
import type { Timeline } from "./timeline";
import type { Granularity } from "./trace";
import { rank, runners } from "./turns";

export class Breakpoints {
  #marks = new Set<string>();
  readonly #lookup: Lookup;
  readonly #timeline: Timeline;
  readonly #runners: readonly string[];
  readonly #turns: [node: string, events: number[]][] = []; // who had its turn, in order

  constructor(timeline: Timeline, lookup: Lookup) {
    this.#timeline = timeline;
    this.#lookup = lookup;
    this.#runners = runners(timeline.events);
    for (const [k, node] of this.#runners.entries()) {
      const last = this.#turns.at(-1);
      if (last?.[0] === node) last[1].push(k);
      else if (node) this.#turns.push([node, [k]]);
    }
  }

  get list(): string[] {
    return [...this.#marks];
  }

  /** Take `marks` for the breakpoints; what names nothing here is left out. */
  set(marks: readonly string[]): void {
    const names = new Set([...this.#lookup.nodes.values()].map(({ name }) => name));
    this.#marks = new Set(marks.filter((mark) => this.#lookup.nodes.has(mark) || names.has(mark)));
  }

  has(mark: string): boolean {
    return this.#marks.has(mark);
  }

  toggle(mark: string): void {
    if (!this.#marks.delete(mark)) this.#marks.add(mark);
  }

  /** The node at work at event `k`; "" when there is none. */
  nodeAt(k: number): string {
    return this.#runners[k] ?? "";
  }

  /** Whether a walk halts at this node, for its own sake or for its kind's. */
  at(node: string): boolean {
    return this.#marks.has(node) || this.#marks.has(this.#lookup.nodes.get(node)?.name ?? "");
  }

  /** Every event at which a walk of this granularity halts: where a marked node first does something. */
  halts(granularity: Granularity): number[] {
    if (!this.#marks.size) return [];
    const limit = Math.max(1, rank(granularity));
    const tells = (k: number) => rank(this.#timeline.events[k]?.level ?? "micro") <= limit;
    return this.#turns
      .filter(([node]) => this.at(node))
      .map(([, events]) => events.find(tells) ?? events[0] ?? 0);
  }

  /** The first halt after event `from` and no later than event `to`. */
  between(from: number, to: number, granularity: Granularity): number | undefined {
    return this.halts(granularity).find((k) => k > from && k <= to);
  }
}
