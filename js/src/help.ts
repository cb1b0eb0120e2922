// The help overlay: every key, and what the signs in the picture mean.

import { type Dialog, makeDialog } from "./dialog";
import { h } from "./dom";
import type { Dispatch } from "./state";

const KEYS: [keys: string, does: string][] = [
  ["← →", "one step back, forward"],
  ["Shift ← →", "one node back, forward"],
  ["n, Shift N", "to the next pass, the one before"],
  ["Home End", "first, last step"],
  ["Space", "play or pause"],
  ["[ ]", "slower, faster"],
  ["+ −", "larger, smaller picture"],
  ["↑ ↓, Shift ↑ ↓", "move over the picture"],
  ["Tab, Enter", "choose a node, go to its step"],
  ["Tab, ← ↑ → ↓", "into an array, from entry to entry"],
  ["/", "search: a name, a scope, a line"],
  ["Enter, Backspace", "into the scope at work, out of it"],
  ["c", "collapse scopes, or all in full"],
  ["b", "breakpoint at the node at work"],
  ["Shift B", "breakpoints at kinds of nodes"],
  ["p", "predict: say it before it is shown"],
  ["t", "all steps as a table"],
  ["f", "present: fill the screen"],
  ["0", "start afresh"],
  ["?", "this help"],
  ["Esc", "close, leave"],
];

const SIGNS: [sign: string, means: string][] = [
  ["solid line", "forward: values"],
  ["dashed line", "backward: gradients"],
  ["dotted ring", "a node that waits"],
  ["thin ring", "ready to run"],
  ["thick ring", "at work now"],
  ["tick", "done"],
  ["hatched chip", "a saved tensor, freed"],
  ["red square", "a breakpoint"],
  ["stack of cards", "a scope, collapsed"],
  ["dotted pill", "what lies outside of the scope"],
  ["0, 1 at an input", "the index in next_functions"],
];

export function makeHelp(dispatch: Dispatch): Dialog {
  const list = (rows: [string, string][], tag: "kbd" | "b") =>
    h("dl", {}, ...rows.flatMap(([term, text]) => [h("dt", {}, ...words(term, tag)), h("dd", {}, text)]));
  const words = (term: string, tag: "kbd" | "b") =>
    (tag === "kbd" ? term.split(", ") : [term]).flatMap((word) => [h(tag, {}, word), " "]);
  const columns = h(
    "div",
    { class: "gl-columns" },
    h("div", {}, h("h4", {}, "Keys, while the focus is inside"), list(KEYS, "kbd")),
    h("div", {}, h("h4", {}, "Signs"), list(SIGNS, "b")),
  );
  return makeDialog("help", "Help: keys and signs", dispatch, columns);
}
