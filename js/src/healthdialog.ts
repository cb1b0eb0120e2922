// The dialog that shows the health of a pass, made anew whenever it is opened.
//
// Read next: health.ts.

import { type Dialog, makeDialog } from "./dialog";
import { h } from "./dom";
import { healthView } from "./health";
import type { Recording } from "./recording";
import { type Dispatch, knownUpTo, type PlayerState } from "./state";

const LATER = "Health tells the gradients of all steps, so predict them first.";

/** `now`: what is shown, and the recording at the values that are edited. */
export function makeHealthDialog(
  now: () => [shown: PlayerState | undefined, recording: Recording],
  dispatch: Dispatch,
): Dialog {
  const place = h("div");
  const { element, open } = makeDialog("health", "Health of the pass", dispatch, place);
  return {
    element,
    open(on) {
      if (on && !element.open) {
        const [shown, recording] = now();
        const told = shown && knownUpTo(shown, recording) >= recording.timeline.length - 1;
        place.replaceChildren(told ? healthView(shown.step, recording, dispatch) : h("p", {}, LATER));
      }
      open(on);
    },
  };
}
