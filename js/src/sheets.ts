// What a drawing is drawn on: sheets of SVG, one over another, each as large as the whole.
//
// When one thing on a sheet changes, a browser goes through all that is on it to paint it anew, and
// leaves the other sheets as they are. What a step changes lies close together in the order of the
// pass, which is the order of drawing: on two or three sheets, however large the drawing.
//
// Read next: view.ts.

import { h, svg } from "./dom";

const PIECES = 24; // on a sheet

export class Sheets {
  readonly element: HTMLElement;
  readonly #box: string;
  #count = 0;
  #last: SVGSVGElement | undefined;

  /** `role` and `title`: what a screen reader says of all of them together. */
  constructor(width: number, height: number, role: string, title: string) {
    this.#box = `0 0 ${width} ${height}`;
    this.element = h("div", { class: "gl-picture", role, "aria-label": title });
  }

  /** Draw a piece over all that are there. */
  append(piece: SVGElement): void {
    if (this.#count % PIECES === 0) {
      this.#last = svg("svg", { class: "gl-svg", viewBox: this.#box, role: "presentation" });
      this.element.append(this.#last);
    }
    this.#last?.append(piece);
    this.#count += 1;
  }
}
