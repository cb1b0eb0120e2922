// A dialog that is one of the extras: it is made when it is opened for the first time.
//
// Read next: dialog.ts.

import type { Dialog } from "./dialog";
import { h } from "./dom";
import type { Extras, PlayerOptions } from "./options";
import type { DialogName, Dispatch } from "./state";

type Made = Dialog & { update?(marks: readonly string[]): void };

export function seldomDialog(
  name: DialogName,
  extras: PlayerOptions["extras"],
  make: (found: Extras) => Made,
  dispatch: Dispatch,
): Required<Made> {
  let element: HTMLElement = h("dialog");
  let [dialog, wanted]: [Made | undefined, boolean] = [undefined, false];
  let marks: readonly string[] = [];
  const show = (found: Extras) => {
    if (!dialog) {
      dialog = make(found);
      element.replaceWith(dialog.element);
      element = dialog.element;
      dialog.update?.(marks);
    }
    dialog.open(wanted);
  };
  const fail = ({ message }: Error) => {
    dispatch({ type: "closed", dialog: name });
    dispatch({ type: "say", text: message });
  };
  if (extras && typeof extras !== "function") show(extras);
  return {
    get element() {
      return element as HTMLDialogElement;
    },
    open(on) {
      if (on === wanted && !dialog) return;
      wanted = on;
      if (dialog) dialog.open(on);
      else if (on && typeof extras === "function") extras().then(show, fail);
    },
    /** The breakpoints, for the list of them. */
    update(now) {
      marks = now;
      dialog?.update?.(now);
    },
  };
}
