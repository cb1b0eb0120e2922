// Which drawing of the graph is shown: the pass, the view and the scope, and every way to change them.
//
// It is a part of reducer.ts: it only makes new states from old ones, and viewport.ts draws them.
//
// Read next: scopetree.ts, viewport.ts.

import type { Drawings, Recording } from "./recording";
import type { ScopeTree } from "./scopetree";
import type { Scene } from "./trace";

export const MOST_PRESENTED = 25; // tensors, operations and scopes: more cannot be read from the back of a room
const MANY = 2000; // nodes; a graph with more opens with distant nodes faded
const HOPS = 3; // lines from the step: what is further away is faded
const SMALL = "This graph is small, so it is shown in full: no scope is collapsed.";

export interface PictureState {
  pass: number; // -1 before the first is shown
  view: string; // "computation", "backward" or "both"
  scope: string; // "" for the whole graph
  collapsed: boolean; // scopes are drawn as cards
  collapsedBefore: boolean | undefined; // the same before the presentation began
  follows: boolean; // the picture goes to the scope of the step
  hops: number; // lines from the step to what is still drawn strongly; 0 for all of them
  target: string; // what a person asked to see, such as "n2" or the scope "@net"; "" for the step
}

/** A new picture, or a sentence that says why nothing changed; both where a change needs a word. */
export interface Change {
  picture: PictureState;
  message: string;
}

export const firstPicture = (view: string, { lookup }: Recording): PictureState => ({
  pass: -1,
  view,
  scope: "",
  collapsed: true,
  collapsedBefore: undefined,
  follows: true,
  hops: lookup.nodes.size > MANY ? HOPS : 0,
  target: "",
});

export const drawingsIn = (pass: number, { passes }: Recording): Drawings => passes[pass]?.() ?? new Map();

export function scopesOf({ pass, view }: PictureState, recording: Recording): ScopeTree | undefined {
  return drawingsIn(pass, recording).get(view)?.();
}

export function sceneOf(picture: PictureState, recording: Recording): Scene | undefined {
  return scopesOf(picture, recording)?.scene(picture.scope, picture.collapsed);
}

/** Show another pass, in the same view where the pass has it. */
export function showPass(
  picture: PictureState,
  pass: number,
  presenting: boolean,
  recording: Recording,
): PictureState {
  if (pass === picture.pass) return picture;
  const views = [...drawingsIn(pass, recording).keys()];
  const view = views.includes(picture.view) ? picture.view : (views[0] ?? "");
  const next = { ...picture, pass, view, scope: "" };
  return { ...next, collapsed: collapsedAtFirst(next, presenting, recording) };
}

/** Whether scopes are cards when a pass, or a presentation, begins. */
function collapsedAtFirst(picture: PictureState, presenting: boolean, recording: Recording): boolean {
  const scopes = scopesOf(picture, recording);
  const whole = scopes?.both && scopes.scene("", false);
  return !whole || (presenting && countOf(whole) > MOST_PRESENTED);
}

const countOf = ({ groups }: Scene): number =>
  groups.filter(({ kind }) => kind === "op" || kind === "tensor" || kind === "scope").length;

/** Begin or end a presentation. */
export function present(picture: PictureState, on: boolean, recording: Recording): PictureState {
  if (on)
    return {
      ...picture,
      collapsedBefore: picture.collapsed,
      collapsed: collapsedAtFirst(picture, true, recording),
    };
  return { ...picture, collapsed: picture.collapsedBefore ?? picture.collapsed };
}

/** Go into a scope; "" shows the whole graph. */
export function enter(picture: PictureState, scope: string, recording: Recording): PictureState {
  const scopes = scopesOf(picture, recording);
  // A scope without a scene of its own is looked at inside the drawing of the whole graph.
  if (scopes?.both && !scopes.has(scope)) return { ...picture, collapsed: false, target: `@${scope}` };
  return { ...picture, collapsed: true, scope, target: "" };
}

/** Go into the scope in which `current`, a node or a tensor, lies. */
export function enterCurrent(picture: PictureState, current: string, recording: Recording): Change {
  const scopes = scopesOf(picture, recording);
  if (!scopes?.any)
    return {
      picture,
      message: hasScopes(recording) ? SMALL : "This graph has no scopes, so there is none to enter.",
    };
  const card = scopes.card(picture.collapsed ? picture.scope : "", current);
  if (card) return { picture: enter(picture, card.slice(1), recording), message: "" };
  const message = picture.scope
    ? "The current step lies in no scope below this one."
    : "The current step lies in no scope that you can enter.";
  return { picture, message };
}

/** Leave the scope for the one around it. */
export function leave(picture: PictureState, recording: Recording): Change {
  if (!picture.scope) return { picture, message: "This is the whole graph." };
  const outer = scopesOf(picture, recording)?.way(picture.scope).at(-2) ?? "";
  return { picture: enter(picture, outer, recording), message: "" };
}

/** Show scopes as cards, or everything in full where that is not too much. */
export function collapse(picture: PictureState, recording: Recording): Change {
  const scopes = scopesOf(picture, recording);
  if (!scopes?.any)
    return {
      picture,
      message: hasScopes(recording) ? SMALL : "This graph has no scopes, so there is nothing to collapse.",
    };
  if (!scopes.both)
    return { picture, message: "This graph is too large to be shown in full: enter its scopes instead." };
  const collapsed = !picture.collapsed;
  const message = collapsed ? "Scopes are shown as cards." : "The whole graph is shown.";
  return { picture: { ...picture, collapsed }, message };
}

const hasScopes = ({ trace }: Recording): boolean => trace.graph.nodes.some(({ scope }) => scope);

/** Show the scope in which `current` lies, unless it is in sight already. */
export function followStep(picture: PictureState, current: string, recording: Recording): PictureState {
  const scopes = scopesOf(picture, recording);
  const scene = sceneOf(picture, recording);
  if (!scopes?.any || !scene || !current || scopes.standIn(scene, current)) return picture;
  const [here, there] = [scopes.way(picture.scope), scopes.way(scopes.home(current))];
  const scope = there[Math.min(here.length, there.length) - 1] ?? "";
  return scope === picture.scope || !scopes.has(scope) ? picture : { ...picture, scope };
}

/** Show the place where `id` is drawn in full. */
export function find(picture: PictureState, id: string, recording: Recording): PictureState {
  const scopes = scopesOf(picture, recording);
  const scene = sceneOf(picture, recording);
  const hidden = !scene || !scopes?.standIn(scene, id);
  const collapsed = picture.collapsed && !(scopes?.both && hidden);
  return { ...picture, scope: scopes?.home(id) ?? "", collapsed, target: id };
}
