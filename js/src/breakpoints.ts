// Where playing and Shift+Right stop: at nodes that a person marked, or at every node of one kind.
//
// A breakpoint is a node's id ("n2") or the name of a kind of node ("MulBackward0"). Which ones are
// set is in state.ts.
//
// Read next: breakpointlist.ts, where a person chooses them.

import type { Lookup } from "./lookup";
import { levelOf } from "./nodeowner";
import type { Timeline } from "./timeline";
import type { Granularity } from "./trace";

export class BreakpointIndex {
  readonly #lookup: Lookup;
  readonly #timeline: Timeline;
  readonly #runs: [node: string, events: number[]][] = []; // every run of a node, in order

  constructor(timeline: Timeline, lookup: Lookup) {
    this.#timeline = timeline;
    this.#lookup = lookup;
    for (const [k, node] of timeline.owners.entries()) {
      const last = this.#runs.at(-1);
      if (last?.[0] === node) last[1].push(k);
      else if (node) this.#runs.push([node, [k]]);
    }
  }

  /** Those of `marks` that name a node or a kind of node of this trace. */
  known(marks: readonly string[]): string[] {
    const kinds = new Set([...this.#lookup.nodes.values()].map(({ name }) => name));
    return [...new Set(marks)].filter((mark) => this.#lookup.nodes.has(mark) || kinds.has(mark));
  }

  /** The node that runs at event `k`; "" for none. */
  nodeAt(k: number): string {
    return this.#timeline.owners[k] ?? "";
  }

  /** Whether `marks` hold this node or its kind. */
  at(node: string, marks: readonly string[]): boolean {
    return marks.includes(node) || marks.includes(this.#lookup.nodes.get(node)?.name ?? "");
  }

  /** The events at which a walk of this granularity stops: where a marked node first does something. */
  events(marks: readonly string[], granularity: Granularity): number[] {
    if (!marks.length) return [];
    const limit = Math.max(1, levelOf(granularity));
    const shown = (k: number) => levelOf(this.#timeline.events[k]?.level ?? "micro") <= limit;
    return this.#runs
      .filter(([node]) => this.at(node, marks))
      .map(([, events]) => events.find(shown) ?? events[0] ?? 0);
  }

  /** The first breakpoint after event `from` and no later than event `to`. */
  between(from: number, to: number, marks: readonly string[], granularity: Granularity): number | undefined {
    return this.events(marks, granularity).find((k) => k > from && k <= to);
  }
}
