// The side panel "GraphLab": the tensors of the active notebook, and the selected one.
//
// Read next: lab/follow.ts (when the kernel is asked), lab/table.ts, lab/detail.ts.

import type { INotebookTracker } from "@jupyterlab/notebook";
import { Widget } from "@lumino/widgets";
import { h, icon, keepKeys, setText } from "../dom";
import { followTheme } from "../theme";
import { insertCell } from "./cells";
import { coded } from "./codespans";
import { Detail } from "./detail";
import { Follower, type Shown } from "./follow";
import { type Drawn, type Row, SAID, type Table } from "./kernel";
import style from "./panel.css";
import { type Call, cellCode } from "./snippets";
import { TensorTable } from "./table";

// a circular arrow, in a box of 16 x 16
const AGAIN =
  "M8 2.5a5.5 5.5 0 1 0 5.3 7h-1.6A4 4 0 1 1 8 4c1.2 0 2.2.5 3 1.3L9 7.3h5V2.2l-1.9 2A5.5 5.5 0 0 0 8 2.5z";

const NO_TABLE: Table = { module: null, rows: [], unseen: 0, last: null };

export interface Host {
  /** Open a recording in a tab of its own. Returns false where there are no tabs, as in Notebook. */
  open(name: string, document: unknown): boolean;
  /** Ask for a path, and write a recording to a file. */
  save(name: string, folder: string, document: unknown): Promise<void>;
  /** Other commands are enabled now. */
  changed(): void;
}

export class TensorPanel extends Widget {
  readonly #host: Host;
  readonly #follower: Follower;
  readonly #table: TensorTable;
  readonly #detail: Detail;
  readonly #where = h("span.gl-lab-where");
  readonly #note = h("p.gl-lab-note", { role: "status" });
  readonly #said = h("p.gl-lab-empty", { role: "status" });
  readonly #body = h("div.gl-lab-body");
  readonly #stopTheme: () => void;
  #known: Table | undefined;
  #row: Row | undefined; // the selected tensor, as it was when it was selected
  #asked = 0; // the number of the last question: answers to older ones are ignored

