// Predict mode: a step's outcome is hidden until the learner has said what it will be.
//
// An answer counts once, and as right only at the first try; what is looked up counts as asked.
//
// Read next: questions.ts, answers.ts.

import { close, readNumbers, readShape, sameShape, tolerance } from "./answers";
import { h, setText } from "./dom";
import type { Lookup } from "./lookup";
import { type Question, type Questions, SUBJECTS, type Subject } from "./questions";
import type { Granularity } from "./trace";

export interface Score {
  right: number; // answered right at the first try
  asked: number;
}

export interface PredictListener {
  /** A question was opened or resolved: the page shows more, or less, than before. */
  changed(): void;
  scored(score: Score): void;
  /** The learner is done with the answer's field. */
  leave(): void;
}

const NOTHING = "Nothing to predict in this step: go on.";

export class Predict {
  readonly element: HTMLElement;
  on = false;
  score: Score = { right: 0, asked: 0 };
  /** The question that waits for its answer. */
  open: Question | undefined;
  /** The furthest step whose outcome was shown: what lies beyond is asked for, and no table tells it. */
  reached = 0;
  readonly #questions: Questions;
  readonly #lookup: Lookup;
  readonly #listener: PredictListener;
  #subject: Subject = "gradient";
  #tries = 0;
  #at = -1; // the step that was looked at
  readonly #field = h("input", {
    type: "text",
    class: "gl-answer",
    "aria-label": "Your answer",
    autocomplete: "off",
    spellcheck: "false",
  });
  readonly #choices = h("span", { class: "gl-ready" });
  readonly #form = h("form", { class: "gl-form" });
  readonly #said = h("span", { class: "gl-said", role: "status" });
  readonly #count = h("span", { class: "gl-score" });
  readonly #hint = h("button", { type: "button", class: "gl-button" }, "Hint");

  constructor(questions: Questions, lookup: Lookup, listener: PredictListener) {
    this.#questions = questions;
    this.#lookup = lookup;
    this.#listener = listener;
    const show = h("button", { type: "button", class: "gl-button", title: "Show it (→)" }, "Show");
    const check = h("button", { type: "submit", class: "gl-button gl-main" }, "Check");
    const what = h("select", { class: "gl-select", "aria-label": "What to predict" });
    what.append(...SUBJECTS.map((subject) => h("option", { value: subject }, subject)));
    what.addEventListener("change", () => {
      this.#subject = what.value as Subject;
      this.#listener.changed();
    });
    show.addEventListener("click", () => this.reveal());
    this.#hint.addEventListener("click", () => {
      this.#tries += 1;
      this.#say(this.open?.hint ?? "");
    });
    this.#form.append(this.#choices, this.#field, check, this.#hint, show);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.check(this.#field.value);
    });
    this.element = h("div", { class: "gl-predict" }, this.#form, this.#said, this.#count, what);
    this.element.hidden = true;
  }

  /** Look at step `k`: open its question when it has one and was not seen yet. */
  look(k: number, granularity: Granularity): void {
    const unseen = this.on && k > this.reached;
    const open = unseen ? this.#questions.at(k, granularity, this.#subject) : undefined;
    if (k !== this.#at || open?.k !== this.open?.k || open?.answer.kind !== this.open?.answer.kind) {
      this.#tries = 0;
      this.#field.value = "";
      this.#say(open ? this.#task(open) : NOTHING);
    }
    this.#at = k;
    this.open = open;
    if (!open) this.reached = Math.max(this.reached, k);
    this.#draw();
  }

  /** Bring the keys to the field. */
  focus(): void {
    if (this.open) this.#field.focus({ preventScroll: true });
  }

  /** Judge what was typed; nothing of it is evaluated. */
  check(typed: string): void {
    const question = this.open;
    if (!question) return;
    const right = this.#judge(question, typed);
    if (right === undefined) return;
    this.#tries += 1;
    if (right) this.#resolve(question, this.#tries === 1, `Right: ${question.answer.text}`);
    else this.#say(`Not ${typed.trim()}. ${question.hint}`, "gl-wrong");
  }

  /** Show the outcome unasked: it counts as asked, not as right. */
  reveal(): void {
    if (this.open) this.#resolve(this.open, false, `It is ${this.open.answer.text}`);
  }

  setOn(on: boolean, k: number): void {
    this.on = on;
    this.element.hidden = !on;
    this.reached = k;
    this.#at = -1;
    if (!on) this.open = undefined;
  }

  setScore(score: Score): void {
    this.score = score;
    this.#draw();
  }

  /** Whether what was typed is right; undefined, with a sentence on the page, when it can't be read. */
  #judge({ answer }: Question, typed: string): boolean | undefined {
    if (answer.kind === "numbers") {
      const numbers = readNumbers(typed);
      if (!numbers) this.#say('Type a number such as 2.5, -1e-3 or 1/3; for a list "1, 2, 3".', "gl-wrong");
      return numbers && close(numbers, answer.numbers);
    }
    if (answer.kind === "shape") {
      const shape = readShape(typed);
      if (!shape) this.#say('Type a shape such as "4, 2"; "()" is that of a single number.', "gl-wrong");
      return shape && sameShape(shape, answer.shape);
    }
    const word = typed.trim().toLowerCase();
    const named = (id: string) => [this.#lookup.nodeLabel(id), this.#lookup.nodes.get(id)?.name ?? ""];
    const meant = answer.choices.filter((id) => named(id).some((name) => name.toLowerCase() === word));
    if (meant.length === 1) return meant[0] === answer.id;
    this.#say(
      meant.length ? "More than one is called so: choose one." : "Choose one of those that are ready.",
      "gl-wrong",
    );
    return undefined;
  }

  #task({ answer }: Question): string {
    if (answer.kind === "node") return "";
    if (answer.kind === "shape") return "Type its shape.";
    const off = tolerance(answer.numbers);
    return `Right within ±${Number(off.toPrecision(2))}.`;
  }

  #resolve(question: Question, right: boolean, said: string): void {
    this.reached = question.k;
    const { right: before, asked } = this.score;
    this.score = { right: before + (right ? 1 : 0), asked: asked + 1 };
    this.open = undefined;
    this.#listener.scored(this.score);
    this.#listener.changed();
    this.#say(said, right ? "gl-right" : "");
    this.#listener.leave();
  }

  #say(text: string, how = ""): void {
    setText(this.#said, text);
    this.#said.className = `gl-said ${how}`;
  }

  #draw(): void {
    const { right, asked } = this.score;
    setText(this.#count, `${right} of ${asked} right at the first try`);
    this.#form.hidden = !this.open;
    const answer = this.open?.answer;
    const choices = answer?.kind === "node" ? answer.choices : [];
    this.#choices.replaceChildren(
      ...choices.map((id) => {
        const label = this.#lookup.nodeLabel(id);
        const button = h("button", { type: "button", class: "gl-button" }, label);
        button.addEventListener("click", () => this.check(label));
        return button;
      }),
    );
    this.#field.placeholder = answer?.kind === "node" ? "MulBackward0" : "?";
  }
}
