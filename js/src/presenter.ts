// Presenter mode: the player fills the screen, large, in light high contrast, with a ring around the
// pointer. Where the page may not go to full screen, it fills the window.
//
// Read next: styles/presenter.css.

import { h } from "./dom";

export class Presenter {
  on = false;
  readonly #root: HTMLElement;
  readonly #changed: () => void;
  readonly #ring = h("div", { class: "gl-ring", "aria-hidden": "true" });

  constructor(root: HTMLElement, signal: AbortSignal, changed: () => void) {
    this.#root = root;
    this.#changed = changed;
    // The browser's own Esc leaves full screen without a key press for us.
    document.addEventListener(
      "fullscreenchange",
      () => {
        if (this.on && !this.#isFull()) this.set(false);
      },
      { signal },
    );
    root.addEventListener("pointermove", (event) => this.#point(event), { signal });
  }

  set(on: boolean): void {
    if (on === this.on) return;
    this.on = on;
    this.#root.classList.toggle("gl-presenting", on);
    if (on) {
      this.#root.append(this.#ring);
      // Refused in a frame that may not: the page is filled all the same, by the sheet.
      this.#root.requestFullscreen?.().catch(() => undefined);
    } else {
      this.#ring.remove();
      if (this.#isFull()) void document.exitFullscreen();
    }
    this.#changed();
  }

  #isFull(): boolean {
    return (this.#root.getRootNode() as Document | ShadowRoot).fullscreenElement === this.#root;
  }

  #point(event: PointerEvent): void {
    if (this.on) this.#ring.style.translate = `${event.clientX}px ${event.clientY}px`;
  }
}