  constructor(tracker: INotebookTracker, host: Host) {
    super();
    this.#host = host;
    this.#table = new TensorTable((row) => void this.#look(row));
    this.#detail = new Detail({
      walk: () => void this.walk(),
      insert: (call) => this.insert(call),
      open: () => void this.open(),
      save: () => void this.save(),
    });
    const again = h(
      "button.gl-lab-button.gl-lab-again",
      { type: "button", "aria-label": "Refresh", title: "Read the tensors again" },
      icon(AGAIN),
    );
    again.addEventListener("click", () => this.refresh());
    const head = h(
      "div.gl-lab-head",
      {},
      h("div.gl-lab-title", {}, h("h1", {}, "Tensors"), this.#where),
      again,
    );
    this.#body.append(this.#note, this.#table.element, this.#detail.element);
    this.node.classList.add("gl-lab");
    this.node.tabIndex = -1;
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", "GraphLab: the tensors of this notebook");
    keepKeys(this.node);
    this.node.append(h("style", {}, style), head, this.#said, this.#body);
    this.#stopTheme = followTheme(this.node);
    this.#follower = new Follower((shown) => this.#update(shown));
    this.#follower.start(tracker);
  }

  // -- commands ----------------------------------------------------------------------

  refresh(): void {
    this.#follower.refresh();
  }

  /** Put the focus in the table, as soon as the tensors are known, and keep it there until a key or the mouse is used. */
  enter(): void {
    const end = new AbortController();
    const until = { capture: true, signal: end.signal };
    // JupyterLab's palette gives the focus back to the notebook, some time after the command has run
    const stay = ({ target }: Event) => (target as Element).closest(".jp-Notebook") && this.#focus();
    document.addEventListener("focusin", stay, until);
    for (const type of ["keydown", "pointerdown"]) document.addEventListener(type, () => end.abort(), until);
    this.#focus();
  }

  #focus(): void {
    if (this.#table.element.hidden || this.#body.hidden) this.node.focus();
    else this.#table.focus();
  }

  /** The selected tensor; undefined when there is none, or the notebook is closed. */
  get selected(): Row | undefined {
    return this.#known && this.#follower.notebook ? this.#row : undefined;
  }

  /** Step through the backward pass of the selected tensor here. */
  async walk(): Promise<void> {
    const document = await this.#walked();
    if (document) void this.#detail.answer({ said: "", document, walk: true }, true);
  }

  /** The same for the newest tensor, named or not. */
  async walkLast(): Promise<void> {
    await this.#follower.current(); // the panel may have been opened just now
    const last = this.#known?.last;
    const row = this.#known?.rows.find(({ code }) => code === last);
    if (last) return this.#look(row ?? unnamed(last), true);
    if (this.#known?.rows.length) this.#say(SAID.noResult);
  }

  async open(): Promise<void> {
    const name = this.#row?.name ?? "";
    const document = await this.#walked();
    if (document && !this.#host.open(name, document)) this.#detail.wait(SAID.noTabs);
  }

  async save(): Promise<void> {
    const name = this.#row?.name ?? "";
    const path = this.#follower.notebook?.context.path ?? "";
    const document = await this.#walked();
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
    if (document) await this.#host.save(name, folder, document);
  }

  /** Insert a cell with a call for the selected tensor. */
  insert(call: Call): void {
    const notebook = this.#follower.notebook;
    const row = this.selected;
    if (notebook && row) insertCell(notebook, cellCode(call, row, this.#known?.module ?? null));
  }

  // -- events ----------------------------------------------------------------------------

  #update({ reading, note, changed }: Shown): void {
    const { notebook } = this.#follower;
    const file = notebook?.context.path.split("/").at(-1) ?? "";
    setText(this.#where, file);
    this.#where.title = notebook?.context.path ?? "";
    const said = "said" in reading ? reading.said : reading.table.rows.length ? "" : SAID.noTensors;
    this.#said.replaceChildren(...coded(said));
    this.#said.hidden = !said;
    setText(this.#note, note);
    this.#note.hidden = !note;
    const table = "table" in reading ? reading.table : undefined;
    this.#known = table;
    this.#body.hidden = !table?.rows.length && !this.#row;
    this.#table.element.hidden = !table?.rows.length;
    if (changed || !table) this.#forget();
    this.#table.update(table ?? NO_TABLE, changed || !table);
    if (document.activeElement === this.node) this.#focus();
    const row = table?.rows.find(({ code }) => code === this.#row?.code);
    if (row && this.#row) {
      this.#detail.describe(row);
      this.#detail.stale(staleness(this.#row, row));
    } else if (table && this.#row && this.#row.code !== "_")
      this.#detail.stale(`There is no variable ${this.#row.name} any more: this shows its last tensor.`);
    this.#host.changed();
  }

  #forget(): void {
    this.#row = undefined;
    this.#asked += 1;
    this.#table.select(undefined);
    this.#detail.clear();
  }

  async #look(row: Row, walk = false): Promise<void> {
    this.#row = row;
    this.#table.select(row.code);
    this.#body.hidden = false;
    this.#detail.show(row);
    this.#table.reveal(); // the details take room from the table
    this.#host.changed();
    if (walk) return this.walk();
    const drawing = this.#asking(this.#follower.draw(row.code));
    if (this.#follower.busy && row.grad_fn !== null) this.#detail.wait(SAID.busyGraph);
    await drawing;
  }

  async #walked(): Promise<unknown> {
    const row = this.#row;
    if (!row) return undefined;
    this.#detail.wait("Recording the backward pass…");
    const answer = await this.#asking(this.#follower.walk(row.code), false);
    if (answer?.document) this.#detail.wait("");
    return answer?.document ?? undefined;
  }

  /** Wait for an answer and show it, unless there is a newer question. */
  async #asking(question: Promise<Drawn>, drawing = true): Promise<Drawn | undefined> {
    this.#asked += 1;
    const number = this.#asked;
    const answer = await question;
    if (number !== this.#asked) return undefined;
    if (drawing || !answer.document) void this.#detail.answer(answer, false);
    return answer;
  }

  #say(said: string): void {
    setText(this.#note, said);
    this.#note.hidden = false;
    this.#body.hidden = false;
  }

  // -- Lumino ------------------------------------------------------------------------------------

  protected override onAfterShow(): void {
    this.#follower.looking = true;
  }

  protected override onAfterAttach(): void {
    this.#follower.looking = this.isVisible;
  }

  protected override onBeforeHide(): void {
    this.#follower.looking = false;
  }

  protected override onActivateRequest(): void {
    this.#table.focus();
  }

  override dispose(): void {
    this.#stopTheme();
    this.#detail.clear();
    super.dispose();
  }
}

/** Why the tensor that is shown is out of date; "" when it is not. */
function staleness(then: Row, now: Row): string {
  if (then.mark === now.mark) return "";
  const same = then.mark.split(".")[0] === now.mark.split(".")[0];
  return same
    ? `${now.name} was changed in place since: select it again to see its new value.`
    : `${now.name} holds another tensor now: select it again to see it.`;
}

/** The last result, which no variable holds. */
function unnamed(code: string): Row {
  return {
    name: "the last result",
    code,
    mark: "",
    value: "",
    shape: [],
    dtype: "",
    is_leaf: false,
    requires_grad: true,
    grad_fn: "",
    version: null,
    grad: null,
    retains_grad: false,
  };
}
