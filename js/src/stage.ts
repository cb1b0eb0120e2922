// The graph on the page: which of its drawings is shown, by chapter, view and scope.
//
// Read next: view.ts (one drawing), canvas.ts (how large), scopes.ts (which drawing shows what).

import { makeCanvas } from "./canvas";
import { computationOf } from "./computation";
import { h, setText } from "./dom";
import type { Lookup } from "./lookup";
import { makePath } from "./path";
import { Scopes, whenDone } from "./scopes";
import type { Scene, Trace } from "./trace";
import { type Picture, SceneView } from "./view";

const MOST_PRESENTED = 25; // pieces: no more can be taken in from the end of a room
const SMALL = "With so few nodes all of the graph is shown: no scope is collapsed.";
const NO_DRAWING = "This trace holds no drawing of its graph.";
const ORDER = ["computation", "backward", "both"]; // as the tabs stand
const MANY = 2000; // nodes; so many open with a look at what is near alone
const NEAR = 3; // lines
const KEPT = 12; // drawings that are not shown but may be again

export interface Stage {
  element: HTMLElement;
  tabs: HTMLElement; // which view to show: the player puts them where there is room
  scoped: boolean; // whether there are scopes to go into
  /** Show a moment of a chapter; `move`: a token may run. */
  update(picture: Picture, chapter: number, move: boolean): void;
  /** Bring what happens now into sight, once everything else is drawn. */
  settle(): void;
  /** Go into the scope that runs now; returns what there is to say. */
  enterCurrent(): string;
  /** Leave the scope that is shown for the one around it; returns what there is to say. */
  leave(): string;
  /** Show scopes as cards, or everything in full, where that is not too much; returns what there is to say. */
  collapse(): string;
  /** Show the place where a node or a tensor is drawn in full. */
  find(id: string): void;
  pan(x: number, y: number): void;
  zoom(factor: number): void;
  /** Mark the nodes at which a walk halts. */
  mark(halts: (node: string) => boolean): void;
  /** For a room: labels that can be read from its end, and no more than can be taken in. */
  present(on: boolean): void;
  /** Say something over the picture; "" takes it back. */
  say(sentence: string): void;
  destroy(): void;
}

