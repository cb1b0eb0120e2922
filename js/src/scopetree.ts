// The scopes of a large graph, as a tree: each scope has a scene of its own.
//
// Every node is drawn in full in one scene, its home. In the scenes above that, the card of a scope
// stands for it.
//
// Read next: picture.ts, viewport.ts.

import type { Lookup } from "./lookup";
import { countUpTo } from "./timeline";
import type { Event, Scene, Trace } from "./trace";

export interface Progress {
  done: number;
  total: number;
}

/** The scenes of one pass in one view. */
export class ScopeTree {
  readonly #scenes = new Map<string, Scene>();
  readonly #whole: Scene | undefined; // the whole graph in full, unless it is too large
  readonly #above = new Map<string, string>(); // scope -> the scope whose scene holds its card
  readonly #labels = new Map<string, string>();
  readonly #homes = new Map<string, string>(); // id of a node or tensor -> the scope that draws it in full
  readonly #done = new Map<string, number[]>(); // scope -> the events at which its nodes were done, in order
  readonly #totals = new Map<string, number>();
  readonly #lookup: Lookup;

  constructor(scenes: readonly Scene[], lookup: Lookup, doneAt: ReadonlyMap<string, number>) {
    this.#lookup = lookup;
    const cards = (scene: Scene) => scene.groups.filter(({ kind }) => kind === "scope");
    this.#whole = scenes.find((scene) => !scene.scope && !cards(scene).length);
    for (const scene of scenes) {
      if (scene === this.#whole && scenes.length > 1) continue;
      const scope = scene.scope ?? "";
      this.#scenes.set(scope, scene);
      for (const { id, kind, marks } of scene.groups) {
        if (kind === "scope") {
          this.#above.set(id.slice(1), scope);
          this.#labels.set(id.slice(1), marks.find(({ c }) => c === "title")?.t ?? id.slice(1));
        } else if (kind === "op" || kind === "tensor") this.#homes.set(id, scope);
      }
    }
    this.#count(doneAt);
  }

  /** Whether there is a scope to enter, or to collapse. */
  get any(): boolean {
    return this.#above.size > 0;
  }

  /** Whether the whole graph can be shown in full as well as collapsed. */
  get both(): boolean {
    return this.any && this.#whole !== undefined;
  }

  /** The scene of a scope; the whole graph where nothing is collapsed. */
  scene(scope: string, collapsed: boolean): Scene | undefined {
    return (
      (collapsed ? undefined : this.#whole) ?? this.#scenes.get(scope) ?? this.#scenes.get("") ?? this.#any()
    );
  }

  /** The first scene, for a trace that draws one scope only. */
  #any(): Scene | undefined {
    return this.#scenes.values().next().value;
  }

  has(scope: string): boolean {
    return this.#scenes.has(scope);
  }

  label(scope: string): string {
    return this.#labels.get(scope) ?? scope;
  }

  /** The scopes around `scope` and itself, outermost first; "" is the whole graph. */
  way(scope: string): string[] {
    const way = [scope];
    for (let at = scope; at && way.length < 64; way.unshift(at)) at = this.#above.get(at) ?? "";
    return way;
  }

  /** The scope whose scene draws `id` in full. */
  home(id: string): string {
    const variable = this.#lookup.nodes.get(id)?.variable; // the computation view has leaves, but no AccumulateGrad nodes
    return this.#homes.get(id) ?? this.#homes.get(variable ?? "") ?? this.#named(id);
  }

  /** The innermost scope with a card around the node `id`. */
  #named(id: string): string {
    const { nodes, tensors } = this.#lookup;
    let path = (nodes.get(id) ?? nodes.get(tensors.get(id)?.producer ?? ""))?.scope ?? "";
    while (path && !this.#above.has(path)) path = path.slice(0, Math.max(0, path.lastIndexOf(".")));
    return path;
  }

  /** The card in the scene of `scope` that stands for `id`, such as "@net.layer1"; "" for none. */
  card(scope: string, id: string): string {
    const way = this.way(this.home(id));
    const at = way.indexOf(scope);
    return at >= 0 && at < way.length - 1 ? `@${way[at + 1]}` : "";
  }

  /** What shows `id` in a scene; see `standIn`. */
  standIn(scene: Scene, id: string): string {
    return standIn(scene, id, this);
  }

  /** How many nodes of a scope were done by event `k`. */
  progress(scope: string, k: number): Progress {
    const done = countUpTo(k, this.#done.get(scope) ?? []);
    return { done, total: this.#totals.get(scope) ?? 0 };
  }

  /** The event at which the first node of a scope was done. */
  begins(scope: string): number | undefined {
    return this.#done.get(scope)?.[0];
  }

  #count(doneAt: ReadonlyMap<string, number>): void {
    if (!this.any) return;
    for (const id of this.#lookup.nodes.keys()) {
      const k = doneAt.get(id);
      for (const scope of this.way(this.home(id))) {
        this.#totals.set(scope, (this.#totals.get(scope) ?? 0) + 1);
        if (k === undefined) continue;
        const times = this.#done.get(scope);
        if (times) times.push(k);
        else this.#done.set(scope, [k]);
      }
    }
    for (const times of this.#done.values()) times.sort((a, b) => a - b);
  }
}

const shared = new WeakMap<Scene, Map<string, string>>(); // id -> the id of the group that draws it

/** What shows `id` in a scene: itself, a line that several edges share, or the card of a scope; "" for none. */
export function standIn(scene: Scene, id: string, scopes: ScopeTree | undefined): string {
  let drawn = shared.get(scene);
  if (!drawn) {
    drawn = new Map(scene.groups.flatMap(({ id, members }) => (members ?? []).map((edge) => [edge, id])));
    for (const group of scene.groups) drawn.set(group.id, group.id);
    shared.set(scene, drawn);
  }
  if (!id) return "";
  return drawn.get(id) ?? drawn.get(scopes?.card(scene.scope ?? "", id) ?? "") ?? "";
}

/** The event at which each node was done, among the events from `first` up to `end`. */
export function whenDone(trace: Trace, first: number, end: number): Map<string, number> {
  const found = new Map<string, number>();
  for (let k = first; k < end; k += 1) {
    const { status } = ((trace.events[k] as Event | undefined)?.patch ?? {}) as { status?: unknown };
    if (!status || typeof status !== "object") continue;
    for (const [id, is] of Object.entries(status)) if (is === "done") found.set(id, k);
  }
  return found;
}
