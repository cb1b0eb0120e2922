// The SVG layers that a drawing is made of: one over another, each as large as the whole drawing.
//
// When one element of a layer changes, a browser paints that whole layer again and leaves the other layers
// as they are. Elements are drawn in the order of the backward pass, so what a step changes lies on two or
// three layers, however large the drawing is.
//
// Read next: sceneview.ts.

import { h, svg } from "./dom";

const MOST = 24; // elements of a layer

export interface SvgLayers {
  element: HTMLElement;
  /** Draw over everything that is there. */
  append(child: SVGElement): void;
}

/** `role`, `title` and `about` are what a screen reader says of all layers together. */
export function makeSvgLayers(
  width: number,
  height: number,
  role: string,
  title: string,
  about?: string,
): SvgLayers {
  const element = h("div.gl-picture", { role, "aria-label": title, "aria-description": about || undefined });
  element.style.aspectRatio = `${width}/${height}`;
  let layer: Element | undefined;
  const append = (child: SVGElement) => {
    if (!layer || layer.childElementCount === MOST) {
      layer = svg("svg.gl-svg", { viewBox: `0 0 ${width} ${height}`, role: "presentation" });
      element.append(layer);
    }
    layer.append(child);
  };
  return { element, append };
}
