// One drawing of the graph: the marks of a scene become SVG elements once, and then a step only changes
// classes and texts. Positions come from the trace and never move.
//
// Read next: svglayers.ts (where it is drawn), marks.ts (what is drawn), groups.ts (what a step changes).

import { setText, svg } from "./dom";
import { type Draw, drawing, type Heat, type Now, type Slot, savedBy, squeezed } from "./groups";
import { type Lookup, part } from "./lookup";
import { corner, corners, finite, hatch, middle, named, pickable, shape } from "./marks";
import type { Moment } from "./moment";
import { nearest, within } from "./neighbours";
import { type ScopeTree, standIn } from "./scopetree";
import { makeSvgLayers, type SvgLayers } from "./svglayers";
import { Token } from "./token";
import type { Group, Mark, Scene, TensorInfo } from "./trace";

/** What a drawing shows of a moment. */
export type Picture = Pick<Moment, "state" | "event" | "focus" | "settled" | "lookup" | "was">;

const KINDS = new Set(["tensor", "op", "wire", "flow", "saved", "scope", "stub"]);
const DIGIT = 6.36; // pixels: the width of a character of a gradient
const [LETTER, SLIM, BROAD] = [9.2, 6, 14]; // pixels: about the width of a letter of a name
const AROUND = 8; // pixels: above and below a mark, for the letters of a text and the ring of a step
const AIR: { [slot: string]: number } = { contribution: 2.1, grad: 0.3 }; // characters that an enlarged text has more
export const VALUE = 11; // pixels: the size of the text of a value that the layout has counted on

interface Drawn {
  group: Group;
  marks: readonly (SVGElement | undefined)[]; // the elements of the marks
  element: SVGGElement;
  path: SVGPathElement | undefined;
  draw: Draw | undefined;
}

export interface ViewOptions {
  lookup: Lookup;
  title: string;
  about?: string; // what is connected with what, in sentences
  pass: number;
  /** A person chose a thing that an event tells about. */
  onPick?: (id: string) => void;
  /** The scopes that this drawing belongs to, and what to do when a person enters one of them. */
  scopes?: ScopeTree | undefined;
  onEnter?: (scope: string) => void;
}

/** One drawn scene. */
export class SceneView {
  readonly element: HTMLElement;
  scene: Scene;
  readonly #layers: SvgLayers;
  readonly #drawn = new Map<string, Drawn>();
  readonly #lookup: Lookup;
  readonly #token: Token;
  readonly #links = new Map<string, readonly string[]>(); // id -> the ids that a line joins it to
  readonly #ended = new Map<string, string[]>();
  readonly #options: ViewOptions;
  #focus: ReadonlySet<string> = new Set();
  #way: SVGPathElement | undefined; // on which the token will run
  #enlarged = 1; // how many times as large as in the layout the texts are
  #now: Now | undefined;

  constructor(scene: Scene, options: ViewOptions) {
    const { lookup, title, about, onPick } = options;
    this.scene = scene;
    this.#options = options;
    this.#lookup = lookup;
    const [width, height] = [finite(scene.width), finite(scene.height)];
    this.#layers = makeSvgLayers(width, height, onPick ? "group" : "img", title, about);
    this.element = this.#layers.element;
    for (const group of this.#ordered(scene.groups)) this.#draw(group, onPick);
    this.#token = new Token(this.element, width);
    for (const id of this.#drawn.keys()) {
      const [one, other] = this.#ends(id);
      if (!id.startsWith("w:") || !one || !other) continue;
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        this.#links.set(from, [...(this.#links.get(from) ?? []), to]);
      }
    }
  }

  /** Lines first, then nodes in the order of the pass, which is the order of the Tab key, then chips. */
  #ordered(groups: readonly Group[]): Group[] {
    const last = Number.MAX_SAFE_INTEGER;
    const place = ({ kind, id }: Group) => {
      if (kind === "saved") return last; // in the backward view they lie on the card of their node
      if (kind === "scope") return this.#options.scopes?.begins(id.slice(1)) ?? last - 1;
      if (kind === "stub") return last - 1;
      return kind === "op" || kind === "tensor"
        ? (this.#lookup.stepOf(id, this.#options.pass) ?? last - 1)
        : -1;
    };
    return [...groups].sort((a, b) => place(a) - place(b));
  }

