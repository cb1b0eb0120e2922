// The box around a drawing: how large the drawing is, and which part of it is in sight when it does not fit.
//
// Read next: viewport.ts, which says what is drawn.

import { h } from "./dom";
import { makeOverview } from "./overview";
import { type SceneView, VALUE } from "./sceneview";
import type { Scene } from "./trace";

const SMALLEST = 0.76; // smaller than this, small labels cannot be read: the box shows a part, and follows the step
const NARROWEST = 7 / 8.5; // the same for a drawing that would be as wide as the box: its labels have 8.5 pixels
const BESIDE = 0.85; // the smallest scale of a drawing beside the cards, and of one that is shown in part
const LARGEST = 1.5;
const LARGEST_ABOVE = 1; // the largest scale of a drawing above the cards, which must stay in sight
const FOLLOWING = 1; // scale of a drawing that is shown in part
const READABLE = 1.5; // the same in presenter mode
const PRESENTED = 1.28; // smallest scale of a whole drawing in presenter mode
const LABEL = 18; // pixels of the smallest label in presenter mode
const NEAR = 0.8; // of the width of the box: of a step whose parts lie farther from each other, the first is shown
const MARGIN = 0.3; // part of the box at each edge: a step there is scrolled to the middle
const SIDE = { least: 320, share: 0.295, most: 372 }; // pixels of the cards beside the drawing: see frame.css
const NARROW = 1040; // pixels: too narrow for cards beside the drawing
const PADDING = 20; // pixels that stay free around the drawing, both sides together

/** How large a drawing is, and which part of it is in sight. */
export type Place = readonly [zoomed: number, fitted: boolean, left: number, top: number];

export interface ZoomBox {
  element: HTMLElement;
  overview: SVGElement; // the whole drawing in small, while only a part is in sight
  /** Show a drawing, as soon as the box is on a page where it can be measured. */
  show(view: SceneView): void;
  /** Bring things into sight. Scrolls the box, never the page. */
  reveal(ids: ReadonlySet<string>): void;
  /** Show the whole drawing, however small, or return to the size before. */
  whole(): void;
  /** Move over the drawing. */
  pan(x: number, y: number): void;
  /** Make the drawing larger or smaller; 0 gives it its first size. */
  zoom(factor: number): void;
  /** How the drawing is looked at; with `from`, look at it so. */
  place(from?: Place): Place;
  /** Presenter mode: labels that can be read from the back of a room. */
  present(on: boolean): void;
  destroy(): void;
}

/**
 * `still`: a picture without steps. `now`: the ids to keep in sight. `onFit` is told whether to show the whole
 * drawing makes a difference, and whether it is shown whole because somebody asked for it.
 */
