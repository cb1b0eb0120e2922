// The form of predict mode: a step's outcome is hidden until the learner has said what it will be.
//
// An answer counts once, and as right only at the first try; an answer that is shown counts as asked.
//
// Read next: questions.ts, answers.ts.

import { tolerance } from "./answers";
import { button, focused, h, select, setText } from "./dom";
import type { Lookup } from "./lookup";
import { type Question, SUBJECTS, type Subject } from "./questions";
import { type Dispatch, type PlayerState, sameQuestion } from "./state";

const NOTHING = "This step has nothing to predict: go on.";

export interface PredictForm {
  element: HTMLElement;
  update(state: PlayerState): void;
  /** Put the focus in the field. */
  focus(): void;
}

export function makePredictForm(lookup: Lookup, dispatch: Dispatch): PredictForm {
  const field = h("input.gl-answer", {
    type: "text",
    "aria-label": "Your answer",
    autocomplete: "off",
    spellcheck: "false",
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    field.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true }); // leave the field alone
  });
  const choices = h("span.gl-ready");
  const check = h("button.gl-button.gl-main", { type: "submit" }, "Check");
  const hint = button("button.gl-button", () => dispatch({ type: "hint" }), {}, "Hint");
  const show = button(
    "button.gl-button",
    () => dispatch({ type: "reveal" }),
    { title: "Show the answer (→)" },
    "Show",
  );
  const form = h("form.gl-form", {}, choices, field, check, hint, show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dispatch({ type: "answer", text: field.value });
  });
  const subject = select(SUBJECTS, (value) => dispatch({ type: "setSubject", subject: value as Subject }), {
    "aria-label": "What to predict",
  });
  const said = h("span.gl-said", { role: "status" });
  const count = h("span.gl-score");
  const element = h("div.gl-predict", {}, form, said, count, subject);
  element.hidden = true;
  let drawn: Question | undefined;

  const ask = (question: Question | undefined) => {
    drawn = question;
    const answer = question?.answer;
    field.value = "";
    field.placeholder = answer?.kind === "node" ? "MulBackward0" : "?";
    form.hidden = !question;
    const ready = answer?.kind === "node" ? answer.choices : [];
    choices.replaceChildren(
      ...ready.map((id) => {
        const label = lookup.nodeLabel(id);
        return button("button.gl-button", () => dispatch({ type: "answer", text: label }), {}, label);
      }),
    );
  };
  ask(undefined);

  const update = ({ predicting, question, feedback, score }: PlayerState) => {
    element.hidden = !predicting;
    if (!predicting) return;
    if (!sameQuestion(question, drawn)) ask(question);
    setText(said, feedback?.text ?? (question ? task(question) : NOTHING));
    said.className = `gl-said ${feedback?.kind ? `gl-${feedback.kind}` : ""}`;
    setText(count, `${score.right} of ${score.asked} right at the first try`);
  };
  const focus = () => {
    if (focused(field) !== field) field.focus({ preventScroll: true });
  };
  return { element, update, focus };
}

function task({ answer }: Question): string {
  if (answer.kind === "node") return "";
  if (answer.kind === "shape") return "Type its shape.";
  return `An answer within ±${Number(tolerance(answer.numbers).toPrecision(2))} is right.`;
}
