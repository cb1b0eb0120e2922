// The computation view: the graph as textbooks draw it. It is the view "both" without gradients and saved
// tensors; everything else keeps its place.
//
// Read next: viewport.ts.

import type { Group, Mark, Scene } from "./trace";

const HEAD = 30; // pixels: the height of a card without the row of its gradient
const FLOW = 9; // pixels between a wire and the gradient's line below it, as in render/layered_graph.py
const GRADIENT = new Set<Mark["c"]>(["divider", "key", "grad"]);

export function computationOf(scene: Scene): Scene {
  const kept = scene.groups.filter(({ kind }) => kind !== "flow" && kind !== "saved");
  const groups = kept.map((group) => (group.kind === "tensor" ? withoutGradient(group) : group));
  return { ...scene, view: "computation", groups };
}

/** A smaller card, around the height at which its wires arrive. */
function withoutGradient(group: Group): Group {
  const card = group.marks.find(({ c }) => c === "card");
  if (!card?.h || !group.marks.some(({ c }) => c === "divider")) return group;
  const down = (card.h - FLOW - HEAD) / 2;
  const up = card.h - HEAD - down;
  const marks = group.marks.flatMap((mark): Mark[] => {
    if (GRADIENT.has(mark.c)) return [];
    if (mark === card) return [{ ...mark, y: (mark.y ?? 0) + down, h: HEAD }];
    return [{ ...mark, y: (mark.y ?? 0) + (mark.c === "caption" ? -up : down) }];
  });
  return { ...group, marks };
}
