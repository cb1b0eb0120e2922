// The tensor that is looked at: what is known of it, its graph, and what can be done with it.
//
// Read next: panel.ts.

import { h, setText } from "../dom";
import { mountPlayer, type PlayerHandle } from "../player";
import { coded } from "./codespans";
import type { Drawn, Row } from "./kernel";
import { playerOptions } from "./settings";
import { CALLS, type Call } from "./snippets";
import { shapeText } from "./table";

export interface Actions {
  walk(): void;
  insert(call: Call): void;
  open(): void;
  save(): void;
}

const WHAT: { [call in Call]: string } = {
  step: "Insert a cell with the live stepper",
  trace: "Insert a cell with the walk, which plays without a kernel",
  check: "Insert a cell that checks every gradient with SymPy",
};

export class Detail {
  readonly element: HTMLElement;
  readonly #name = h("h2", { class: "gl-lab-name" });
  readonly #facts = h("p", { class: "gl-lab-facts" });
  readonly #walk: HTMLButtonElement;
  readonly #open: HTMLButtonElement;
  readonly #save: HTMLButtonElement;
  readonly #said = h("p", { class: "gl-lab-said", role: "status" });
  readonly #stale = h("p", { class: "gl-lab-stale", role: "status" });
  readonly #place = h("div", { class: "gl-lab-player" });
  #player: PlayerHandle | undefined;

  constructor(actions: Actions) {
    const button = (text: string, title: string, run: () => void, kind = "") => {
      const made = h("button", { type: "button", class: `gl-lab-button ${kind}`, title }, text);
      made.addEventListener("click", () => {
        if (made.getAttribute("aria-disabled") !== "true") run();
      });
      return made;
    };
    this.#walk = button("Walk", "Walk the backward pass here, step by step", actions.walk, "gl-lab-first");
    this.#open = button("In a tab", "Walk it in a tab of its own, as large as you like", actions.open);
    this.#save = button("Save…", "Write the walk to a .graphlab.json file", actions.save);
    const inserts = CALLS.map((call) => button(call, WHAT[call], () => actions.insert(call), "gl-lab-code"));
    const insert = h("span", { class: "gl-lab-group", role: "group", "aria-label": "Insert a cell" });
    insert.append(h("span", { "aria-hidden": "true" }, "Insert"), ...inserts);
    this.element = h(
      "section",
      { class: "gl-lab-detail", "aria-label": "The tensor that is chosen" },
      this.#name,
      this.#facts,
      h("div", { class: "gl-lab-actions" }, this.#walk, this.#open, this.#save, insert),
      this.#stale,
      this.#said,
      this.#place,
    );
    this.element.hidden = this.#stale.hidden = true;
  }

  /** Show a tensor; its graph comes later. */
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

  /** Write down what the newest table says of it. */
  describe(row: Row): void {
    this.#name.replaceChildren(h("i", {}, row.name), row.value && " = ", h("b", {}, row.value));
    this.#facts.hidden = !row.dtype; // a result that no variable holds stands in no table
    const leaf = row.requires_grad ? "a leaf that requires a gradient" : "requires no gradient";
    const version = row.version ? `, changed in place ${times(row.version)}` : "";
    const grad = row.grad === null ? "no .grad yet" : `.grad is ${row.grad}`;
    const made = row.grad_fn ? ["made by ", h("code", {}, row.grad_fn)] : [leaf];
    this.#facts.replaceChildren(`${shapeText(row.shape)} ${row.dtype}, `, ...made, `${version}; ${grad}`);
  }

  /** Show what the kernel answered: a graph, a walk, a sentence, or two of them. */
  answer({ said, document, walk }: Drawn, focus: boolean): void {
    this.wait(said);
    if (walk !== undefined) this.#walkable(walk);
    if (!isTrace(document)) return;
    this.#player?.destroy();
    const root = h("div");
    this.#place.replaceChildren(root);
    this.#player = mountPlayer(root, document, playerOptions());
    if (!focus) return;
    root.focus({ preventScroll: true });
    root.scrollIntoView({ block: "start" }); // a walk needs the height of the panel
  }

  /** Something was asked for that takes a moment. */
  wait(said: string): void {
    this.#said.replaceChildren(...coded(said));
  }

  /** The variable holds something else by now: what is shown was true before. "" takes it back. */
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
