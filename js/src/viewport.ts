// The graph on the page: the drawing that the state asks for, the tabs and the bar above it, and a message
// over it. picture.ts says which drawing that is.
//
// Read next: sceneview.ts (one drawing), zoom.ts (how large), picture.ts.

import { makeBreadcrumbs } from "./breadcrumbs";
import { button, h, setText } from "./dom";
import { currentOf, type Moment } from "./moment";
import { drawingsIn, MOST_PRESENTED, sceneOf, scopesOf } from "./picture";
import type { Recording } from "./recording";
import { SceneView } from "./sceneview";
import type { Action, Dispatch, PlayerState } from "./state";
import type { Scene } from "./trace";
import { makeZoomBox, type Place } from "./zoom";

const NO_DRAWING = "This trace holds no drawing of its graph.";
const MOST_TOLD = 20; // nodes whose connections are told
const KEPT = 12; // drawings that are not shown now but may be again

export interface Viewport {
  element: HTMLElement;
  tabs: HTMLElement; // the views: the player puts them where there is room
  /** Draw a state; `move`: a token may run along the edge in use. */
  update(state: PlayerState, moment: Moment, move: boolean): void;
  /** Bring the present step into sight, once everything else is drawn. */
  settle(): void;
  /** Move over the drawing, or draw it larger or smaller. */
  run(action: Action["type"]): void;
  /** How the drawing is looked at; with `from`, look at it so. */
  place(from?: Place): Place;
  /** Mark the ids that came with this trace. */
  mark(came: readonly string[]): void;
  /** Show the drawing of a trace with other values. */
  retell(): void;
  /** Put the focus on the scope that is shown. */
  focusScope(): void;
  destroy(): void;
}

