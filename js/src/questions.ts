// The questions of predict mode: what the player asks about a step before it shows it, and the right answer.
//
// While a question is open, the page shows an earlier event, `shown`. So the answer stands nowhere on the
// page: in no card, no picture and no tooltip.
//
// Read next: answers.ts, predict.ts.

import {
  type Asked,
  close,
  readNumber,
  readNumbers,
  readOne,
  readShape,
  readText,
  sameShape,
} from "./answers";
import { plain, shapeText } from "./dom";
import { type Lookup, part } from "./lookup";
import type { Own } from "./own";
import type { Timeline } from "./timeline";
import type { Event, Granularity, Span, Value } from "./trace";

export const OWN = "this walk's questions"; // those of the author of the walk
/** What is asked about saved tensors; the extras know how: see memoryquestions.ts. */
export const MEMORY = ["tensor freed", "bytes held", "error"] as const;
export const SUBJECTS = ["gradient", "next node", "shape", ...MEMORY] as const;
export type Subject = (typeof SUBJECTS)[number] | typeof OWN;

export interface Question extends Asked {
  k: number; // the step that is hidden
  shown: number; // the event that is shown meanwhile
  line: number; // the event whose line of code is shown
  focus: ReadonlySet<string>;
  edge: string; // on which the gradient in question runs; "" for none
  own?: number; // the index among the author's questions
}

const STORY = "Compute the operations one by one, starting at the leaves.";
const MOST_NUMBERS = 6; // entries that a person is asked to type

interface Recorded {
  timeline: Timeline;
  lookup: Lookup;
  own: readonly Own[];
  was?: unknown; // there if values are edited, which the author's questions are not about
}

type Asking = (seen: number, last: number, recorded: Recorded) => Asked | undefined;

/** The questions about saved tensors, once the extras are there. */
export const memoryQuestions: { [subject in (typeof MEMORY)[number]]?: Asking } = {};

/** The question about step `k`; undefined when there is nothing to predict. `done`: the author's that were asked. */
export function questionAt(
  k: number,
  granularity: Granularity,
  subject: Subject,
  recorded: Recorded,
  done: readonly number[] = [],
): Question | undefined {
  const { timeline, lookup } = recorded;
  const before = timeline.move(k, -1, granularity);
  if (before >= k) return undefined;
  const seen = timeline.settled(before, granularity);
  const last = timeline.settled(k, granularity);
  const at = { k, shown: seen, line: seen, focus: timeline.focus(seen), edge: "" };
  const own = recorded.was
    ? -1
    : recorded.own.findIndex((one, which) => one.at > seen && one.at <= last && !done.includes(which));
  if (own >= 0) return { ...at, own, ...ownQuestion(recorded.own[own] as Own) };
  if (subject === OWN) return undefined;
  if (subject === "next node") return nodeQuestion(k, seen, timeline, lookup);
  if (subject === "gradient" || subject === "shape")
    return valueQuestion(k, seen, granularity, subject, recorded);
  const asked = memoryQuestions[subject]?.(seen, last, recorded);
  return asked && { ...at, ...asked };
}

/** All questions about step `k`, one after the other. */
export function questionsAt(
  k: number,
  granularity: Granularity,
  subject: Subject,
  recorded: Recorded,
): Question[] {
  const found: Question[] = [];
  const done: number[] = [];
  for (;;) {
    const one = questionAt(k, granularity, subject, recorded, done);
    if (one) found.push(one);
    if (one?.own === undefined) return found;
    done.push(one.own);
  }
}

function ownQuestion({ text, kind, choices, right, hints, hint, why }: Own): Asked {
  const said = right.join(" or ");
  const asked = { prompt: [text], hint, slips: hints, why };
  if (kind === "choice") return { ...asked, answer: { kind, choices, right, text: said } };
  if (kind === "text") return { ...asked, answer: { kind, accepted: right, text: said } };
  const accepted = right.map((one) => readNumber(one) ?? Number.NaN);
  return { ...asked, answer: { kind: "one", accepted, exact: kind === "whole", text: said } };
}

