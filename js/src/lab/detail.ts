// The selected tensor: its properties, its graph, and the buttons for it.
//
// Read next: lab/panel.ts.

import { h, setText, shapeText } from "../dom";
import type { PlayerHandle } from "../player";
import { coded } from "./codespans";
import { core } from "./core";
import type { Drawn, Row } from "./kernel";
import { playerOptions } from "./settings";
import { CALLS, type Call } from "./snippets";

export interface Actions {
  walk(): void;
  insert(call: Call): void;
  open(): void;
  save(): void;
}

const WHAT: { [call in Call]: string } = {
  step: "Insert a cell with the live stepper",
  trace: "Insert a cell with the recording, which plays without a kernel",
  check: "Insert a cell that checks every gradient with SymPy",
};

export class Detail {
  readonly element: HTMLElement;
  readonly #name = h("h2.gl-lab-name");
  readonly #facts = h("p.gl-lab-facts");
  readonly #walk: HTMLButtonElement;
  readonly #open: HTMLButtonElement;
  readonly #save: HTMLButtonElement;
  readonly #said = h("p.gl-lab-said", { role: "status" });
  readonly #stale = h("p.gl-lab-stale", { role: "status" });
  readonly #place = h("div.gl-lab-player");
  #player: PlayerHandle | undefined;

  constructor(actions: Actions) {
    const button = (text: string, title: string, run: () => void, kind = "") => {
      const made = h("button", { type: "button", class: `gl-lab-button ${kind}`, title }, text);
      made.addEventListener("click", () => {
        if (made.getAttribute("aria-disabled") !== "true") run();
      });
      return made;
    };
    this.#walk = button("Walk", "Step through the backward pass here", actions.walk, "gl-lab-first");
    this.#open = button("In a tab", "Step through the backward pass in a tab of its own", actions.open);
    this.#save = button("Save…", "Write the recording to a .graphlab.json file", actions.save);
    const inserts = CALLS.map((call) => button(call, WHAT[call], () => actions.insert(call), "gl-lab-code"));
    const insert = h("span.gl-lab-group", { role: "group", "aria-label": "Insert a cell" });
    insert.append(h("span", { "aria-hidden": "true" }, "Insert"), ...inserts);
    this.element = h(
      "section.gl-lab-detail",
      { "aria-label": "The selected tensor" },
      this.#name,
      this.#facts,
      h("div.gl-lab-actions", {}, this.#walk, this.#open, this.#save, insert),
      this.#stale,
      this.#said,
      this.#place,
    );
    this.element.hidden = this.#stale.hidden = true;
  }

  /** Show a tensor. Its graph comes later. */
  show(row: Row): void {
    this.#player?.destroy();
    this.#player = undefined;
    this.#place.replaceChildren();
    this.#walkable(row.grad_fn !== null);
    this.element.hidden = false;
    this.#stale.hidden = true;
    this.describe(row);
    this.wait(row.grad_fn === null ? "" : "Drawing its graph…");
  }

  /** Show the properties that the newest table has for it. */
  describe(row: Row): void {
    this.#name.replaceChildren(h("i", {}, row.name), row.value && " = ", h("b", {}, row.value));
    this.#facts.hidden = !row.dtype; // a result that no variable holds is in no table
    const leaf = row.requires_grad ? "a leaf that requires a gradient" : "requires no gradient";
    const version = row.version ? `, changed in place ${times(row.version)}` : "";
    const grad = `.grad is ${row.grad ?? "None"}`;
    const made = row.grad_fn ? ["made by ", h("code", {}, row.grad_fn)] : [leaf];
    this.#facts.replaceChildren(`${shapeText(row.shape)} ${row.dtype}, `, ...made, `${version}; ${grad}`);
  }

  /** Show the answer of the kernel: a graph, a recording, or a sentence. */
  async answer({ said, document, walk }: Drawn, focus: boolean): Promise<void> {
    this.wait(said);
    if (walk !== undefined) this.#walkable(walk);
    if (!isTrace(document)) return;
    this.#player?.destroy();
    this.#player = undefined;
    const root = h("div");
    this.#place.replaceChildren(root);
    const found = await core().catch(({ message }: Error) => this.wait(message));
    if (!found || root.parentNode !== this.#place) return; // or another tensor is shown by now
    this.#player = found.mountPlayer(root, document, playerOptions());
    if (!focus) return;
    root.focus({ preventScroll: true });
    root.scrollIntoView({ block: "start" }); // the player needs the height of the panel
  }

  /** Say that something takes a moment. */
  wait(said: string): void {
    this.#said.replaceChildren(...coded(said));
  }

  /** Say that the variable has changed since; "" removes the sentence. */
  stale(said: string): void {
    setText(this.#stale, said);
    this.#stale.hidden = !said;
  }

  clear(): void {
    this.#player?.destroy();
    this.#player = undefined;
    this.#place.replaceChildren();
    this.element.hidden = true;
  }

  #walkable(can: boolean): void {
    for (const button of [this.#walk, this.#open, this.#save])
      button.setAttribute("aria-disabled", String(!can));
  }
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function isTrace(document: unknown): boolean {
  return typeof document === "object" && document !== null;
}
