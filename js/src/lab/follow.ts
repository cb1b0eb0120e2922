// Keeps the table up to date: watches the active notebook, and reads its kernel when a cell has run.
//
// It asks one question at a time, only of an idle kernel, only while the panel is visible, and a moment
// after the last cell of a run. The panel's own questions make the kernel busy too; they are ignored.
//
// Read next: lab/kernel.ts.

import type { ISessionContext } from "@jupyterlab/apputils";
import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { Asker, type Drawn, foreignLanguage, type Reading, SAID, whyNot } from "./kernel";
import { settings } from "./settings";

const PAUSE = 120; // milliseconds after a cell, in which the next cell of the same run may begin

export interface Shown {
  reading: Reading;
  note: string; // a sentence above a table that may be out of date
  changed: boolean; // this is another kernel or notebook than before
}

export class Follower {
  readonly #asker = new Asker();
  readonly #onChange: (shown: Shown) => void;
  #looking = false;
  #panel: NotebookPanel | undefined;
  #session: ISessionContext | undefined;
  #kernel = "";
  #reading: Reading = { said: SAID.noNotebook };
  #fresh = false; // another notebook or kernel, of which nothing was read yet
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<unknown> | undefined; // the present question about the table
  #again = false; // something happened meanwhile: ask again
  #waiters: (() => void)[] = [];
  #waiting = false; // the kernel was busy: ask when it is idle

  constructor(onChange: (shown: Shown) => void) {
    this.#onChange = onChange;
  }

  /** Follow the active notebook from now on. */
  start(tracker: INotebookTracker): void {
    tracker.currentChanged.connect((_, panel) => this.#follow(panel ?? undefined));
    this.#show(this.#reading, "");
    this.#follow(tracker.currentWidget ?? undefined);
  }

  get notebook(): NotebookPanel | undefined {
    return this.#panel?.isDisposed ? undefined : this.#panel;
  }

  /** Whether the panel is visible: a hidden panel asks nothing. */
  set looking(looking: boolean) {
    this.#looking = looking;
    if (looking) this.refresh();
  }

  /** Read the table as soon as the kernel is idle. */
  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#read();
  }

  /** The present table: read once the kernel is idle, even for a hidden panel. */
  async current(): Promise<Reading> {
    await this.#idle();
    await this.#read(true);
    await this.#asking; // a question that was asked before
    return this.#reading;
  }

  draw(code: string): Promise<Drawn> {
    return this.#question((kernel) => this.#asker.draw(kernel, code, settings().view));
  }

  walk(code: string): Promise<Drawn> {
    return this.#question((kernel) => this.#asker.walk(kernel, code));
  }

  async #question(ask: (kernel: Kernel.IKernelConnection) => Promise<Drawn>): Promise<Drawn> {
    await this.#idle();
    const session = this.#session;
    const kernel = session?.session?.kernel;
    const said = whyNot(session, this.#kernel !== "");
    return said || !kernel ? { said: said ?? SAID.noKernel, document: null } : ask(kernel);
  }

  /** Wait until the kernel is idle, if there is one that works. */
  async #idle(): Promise<void> {
    await this.#asking;
    const session = this.#session;
    while (!whyNot(session, this.#kernel !== "") && session?.session?.kernel?.status === "busy")
      await this.#status();
  }

  /** Resolves when the status of the kernel changes, or another kernel is followed. */
  #status(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** Whether a question would have to wait. */
  get busy(): boolean {
    return this.#session?.session?.kernel?.status === "busy" && !this.#asking;
  }

  #follow(panel: NotebookPanel | undefined): void {
    if (panel === this.#panel) return;
    const old = this.#session;
    old?.kernelChanged.disconnect(this.#onKernel, this);
    old?.statusChanged.disconnect(this.#onStatus, this);
    old?.connectionStatusChanged.disconnect(this.#onStatus, this);
    old?.iopubMessage.disconnect(this.#onMessage, this);
    this.#panel = panel;
    this.#session = panel?.sessionContext;
    this.#wake();
    const now = this.#session;
    now?.kernelChanged.connect(this.#onKernel, this);
    now?.statusChanged.connect(this.#onStatus, this);
    now?.connectionStatusChanged.connect(this.#onStatus, this);
    now?.iopubMessage.connect(this.#onMessage, this);
    this.#kernel = "";
    this.#fresh = true;
    this.#show({ said: whyNot(now) ?? SAID.starting }, "");
    this.refresh();
  }

  #onKernel(): void {
    this.#wake();
    this.#fresh = true;
    this.refresh();
  }

  #onStatus(): void {
    this.#wake();
    const said = whyNot(this.#session, this.#kernel !== "");
    if (said) {
      this.#fresh = true;
      this.#show({ said }, "");
    } else if (this.#session?.session?.kernel?.status === "idle" && !this.#asking) {
      if (this.#fresh || this.#waiting) this.#soon(); // it has started, or is idle at last
    }
  }

  #onMessage(_: unknown, message: KernelMessage.IMessage): void {
    const { header, parent_header, content } = message;
    const own = this.#asker.isOwn(parent_header.msg_id);
    if (header.msg_type !== "status" || own || parent_header.msg_type !== "execute_request") return;
    const state = (content as { execution_state?: string }).execution_state;
    if (state === "busy" && "table" in this.#reading) this.#show(this.#reading, SAID.busy);
    if (state === "idle") this.#soon();
  }

  #soon(): void {
    if (!settings().refresh && !this.#fresh) {
      if ("table" in this.#reading)
        this.#show(this.#reading, "Cells have run since. Refresh to see the changes.");
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), PAUSE);
  }

  async #read(always = false): Promise<void> {
    if (!this.#looking && !always) return;
    if (this.#asking) {
      this.#again = true;
      return;
    }
    const [session, kernel] = [this.#session, this.#session?.session?.kernel];
    const said = whyNot(session, this.#kernel !== "");
    if (said || !kernel) return this.#show({ said: said ?? SAID.noKernel }, "");
    if (kernel.status === "busy") {
      this.#waiting = true;
      const known = "table" in this.#reading && kernel.id === this.#kernel;
      return this.#show(known ? this.#reading : { said: SAID.busyFirst }, known ? SAID.busy : "");
    }
    this.#again = this.#waiting = false;
    const asking = this.#ask(kernel);
    this.#asking = asking;
    const reading = await asking;
    this.#asking = undefined;
    if (session !== this.#session || kernel !== session?.session?.kernel) return this.refresh();
    if (kernel.id !== this.#kernel) this.#fresh = true;
    this.#kernel = kernel.id;
    this.#show(reading, "");
    this.#fresh = false;
    if (this.#again) this.#soon();
  }

  async #ask(kernel: Kernel.IKernelConnection): Promise<Reading> {
    try {
      const language = await foreignLanguage(kernel);
      return language ? { said: SAID.notPython(language) } : await this.#asker.table(kernel);
    } catch {
      return { said: SAID.away }; // it ended before it said which language it speaks
    }
  }

  #show(reading: Reading, note: string): void {
    this.#reading = reading;
    this.#onChange({ reading, note, changed: this.#fresh });
  }
}
