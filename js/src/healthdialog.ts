// The dialog that shows the health of a pass, made anew whenever it is opened.
//
// Read next: health.ts.

import { type Dialog, makeDialog } from "./dialog";
import { h } from "./dom";
import { healthView } from "./health";
import type { Recording } from "./recording";
import type { Dispatch } from "./state";

/** `now`: the event that is shown, and the recording at the values that are edited. */
export function makeHealthDialog(now: () => [number, Recording], dispatch: Dispatch): Dialog {
  const place = h("div");
  const { element, open } = makeDialog("health", "Health of the pass", dispatch, place);
  return {
    element,
    open(on) {
      if (on && !element.open) place.replaceChildren(healthView(...now(), dispatch));
      open(on);
    },
  };
}
