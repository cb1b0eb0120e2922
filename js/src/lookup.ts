// Finds things by their ids: the thing itself, its label, and the step that tells about it.
//
// Read next: cards/card.ts.

import { bracketed } from "./dom";
import type {
  EdgeInfo,
  Event,
  NodeInfo,
  Pass,
  Saved,
  Source,
  State,
  TensorInfo,
  Trace,
  Value,
} from "./trace";

export const DROPPED = "then dropped"; // what becomes of a gradient that no `.grad` keeps
export const UNKNOWN = "not computed";
export const NONE = "None"; // the text of a cleared `.grad`

/** The text of a gradient; "returned 3.0" if `autograd.grad` returned it. */
export const gradText = (value: Value | null | undefined, { returned }: State, id: string) =>
  value ? (returned?.[id] ? "returned " : "") + value.text : undefined;

export class Lookup {
  tensors!: ReadonlyMap<string, TensorInfo>;
  nodes!: ReadonlyMap<string, NodeInfo>;
  edges!: ReadonlyMap<string, EdgeInfo>;
  passes!: readonly Pass[];
  #root = "";
  #steps = new Map<string, number>();
  #computed = new Map<string, number>(); // the same for the forward pass
  #weighed = new Set<number>(); // passes that start with given weights

  /** `like`: the lookup of the same graph with other values. */
  constructor(trace: Trace, like?: Lookup) {
    this.read(trace, like);
  }

  /** Find things in another trace from now on. */
  read({ graph, events, ...trace }: Trace, like?: Lookup): void {
    this.passes = trace.passes ?? [];
    this.#root = graph.root;
    this.tensors = new Map(graph.tensors.map((tensor) => [tensor.id, tensor]));
    this.nodes = new Map(graph.nodes.map((node) => [node.id, node]));
    this.edges = like?.edges ?? new Map(graph.edges.map((edge) => [edge.id, edge]));
    this.#steps = like ? like.#steps : new Map();
    this.#computed = like ? like.#computed : new Map();
    this.#weighed = like ? like.#weighed : new Set();
    if (like) return;
    // The step of a thing is its first event of the kind that tells most: what a node did, before its start.
    for (const kinds of [
      ["LeafWritten", "Seeded"],
      ["RuleApplied", "GradRetained", "Failed"],
      ["NodeEntered"],
    ]) {
      let pass = 0;
      for (const [k, event] of events.entries()) {
        if (k >= (this.passes[pass + 1]?.first ?? events.length)) pass += 1;
        if (kinds.includes(event.kind)) this.#note(event, k, pass);
        if (event.kind === "Seeded" && !event.queue && isWeighed(event.value.text)) this.#weighed.add(pass);
        const made = event.kind === "Computed" ? [event.node, ...event.tensors] : [];
        for (const id of event.kind === "ForwardBegan" ? event.there : made)
          this.#computed.set(`${pass} ${id}`, k);
      }
    }
  }

  #note(event: Event, k: number, pass: number): void {
    const node = event.kind === "Seeded" ? undefined : part(event, "node");
    for (const id of [part(event, "tensor"), node, part(event, "edge")]) {
      const key = `${pass} ${id}`;
      if (id && !this.#steps.has(key)) this.#steps.set(key, k);
    }
  }

  /** The tensor whose gradients a pass computes. */
  root(pass: number): string {
    return this.passes[pass]?.root ?? this.#root;
  }

  /** The name of what a pass differentiates: its root y, or with given weights g the product g·y. */
  derived(pass: number): string {
    const name = bracketed(this.label(this.root(pass)));
    return this.#weighed.has(pass) ? `(g·${name})` : name;
  }

  /** "pass 2 of 3: loss"; "" where there is only one. */
  passTitle(pass: number): string {
    const count = this.passes.length;
    return count > 1 ? `pass ${pass + 1} of ${count}: ${this.passes[pass]?.title}` : "";
  }

  /**
   * The event of a pass to jump to when a person chooses `id`; undefined when nothing happens to it.
   * `forward`: the event that computes it, if the forward pass is walked.
   */
  stepOf(id: string, pass: number, forward?: unknown): number | undefined {
    const key = `${pass} ${id}`;
    return (forward ? this.#computed.get(key) : undefined) ?? this.#steps.get(key);
  }

  /** The name of a tensor, or else its value, or else its id. */
  label(id: string | null | undefined): string {
    const tensor = this.tensors.get(id ?? "");
    return tensor?.name || tensor?.value?.text || id || "";
  }

  /** "MulBackward0 · 4" is the node that was made 4th. */
  nodeLabel(id: string): string {
    const node = this.nodes.get(id);
    if (!node) return id;
    return `${node.name} · ${node.variable ? this.label(node.variable) : node.sequence + 1}`;
  }

  saved(id: string): readonly Saved[] {
    return this.nodes.get(id)?.saved ?? [];
  }

  /** The line of code of an event: the one to blame, its own, or that of the node it tells about. */
  source(event: Event): Source | undefined {
    const { cause, source } = event as { cause?: Source | null; source?: Source | null };
    const node = this.nodes.get(part(event, "node") ?? "");
    const producer = this.tensors.get(part(event, "tensor") ?? node?.variable ?? "")?.producer;
    return cause ?? source ?? node?.source ?? this.nodes.get(producer ?? "")?.source ?? undefined;
  }
}

const isWeighed = (seed: string) => seed !== "1.0" && seed !== "unknown"; // as in graph/events/event.py

/** The id under `key`, if the event has one. */
export function part(event: Event, key: "node" | "tensor" | "edge"): string | undefined {
  const found = (event as unknown as { [key: string]: unknown })[key];
  return typeof found === "string" ? found : undefined;
}

/** The present value of a saved tensor, which may have been changed in place. */
export function valueNow(saved: Saved, state: State): Saved["value"] {
  return state.values?.[saved.tensor ?? ""] ?? saved.value;
}

/** The present version of a saved tensor. */
export function versionNow(saved: Saved, state: State): number {
  // A result that was changed several times while recorded has a card for each change, and one version for all.
  return Math.max(state.versions?.[saved.tensor ?? ""] ?? 0, saved.version_now ?? 0);
}