  #draw(group: Group, onPick: ViewOptions["onPick"]): void {
    const lookup = this.#lookup;
    const kind = KINDS.has(group.kind) ? group.kind : "wire";
    const hidden = kind === "wire" || kind === "flow" ? "true" : undefined; // other parts say their numbers
    const element = svg("g", { class: `gl-g gl-${kind}s`, "data-id": group.id, "aria-hidden": hidden });
    const tensor = lookup.tensors.get(group.id);
    if (tensor) classify(element, tensor);
    const layer = lookup.nodes.get(tensor?.producer ?? group.id)?.layer;
    if (layer) element.setAttribute("data-layer", String(layer));
    if (kind === "wire") element.classList.toggle("gl-nograd", this.#isConstant(group.id));
    if (group.title) element.append(svg("title", {}, this.#titleOf(group)));
    let path: SVGPathElement | undefined;
    const marks = group.marks.map((mark) => {
      const made = shape(mark);
      if (!made) return undefined;
      if (mark.c === "flow" && made instanceof SVGPathElement) path = made;
      element.append(made);
      if (mark.c === "track") {
        const bar = shape({ ...mark, w: 0 });
        bar?.setAttribute("class", "gl-part");
        element.append(bar ?? "");
      }
      return made;
    });
    if (kind === "op" || kind === "scope") element.append(...corners(group.marks));
    if (kind === "saved") element.append(...hatch(group.marks));
    const told = kind === "saved" ? savedBy(group.id) : kind === "op" || kind === "tensor" ? group.id : "";
    const k = lookup.stepOf(told, this.#options.pass);
    if (onPick && k !== undefined) {
      const pick = () => onPick(told);
      if (kind !== "saved") pickable(element, group.marks, pick);
      else element.addEventListener("click", pick); // it lies on its node, which takes the keys
    }
    if (onPick && kind === "tensor" && tensor?.is_leaf)
      element.append(...change(group, k === undefined, tensor));
    const { scopes, onEnter } = this.#options;
    if (scopes && onEnter && (kind === "scope" || kind === "stub")) {
      const inside = group.id.startsWith("@") ? group.id.slice(1) : scopes.home(group.id);
      pickable(
        element,
        group.marks.filter(({ c }) => c === "card" || c === "stub"),
        () => onEnter(inside),
      );
    }
    this.#drawn.set(group.id, { group, element, marks, path, draw: this.#drawing(group, element, marks) });
    this.#layers.append(element);
  }

  /** The title of a group; a node that can be chosen has its number, because several may come from one line. */
  #titleOf({ id, title }: Group): string {
    const node = this.#options.onPick && this.#lookup.nodes.get(id);
    return node ? title.replace(node.name, () => this.#lookup.nodeLabel(id)) : title;
  }

  /** The function that shows a moment in a group. */
  #drawing(group: Group, element: SVGGElement, made: Drawn["marks"]): Draw | undefined {
    const lookup = this.#lookup;
    const { name, value } = lookup.tensors.get(group.id) ?? {};
    const edited = name || `the value recorded as ${value?.text}`;
    element.querySelector("[data-edit]")?.setAttribute("aria-label", `Change ${edited}`);
    const slots: Slot[] = [];
    const heats: Heat[] = [];
    for (const [at, mark] of group.marks.entries()) {
      const one = made[at];
      if (!one) continue;
      const text = mark.t ?? "";
      const isValue = mark.c === "value" && lookup.tensors.has(group.id);
      const isSaved = mark.c === "chiptext";
      const name = mark.slot || (isValue ? "value" : isSaved ? "saved" : "");
      const width = finite(mark.w) || (isValue ? room(group.marks) : 0);
      const large = this.#enlarged > 1;
      const characters = width / (DIGIT * this.#enlarged) + (large ? (AIR[name] ?? 0) : 0);
      const written = (text.length + (large ? 1.5 : 1)) / this.#enlarged; // what a chip has room for
      const most = isSaved ? written : width ? characters : Number.POSITIVE_INFINITY;
      const initial = large && (isValue || isSaved) ? shortened(text, most, isSaved) : text; // in its layout it has its room
      if (mark.m === "heat") heats.push({ element: one, mark });
      else if (name) slots.push({ element: one, initial, name, most });
    }
    const bar = element.querySelector<SVGElement>(":scope > .gl-part") ?? undefined;
    const { scopes } = this.#options;
    const progress = (scope: string, at: number) => scopes?.progress(scope, at) ?? { done: 0, total: 0 };
    return drawing({ group, element, slots, heats, bar, lookup, progress });
  }

  /** Show a moment. `move`: a token will run along the edge in use. */
  update({ state, event, focus: at, settled: k, lookup, was }: Picture, move: boolean): void {
    const edge = this.standIn(event ? (part(event, "edge") ?? "") : "");
    const current = this.standIn(state.current ?? "");
    const now = { state, lookup, was, edge, current, k };
    this.#now = now;
    for (const { draw } of this.#drawn.values()) draw?.(now);
    const focus = new Set(this.#standIns(at));
    for (const id of this.#focus)
      if (!focus.has(id)) this.#drawn.get(id)?.element.classList.remove("gl-focus");
    for (const id of focus) this.#drawn.get(id)?.element.classList.add("gl-focus");
    this.#focus = focus;
    this.#way = move && edge && event?.kind === "RuleApplied" ? this.#drawn.get(edge)?.path : undefined;
  }

  /** Texts are `times` as large as the layout has counted on: show what there is room for. */
  enlarge(times: number): void {
    if (times === this.#enlarged) return;
    this.#enlarged = times;
    for (const drawn of this.#drawn.values()) {
      drawn.draw = this.#drawing(drawn.group, drawn.element, drawn.marks);
      if (this.#now) drawn.draw?.(this.#now);
    }
  }

  /** Let the token run, once everything else is drawn. */
  settle(): void {
    this.#token.run(this.#way);
    this.#way = undefined;
  }

  /** The id of the group that shows `id` in this scene: see `standIn` in scopetree.ts. */
  standIn(id: string): string {
    return standIn(this.scene, id, this.#options.scopes);
  }

  /** Whether the wire "w:n2.0" leads from a tensor without a gradient, which gives it another look. */
  #isConstant(id: string): boolean {
    const [, node = "", at = ""] = /^w:(.+)\.(\d+)$/.exec(id) ?? [];
    if (this.scene.view === "backward") return false; // the edges of next_functions always carry gradients
    const input = this.#lookup.nodes.get(node)?.inputs[Number(at)];
    return this.#lookup.tensors.get(input ?? "")?.requires_grad === false;
  }

  /** Show the values of `scene`, if it differs in nothing else from the scene that is drawn. */
  retell(scene: Scene): boolean {
    const known = ({ id, marks }: Group) => this.#drawn.get(id)?.marks.length === marks.length;
    const sizes = ({ width, height, groups }: Scene) => `${[width, height, groups.length]}`;
    if (sizes(scene) !== sizes(this.scene) || !scene.groups.every(known)) return false;
    this.scene = scene;
    for (const group of scene.groups) {
      const drawn = this.#drawn.get(group.id) as Drawn;
      if (drawn.group === group && /^(op|wire)$/.test(group.kind)) continue; // it shows no value
      const title = drawn.element.querySelector(":scope > title");
      if (title) setText(title, this.#titleOf(group));
      for (const [at, { t, slot }] of group.marks.entries()) {
        const made = drawn.marks[at];
        if (t && !slot && made && group.marks[at]?.m === "text") setText(made, t);
      }
      drawn.group = group;
      drawn.draw = this.#drawing(group, drawn.element, drawn.marks);
    }
    this.welcome([]);
    return true;
  }

  /** Mark what the trace before did not have. */
  welcome(came: readonly string[]): void {
    for (const sign of this.element.querySelectorAll(".gl-new")) {
      sign.parentElement?.classList.remove("gl-came");
      sign.remove();
    }
    for (const id of came) {
      const { element, group } = this.#drawn.get(id) ?? {};
      const body = group?.marks.find(({ c }) => c === "op" || c === "card");
      if (!element || !body) continue;
      element.classList.add("gl-came");
      const { x, y } = corner(body);
      element.append(svg("text.gl-new", { x, y: y - 4 }, "new"));
      element.querySelector("title")?.append("; new");
      named(element);
    }
  }

  /** Mark the nodes with breakpoints. */
  mark(broken: (node: string) => boolean): void {
    for (const [id, { group, element }] of this.#drawn)
      if (group.kind === "op") element.classList.toggle("gl-break", broken(id));
  }

  /** Draw only the `most` groups nearest to those in `from`. Returns how many are left out. */
  limit(from: Iterable<string>, most: number): number {
    const near = nearest(this.#links, this.#standIns(from), most);
    this.#toggleFar("gl-away", near);
    return this.#links.size - near.size;
  }

  /** Fade what is more than `hops` lines away from the ids in `from`. */
  fade(from: Iterable<string>, hops: number): void {
    this.#toggleFar("gl-far", within(this.#links, this.#standIns(from), hops));
  }

  /** Give `name` as a class to everything that is not in `near`, and to the lines that lead there. */
  #toggleFar(name: string, near: ReadonlySet<string>): void {
    for (const [id, { element }] of this.#drawn) {
      const far = this.#ends(id).some((end) => this.#links.has(end) && !near.has(end));
      element.classList.toggle(name, far);
    }
  }

  /** The ids of a scope that this scene draws. */
  inside(scope: string): string[] {
    const within = (id: string) => `${this.#lookup.nodes.get(id)?.scope ?? ""}.`.startsWith(`${scope}.`);
    return [...this.#drawn.keys()].filter((id) => within(this.#lookup.tensors.get(id)?.producer ?? id));
  }

  #standIns(ids: Iterable<string>): string[] {
    return [...ids].map((id) => this.standIn(id)).filter(Boolean);
  }

  /** The groups at the ends of the line `id`, or the group that `id` belongs to. */
  #ends(id: string): string[] {
    const known = this.#ended.get(id) ?? this.#standIns(this.#endsOf(id));
    this.#ended.set(id, known);
    return known;
  }

  #endsOf(id: string): string[] {
    const { nodes, edges } = this.#lookup;
    if (id.includes("@")) {
      // "w:@net.layer1>n2", or "~@net.layer1>n2" back: the name of a scope may hold any character, even ">"
      const ways = id.replace(/^(w:|~)/, "");
      for (let at = ways.indexOf(">"); at >= 0; at = ways.indexOf(">", at + 1)) {
        const ends = [ways.slice(0, at), ways.slice(at + 1)];
        if (ends.every((end) => this.#drawn.has(end))) return ends;
      }
      return [id];
    }
    if (id.startsWith("s:")) return [savedBy(id)];
    const line = id.replace(/^w:/, "");
    const edge = edges.get(line);
    if (edge && this.scene.view === "backward") return [edge.source, edge.target];
    const [node = "", at = ""] = line.split(/[<>]|\.(?=\d+$)/);
    const tensor = id === line ? edge?.tensor : nodes.get(node)?.inputs[Number(at)];
    return [node, tensor ?? nodes.get(node)?.variable ?? at].filter((end) => end !== "");
  }

  /** The centre of the ids in `focus`, from left to right; that of the first if they lie farther apart than `wide`. */
  middleOf(focus: ReadonlySet<string>, wide: number): number | undefined {
    const xs = this.#standIns(focus).flatMap((id) => {
      const mark = this.#drawn.get(id)?.group.marks.find(({ m }) => m === "rect" || m === "circle");
      return mark ? [middle(mark).x] : [];
    });
    const [least, most] = [Math.min(...xs), Math.max(...xs)];
    return most - least > wide ? xs[0] : xs.length ? (least + most) / 2 : undefined;
  }

  /** The top and the bottom of what is wanted of all things, or of those in `focus`, in the coordinates of the scene. */
  reach(
    wanted: (x: number) => boolean,
    focus: Iterable<string> = this.#drawn.keys(),
  ): [top: number, bottom: number] {
    const marks = this.#standIns(focus).flatMap((id) => {
      const { marks = [] } = this.#drawn.get(id)?.group ?? {};
      const body = marks.find(({ m }) => m === "rect" || m === "circle");
      return body && wanted(middle(body).x) ? marks.filter(({ y }) => y) : [];
    });
    const tops = marks.map((mark) => corner(mark).y);
    const bottoms = marks.map((mark, at) => 2 * middle(mark).y - (tops[at] ?? 0));
    return [Math.min(...tops) - AROUND, Math.max(...bottoms) + AROUND];
  }

  destroy(): void {
    this.#token.stop();
  }
}

/** The width of the value on the card of a tensor: all that its name leaves, if it has one. */
function room(marks: readonly Mark[]): number {
  const [name, value, card] = ["name", "value", "card"].map((role) => marks.find(({ c }) => c === role));
  const left = name ?? card;
  const wide = [...(name?.t ?? "")].map((letter) =>
    /[fijlrt.,:;'|!*()[\] ]/.test(letter) ? SLIM : /[mwMW@]/.test(letter) ? BROAD : LETTER,
  );
  return finite(value?.x) - finite(left?.x) - wide.reduce((sum, one) => sum + one, LETTER);
}

/** The text of a value in the room for `most` characters; without its dtype, or in a chip as it is, rather than cut. */
function shortened(text: string, most: number, isSaved: boolean): string {
  const shown = squeezed(text, most);
  const short = isSaved ? text : squeezed(text.replace(/\s\w+$/, ""), most);
  return shown.endsWith("…") ? short : shown;
}

/** A transparent button over the value of a leaf, to change it: see editor.ts. */
function change({ id, marks }: Group, tabbed: boolean, { value }: TensorInfo): SVGElement[] {
  const mark = marks.find(({ c }) => c === "value");
  const card = marks.find(({ c }) => c === "card");
  if (!mark || !card || !value) return [];
  const right = finite(card.x) + finite(card.w);
  const left = Math.max(finite(card.x), finite(mark.x) - Math.max(5, mark.t?.length ?? 0) * DIGIT - 6);
  const button = svg("rect.gl-hit", {
    x: left,
    y: finite(mark.y) - 16,
    width: right - left,
    height: 24,
    rx: 5,
    role: "button",
    tabindex: tabbed ? 0 : -1,
    "data-edit": value.shape.reduce((product, size) => product * size, 1) === 1 ? `${id} 0` : id,
  });
  return [button];
}

function classify(element: Element, tensor: TensorInfo): void {
  element.classList.toggle("gl-leaf", tensor.is_leaf && tensor.requires_grad);
  element.classList.toggle("gl-constant", !tensor.requires_grad);
}
