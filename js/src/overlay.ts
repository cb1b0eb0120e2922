// A box over the player, with a title and a button that closes it; it stays in sight while the page scrolls.
//
// Read next: help.ts, breaklist.ts.

import { type Child, h } from "./dom";

export interface Overlay {
  element: HTMLElement;
  /** Open or close it; returns whether it is open now. */
  toggle(): boolean;
}

export function makeOverlay(label: string, onClose: () => void, ...children: Child[]): Overlay {
  const close = h("button", { type: "button", class: "gl-button" }, "Close");
  close.addEventListener("click", onClose);
  const top = h("div", { class: "gl-top" }, h("h4", {}, label), close);
  const box = h("div", { class: "gl-box", role: "dialog", "aria-label": label }, top, ...children);
  const element = h("div", { class: "gl-over" }, box);
  element.hidden = true;
  element.addEventListener("click", (event) => {
    if (event.target === element) onClose();
  });
  const toggle = () => {
    element.hidden = !element.hidden;
    if (!element.hidden) (box.querySelector<HTMLElement>("input") ?? close).focus();
    return !element.hidden;
  };
  return { element, toggle };
}
