// The bar over the graph of a program with scopes: the way to the one that is shown, and what to see of it.
//
// Read next: stage.ts.

import { h } from "./dom";

const HOPS: [hops: number, label: string][] = [
  [0, "all"],
  [1, "1 line"],
  [2, "2 lines"],
  [3, "3 lines"],
  [5, "5 lines"],
];

export interface PathState {
  any: boolean; // whether there are scopes at all
  way: [scope: string, label: string][]; // outermost first
  collapsible: boolean;
  collapsed: boolean;
  follows: boolean;
  hops: number; // 0: everything
}

export interface PathActions {
  enter(scope: string): void;
  collapse(): void;
  follow(on: boolean): void;
  hops(hops: number): void;
  fit(): void;
}

export interface Path {
  element: HTMLElement;
  update(state: PathState): void;
  /** Put the focus on the scope that is shown. */
  focus(): void;
}

export function makePath(actions: PathActions): Path {
  const list = h("ol", { class: "gl-crumbs" });
  const way = h("nav", { "aria-label": "Scope" }, list);
  const button = (label: string, title: string, act: () => void) => {
    const made = h("button", { type: "button", class: "gl-tool", title }, label);
    made.addEventListener("click", act);
    return made;
  };
  const collapse = button("Collapse", "Scopes as cards, or all in full (c)", actions.collapse);
  const fit = button("Fit", "All of the drawing, or as large as before", actions.fit);
  const follow = h("input", { type: "checkbox" });
  follow.addEventListener("change", () => actions.follow(follow.checked));
  const followed = h(
    "label",
    { class: "gl-tool", title: "Show the scope in which the step lies" },
    follow,
    "follow",
  );
  const near = h("select", {
    class: "gl-select",
    "aria-label": "Around the step, show",
    title: "How much to show around the step",
  });
  for (const [hops, label] of HOPS) near.append(h("option", { value: hops }, label));
  near.addEventListener("change", () => actions.hops(Number(near.value)));
  const element = h("div", { class: "gl-path" }, way, collapse, followed, near, fit);

  const update = (state: PathState) => {
    element.hidden = !state.any;
    if (!state.any) return;
    list.replaceChildren(
      ...state.way.map(([scope, label], at) => {
        const last = at === state.way.length - 1;
        const crumb = button(
          label || "graph",
          last ? "The scope that is shown" : "Out, to here (Backspace)",
          () => actions.enter(scope),
        );
        if (last) crumb.setAttribute("aria-current", "true");
        return h("li", {}, crumb);
      }),
    );
    collapse.hidden = !state.collapsible;
    collapse.setAttribute("aria-pressed", String(state.collapsed));
    way.hidden = state.collapsible && !state.collapsed;
    follow.checked = state.follows;
    followed.hidden = state.collapsible;
    near.value = String(state.hops);
  };
  const focus = () => list.querySelector<HTMLElement>("li:last-child button")?.focus({ preventScroll: true });
  return { element, update, focus };
}
