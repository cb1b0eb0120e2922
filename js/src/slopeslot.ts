// The place of the Slope card, which is made when a person opens it: it is one of the extras.
//
// Read next: cards/slope.ts.

import type { SlopeCard } from "./cards/slope";
import { h } from "./dom";
import type { Extras, PlayerOptions } from "./options";
import type { Recording } from "./recording";
import type { Dispatch } from "./state";

export function makeSlopeSlot(
  recording: Recording,
  entries: (tensor: string) => ArrayLike<number>,
  dispatch: Dispatch,
  extras: PlayerOptions["extras"],
): SlopeCard {
  let element = h("section.gl-p-slope", { hidden: true }) as HTMLElement;
  let card: SlopeCard | undefined;
  let last: Parameters<SlopeCard["update"]> | undefined;
  let opening = false; // a person opens it now
  const make = ({ slopeCard }: Extras) => {
    if (card) return;
    card = slopeCard(recording, entries, dispatch);
    element.replaceWith(card.element);
    element = card.element;
    if (last) card.update(...last);
    reveal();
  };
  const reveal = () => {
    if (opening) element.scrollIntoView?.({ block: "nearest" }); // below a large graph nobody would see it
  };
  return {
    get element() {
      return element;
    },
    update(...now) {
      opening = now[0] && last?.[0] === false;
      last = now;
      if (card) {
        card.update(...now);
        reveal();
      } else if (now[0] && typeof extras === "function")
        extras().then(make, ({ message }: Error) => dispatch({ type: "say", text: message }));
      else if (now[0] && extras) make(extras as Extras);
    },
  };
}
