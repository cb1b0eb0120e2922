// One dot that runs along an edge when a step hands a gradient on: at most 400 ms, and not at all for
// a person who asked for less motion.
//
// It is an element of its own over the picture, moved by the compositor: neither it nor the picture
// under it, which may be large, is laid out or painted anew.

import { h } from "./dom";

const DURATION = 380; // milliseconds
const POINTS = 12; // of the path, straight lines between them

export class Token {
  readonly #dot = h("div", { class: "gl-token", "aria-hidden": "true" });
  readonly #picture: HTMLElement;
  readonly #width: number;
  #running: Animation | undefined;

  /** `width`: of the picture, in the units of its paths. */
  constructor(picture: HTMLElement, width: number) {
    this.#picture = picture;
    this.#width = width;
    picture.append(this.#dot); // over all that is drawn
  }

  /** Run along `path` from its beginning, once everything is in its place; without one, only stop what runs. */
  run(path: SVGPathElement | undefined): void {
    this.stop();
    if (!path?.getTotalLength || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const length = path.getTotalLength();
    const scale = this.#picture.clientWidth / this.#width;
    const frames = Array.from({ length: POINTS + 1 }, (_, at) => {
      const { x, y } = path.getPointAtLength((length * at) / POINTS);
      return { translate: `${x * scale}px ${y * scale}px`, opacity: 1 };
    });
    this.#running = this.#dot.animate(frames, { duration: DURATION, easing: "ease-out" });
  }

  stop(): void {
    this.#running?.finish();
  }
}
