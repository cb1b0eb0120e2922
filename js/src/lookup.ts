// What an id names, what to call it, and which step tells about it.
//
// Read next: panels.ts.

import type { EdgeInfo, Event, NodeInfo, Saved, Source, TensorInfo, Trace } from "./trace";

export class Lookup {
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  readonly nodes: ReadonlyMap<string, NodeInfo>;
  readonly edges: ReadonlyMap<string, EdgeInfo>;
  readonly root: string;
  readonly #steps = new Map<string, number>();

  constructor(trace: Trace) {
    const { graph, events } = trace;
    this.root = graph.root;
    this.tensors = new Map(graph.tensors.map((tensor) => [tensor.id, tensor]));
    this.nodes = new Map(graph.nodes.map((node) => [node.id, node]));
    this.edges = new Map(graph.edges.map((edge) => [edge.id, edge]));
    // The first event that tells most about a thing: what a node did, before that it was entered.
    for (const kinds of [
      ["LeafWritten", "Seeded"],
      ["RuleApplied", "GradRetained", "Failed"],
      ["NodeEntered"],
    ]) {
      for (const [k, event] of events.entries()) {
        if (kinds.includes(event.kind)) this.#note(event, k);
      }
    }
  }

  #note(event: Event, k: number): void {
    const node = event.kind === "Seeded" ? undefined : part(event, "node");
    for (const id of [part(event, "tensor"), node, part(event, "edge")]) {
      if (id && !this.#steps.has(id)) this.#steps.set(id, k);
    }
  }

  /** The event to jump to when a person picks `id`; undefined when nothing happens to it. */
  stepOf(id: string): number | undefined {
    return this.#steps.get(id);
  }

  /** A tensor's name, else its value, else its id. */
  label(id: string | null | undefined): string {
    const tensor = this.tensors.get(id ?? "");
    return tensor?.name || tensor?.value?.text || id || "";
  }

  nodeLabel(id: string): string {
    const node = this.nodes.get(id);
    if (!node) return id;
    return node.variable ? `${node.name} · ${this.label(node.variable)}` : `${node.name} · ${node.sequence}`;
  }

  saved(id: string): readonly Saved[] {
    return this.nodes.get(id)?.saved ?? [];
  }

  /** The line of code behind an event: of the node that it names, or that made its tensor. */
  source(event: Event): Source | undefined {
    if (event.kind === "Failed" && event.source) return event.source;
    const node = this.nodes.get(part(event, "node") ?? "");
    if (node?.source) return node.source;
    const producer = this.tensors.get(part(event, "tensor") ?? node?.variable ?? "")?.producer;
    return this.nodes.get(producer ?? "")?.source ?? undefined;
  }
}

/** The id under `key`, for the events that have one. */
export function part(event: Event, key: "node" | "tensor" | "edge"): string | undefined {
  const found = (event as unknown as { [key: string]: unknown })[key];
  return typeof found === "string" ? found : undefined;
}
