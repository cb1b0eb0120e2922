// Whether Python still listens at the other end of a widget.
//
// ipywidgets says when a kernel restarts, by itself or not: its models are then cut off. Of one that was
// shut down, or changed for another, only the manager knows. Where neither is told, it is taken to be there.

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

/** What anywidget's model offers about it. */
export interface Linked {
  readonly widget_manager?: { readonly kernel?: Kernel | null } | undefined;
  on(name: string, callback: () => void): void;
  off(name: string, callback: () => void): void;
}

const CUT_OFF = "comm_live_update"; // ipywidgets' event

export class Link {
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

  /** Whether Python is gone, as far as can be known now. */
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
