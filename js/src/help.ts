// The help: every key, and what the signs in the picture mean.
//
// Read next: keys.ts.

import { type Dialog, makeDialog } from "./dialog";
import { h } from "./dom";
import type { Dispatch } from "./state";

const KEYS: [keys: string, does: string][] = [
  ["← →", "one step back or forward"],
  ["Shift ← →", "one node back or forward"],
  ["n, Shift N", "next pass, previous pass"],
  ["Home End", "first or last step"],
  ["Space", "play or pause"],
  ["[ ]", "slower or faster"],
  ["+ −", "zoom in or out"],
  ["↑ ↓, Shift ↑ ↓", "move the picture"],
  ["Tab, Enter", "choose a node and go to its step"],
  ["Tab, ← ↑ → ↓", "enter an array and read its entries"],
  ["Tab, Enter, ↑ ↓", "at a leaf: change its value"],
  ["r", "bring back the recorded values"],
  ["/", "search for a name, a scope or a line"],
  ["h", "health of the pass"],
  ["Enter, Backspace", "enter the current scope, leave it"],
  ["c", "collapse scopes, or show all"],
  ["b", "breakpoint at the current node"],
  ["Shift B", "list of breakpoints"],
  ["p", "predict what comes next"],
  ["t", "table of all steps"],
  ["s", "the curve and its tangent"],
  ["Shift F", "begin with the forward pass, or not"],
  ["f", "present on the whole screen"],
  ["0", "reset"],
  ["?", "this help"],
  ["Esc", "close or leave"],
];

const SIGNS: [sign: string, means: string][] = [
  ["solid line", "forward: values"],
  ["dashed line", "backward: gradients"],
  ["dotted ring", "a node that waits for gradients"],
  ["thin ring", "a node that is ready"],
  ["thick ring", "the current node"],
  ["tick", "a node that is done"],
  ["dotted underline", "not as recorded: a value was changed"],
  ["dashed card", "a value that is not computed"],
  ["hatched chip", "a saved tensor that was freed"],
  ["red square", "a breakpoint"],
  ["stack of cards", "a collapsed scope"],
  ["dotted pill", "what lies outside the scope"],
  ["0, 1 at an input", "the index in next_functions"],
  ["· 4, made 4th", "the place of a node in the order in which nodes were made"],
  ["v0", "the version: how often a tensor was changed in place"],
  ["()", "the shape of a single number"],
  ["waits for 2", "so many gradients have not yet arrived"],
];

export function makeHelp(dispatch: Dispatch): Dialog {
  const list = (rows: [string, string][], tag: "kbd" | "b") =>
    h("dl", {}, ...rows.flatMap(([term, text]) => [h("dt", {}, ...words(term, tag)), h("dd", {}, text)]));
  const words = (term: string, tag: "kbd" | "b") =>
    (tag === "kbd" ? term.split(", ") : [term]).flatMap((word) => [h(tag, {}, word), " "]);
  const columns = h(
    "div.gl-columns",
    {},
    h("div", {}, h("h4", {}, "Keys, while the focus is in the player"), list(KEYS, "kbd")),
    h("div", {}, h("h4", {}, "Signs"), list(SIGNS, "b")),
  );
  return makeDialog("help", "Help: keys and signs", dispatch, columns);
}