function nodeQuestion(k: number, seen: number, timeline: Timeline, lookup: Lookup): Question | undefined {
  const id = timeline.owners[k] ?? "";
  const label = (id: string) => lookup.nodeLabel(id);
  // Sorted by name, because their order in the queue is the answer.
  const choices = [...timeline.stateAt(seen).queue].sort((a, b) => (label(a) < label(b) ? -1 : 1));
  // One node is not a choice; and when several nodes run in one step, the queue does not tell the last one.
  if (id === timeline.owners[seen] || !choices.includes(id) || choices.length < 2) return undefined;
  return {
    k,
    shown: seen,
    line: seen,
    prompt: ["Which node runs next?"],
    hint: "Among the nodes that are ready, the engine runs the one that the forward pass made last. AccumulateGrad runs before all others.",
    focus: new Set(choices),
    edge: "",
    answer: { kind: "node", id, text: label(id), choices },
  };
}

function valueQuestion(
  k: number,
  seen: number,
  granularity: Granularity,
  subject: Subject,
  recorded: Recorded,
): Question | undefined {
  const { timeline } = recorded;
  const event = timeline.events[k] as Event;
  // In the story a step hides everything since the step before; else it hides only the outcome of its event.
  const shown = granularity === "story" ? seen : k - 1;
  const found = outcome(event, k, granularity, shown, recorded);
  if (!found) return undefined;
  const [value, prompt, hint, it = "it"] = found;
  const numbers = subject === "gradient" ? entries(value) : undefined;
  return {
    k,
    shown,
    line: k,
    prompt: [...prompt, ` What is ${numbers ? it : it === "it" ? "its shape" : `the shape of ${it}`}?`],
    hint:
      numbers || /Computed|Forward/.test(event.kind)
        ? hint
        : "The gradient of a tensor has the shape of the tensor.",
    focus: timeline.focus(k),
    edge: part(event, "edge") ?? "",
    answer: numbers
      ? { kind: "numbers", numbers, text: value.text }
      : { kind: "shape", shape: value.shape, text: shapeText(value.shape) },
  };
}

/** The value that step `k` computes, how to ask for it, and the rule that gives it. */
function outcome(
  event: Event,
  k: number,
  granularity: Granularity,
  shown: number,
  { timeline, lookup }: Recorded,
): Outcome | undefined {
  const grad = (value: Value): Span => ["gradient", value.text];
  if (event.kind === "RuleApplied") {
    const next = timeline.events[k + 1];
    const value = granularity !== "micro" && next?.kind === "Reduced" ? next.value : event.contribution;
    const came: Span[] = [["strong", event.name], " receives ", grad(event.upstream)];
    const hint = `${event.name}: ${event.equation.note || plain(event.equation.symbols)}`;
    return [value, [...came, " and passes a gradient to ", ["name", event.to], "."], hint];
  }
  if (event.kind === "Computed" || event.kind === "ForwardFinished") {
    const tensors = event.kind === "Computed" ? event.tensors : [event.tensor];
    const value = lookup.tensors.get(tensors[0] ?? "")?.value;
    if (!value || tensors.length > 1) return undefined;
    const name = lookup.label(tensors[0]);
    if (event.kind === "ForwardFinished")
      return [value, ["The forward pass ends with ", ["name", name], "."], STORY, name];
    const { symbols, numbers } = event.equation;
    const from = numbers.length > 1 ? `: ${plain(numbers.slice(0, -2))}` : "";
    return [value, [...symbols, " is computed next."], `${event.name} ran ${plain(symbols)}${from}`, name];
  }
  if (event.kind === "Reduced") {
    const prompt: Span[] = [["name", event.to], " was broadcast, so its gradient is summed to its shape."];
    return [event.value, prompt, "Sum over the dimensions along which the tensor was broadcast."];
  }
  if (event.kind === "Accumulated" && event.before) {
    const prompt: Span[] = [
      ["name", event.to],
      " has the gradient ",
      grad(event.before),
      ", and ",
      grad(event.added),
      " is added to it.",
    ];
    return [event.after, prompt, "The gradient of a tensor is the sum over all its uses.", "the sum"];
  }
  if (event.kind !== "LeafWritten") return undefined;
  const leaf: Span[] = ["The gradient reaches the leaf ", ["name", event.name], "."];
  const its = `${event.name}.grad`;
  if (event.before) {
    const held: Span[] = [...leaf, " Its .grad is ", grad(event.before), ", and a new gradient arrives."];
    return [event.after, held, "AccumulateGrad adds to .grad; it does not replace it.", its];
  }
  if (timeline.stateAt(shown).grads?.[event.tensor]) return undefined; // the gradient is on the page already
  const root = lookup.label(lookup.root(timeline.passAt(k)));
  const paths = `Multiply the local derivatives along each path from ${root} to ${event.name}, and add the products.`;
  return [event.after, leaf, paths, its];
}

