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
  /** `ended`: the last step is shown, so the score is final. */
  update(state: PlayerState, ended: boolean): void;
  /** Put the focus in the field. */
  focus(): void;
}

/** `forward`: whether values are asked for, too. */
export function makePredictForm(lookup: Lookup, forward: boolean, dispatch: Dispatch): PredictForm {
  const field = h("input.gl-answer", {
    type: "text",
    "aria-label": "Your answer",
    autocomplete: "off",
    spellcheck: "false",
  });
  const answer = () => dispatch({ type: "answer", text: field.value });
  field.addEventListener("keydown", (event) => {
    if ((event.key !== "Escape" && event.key !== "Enter") || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    // JupyterLab cancels the line break of every field inside a cell, and with it the submission of the form.
    if (event.key === "Enter") answer();
    else field.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true }); // leave the field alone
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
  const form = h("form.gl-form", {}, field, check, hint, show, choices);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    answer();
  });
  const names = SUBJECTS.map(
    (one) => [one, forward && one === "gradient" ? "value or gradient" : one] as const,
  );
  const subject = select(names, (value) => dispatch({ type: "setSubject", subject: value as Subject }), {
    "aria-label": "What to predict",
  });
  const said = h("span.gl-said", { role: "status" });
  const count = h("span.gl-score");
  const element = h("div.gl-predict", {}, form, count, subject, said);
  element.hidden = true;
  let drawn: Question | undefined;

  const ask = (question: Question | undefined) => {
    drawn = question;
    const answer = question?.answer;
    field.value = "";
    field.placeholder = answer?.kind === "node" ? "MulBackward0" : "?";
    form.inert = !question; // it keeps its place, so that nothing below it moves
    const ready = answer?.kind === "node" ? answer.choices : [];
    choices.replaceChildren(
      ...ready.map((id) => {
        const label = lookup.nodeLabel(id);
        return button("button.gl-button", () => dispatch({ type: "answer", text: label }), {}, label);
      }),
    );
  };
  ask(undefined);

  const update: PredictForm["update"] = ({ predicting, question, feedback, score, subject }, ended) => {
    element.hidden = !predicting;
    if (!predicting) return;
    if (!sameQuestion(question, drawn)) ask(question);
    choices.hidden = subject !== "next node";
    const right = `${score.right} of ${score.asked} right at the first try`;
    const final = ended && !question && score.asked > 0;
    const about = feedback?.text ?? (question ? task(question) : final ? "" : NOTHING);
    setText(said, final ? `${about} The pass is over: ${right}.`.trim() : about);
    said.className = `gl-said ${feedback?.kind ? `gl-${feedback.kind}` : ""} ${final ? "gl-final" : ""}`;
    setText(count, right);
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
