// The graph's place on the page: which view is shown, how large, and which part when it does not fit.
//
// Read next: view.ts.

import { h } from "./dom";
import type { Lookup } from "./lookup";
import type { Event, State, Trace } from "./trace";
import { SceneView } from "./view";

const SMALLEST = 0.72; // below this the small labels cannot be read: the box scrolls instead
const LARGEST = 1.5;
const ORDER = ["computation", "backward", "both"]; // as the tabs stand

export class Stage {
  readonly element: HTMLElement;
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
    const tabs = h("div", { class: "gl-tabs", role: "group", "aria-label": "View" }, ...this.#tabs);
    tabs.hidden = scenes.length < 2;
    this.element = h("div", { class: "gl-stage" }, tabs, this.#box);
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
    const { clientWidth, clientHeight } = this.#box;
    const { width, height } = view.scene;
    const across = clientWidth ? clientWidth / width : 1;
    const down = this.#still || !clientHeight ? LARGEST : clientHeight / height;
    const scale = Math.max(SMALLEST, Math.min(LARGEST, across, down)) * this.#zoom;
    view.element.setAttribute("width", String(Math.floor(width * scale)));
    view.element.setAttribute("height", String(Math.floor(height * scale)));
    this.#reveal();
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
