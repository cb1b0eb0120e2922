// One dot that runs along an edge when a step hands a gradient on: at most 400 ms, and not at all for
// a person who asked for less motion.

import { svg } from "./dom";

const DURATION = 380; // milliseconds

export class Token {
  readonly #dot = svg("circle", { class: "gl-token", r: 5 });
  #frame = 0;

  constructor(parent: SVGElement) {
    parent.append(this.#dot);
  }

  /** Run along `path` from its beginning; without one, only stop what runs. */
  run(path: SVGPathElement | undefined): void {
    this.stop();
    if (!path?.getTotalLength || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const length = path.getTotalLength();
    const begun = performance.now();
    const draw = (now: number) => {
      const part = Math.min(1, Math.max(0, (now - begun) / DURATION));
      const { x, y } = path.getPointAtLength(length * (1 - (1 - part) ** 2)); // slows down on arrival
      this.#dot.setAttribute("transform", `translate(${x} ${y})`);
      if (part < 1) this.#frame = requestAnimationFrame(draw);
      else this.stop();
    };
    this.#dot.classList.add("gl-shown");
    draw(begun);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#dot.classList.remove("gl-shown");
  }
}
