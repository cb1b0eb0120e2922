// The dialog in which a person chooses breakpoints: every kind of node, and every node that has one.

import { type Dialog, makeDialog } from "./dialog";
import { focused, h } from "./dom";
import type { Lookup } from "./lookup";
import type { Dispatch } from "./state";

export interface BreakpointList extends Dialog {
  update(marks: readonly string[]): void;
}

export function makeBreakpointList(lookup: Lookup, dispatch: Dispatch): BreakpointList {
  const kinds = new Map<string, number>();
  for (const { name } of lookup.nodes.values()) kinds.set(name, (kinds.get(name) ?? 0) + 1);
  const list = h("div.gl-choices");
  const note = "Playing and Shift → stop at what is ticked. The key b sets a breakpoint at the current node.";
  const dialog = makeDialog("breakpoints", "Breakpoints", dispatch, h("p.gl-note", {}, note), list);

  const choice = (mark: string, checked: boolean, ...label: (string | Node)[]) => {
    const box = h("input", { type: "checkbox", checked });
    box.addEventListener("change", () => dispatch({ type: "toggleBreakpoint", mark }));
    return h("label", {}, box, ...label);
  };
  const update = (marks: readonly string[]) => {
    const at = [...list.querySelectorAll("input")].indexOf(focused(list) as HTMLInputElement);
    const nodes = marks.filter((mark) => lookup.nodes.has(mark));
    list.replaceChildren(
      ...[...kinds].map(([name, count]) =>
        choice(name, marks.includes(name), h("code", {}, name), count === 1 ? " 1 node" : ` ${count} nodes`),
      ),
      ...nodes.map((id) => choice(id, true, h("code", {}, lookup.nodeLabel(id)), " this node")),
    );
    list.querySelectorAll("input")[at]?.focus();
  };
  return { ...dialog, update };
}
