// The graph's place on the page: which view is shown, how large, and which part when it does not fit.
//
// Read next: view.ts.

import { h } from "./dom";
import type { Lookup } from "./lookup";
import type { Event, State, Trace } from "./trace";
import { SceneView } from "./view";

const SMALLEST = 0.66; // below this the small labels cannot be read: the box scrolls instead
const LARGEST = 1.5;
const CROWDED = 0.72; // beside the cards the picture is not to be smaller than this
const NARROW = 800; // pixels: too narrow for cards beside the picture
const PADDING = 20; // pixels that the box keeps free around the picture, both sides together
const ORDER = ["computation", "backward", "both"]; // as the tabs stand

export class Stage {
  readonly element: HTMLElement;
  readonly tabs: HTMLElement; // which view to show: the player puts them where there is room
  readonly #box = h("div", { class: "gl-canvas" });
  readonly #views: readonly SceneView[];
  readonly #tabs: readonly HTMLButtonElement[];
  readonly #watcher: ResizeObserver | undefined;
  readonly #still: boolean;
  #shown: SceneView | undefined;
  #zoom = 1;
  #last: { state: State; event: Event | undefined; focus: ReadonlySet<string> } | undefined;

  constructor(trace: Trace, lookup: Lookup, onPick: (k: number) => void) {
    this.#still = trace.events.length === 0;
    const scenes = [...trace.scenes].sort((a, b) => ORDER.indexOf(a.view) - ORDER.indexOf(b.view));
    const { tensors, nodes } = trace.graph;
    const title = `The graph of ${lookup.label(lookup.root)}: ${tensors.length} tensors, ${nodes.length} nodes`;
    this.#views = scenes.map(
      (scene) => new SceneView(scene, { lookup, title, ...(this.#still ? {} : { onPick }) }),
    );
    this.#tabs = scenes.map((scene, at) => {
      const tab = h("button", { type: "button", class: "gl-tab" }, String(scene.view));
      tab.addEventListener("click", () => this.#choose(this.#views[at]));
      return tab;
    });
    this.tabs = h("div", { class: "gl-tabs", role: "group", "aria-label": "View" }, ...this.#tabs);
    this.tabs.hidden = scenes.length < 2;
    this.element = h("div", { class: "gl-stage" }, this.#box);
    if (!scenes.length)
      this.#box.append(h("p", { class: "gl-empty" }, "This trace holds no drawing of its graph."));
    this.#choose(this.#views.find(({ scene }) => scene.view === "both") ?? this.#views[0]);
    if (typeof ResizeObserver !== "undefined") {
      this.#watcher = new ResizeObserver(() => this.#fit());
      this.#watcher.observe(this.#box);
    }
  }

  update(state: State, event: Event | undefined, focus: ReadonlySet<string>, move: boolean): void {
    this.#last = { state, event, focus };
    this.#shown?.update(state, event, focus, move);
    this.#reveal();
  }

  zoom(factor: number): void {
    this.#zoom = Math.max(0.5, Math.min(4, this.#zoom * factor));
    this.#fit();
  }

  destroy(): void {
    this.#watcher?.disconnect();
    for (const view of this.#views) view.destroy();
  }

  #choose(view: SceneView | undefined): void {
    if (!view) return;
    this.#shown = view;
    for (const [at, tab] of this.#tabs.entries())
      tab.setAttribute("aria-pressed", String(this.#views[at] === view));
    this.#box.replaceChildren(view.element);
    if (this.#last) view.update(this.#last.state, this.#last.event, this.#last.focus, false);
    this.#fit();
  }

  #fit(): void {
    const view = this.#shown;
    if (!view) return;
    const { width, height } = view.scene;
    const free = this.#arrange(view.scene);
    const { clientWidth, clientHeight } = this.#box;
    const across = clientWidth ? (clientWidth - PADDING) / width : 1;
    const down = free || !clientHeight ? LARGEST : (clientHeight - PADDING) / height;
    const scale = Math.max(SMALLEST, Math.min(LARGEST, across, down)) * this.#zoom;
    view.element.setAttribute("width", String(Math.floor(width * scale)));
    view.element.setAttribute("height", String(Math.floor(height * scale)));
    this.#box.style.setProperty("--gl-tall", `${Math.floor(height * scale) + PADDING}px`);
    this.#reveal();
  }

  /**
   * Put the cards beside the picture where there is room, else under it, as wide as the frame allows.
   * Depends on the frame's width and the scene alone, so a step never changes it. Returns whether the
   * picture decides how tall its box is.
   */
  #arrange({ width }: { width: number }): boolean {
    const frame = this.element.parentElement;
    if (this.#still || !frame?.clientWidth) return true;
    const side = Math.max(280, Math.min(372, 0.295 * frame.clientWidth));
    const beside = (frame.clientWidth - side - PADDING) / width;
    const stacked = frame.clientWidth <= NARROW || beside < CROWDED;
    frame.classList.toggle("gl-stacked", stacked);
    return stacked;
  }

  /** Scroll the box, never the page, so that what happens now is in sight. */
  #reveal(): void {
    const box = this.#box;
    const [spareX, spareY] = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
    if (!this.#shown || !this.#last || (spareX <= 0 && spareY <= 0)) return;
    const at = this.#shown.focusBox(this.#last.focus);
    if (!at) return;
    const scale = Number(this.#shown.element.getAttribute("width")) / this.#shown.scene.width;
    box.scrollLeft = at.x * scale - box.clientWidth / 2;
    box.scrollTop = at.y * scale - box.clientHeight / 2;
  }
}
