// The list in which breakpoints are chosen: every kind of node, and every node that carries a mark.

import type { Breakpoints } from "./breakpoints";
import { focused, h } from "./dom";
import type { Lookup } from "./lookup";
import { makeOverlay, type Overlay } from "./overlay";

export function makeBreaklist(
  breakpoints: Breakpoints,
  lookup: Lookup,
  onChange: () => void,
  onClose: () => void,
): Overlay & { update(): void } {
  const kinds = new Map<string, number>();
  for (const { name } of lookup.nodes.values()) kinds.set(name, (kinds.get(name) ?? 0) + 1);
  const list = h("div", { class: "gl-choices" });
  const overlay = makeOverlay(
    "Breakpoints",
    onClose,
    h(
      "p",
      { class: "gl-note" },
      "Playing and Shift → halt at what is ticked. The key b marks the node at work.",
    ),
    list,
  );

  const choice = (mark: string, ...label: (string | Node)[]) => {
    const box = h("input", { type: "checkbox", checked: breakpoints.has(mark) });
    box.addEventListener("change", () => {
      breakpoints.toggle(mark);
      onChange();
    });
    return h("label", {}, box, ...label);
  };
  const update = () => {
    const at = [...list.querySelectorAll("input")].indexOf(focused(list) as HTMLInputElement);
    const nodes = breakpoints.list.filter((mark) => lookup.nodes.has(mark));
    list.replaceChildren(
      ...[...kinds].map(([name, count]) =>
        choice(name, h("code", {}, name), ` ${count === 1 ? "1 node" : `${count} nodes`}`),
      ),
      ...nodes.map((id) => choice(id, h("code", {}, lookup.nodeLabel(id)), " this node")),
    );
    list.querySelectorAll("input")[at]?.focus();
  };
  return { ...overlay, update };
}