export function makeStage(trace: Trace, lookup: Lookup, onPick: (k: number) => void, first = "both"): Stage {
  const { tensors, nodes } = trace.graph;
  const still = trace.events.length === 0;
  const small = nodes.some(({ scope }) => scope); // there are scopes, but nothing may be collapsed
  const title = `The graph of ${lookup.label(lookup.root)}: ${tensors.length} tensors, ${nodes.length} nodes`;
  const chapters = chaptersOf(trace, lookup);
  const drawn = new Map<Scene, SceneView>(); // the latest shown last
  let buttons: readonly HTMLButtonElement[] = [];
  let chapter = -1;
  let viewed = first;
  let scope = "";
  let collapsed = true;
  let before: boolean | undefined; // collapsed, before it was presented
  let follows = true;
  let hops = nodes.length > MANY ? NEAR : 0;
  let presenting = false;
  let shown: SceneView | undefined;
  let halts: (node: string) => boolean = () => false;
  let last: Picture | undefined;

  const scopesNow = () => chapters[chapter]?.get(viewed)?.();
  const viewsNow = () => [...(chapters[chapter]?.keys() ?? [])];

  /** What runs now: a node, or the tensor that is told about. */
  const now = (): string => last?.state.current || ([...(last?.focus ?? [])][0] ?? "");
  /** Where to look; of a leaf that all scopes share, which stands far away, at the scope at work. */
  const places = (): ReadonlySet<string> => {
    const at = now();
    return shown?.standIn(at).startsWith("@") ? new Set([at]) : (last?.focus ?? new Set());
  };

  const canvas = makeCanvas(still, places);
  const toast = h("p", { class: "gl-toast", role: "status" });
  const rest = h("p", { class: "gl-rest" });
  const say = (sentence: string) => setText(toast, sentence);
  const tabs = h("div", { class: "gl-tabs", role: "group", "aria-label": "View" });

  const make = (scene: Scene) =>
    new SceneView(scene, {
      lookup,
      title,
      ...(still ? {} : { onPick }),
      scopes: scopesNow() as Scopes,
      onEnter: enter,
    });

  /** Show the drawing that chapter, view and scope ask for. */
  const choose = () => {
    const scopes = scopesNow();
    const scene = scopes?.scene(scope, collapsed);
    if (!scopes || !scene) return;
    const view = drawn.get(scene) ?? make(scene);
    drawn.delete(scene);
    drawn.set(scene, view);
    if (drawn.size > KEPT) drawn.delete(drawn.keys().next().value as Scene);
    shown?.destroy();
    shown = view;
    for (const [at, name] of viewsNow().entries())
      buttons[at]?.setAttribute("aria-pressed", String(name === viewed));
    path.update({
      any: scopes.any,
      way: scopes.way(scene.scope ?? "").map((one) => [one, scopes.label(one)]),
      collapsible: scopes.both,
      collapsed,
      follows,
      hops,
    });
    if (last) view.update(last, false);
    view.mark(halts);
    limit();
    canvas.show(view);
  };

  /** Draw no more than was asked for: what is near. */
  const limit = () => {
    const most = presenting ? MOST_PRESENTED : Number.POSITIVE_INFINITY;
    const away = shown?.limit([...(last?.focus ?? []), now()], most);
    setText(rest, away ? `the ${most} pieces nearest to this step; ${away} more are not drawn` : "");
    shown?.fade([now()], hops || Number.POSITIVE_INFINITY);
  };

  /** Whether scopes are cards when a chapter, or a presentation, begins. */
  const begins = () => {
    const scopes = scopesNow();
    const whole = scopes?.both && scopes.scene("", false);
    collapsed = !whole || (presenting && piecesOf(whole) > MOST_PRESENTED);
  };

  /** Show the drawings of a chapter, in the view that was shown before. */
  const turnTo = (to: number) => {
    if (to === chapter) return;
    chapter = to;
    const views = viewsNow();
    buttons = views.map((name) => {
      const tab = h("button", { type: "button", class: "gl-tab" }, name);
      tab.addEventListener("click", () => {
        viewed = name;
        choose();
      });
      return tab;
    });
    tabs.replaceChildren(...buttons);
    tabs.hidden = views.length < 2;
    last = undefined;
    scope = "";
    if (!views.length) canvas.element.replaceChildren(h("p", { class: "gl-empty" }, NO_DRAWING));
    if (!views.includes(viewed)) viewed = views[0] ?? "";
    begins();
    choose();
  };

  /** Go into a scope; "" shows the whole. */
  const enter = (to: string) => {
    const scopes = scopesNow();
    const inWhole = scopes?.both && !scopes.has(to); // its inside is in the drawing of the whole
    collapsed = !inWhole;
    if (!inWhole) scope = to;
    choose();
    if (inWhole) look(`@${to}`);
    else path.focus(); // what was chosen is gone; keys go on from here
  };

  /** When the step lies in no scope that is shown, show the one where it lies; whether that was so. */
  const leads = (): boolean => {
    const [scopes, at] = [scopesNow(), now()];
    if (!scopes?.any || !at || shown?.standIn(at)) return false;
    const [here, there] = [scopes.way(scope), scopes.way(scopes.home(at))];
    const next = there[Math.min(here.length, there.length) - 1] ?? "";
    if (next === scope || !scopes.has(next)) return false;
    scope = next;
    choose();
    return true;
  };

  const look = (id: string) => {
    const inside = id.startsWith("@") ? shown?.inside(id.slice(1)) : [id];
    canvas.reveal(new Set(inside));
  };

  const collapse = (): string => {
    const scopes = scopesNow();
    if (!scopes?.any) return small ? SMALL : "This graph has no scopes: there is nothing to collapse.";
    if (!scopes.both) return "This graph is too large to be shown in full: go into its scopes.";
    collapsed = !collapsed;
    choose();
    return collapsed ? "Scopes are shown as cards." : "All of the graph is shown.";
  };

  const path = makePath({
    enter,
    collapse: () => say(collapse()),
    follow(on) {
      follows = on;
      if (on) leads();
    },
    hops(lines) {
      hops = lines;
      limit();
    },
    fit: canvas.whole,
  });
  turnTo(0);

  return {
    element: h("div", { class: "gl-stage" }, path.element, rest, canvas.element, toast),
    tabs,
    scoped: scopesNow()?.any ?? false,
    update(picture, chapter, move) {
      turnTo(chapter);
      last = picture;
      if (follows && leads()) return;
      shown?.update(picture, move);
      if (presenting || hops) limit();
    },
    settle() {
      canvas.reveal(places());
      shown?.settle();
    },
    enterCurrent() {
      const scopes = scopesNow();
      if (!scopes?.any) return small ? SMALL : "This graph has no scopes to go into.";
      const card = scopes.card(collapsed ? scope : "", now());
      if (card) enter(card.slice(1));
      else if (scope) return "What happens now lies in no scope further in.";
      return card ? "" : "What happens now lies in no scope that can be gone into.";
    },
    leave() {
      if (!scope) return "This is the whole graph.";
      enter(scopesNow()?.way(scope).at(-2) ?? "");
      return "";
    },
    collapse,
    find(id) {
      const scopes = scopesNow();
      scope = scopes?.home(id) ?? "";
      if (scopes?.both && !shown?.standIn(id)) collapsed = false;
      choose();
      look(id);
    },
    pan: canvas.pan,
    zoom: canvas.zoom,
    mark(at) {
      halts = at;
      shown?.mark(at);
    },
    present(on) {
      presenting = on;
      if (on) before = collapsed;
      if (on) begins();
      else collapsed = before ?? collapsed;
      choose();
      canvas.present(on);
    },
    say,
    destroy() {
      canvas.destroy();
      shown?.destroy();
    },
  };
}

/** For each chapter its views, in the order of the tabs. */
function chaptersOf(trace: Trace, lookup: Lookup): Map<string, () => Scopes>[] {
  const all = trace.passes?.length ? trace.passes : [{ first: 0, scenes: trace.scenes }];
  return all.map(({ first, scenes }, at) => {
    const done = once(() => whenDone(trace, first, all[at + 1]?.first ?? trace.events.length));
    return byView(scenes ?? [], (of) => new Scopes(of, lookup, done()));
  });
}

/** The scenes of each view; the computation stands where the view of both does. */
function byView(scenes: readonly Scene[], make: (of: Scene[]) => Scopes): Map<string, () => Scopes> {
  const found = new Map<string, Scene[]>();
  for (const scene of scenes) {
    const all = found.get(scene.view);
    if (all) all.push(scene);
    else found.set(scene.view, [scene]);
  }
  const both = found.get("both");
  const made = [...found].map(([view, all]): [string, () => Scopes] => [view, once(() => make(all))]);
  if (both) made.push(["computation", once(() => make(both.map(computationOf)))]); // in place of another
  return new Map(made.sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)));
}

const piecesOf = ({ groups }: Scene): number =>
  groups.filter(({ kind }) => kind === "op" || kind === "tensor" || kind === "scope").length;

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
