// The button that opens the menu to save what a player shows.
//
// Read next: savemenu.ts.

import { button, icon } from "./dom";

const ARROW = "M7 2h2v6h3L8 12.5 4 8h3zM2 13h12v1.6H2z";

/** Add the button to a player, beside its other ones if it has any. */
export function saveButton(root: HTMLElement, open: () => void): void {
  const about = { "aria-label": "Save", title: "Save the walk or the picture" };
  const made = button("button.gl-button", open, about, icon(ARROW));
  const place = root.querySelector(".gl-icons") ?? root.querySelector(".gl-frame");
  place?.append(made);
  if (place?.matches(".gl-frame")) Object.assign(made.style, { display: "flex", margin: "0 12px 12px auto" });
}
