// The line above a player that says who leads, with a button to follow or to leave.
//
// Read next: lab/traceview.ts.

import { button, h } from "../dom";
import type { Said } from "./classroom";
import sheet from "./classroom.css";

/** The element, and the function that changes what it says. */
export function classroomBar(): { element: HTMLElement; show: (said: Said) => void } {
  const element = h("div.gl-classroom", { role: "status", hidden: "" });
  const show = ({ text, button: label, act }: Said) => {
    element.hidden = !text;
    const press = label && act ? [button("button", act, {}, label)] : [];
    element.replaceChildren(h("style", {}, sheet), h("span", {}, text), ...press);
  };
  return { element, show };
}
