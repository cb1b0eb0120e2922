// Whether the kernel behind a widget is still there.
//
// ipywidgets sends an event when a kernel restarts. Only the widget manager knows that a kernel was shut
// down or replaced. Where neither says anything, the kernel is taken to be there.
//
// Read next: widget.ts.

interface Signal {
  connect(listener: () => void): unknown;
  disconnect(listener: () => void): unknown;
}

interface Kernel {
  readonly isDisposed?: boolean;
  readonly status?: string;
  readonly statusChanged?: Signal;
  readonly disposed?: Signal;
}

/** The part of anywidget's model that tells about the kernel. */
export interface Linked {
  readonly widget_manager?: { readonly kernel?: Kernel | null } | undefined;
  on(name: string, callback: () => void): void;
  off(name: string, callback: () => void): void;
}

const CUT_OFF = "comm_live_update"; // ipywidgets' event

export class Connection {
  readonly #model: Linked;
  readonly #kernel: Kernel | null | undefined;
  readonly #onLost: () => void;
  #lost = false;

  /** `onLost` is called once, when the kernel is found to be gone. */
  constructor(model: Linked, onLost: () => void) {
    this.#model = model;
    this.#kernel = model.widget_manager?.kernel;
    this.#onLost = onLost;
    model.on(CUT_OFF, this.#lose);
    this.#kernel?.statusChanged?.connect(this.#look);
    this.#kernel?.disposed?.connect(this.#look);
  }

  /** Whether the kernel is gone, as far as can be known now. */
  get lost(): boolean {
    this.#look();
    return this.#lost;
  }

  end(): void {
    this.#model.off(CUT_OFF, this.#lose);
    this.#kernel?.statusChanged?.disconnect(this.#look);
    this.#kernel?.disposed?.disconnect(this.#look);
  }

  readonly #look = (): void => {
    const kernel = this.#kernel;
    if (!kernel) return;
    const other = this.#model.widget_manager?.kernel !== kernel;
    if (other || kernel.isDisposed || kernel.status === "dead") this.#lose();
  };

  readonly #lose = (): void => {
    if (this.#lost) return;
    this.#lost = true;
    this.#onLost();
  };
}
