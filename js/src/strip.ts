// The line that says which values are not as recorded, for eyes and for screen readers, and brings them back.
//
// Read next: edits.ts, which makes its sentence.

import { button, h, setText } from "./dom";
import type { Editing } from "./editor";
import type { Recording } from "./recording";
import type { Dispatch, PlayerState } from "./state";

export interface Strip {
  element: HTMLElement;
  update(state: PlayerState, recording: Recording): void;
}

/** `sentence`: what is told of edits. `changes`: what else is read aloud, as eyes see it in the picture. */
export function makeStrip({ sentence, changes }: Editing, dispatch: Dispatch): Strip {
  const said = h("span", { role: "status" }); // it is there before it speaks: else not every reader hears it
  const rest = h("i.gl-unseen", { "aria-live": "polite" });
  const reset = button(
    "button.gl-button",
    () => dispatch({ type: "resetEdits" }),
    { title: "Bring back the recorded values (r)", "aria-label": "Reset the values" },
    "Reset",
  );
  const element = h("div.gl-strip", {}, said, rest, reset);
  reset.hidden = true;
  const update: Strip["update"] = ({ edits, touched, predicting }, recording) => {
    const text = recording.was ? sentence(edits, touched, recording) : "";
    if (said.title !== text) setText(rest, text && !predicting ? changes(recording) : "");
    setText(said, text);
    said.title = text; // where there is no room for all of it
    if (!text && reset.matches(":focus"))
      element.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true });
    reset.hidden = !text;
  };
  return { element, update };
}
