// What a drawing is drawn on: sheets of SVG, one over another, each as large as the whole.
//
// When one thing on a sheet changes, a browser goes through all that is on it to paint it anew, and
// leaves the other sheets as they are. What a step changes lies close together in the order of the
// pass, which is the order of drawing: on two or three sheets, however large the drawing.
//
// Read next: view.ts.

import { h, svg } from "./dom";

const PIECES = 24; // on a sheet

export interface Sheets {
  element: HTMLElement;
  /** Draw a piece over all that are there. */
  append(piece: SVGElement): void;
}

/** `role` and `title`: what a screen reader says of all sheets together. */
export function makeSheets(width: number, height: number, role: string, title: string): Sheets {
  const element = h("div", { class: "gl-picture", role, "aria-label": title });
  element.style.aspectRatio = `${width}/${height}`;
  let sheet: Element | undefined;
  const append = (piece: SVGElement) => {
    if (!sheet || sheet.childElementCount === PIECES) {
      sheet = svg("svg", { class: "gl-svg", viewBox: `0 0 ${width} ${height}`, role: "presentation" });
      element.append(sheet);
    }
    sheet.append(piece);
  };
  return { element, append };
}
