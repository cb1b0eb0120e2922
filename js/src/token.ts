// A dot that runs along an edge when a step passes a gradient on. It takes at most 400 ms, and does not
// run for a person who asked for reduced motion.
//
// It is an element of its own over the drawing, moved by the compositor, so the browser lays out and
// paints nothing again.

import { h } from "./dom";

const DURATION = 380; // milliseconds
const POINTS = 12; // points of the path, joined by straight lines

export class Token {
  readonly #dot = h("div.gl-token", { "aria-hidden": "true" });
  readonly #picture: HTMLElement;
  readonly #width: number;
  #running: Animation | undefined;

  /** `width`: of the drawing, in the units of its paths. */
  constructor(picture: HTMLElement, width: number) {
    this.#picture = picture;
    this.#width = width;
    picture.append(this.#dot); // last, so that it is drawn over everything
  }

  /** Run along `path` from its beginning; without a path, only stop. */
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
