// One dot that runs along an edge when a step hands a gradient on: at most 400 ms, and not at all for
// a person who asked for less motion.
//
// It is an element of its own over the picture, moved by the compositor: the picture under it, which
// may be large, is not painted anew for each frame.

import { h } from "./dom";

const DURATION = 380; // milliseconds
const POINTS = 12; // of the path, straight lines between them

export class Token {
  readonly #dot = h("div", { class: "gl-token", "aria-hidden": "true" });
  readonly #picture: SVGSVGElement;
  #frame = 0;

  constructor(picture: SVGSVGElement) {
    this.#picture = picture;
  }

  /** Run along `path` from its beginning; without one, only stop what runs. */
  run(path: SVGPathElement | undefined): void {
    this.stop();
    if (!path?.getTotalLength || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.#frame = requestAnimationFrame(() => this.#start(path)); // by then everything is in its place
  }

  #start(path: SVGPathElement): void {
    const box = this.#picture.parentElement;
    if (!box) return;
    const length = path.getTotalLength();
    const [inner, outer] = [this.#picture.getBoundingClientRect(), box.getBoundingClientRect()];
    const scale = inner.width / this.#picture.viewBox.baseVal.width;
    const left = inner.left - outer.left + box.scrollLeft - box.clientLeft;
    const top = inner.top - outer.top + box.scrollTop - box.clientTop;
    const frames = Array.from({ length: POINTS + 1 }, (_, at) => {
      const { x, y } = path.getPointAtLength((length * at) / POINTS);
      return { translate: `${left + x * scale}px ${top + y * scale}px` };
    });
    box.append(this.#dot);
    const running = this.#dot.animate(frames, { duration: DURATION, easing: "ease-out" });
    running.onfinish = () => this.stop();
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#dot.remove();
  }
}
