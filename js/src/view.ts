// A scene on the page: its marks become SVG elements once, and the state only changes classes and texts.
//
// Positions come from the trace and never move. Roles are looked up in a fixed list, texts are text
// nodes, so a name from a notebook can only be read.
//
// Read next: panels.ts.

import { svg } from "./dom";
import type { Lookup } from "./lookup";
import { part } from "./lookup";
import { Token } from "./token";
import type { Event, Group, Mark, Scene, State, TensorInfo } from "./trace";

// A record, so that a role that the schema gains and this list lacks is a type error.
const ROLES: Record<Mark["c"], true> = {
  card: true,
  divider: true,
  name: true,
  value: true,
  key: true,
  grad: true,
  op: true,
  symbol: true,
  title: true,
  caption: true,
  index: true,
  wire: true,
  head: true,
  flow: true,
  flowhead: true,
  contribution: true,
  chip: true,
  chipkey: true,
  chiptext: true,
};
const KINDS = new Set(["tensor", "op", "wire", "flow", "saved"]);
const ANCHORS = new Set(["start", "middle", "end"]);

interface Drawn {
  group: Group;
  element: SVGGElement;
  slots: { element: Element; initial: string }[];
  path: SVGPathElement | undefined;
}

export interface ViewOptions {
  lookup: Lookup;
  title: string;
  /** A person picked the thing that event `k` tells about. */
  onPick?: (k: number) => void;
}

/** One drawn scene. */
export class SceneView {
  readonly element: SVGSVGElement;
  readonly scene: Scene;
  readonly #drawn = new Map<string, Drawn>();
  readonly #lookup: Lookup;
  readonly #token: Token;

  constructor(scene: Scene, { lookup, title, onPick }: ViewOptions) {
    this.scene = scene;
    this.#lookup = lookup;
    this.element = svg("svg", {
      class: "gl-svg",
      viewBox: `0 0 ${finite(scene.width)} ${finite(scene.height)}`,
      role: onPick ? "group" : "img",
      "aria-label": title,
    });
    for (const group of this.#ordered(scene.groups)) this.#draw(group, onPick);
    this.#token = new Token(this.element);
  }

  /** Lines, then what can be picked in the order of the pass (Tab walks as the engine does), then chips. */
  #ordered(groups: readonly Group[]): Group[] {
    const last = Number.MAX_SAFE_INTEGER;
    const place = ({ kind, id }: Group) => {
      if (kind === "saved") return last; // in the backward view they lie on their node's card
      return kind === "op" || kind === "tensor" ? (this.#lookup.stepOf(id) ?? last - 1) : -1;
    };
    return [...groups].sort((a, b) => place(a) - place(b));
  }

  #draw(group: Group, onPick: ViewOptions["onPick"]): void {
    const kind = KINDS.has(group.kind) ? group.kind : "wire";
    const element = svg("g", { class: `gl-g gl-${kind}s`, "data-id": group.id });
    const tensor = this.#lookup.tensors.get(group.id);
    if (tensor) classify(element, tensor);
    if (group.title) element.append(svg("title", {}, group.title));
    const drawn: Drawn = { group, element, slots: [], path: undefined };
    for (const mark of group.marks) {
      const made = shape(mark);
      if (!made) continue;
      if (mark.slot) drawn.slots.push({ element: made, initial: mark.t ?? "" });
      if (mark.c === "flow" && made instanceof SVGPathElement) drawn.path = made;
      element.append(made);
    }
    if (kind === "op") element.append(...tick(group.marks));
    if (kind === "saved") element.append(...hatch(group.marks));
    const k = kind === "op" || kind === "tensor" ? this.#lookup.stepOf(group.id) : undefined;
    if (onPick && k !== undefined) pickable(element, group.title || group.id, () => onPick(k));
    this.#drawn.set(group.id, drawn);
    this.element.append(element);
  }

  /** Show `state`, with `event` as what happens now and `focus` as where; `move` lets a token run along the edge in use. */
  update(state: State, event: Event | undefined, focus: ReadonlySet<string>, move: boolean): void {
    const edge = event ? part(event, "edge") : undefined;
    for (const [id, { group, element, slots }] of this.#drawn) {
      element.classList.toggle("gl-focus", focus.has(id));
      if (group.kind === "op") attribute(element, "data-status", this.#status(state, id));
      else if (group.kind === "tensor") this.#fillTensor(state, id, element, slots);
      else if (group.kind === "flow") this.#fillFlow(state, id, element, slots, edge);
      else if (group.kind === "saved")
        element.classList.toggle("gl-freed", Boolean(state.freed?.[savedBy(id)]));
    }
    const path = move && edge && event?.kind === "RuleApplied" ? this.#drawn.get(edge)?.path : undefined;
    this.#token.run(path);
  }

  #status(state: State, id: string): string {
    return state.status[id] ?? "pending";
  }