type Outcome = [value: Value, prompt: Span[], hint: string, it?: string];

/** All entries of a value, if they are known and few enough to be typed. */
function entries(value: Value): number[] | undefined {
  const count = value.shape.reduce((product, size) => product * size, 1);
  const texts = value.entries ? value.entries.split(" ") : [value.text];
  const numbers = texts.map(readNumber);
  if (count > MOST_NUMBERS || texts.length !== count) return undefined;
  return numbers.every((number) => number !== undefined) ? (numbers as number[]) : undefined;
}

const NO_NUMBER = 'Type a number such as 2.5, -1e-3 or 1/3, or a list such as "1, 2, 3".';

/** Whether an answer is right; a sentence when it can't be read. */
export function verdictOn({ answer }: Question, typed: string, lookup: Lookup): boolean | string {
  switch (answer.kind) {
    case "numbers": {
      const numbers = readNumbers(typed);
      return numbers ? close(numbers, answer.numbers) : NO_NUMBER;
    }
    case "one": {
      if (readOne(typed) === undefined) return NO_NUMBER.replace(/, or a list.*/, ".");
      return answer.accepted.some((one) => means(typed, String(one), answer));
    }
    case "text":
      if (!typed.trim()) return "Type an answer.";
      return answer.accepted.some((one) => means(typed, one, answer));
    case "choice":
      return answer.right.some((one) => means(typed, one, answer));
    case "shape": {
      const shape = readShape(typed);
      return shape
        ? sameShape(shape, answer.shape)
        : 'Type a shape such as "4, 2". The shape of a single number is "()".';
    }
  }
  const name = typed.trim().toLowerCase();
  const names = (id: string) => [lookup.nodeLabel(id), lookup.nodes.get(id)?.name ?? ""];
  const meant = answer.choices.filter((id) => names(id).some((one) => one.toLowerCase() === name));
  if (meant.length === 1) return meant[0] === answer.id;
  return meant.length
    ? "Several nodes have this name: choose one."
    : "Choose one of the nodes that are ready.";
}

/** What helps after a wrong answer. */
export const helpFor = ({ slips, hint, answer }: Question, typed: string): string =>
  slips?.find(([one]) => means(typed, one, answer))?.[1] ?? hint;

/** Whether two answers of a kind are the same one. */
function means(typed: string, other: string, answer: Question["answer"]): boolean {
  if (answer.kind !== "one") return readText(typed) === readText(other);
  // 2,303 is 2303 for some readers, and 2.303 for others
  return [typed, typed.replace(",", ".")].some((text) => {
    const [given, wanted] = [readOne(text) ?? Number.NaN, readOne(other) ?? Number.NaN];
    return answer.exact ? Object.is(given + 0, wanted + 0) : close([given], [wanted]);
  });
}
