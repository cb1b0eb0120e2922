// The form of predict mode: a step's outcome is hidden until the learner has said what it will be.
//
// An answer counts once, and as right only at the first try; an answer that is shown counts as asked.
//
// Read next: questions.ts, answers.ts.

import { button, focused, h, select, setText } from "./dom";
import { OWN, type Question, SUBJECTS, type Subject } from "./questions";
import type { Recording } from "./recording";
import { type Dispatch, type PlayerState, sameQuestion } from "./state";

const NOTHING = "This step has nothing to predict: go on.";

export interface PredictForm {
  element: HTMLElement;
  /** `ended`: the last step is shown, so the score is final. */
  update(state: PlayerState, ended: boolean): void;
  /** Put the focus where a person answers. */
  focus(): void;
  /** Keep room for the choices of these questions, so that the graph below never moves. */
  reserve(questions: readonly Question[]): void;
}

const PROBED = 3; // lists of choices: that with most letters need not be the highest

export function makePredictForm(
  { lookup, timeline: { forward }, own }: Recording,
  dispatch: Dispatch,
): PredictForm {
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
  const names = [...(own.length ? [OWN] : []), ...SUBJECTS].map(
    (one) => [one, forward && one === "gradient" ? "value or gradient" : one] as const,
  );
  const subject = select(names, (value) => dispatch({ type: "setSubject", subject: value as Subject }), {
    "aria-label": "What to predict",
  });
  const said = h("span.gl-said", { role: "status" });
  const count = h("span.gl-score");
  const list = h("div.gl-list", { role: "group", "aria-label": "Answers to choose from" });
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Escape: 0 }[event.key];
    if (by === 0) {
      event.preventDefault();
      event.stopPropagation();
      list.closest<HTMLElement>(".graphlab")?.focus({ preventScroll: true }); // leave the list alone
    }
    if (!by || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // otherwise the right arrow would show the answer
    const all = [...list.children] as HTMLElement[];
    const at = all.indexOf(event.target as HTMLElement);
    all.at((at + by) % all.length)?.focus();
  });
  const buttons = (choices: readonly string[]) =>
    choices.map((text) => button("button.gl-button", () => dispatch({ type: "answer", text }), {}, text));
  const element = h("div.gl-predict", {}, form, count, subject, list, said);
  element.hidden = true;
  let drawn: Question | undefined;

  const ask = (question: Question | undefined) => {
    drawn = question;
    const answer = question?.answer;
    field.value = "";
    field.placeholder = answer?.kind === "node" ? "MulBackward0" : "?";
    const chooses = answer?.kind === "choice";
    for (const part of [field, check]) part.hidden = chooses;
    hint.hidden = question?.hint === "";
    list.replaceChildren(...buttons(chooses ? answer.choices : []));
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

  const update: PredictForm["update"] = ({ predicting, question, feedback, score, ...state }, ended) => {
    element.hidden = !predicting;
    if (!predicting) return;
    if (!sameQuestion(question, drawn)) ask(question);
    choices.hidden = question ? question.answer.kind !== "node" : state.subject !== "next node";
    if (subject.value !== state.subject) subject.value = state.subject;
    const right = `${score.right} of ${score.asked} right at the first try`;
    const final = ended && !question && score.asked > 0;
    const about = feedback?.text ?? (question ? task(question) : final ? "" : NOTHING);
    setText(
      said,
      final ? `${about}${/[^.?!]$/.test(about) ? "." : ""} The pass is over: ${right}.`.trim() : about,
    );
    said.className = `gl-said ${feedback?.kind ? `gl-${feedback.kind}` : ""} ${final ? "gl-final" : ""}`;
    setText(count, right);
  };
  const focus = () => {
    const to = (list.firstElementChild as HTMLElement | null) ?? field;
    if (focused(to) !== to) to.focus({ preventScroll: true });
  };
  const reserve: PredictForm["reserve"] = (questions) => {
    const lists = questions.flatMap(({ answer }) => (answer.kind === "choice" ? [answer.choices] : []));
    const size = (choices: readonly string[]) => choices.join("").length + 12 * choices.length;
    const longest = [...lists].sort((a, b) => size(b) - size(a)).slice(0, PROBED);
    const probes = longest.map((choices) =>
      h("div.gl-list.gl-probe", { "aria-hidden": "true" }, ...buttons(choices)),
    );
    list.hidden = !lists.length;
    list.style.minHeight = "";
    list.after(...probes);
    const heights = probes.map((probe) => probe.getBoundingClientRect().height);
    list.style.minHeight = `${Math.ceil(Math.max(0, ...heights))}px`;
    for (const probe of probes) probe.remove();
  };
  return { element, update, focus, reserve };
}

function task({ answer }: Question): string {
  switch (answer.kind) {
    case "numbers":
      return "An answer within 1% is right."; // 1% of the largest entry; the tolerance as a number would reveal the answer
    case "one":
      return answer.exact ? "Type the exact number." : "An answer within 1% is right.";
    case "shape":
      return "Type its shape.";
    case "choice":
      return "Choose an answer.";
    case "text":
      return "Type your answer.";
    default:
      return "";
  }
}
