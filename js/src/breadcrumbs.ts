// The bar above the graph of a program with scopes: the path to the scope that is shown, and how much of
// the graph to draw.
//
// Read next: viewport.ts.

import { button, h, select } from "./dom";
import type { PictureState } from "./picture";
import type { ScopeTree } from "./scopetree";
import type { Dispatch } from "./state";

const HOPS: [hops: number, label: string][] = [
  [0, "whole graph"],
  [1, "1 edge away"],
  [2, "2 edges away"],
  [3, "3 edges away"],
  [5, "5 edges away"],
];

export interface Breadcrumbs {
  element: HTMLElement;
  update(picture: PictureState, scopes: ScopeTree | undefined): void;
  /** Put the focus on the scope that is shown. */
  focus(): void;
}

export function makeBreadcrumbs(dispatch: Dispatch): Breadcrumbs {
  const list = h("ol.gl-crumbs");
  const way = h("nav", { "aria-label": "Scope" }, list);
  const tool = (label: string, title: string, act: () => void) =>
    button("button.gl-tool", act, { title }, label);
  const collapse = tool("Collapse", "Show scopes as cards, or the whole graph (c)", () =>
    dispatch({ type: "collapse" }),
  );
  const follow = h("input", { type: "checkbox" });
  follow.addEventListener("change", () => dispatch({ type: "follow", on: follow.checked }));
  const followed = h(
    "label.gl-tool",
    { title: "Always show the scope of the current step" },
    follow,
    "follow",
  );
  const near = select(HOPS, (hops) => dispatch({ type: "setHops", hops: Number(hops) }), {
    "aria-label": "Show around the step",
    title: "How far from the step the graph is shown; the rest fades",
  });
  const element = h("div.gl-path", {}, way, collapse, followed, near);

  const update: Breadcrumbs["update"] = (picture, scopes) => {
    element.hidden = !scopes?.any;
    if (!scopes?.any) return;
    const scope = scopes.scene(picture.scope, picture.collapsed)?.scope ?? "";
    list.replaceChildren(
      ...scopes.way(scope).map((one) => {
        const last = one === scope;
        const title = last ? "The scope that is shown" : "Leave the inner scopes for this one (Backspace)";
        const crumb = tool(scopes.label(one) || "graph", title, () =>
          dispatch({ type: "enterScope", scope: one }),
        );
        if (last) crumb.setAttribute("aria-current", "true");
        return h("li", {}, crumb);
      }),
    );
    collapse.hidden = !scopes.both;
    collapse.setAttribute("aria-pressed", String(picture.collapsed));
    way.hidden = scopes.both && !picture.collapsed;
    follow.checked = picture.follows;
    followed.hidden = scopes.both;
    near.value = String(picture.hops);
  };
  const focus = () => list.querySelector<HTMLElement>("li:last-child button")?.focus({ preventScroll: true });
  return { element, update, focus };
}