  #fillTensor(state: State, id: string, element: Element, slots: Drawn["slots"]): void {
    const tensor = this.#lookup.tensors.get(id);
    const earlier = tensor?.grad ?? undefined;
    const written = tensor?.is_leaf ? state.leaves?.[id]?.after : state.grads?.[id];
    for (const slot of slots) fillSlot(slot, (written ?? earlier)?.text);
    element.classList.toggle("gl-known", written !== undefined);
    element.classList.toggle("gl-earlier", written === undefined && earlier !== undefined);
  }

  #fillFlow(
    state: State,
    id: string,
    element: Element,
    slots: Drawn["slots"],
    edge: string | undefined,
  ): void {
    const [node, output] = id.split("<");
    const entering = output !== undefined && node !== undefined;
    const status = entering ? this.#status(state, node) : "";
    const tensor = entering ? output || this.#lookup.nodes.get(node)?.outputs[0] : undefined;
    const value = entering ? state.grads?.[tensor ?? ""] : state.edges?.[id];
    const visible = value !== undefined && (!entering || status === "current" || status === "done");
    element.classList.toggle("gl-shown", visible);
    element.classList.toggle("gl-now", visible && id === edge);
    for (const slot of slots) fillSlot(slot, value?.text);
  }

  /** Where things happen now, in the scene's own coordinates; undefined when nowhere in particular. */
  focusBox(focus: ReadonlySet<string>): { x: number; y: number } | undefined {
    const points = [...focus].flatMap((id) => {
      const mark = this.#drawn.get(id)?.group.marks.find(({ m }) => m === "rect" || m === "circle");
      return mark ? [{ x: finite(mark.x) + finite(mark.w) / 2, y: finite(mark.y) + finite(mark.h) / 2 }] : [];
    });
    if (!points.length) return undefined;
    const middle = (values: number[]) => (Math.min(...values) + Math.max(...values)) / 2;
    return { x: middle(points.map(({ x }) => x)), y: middle(points.map(({ y }) => y)) };
  }

  destroy(): void {
    this.#token.stop();
  }
}

function finite(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

function shape(mark: Mark): SVGElement | undefined {
  const role = Object.hasOwn(ROLES, mark.c) ? `gl-${mark.c}` : "gl-caption";
  const [x, y, w, h, r] = [mark.x, mark.y, mark.w, mark.h, mark.r].map(finite);
  if (mark.m === "rect") return svg("rect", { class: role, x, y, width: w, height: h, rx: r });
  if (mark.m === "circle") return svg("circle", { class: role, cx: x, cy: y, r });
  if (mark.m === "path") return svg("path", { class: role, d: String(mark.d ?? "") });
  if (mark.m !== "text") return undefined;
  const anchor = ANCHORS.has(mark.a ?? "") ? mark.a : "start";
  return svg("text", { class: role, x, y, "text-anchor": anchor }, String(mark.t ?? ""));
}

function classify(element: Element, tensor: TensorInfo): void {
  element.classList.toggle("gl-leaf", tensor.is_leaf && tensor.requires_grad);
  element.classList.toggle("gl-constant", !tensor.requires_grad);
}

/** The badge of a node that is done, at its upper right. */
function tick(marks: readonly Mark[]): SVGElement[] {
  const body = marks.find(({ c }) => c === "op" || c === "card");
  if (!body) return [];
  const [x, y, r] = [finite(body.x), finite(body.y), finite(body.r)];
  const [cx, cy] = body.m === "circle" ? [x + r * 0.74, y - r * 0.74] : [x + finite(body.w) - 2, y + 2];
  const badge = svg("g", { class: "gl-tick", transform: `translate(${cx} ${cy})` });
  badge.append(svg("circle", { r: 7 }), svg("path", { d: "M-3.2 .3L-.9 2.7L3.4 -2.5" }));
  return [badge];
}

/** Strokes across a chip, shown once its tensor is freed. Lines, not a pattern: a pattern needs an id. */
function hatch(marks: readonly Mark[]): SVGElement[] {
  const chip = marks.find(({ m }) => m === "rect");
  if (!chip) return [];
  const [x, y, w, h] = [chip.x, chip.y, chip.w, chip.h].map(finite) as [number, number, number, number];
  let d = "";
  for (let offset = 4 - h; offset < w; offset += 6) {
    const from = Math.max(0, -offset);
    const to = Math.min(h, w - offset);
    if (to > from) d += `M${x + offset + from} ${y + h - from}L${x + offset + to} ${y + h - to}`;
  }
  return [svg("path", { class: "gl-hatch", d })];
}

function pickable(element: SVGGElement, label: string, pick: () => void): void {
  for (const [name, value] of [
    ["tabindex", "0"],
    ["role", "button"],
    ["aria-label", `${label}. Go to its step`],
  ] as const) {
    element.setAttribute(name, value);
  }
  element.classList.add("gl-pick");
  element.addEventListener("click", pick);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    pick();
  });
}

/** "n2" of the saved chip "s:n2.other". */
function savedBy(id: string): string {
  return id.slice(2).split(".")[0] ?? "";
}

function attribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function fillSlot({ element, initial }: Drawn["slots"][number], text: string | undefined): void {
  const shown = text ?? initial;
  if (element.textContent !== shown) element.textContent = shown;
  element.classList.toggle("gl-filled", text !== undefined);
}
