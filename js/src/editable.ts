// The elements of the page whose values a person can edit.
//
// Read next: editorslot.ts, editor.ts.

export const PLACES = "[data-edit]";

/** The value to edit at an element: its own, or that of the tensor that it stands for. */
export const placeAt = (target: Element): Element | null | undefined =>
  target.closest(PLACES) ?? target.closest(".gl-tensors")?.querySelector(PLACES);

/** Whether a key opens the editor. */
export const opens = (key: string, target: Element): boolean =>
  key === "Enter" || (key === " " && target.matches(`rect${PLACES}`));
