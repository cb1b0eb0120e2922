// The sentence at the top, which says what happens or asks a question, and the line of code below it.
//
// Read next: play.ts.

import { button, h, marked, plain, setText, spans } from "./dom";
import type { Moment } from "./moment";
import type { Question } from "./questions";
import type { Dispatch } from "./state";
import type { Span } from "./trace";

export interface Narration {
  element: HTMLElement; // the sentence
  source: readonly HTMLElement[]; // the pass, the place, and the line itself
  update(moment: Moment, question: Question | undefined): void;
  /** Scroll a long line so that its marked part is in sight. */
  settle(): void;
  /** Keep room for the longest of these sentences, so that the graph below never moves. */
  reserve(sentences: readonly (readonly Span[])[]): void;
}

const PROBED = 3; // sentences: that with most letters need not be that with most lines

export function makeNarration(dispatch: Dispatch): Narration {
  const element = h("div.gl-narration", { "aria-live": "polite", "aria-atomic": "true" });
  const turn = (type: "passBack" | "passForward", sign: string, label: string, key: string) => {
    const about = { "aria-label": label, title: `${label} (${key})` };
    return button("button.gl-pass-button", () => dispatch({ type }), about, sign);
  };
  const title = h("span");
  const pass = h(
    "span.gl-pass",
    {},
    turn("passBack", "‹", "Previous pass", "Shift+N"),
    title,
    turn("passForward", "›", "Next pass", "n"),
  );
  const place = h("span.gl-place");
  const way = h("b.gl-way");
  const code = h("code.gl-code");

  const update: Narration["update"] = ({ event, state, lookup, pass: number, timeline, was }, question) => {
    const said = spans(question?.prompt ?? event.caption, question ? undefined : was?.event.caption);
    const { innerHTML, childNodes } = h("p", {}, ...said);
    if (innerHTML !== element.innerHTML) element.replaceChildren(...childNodes); // else it is announced again
    element.classList.toggle("gl-failed", event.kind === "Failed");
    // The line of code of a hidden step may give it away.
    const told = question ? timeline.events[question.line] : event;
    const source = (told && lookup.source(told)) ?? lookup.nodes.get(state.current ?? "")?.source;
    const ahead = Boolean(state.computed || event.kind === "ForwardFinished");
    way.hidden = !timeline.forward;
    way.classList.toggle("gl-ahead", ahead);
    setText(way, ahead ? "→ forward" : "← backward");
    setText(title, lookup.passTitle(number));
    pass.hidden = !title.textContent;
    setText(place, source ? `${source.label}, line ${source.line}` : "");
    code.replaceChildren(...(source?.text ? marked(source.text, source.start ?? 0, source.end ?? 0) : []));
  };

  const reserve: Narration["reserve"] = (sentences) => {
    const size = (sentence: readonly Span[]) => plain(sentence).length;
    const longest = [...sentences].sort((a, b) => size(b) - size(a)).slice(0, PROBED);
    const probes = longest.map((sentence) =>
      h("div.gl-narration.gl-probe", { "aria-hidden": "true" }, ...spans(sentence)),
    );
    element.after(...probes);
    const heights = probes.map((probe) => probe.getBoundingClientRect().height);
    for (const probe of probes) probe.remove();
    element.dataset.lines = String(Math.ceil(Math.max(0, ...heights)));
    // players beside each other have heads of one height
    const row = element.closest(".widget-hbox, .gl-two")?.querySelectorAll<HTMLElement>(".gl-narration");
    const all = [...(row ?? [element])];
    const most = Math.max(...all.map(({ dataset }) => Number(dataset.lines ?? 0)));
    for (const one of all) one.style.setProperty("--gl-lines", `${most}px`);
    settle(); // the line has another width, too
  };
  const settle = () => {
    const mark = code.querySelector("mark");
    if (!mark) return;
    code.scrollLeft = mark.offsetLeft + Math.min(-26, mark.offsetWidth - code.clientWidth);
    code.style.mask = code.scrollLeft ? "linear-gradient(90deg, #0000, #000 26px)" : "";
  };
  return { element, source: [pass, way, place, code], update, settle, reserve };
}
