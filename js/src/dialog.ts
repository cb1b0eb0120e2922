// A dialog over the player, with a title and a button that closes it. The browser keeps the focus in it,
// puts it over everything else, and closes it with Escape.
//
// Read next: help.ts, breakpointlist.ts, search.ts.

import { button, type Child, h } from "./dom";
import { commandOf } from "./keys";
import type { DialogName, Dispatch } from "./state";

export interface Dialog {
  element: HTMLDialogElement;
  open(on: boolean): void;
}

export function makeDialog(
  name: DialogName,
  label: string,
  dispatch: Dispatch,
  ...children: Child[]
): Dialog {
  const closed = () => dispatch({ type: "closed", dialog: name });
  const close = button("button.gl-button", closed, {}, "Close");
  const top = h("div.gl-top", {}, h("h4", {}, label), close);
  const content = h("div.gl-content", {}, top, ...children);
  const element = h("dialog.gl-dialog", { "aria-label": label }, content);
  element.addEventListener("cancel", closed); // Escape: at once
  element.addEventListener("close", () => element.open || closed()); // later: it may be open again
  element.addEventListener("keydown", (event) => {
    if (commandOf(event) !== name) event.stopPropagation(); // the browser scrolls and closes; no step is taken behind it
  });
  element.addEventListener("click", (event) => {
    if (event.target === element) closed(); // the backdrop: all else lies in `content`
  });
  const open = (on: boolean) => {
    if (on === element.open) return;
    if (!on) return element.close();
    element.showModal();
    (content.querySelector("input") ?? close).focus();
  };
  return { element, open };
}
