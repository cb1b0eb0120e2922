// Presenter mode: the player fills the screen, large and in high contrast, light or dark as the notebook is,
// with a ring around the pointer. Where the page may not go to full screen, the player fills the window. It is
// no dialog: it is the player itself, so nothing lies behind it and its keys stay the same.
//
// Read next: styles/presenter.css.

import { h } from "./dom";
import type { Dispatch } from "./state";

/** Begin or end the presentation; `last`: the player goes. */
export type Presenter = (on: boolean, last?: boolean) => void;

/** Returns the function that begins and ends the presentation. */
export function makePresenter(root: HTMLElement, dispatch: Dispatch): Presenter {
  const gone = new AbortController();
  const { signal } = gone;
  const ring = h("div.gl-ring", { "aria-hidden": "true" });
  const isFull = () => (root.getRootNode() as Document | ShadowRoot).fullscreenElement === root;
  let presenting = false;
  let asked = 0; // how many requests the browser has not answered
  const fill = async () => {
    asked += 1;
    await root.requestFullscreen?.().catch(() => undefined); // refused: the style sheet fills the window
    asked -= 1;
    if (!presenting) leave(); // the presentation was shorter than the browser's answer
  };
  const leave = () => {
    if (isFull()) void document.exitFullscreen();
  };
  // The browser's own Escape leaves full screen without a key press for the player. While a request is open,
  // the event is about the presentation before.
  document.addEventListener(
    "fullscreenchange",
    () => {
      if (presenting && !asked && !isFull()) dispatch({ type: "leftFullscreen" });
    },
    { signal },
  );
  root.addEventListener(
    "pointermove",
    ({ clientX, clientY }) => {
      if (presenting) ring.style.translate = `${clientX}px ${clientY}px`;
    },
    { signal },
  );
  return (on, last) => {
    if (last) gone.abort();
    if (on === presenting) return;
    presenting = on;
    root.classList.toggle("gl-presenting", on);
    if (on) {
      root.append(ring);
      void fill();
    } else {
      ring.remove();
      leave();
    }
  };
}
