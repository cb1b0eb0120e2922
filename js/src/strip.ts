// The line that says which values are not as recorded, for eyes and for screen readers, and brings them back.
//
// Read next: edits.ts, which makes its sentence.

import { button, h, setText } from "./dom";
import type { Editing } from "./editor";
import type { Edits, Place } from "./edits";
import type { Recording } from "./recording";
import type { Dispatch } from "./state";

export interface Strip {
  element: HTMLElement;
  update(edits: Edits, touched: Place | undefined, recording: Recording): void;
}

/** `sentence`: what is told of edits. */
export function makeStrip(sentence: Editing["sentence"], dispatch: Dispatch): Strip {
  const said = h("span", { role: "status" }); // it is there before it speaks: else not every reader hears it
  const reset = button(
    "button.gl-button",
    () => dispatch({ type: "resetEdits" }),
    { title: "Bring back the recorded values (r)", "aria-label": "Reset the values" },
    "Reset",
  );
  const element = h("div.gl-strip", {}, said, reset);
  reset.hidden = true;
  const update: Strip["update"] = (edits, touched, recording) => {
    const text = recording.was ? sentence(edits, touched, recording) : "";
    setText(said, text);
    said.title = text; // where there is no room for all of it
    if (!text && reset.matches(":focus"))
      element.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true });
    reset.hidden = !text;
  };
  return { element, update };
}
