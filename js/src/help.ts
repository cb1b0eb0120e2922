// The help overlay: every key, and what the signs in the picture mean.

import { h } from "./dom";

const KEYS: [keys: string, does: string][] = [
  ["← →", "one step back, forward"],
  ["Shift ← →", "one node back, forward"],
  ["Home End", "first, last step"],
  ["Space", "play or pause"],
  ["[ ]", "slower, faster"],
  ["+ −", "larger, smaller picture"],
  ["Tab, Enter", "choose a node, go to its step"],
  ["?", "this help"],
  ["Esc", "close it, leave the player"],
];

const SIGNS: [sign: string, means: string][] = [
  ["solid line", "forward: values"],
  ["dashed line", "backward: gradients"],
  ["dotted ring", "a node that waits"],
  ["thin ring", "ready to run"],
  ["thick ring", "at work now"],
  ["tick", "done"],
  ["hatched chip", "a saved tensor, freed"],
  ["0, 1 at an input", "the index in next_functions"],
];

export function makeHelp(onClose: () => void): { element: HTMLElement; focus(): void } {
  const close = h("button", { type: "button", class: "gl-button" }, "Close");
  close.addEventListener("click", onClose);
  const list = (rows: [string, string][], tag: "kbd" | "b") =>
    h("dl", {}, ...rows.flatMap(([term, text]) => [h("dt", {}, h(tag, {}, term)), h("dd", {}, text)]));
  const columns = h(
    "div",
    { class: "gl-columns" },
    h("div", {}, h("h4", {}, "Keys, while the focus is inside"), list(KEYS, "kbd")),
    h("div", {}, h("h4", {}, "Signs"), list(SIGNS, "b")),
  );
  const box = h(
    "div",
    { class: "gl-box", role: "dialog", "aria-label": "Help: keys and signs" },
    columns,
    close,
  );
  const element = h("div", { class: "gl-help" }, box);
  element.hidden = true;
  element.addEventListener("click", (event) => {
    if (event.target === element) onClose();
  });
  return { element, focus: () => close.focus() };
}
