// The whole drawing in small, below a drawing of which only a part is in sight: which part it is, and where
// the step is. A press brings another part into sight.
//
// Read next: zoom.ts.

import { svg } from "./dom";
import { corner, finite } from "./marks";
import type { Scene } from "./trace";

export interface Overview {
  element: SVGSVGElement;
  /** Outline a drawing, and mark the part of it that is in sight. */
  show(scene: Scene): void;
  /** Mark where the step is, in the coordinates of the scene. */
  point(x: number): void;
}

/** `box`: it shows the drawing, and scrolls. */
export function makeOverview(box: HTMLElement): Overview {
  const all = svg("path");
  const here = svg("rect.gl-spot", { x: "-9%", width: "1.5%", height: "100%" });
  const sight = svg("rect.gl-sight");
  const element = svg("svg.gl-overview", { preserveAspectRatio: "none", "aria-hidden": "true" });
  element.append(all, here, sight);
  let outlined: Scene | undefined;

  const place = () => {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = box;
    if (!scrollWidth) return; // not on a page
    const parts = { x: scrollLeft / scrollWidth, y: scrollTop / scrollHeight };
    const sizes = { width: clientWidth / scrollWidth, height: clientHeight / scrollHeight };
    for (const [name, part] of Object.entries({ ...parts, ...sizes }))
      sight.setAttribute(name, `${100 * part}%`);
  };
  const go = ({ buttons, offsetX }: PointerEvent) => {
    if (buttons !== 1) return;
    const { scrollWidth, clientWidth } = box;
    box.scrollLeft = (offsetX / element.clientWidth) * scrollWidth - clientWidth / 2;
  };
  box.addEventListener("scroll", place);
  element.addEventListener("pointerdown", go);
  element.addEventListener("pointermove", go);
  return {
    element,
    show(scene) {
      place();
      if (scene === outlined) return;
      outlined = scene;
      element.setAttribute("viewBox", `0 0 ${finite(scene.width)} ${finite(scene.height)}`);
      let d = "";
      for (const { marks } of scene.groups) {
        const mark = marks.find(({ c }) => c === "op" || c === "card");
        if (!mark) continue;
        const { x, y } = corner(mark);
        d += `M${x} ${y}h${finite(mark.w) || 2 * finite(mark.r)}v${finite(mark.h) || 2 * finite(mark.r)}H${x}z`;
      }
      all.setAttribute("d", d);
    },
    point: (x) => here.setAttribute("x", String(x - finite(outlined?.width) / 133)),
  };
}