export function makeViewport(recording: Recording, dispatch: Dispatch): Viewport {
  const { lookup, still, breakpoints } = recording;
  const drawn = new Map<Scene, SceneView>(); // the latest shown last
  let buttons = new Map<string, HTMLButtonElement>();
  let shown: SceneView | undefined;
  let state: PlayerState | undefined; // the state that is drawn
  let moment: Moment | undefined;

  /** The ids to keep in sight. */
  const places = (): ReadonlySet<string> => {
    const target = state?.picture.target;
    if (target?.startsWith("@")) return new Set(shown?.inside(target.slice(1)));
    if (target) return new Set([target]);
    if (!moment) return new Set();
    // A leaf that all scopes share stands far away: look at the scope that runs instead.
    const current = currentOf(moment);
    return shown?.standIn(current).startsWith("@") ? new Set([current]) : moment.focus;
  };

  const fit = button(
    "button.gl-tool",
    () => box.whole(),
    { title: "Show the whole drawing, or return to its size before" },
    "Fit",
  );
  const box = makeZoomBox(still, places, (useful, fitted) => {
    fit.hidden = !useful;
    fit.setAttribute("aria-pressed", String(fitted));
    showTabs();
  });
  const message = h("p.gl-toast", { role: "status" });
  const rest = h("p.gl-rest");
  const tabs = h("div.gl-tabs", { role: "group", "aria-label": "View" });
  const breadcrumbs = makeBreadcrumbs(dispatch);

  /** Go to the step of a thing: in the forward pass to that which computes it. */
  const pick = (id: string) => {
    const step = lookup.stepOf(id, state?.picture.pass ?? 0, moment?.state.computed);
    if (step !== undefined) dispatch({ type: "goTo", step });
  };

  /** What a screen reader says of a drawing: what is drawn, and in a small one what each node takes and makes. */
  const words = ({ groups }: Scene) => {
    const counts = ["tensor", "op", "scope"].map(
      (kind) => groups.filter((group) => group.kind === kind).length,
    );
    const counted = counts.flatMap((count, k) => {
      return count ? `${count} ${["tensor", "node", "scope"][k]}${count > 1 ? "s" : ""}` : [];
    });
    const names = (ids: readonly string[]) =>
      ids.map((id) => (lookup.label(id) === id ? "a constant" : lookup.label(id))).join(" and ");
    const told = groups.flatMap(({ kind, id }) => {
      const node = still && !counts[2] && kind === "op" && lookup.nodes.get(id);
      return node && !node.variable
        ? `${node.name} makes ${names(node.outputs)} from ${names(node.inputs)}.`
        : [];
    });
    return {
      title: `The graph of ${lookup.label(lookup.root(0))}: ${counted.join(", ")}`,
      about: told.length > MOST_TOLD ? "" : told.reverse().join(" "),
    };
  };

  const viewOf = (scene: Scene, { picture }: PlayerState): SceneView => {
    const view =
      drawn.get(scene) ??
      new SceneView(scene, {
        lookup,
        ...words(scene),
        pass: picture.pass,
        scopes: scopesOf(picture, recording),
        ...(still ? {} : { onPick: (id: string) => pick(id) }),
        onEnter: (scope) => dispatch({ type: "enterScope", scope }),
      });
    drawn.delete(scene);
    drawn.set(scene, view);
    if (drawn.size > KEPT) drawn.delete(drawn.keys().next().value as Scene);
    return view;
  };

  const showTabs = () => {
    tabs.hidden = fit.hidden && buttons.size < 2;
  };

  const drawTabs = (pass: number) => {
    const views = [...drawingsIn(pass, recording).keys()];
    buttons = new Map(
      views.map((view) => [
        view,
        button("button.gl-tab", () => dispatch({ type: "showView", view }), {}, view),
      ]),
    );
    tabs.replaceChildren(fit, ...(views.length > 1 ? buttons.values() : []));
    showTabs();
    if (!views.length) box.element.replaceChildren(h("p.gl-empty", {}, NO_DRAWING));
  };

  /** Leave out, or fade, what is too far from the step. */
  const limit = (current: string, { focus }: Moment, { picture, presenting }: PlayerState) => {
    const most = presenting ? MOST_PRESENTED : Number.POSITIVE_INFINITY;
    const away = shown?.limit([...focus, current], most);
    setText(
      rest,
      away
        ? `the ${most} tensors and operations nearest to this step; ${away} more ${away > 1 ? "are" : "is"} not drawn`
        : "",
    );
    shown?.fade([current], picture.hops || Number.POSITIVE_INFINITY);
  };

  const update: Viewport["update"] = (next, now, move) => {
    const before = state;
    const moved = now !== moment;
    [state, moment] = [next, now];
    const { picture, presenting } = next;
    if (picture.pass !== before?.picture.pass) drawTabs(picture.pass);
    const scene = sceneOf(picture, recording);
    const another = scene !== undefined && scene !== shown?.scene;
    if (another) {
      shown?.destroy();
      shown = viewOf(scene, next);
    }
    if (picture !== before?.picture) {
      for (const [view, tab] of buttons) tab.setAttribute("aria-pressed", String(view === picture.view));
      breadcrumbs.update(picture, scopesOf(picture, recording));
    }
    if (moved || another) shown?.update(now, move && !another);
    if (another || next.breakpoints !== before?.breakpoints)
      shown?.mark((node) => breakpoints.at(node, next.breakpoints));
    const present = presenting !== Boolean(before?.presenting);
    if (picture !== before?.picture || present || (moved && (presenting || picture.hops)))
      limit(currentOf(now), now, next);
    if (another && shown) box.show(shown);
    if (present) box.present(presenting);
    setText(message, next.message);
  };

  const moves: { [action in Action["type"]]?: () => void } = {
    larger: () => box.zoom(1.2),
    smaller: () => box.zoom(1 / 1.2),
    reset: () => box.zoom(0),
    panUp: () => box.pan(0, -1),
    panDown: () => box.pan(0, 1),
    panLeft: () => box.pan(-1, 0),
    panRight: () => box.pan(1, 0),
  };

  return {
    element: h("div.gl-viewport", {}, breadcrumbs.element, rest, box.element, box.overview, message),
    tabs,
    update,
    settle() {
      box.reveal(places());
      shown?.settle();
    },
    run: (action) => moves[action]?.(),
    place: box.place,
    mark: (came) => shown?.welcome(came),
    retell() {
      drawn.clear();
      const scene = state && sceneOf(state.picture, recording);
      if (scene && shown?.retell(scene)) drawn.set(scene, shown);
    },
    focusScope: breadcrumbs.focus,
    destroy() {
      box.destroy();
      shown?.destroy();
    },
  };
}
