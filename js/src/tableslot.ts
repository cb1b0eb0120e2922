// The place of the table of all steps, which is made when a person opens it: it is one of the extras.
//
// Read next: tableview.ts.

import { h } from "./dom";
import type { Extras, PlayerOptions } from "./options";
import type { Dispatch } from "./state";
import type { TableView } from "./tableview";

export function makeTableSlot(extras: PlayerOptions["extras"], dispatch: Dispatch): TableView {
  let element: HTMLElement = h("section", { hidden: true });
  let made: TableView | undefined;
  let last: Parameters<TableView["update"]> | undefined;
  let [asked, focuses] = [false, false];
  const make = ({ makeTable }: Extras) => {
    made = makeTable(dispatch);
    made.element.hidden = element.hidden;
    element.replaceWith(made.element);
    element = made.element;
    if (last) made.update(...last);
    if (focuses) made.focus();
  };
  const fail = ({ message }: Error) => {
    asked = false;
    if (!element.hidden) dispatch({ type: "table" });
    dispatch({ type: "say", text: message });
  };
  if (extras && typeof extras !== "function") make(extras);
  return {
    get element() {
      return element;
    },
    update(...now) {
      last = now;
      if (made) return made.update(...now);
      if (element.hidden || asked || typeof extras !== "function") return;
      asked = true;
      extras().then(make, fail);
    },
    renew: () => made?.renew(),
    focus() {
      focuses = true;
      made?.focus();
    },
  };
}
