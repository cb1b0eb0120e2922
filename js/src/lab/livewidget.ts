// The output of graphlab.step: the live widget, or its recording where no kernel has the widget any more.
//
// ipywidgets' own renderer says "Loading widget..." or "Error displaying widget" for a widget of a kernel
// that is gone, although the trace is in the same output.
//
// Read next: widget.ts.

import type { NotebookPanel } from "@jupyterlab/notebook";
import type { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Panel, type Widget } from "@lumino/widgets";
import { MIME_TYPE } from "../trace";
import { type Room, roomOf } from "./classrooms";
import { TraceView } from "./traceview";

const WIDGET_TYPE = "application/vnd.jupyter.widget-view+json";
const RANK = -20; // before ipywidgets' renderer, which has -10
const PATIENCE = 20_000; // milliseconds that a busy kernel may take to show its widget

/** Show the outputs of one notebook that hold a trace, and perhaps a widget beside it. */
export function showTraces(panel: NotebookPanel): void {
  const { rendermime } = panel.content;
  const hasKernel = () => !!panel.sessionContext.session?.kernel;
  const createRenderer = () => new LiveWidget(rendermime, hasKernel, roomOf(panel));
  rendermime.addFactory({ safe: true, mimeTypes: [MIME_TYPE], createRenderer }, RANK);
}

class LiveWidget extends Panel implements IRenderMime.IRenderer {
  readonly #rendermime: IRenderMimeRegistry;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: MutationObserver | undefined;
  #trace: TraceView | undefined;
  #live: Widget | undefined;

  readonly #hasKernel: () => boolean;
  readonly #room: Room;

  constructor(rendermime: IRenderMimeRegistry, hasKernel: () => boolean, room: Room) {
    super();
    this.#rendermime = rendermime;
    this.#hasKernel = hasKernel;
    this.#room = room;
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#clear();
    const factory = model.trusted && WIDGET_TYPE in model.data && this.#rendermime.getFactory(WIDGET_TYPE);
    if (!factory) return this.#play(model);
    const live = this.#rendermime.createRenderer(WIDGET_TYPE);
    this.addWidget(live);
    this.#live = live;
    const isShown = () => (live as Widget & { widgets?: readonly Widget[] }).widgets?.length;
    const look = () => {
      if (!isShown()) return;
      this.#trace?.dispose();
      this.#stop();
      live.show();
    };
    this.#watch = new MutationObserver(look); // the widget may come when the kernel is connected
    this.#watch.observe(live.node, { childList: true });
    this.#timer = setTimeout(() => void this.#play(model), this.#hasKernel() ? PATIENCE : 0);
    void live.renderModel(model).then(() => {
      if (!isShown() && live.node.textContent?.startsWith("Error")) void this.#play(model);
    });
  }

  override dispose(): void {
    this.#stop();
    super.dispose();
  }

  async #play(model: IRenderMime.IMimeModel): Promise<void> {
    clearTimeout(this.#timer);
    if (this.isDisposed || this.#trace) return;
    this.#live?.hide();
    this.#trace = new TraceView(this.#room);
    this.addWidget(this.#trace);
    await this.#trace.renderModel(model);
  }

  #clear(): void {
    this.#stop();
    this.#trace = this.#live = undefined;
    for (const widget of [...this.widgets]) widget.dispose();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#watch?.disconnect();
  }
}
