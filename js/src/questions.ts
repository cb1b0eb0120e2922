// The questions of predict mode: what the player asks about a step before it shows it, and the right answer.
//
// While a question is open, the page shows an earlier event, `shown`. So the answer stands nowhere on the
// page: in no card, no picture and no tooltip.
//
// Read next: answers.ts, predict.ts.

import { close, readNumber, readNumbers, readShape, sameShape } from "./answers";
import { plain, shapeText } from "./dom";
import { type Lookup, part } from "./lookup";
import type { Timeline } from "./timeline";
import type { Event, Granularity, Span, Value } from "./trace";

export const SUBJECTS = ["gradient", "next node", "shape"] as const;
export type Subject = (typeof SUBJECTS)[number];

export interface Question {
  k: number; // the step that is hidden
  shown: number; // the event that is shown meanwhile
  prompt: Span[];
  hint: string; // the rule that gives the answer
  focus: ReadonlySet<string>;
  edge: string; // on which the gradient in question runs; "" for none
  answer:
    | { kind: "numbers"; numbers: number[]; text: string }
    | { kind: "shape"; shape: readonly number[]; text: string }
    | { kind: "node"; id: string; text: string; choices: readonly string[] };
}

const STORY = "Compute one operation after the other, from the leaves on.";
const MOST_NUMBERS = 6; // entries that a person is asked to type

interface Recorded {
  timeline: Timeline;
  lookup: Lookup;
}

/** The question about step `k`; undefined when there is nothing to predict. */
export function questionAt(
  k: number,
  granularity: Granularity,
  subject: Subject,
  { timeline, lookup }: Recorded,
): Question | undefined {
  const before = timeline.move(k, -1, granularity);
  if (before >= k) return undefined;
  const seen = timeline.settled(before, granularity);
  return subject === "next node"
    ? nodeQuestion(k, seen, timeline, lookup)
    : valueQuestion(k, seen, granularity, subject, { timeline, lookup });
}

function nodeQuestion(k: number, seen: number, timeline: Timeline, lookup: Lookup): Question | undefined {
  const id = timeline.owners[k] ?? "";
  const label = (id: string) => lookup.nodeLabel(id);
  // Sorted by name, because their order in the queue is the answer.
  const choices = [...timeline.stateAt(seen).queue].sort((a, b) => (label(a) < label(b) ? -1 : 1));
  // One node is no choice; and when several nodes run in one step, the queue does not tell the last one.
  if (id === timeline.owners[seen] || !choices.includes(id) || choices.length < 2) return undefined;
  return {
    k,
    shown: seen,
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
  const found = asked(event, k, granularity, shown, recorded);
  if (!found) return undefined;
  const [value, prompt, hint, it = "it"] = found;
  const numbers = subject === "gradient" ? entries(value) : undefined;
  return {
    k,
    shown,
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
function asked(
  event: Event,
  k: number,
  granularity: Granularity,
  shown: number,
  { timeline, lookup }: Recorded,
): Asked | undefined {
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

type Asked = [value: Value, prompt: Span[], hint: string, it?: string];

/** All entries of a value, if they are known and few enough to be typed. */
function entries(value: Value): number[] | undefined {
  const count = value.shape.reduce((product, size) => product * size, 1);
  const texts = value.entries ? value.entries.split(" ") : [value.text];
  const numbers = texts.map(readNumber);
  if (count > MOST_NUMBERS || texts.length !== count) return undefined;
  return numbers.every((number) => number !== undefined) ? (numbers as number[]) : undefined;
}

/** Whether an answer is right; a sentence when it can't be read. */
export function judge({ answer }: Question, typed: string, lookup: Lookup): boolean | string {
  if (answer.kind === "numbers") {
    const numbers = readNumbers(typed);
    return numbers
      ? close(numbers, answer.numbers)
      : 'Type a number such as 2.5, -1e-3 or 1/3, or a list such as "1, 2, 3".';
  }
  if (answer.kind === "shape") {
    const shape = readShape(typed);
    return shape
      ? sameShape(shape, answer.shape)
      : 'Type a shape such as "4, 2". The shape of a single number is "()".';
  }
  const name = typed.trim().toLowerCase();
  const names = (id: string) => [lookup.nodeLabel(id), lookup.nodes.get(id)?.name ?? ""];
  const meant = answer.choices.filter((id) => names(id).some((one) => one.toLowerCase() === name));
  if (meant.length === 1) return meant[0] === answer.id;
  return meant.length
    ? "Several nodes have this name: choose one."
    : "Choose one of the nodes that are ready.";
}