export function makeZoomBox(
  still: boolean,
  now: () => ReadonlySet<string>,
  onFit: (useful: boolean, fitted: boolean) => void,
): ZoomBox {
  const element = h("div.gl-canvas");
  if (still) element.tabIndex = 0; // a still picture has no other element for the focus, and it scrolls
  const overview = makeOverview(element);
  let shown: SceneView | undefined;
  let zoomed = 1;
  let fitted = false;
  let presenting = false;

  const fit = () => {
    if (!shown || !element.isConnected) return;
    const { element: drawing, scene } = shown;
    let scale = 0;
    let whole = 0;
    for (const cut of [false, true]) {
      element.classList.toggle("gl-cut", cut); // first without the overview, which takes room
      const [first, all] = scalesOf(scene); // measured before the drawing is laid out
      whole = all;
      scale = (fitted ? whole : first) * zoomed;
      if (scale <= whole) break;
    }
    onFit(fitted || scale > whole, fitted);
    const width = `${Math.floor(scene.width * scale)}px`;
    if (drawing.style.width !== width) {
      drawing.style.setProperty("--gl-label", `${LABEL / scale}px`);
      drawing.style.width = width;
    }
    shown.enlarge(presenting ? Math.max(1, LABEL / scale / VALUE) : 1);
    element.style.setProperty("--gl-tall", `${Math.ceil(scene.height * scale) + PADDING}px`);
    if (!drawing.parentElement) element.replaceChildren(drawing);
    element.classList.toggle("gl-cut", scale > whole);
    overview.show(scene);
    reveal(now());
  };

  /** The pixels of the box that equations may rise over in presenter mode. */
  const below = () => (presenting ? Number.parseFloat(getComputedStyle(element).paddingBottom) || 0 : 0);

  /** The scale at which a scene is drawn at first, and that at which all of it is in sight. */
  const scalesOf = (scene: Scene): [first: number, whole: number] => {
    const { width, height } = scene;
    const free = arrange(scene) && !presenting;
    const { clientWidth, clientHeight } = element;
    const padding = presenting ? 0 : PADDING; // the drawing itself has a margin
    const across = clientWidth ? (clientWidth - padding) / width : 1;
    const [smallest, following, largest] = presenting
      ? [PRESENTED, READABLE, 2 * READABLE]
      : [SMALLEST, FOLLOWING, free && !still ? LARGEST_ABOVE : LARGEST];
    const tall = free ? Number.parseFloat(getComputedStyle(element).maxHeight) : clientHeight - below();
    const down = ((tall || Number.POSITIVE_INFINITY) - padding) / height;
    const most = Math.min(largest, across, free && down < smallest ? largest : down);
    const part = Math.max(presenting ? PRESENTED : BESIDE, Math.min(following, down));
    const small = most < smallest || (!presenting && across < NARROWEST);
    return [small ? part : most, Math.min(most, down)];
  };

  /**
   * Put the cards beside the drawing where there is room, or else below it. This depends only on the width
   * of the frame and on the scene, so a step never changes it. Returns whether the drawing decides how
   * tall its box is.
   */
  const arrange = ({ width }: Scene): boolean => {
    const frame = element.closest(".gl-frame");
    if (still || !frame?.clientWidth) return true;
    const side = Math.max(SIDE.least, Math.min(SIDE.most, SIDE.share * frame.clientWidth));
    const beside = (frame.clientWidth - side - PADDING) / width;
    const stacked = frame.clientWidth <= NARROW || beside < BESIDE;
    frame.classList.toggle("gl-stacked", stacked);
    return stacked;
  };

  const reveal = (ids: ReadonlySet<string>) => {
    const [spareX, spareY] = [
      element.scrollWidth - element.clientWidth,
      element.scrollHeight - element.clientHeight,
    ];
    if (!shown || (spareX <= 0 && spareY <= 0)) return;
    const scale = Number.parseFloat(shown.element.style.width) / shown.scene.width;
    const [wide, tall] = [element.clientWidth, element.clientHeight - below()];
    const at = shown.middleOf(ids, (NEAR * wide) / scale);
    if (at === undefined) return;
    overview.point(at);
    // Scroll only when the step comes near the edge: a drawing that stands still is easier to follow.
    const x = at * scale - wide / 2;
    if (Math.abs(x - element.scrollLeft) > (0.5 - MARGIN) * wide) element.scrollLeft = x;
    if (spareY <= 0) return;
    // Up and down, show all that stands between the edges, if there is room.
    const seen = (place: number) => Math.abs(place * scale - element.scrollLeft - wide / 2) < wide / 2;
    const [top, bottom] = shown.reach(seen);
    const room = [tall, element.clientHeight].find((height) => (bottom - top) * scale <= height);
    if (room) element.scrollTop = ((top + bottom) * scale - room) / 2;
    if (room === tall) return;
    const [high, low] = shown.reach(seen, ids);
    if (high * scale < element.scrollTop || low * scale > element.scrollTop + tall)
      element.scrollTop = Math.min(((high + low) * scale - tall) / 2, high * scale);
  };

  const resize = (to: number, whole = false) => {
    zoomed = to;
    fitted = whole;
    fit();
  };

  dragging(element);
  const watcher = typeof ResizeObserver === "undefined" ? undefined : new ResizeObserver(fit);
  watcher?.observe(element);
  return {
    element,
    overview: overview.element,
    show(view) {
      shown = view;
      fit();
    },
    reveal(ids) {
      if (shown?.element.parentElement) reveal(ids);
      else fit();
    },
    whole: () => resize(1, !fitted || zoomed !== 1),
    pan: (x, y) => element.scrollBy({ left: 80 * x, top: 80 * y }),
    zoom: (factor) =>
      resize(factor ? Math.max(0.5, Math.min(4, zoomed * factor)) : 1, Boolean(factor) && fitted),
    place(from) {
      if (from) {
        [zoomed, fitted] = from;
        fit();
        [, , element.scrollLeft, element.scrollTop] = from;
        reveal(now());
      }
      return [zoomed, fitted, element.scrollLeft, element.scrollTop];
    },
    present(on) {
      presenting = on;
      resize(1);
    },
    destroy: () => watcher?.disconnect(),
  };
}

/** Let a person drag the drawing with the mouse. */
function dragging(box: HTMLElement): void {
  box.addEventListener("pointerdown", (down) => {
    if (down.button !== 0 || down.pointerType !== "mouse") return;
    if ((down.target as Element).closest("[data-edit]")) return; // the drag of a value: editor.ts
    const [x, y, left, top] = [down.clientX, down.clientY, box.scrollLeft, box.scrollTop];
    const move = (event: PointerEvent) => {
      box.scrollLeft = left + x - event.clientX;
      box.scrollTop = top + y - event.clientY;
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  });
}
