// What can be asked about a step before it is shown, and what the right answer is.
//
// A question names the last event whose state may be on the page while it is open: what the answer
// would give away is not drawn at all, in no card, no picture and no tooltip.
//
// Read next: answers.ts, predict.ts.

import { close, readNumber, readNumbers, readShape, sameShape } from "./answers";
import { plain } from "./dom";
import { type Lookup, part } from "./lookup";
import { ownersOf } from "./nodeowner";
import type { Timeline } from "./timeline";
import type { Event, Granularity, Span, Value } from "./trace";

export const SUBJECTS = ["gradient", "next node", "shape"] as const;
export type Subject = (typeof SUBJECTS)[number];

export interface Question {
  k: number; // the step that it hides
  shown: number; // the last event whose state may be seen meanwhile
  prompt: Span[];
  hint: string; // the rule that gives the answer
  focus: ReadonlySet<string>;
  edge: string; // along which the answer will flow; "": along none
  answer:
    | { kind: "numbers"; numbers: number[]; text: string }
    | { kind: "shape"; shape: readonly number[]; text: string }
    | { kind: "node"; id: string; text: string; choices: readonly string[] };
}

const MOST_NUMBERS = 6; // entries that a person can be asked to type

export class Questions {
  readonly #timeline: Timeline;
  readonly #lookup: Lookup;
  readonly #owners: readonly string[];

  constructor(timeline: Timeline, lookup: Lookup) {
    this.#timeline = timeline;
    this.#lookup = lookup;
    this.#owners = ownersOf(timeline.events);
  }

  /** What to ask before step `k` is shown; undefined when there is nothing to find out. */
  at(k: number, granularity: Granularity, subject: Subject): Question | undefined {
    const before = this.#timeline.move(k, -1, granularity);
    if (before >= k) return undefined;
    const seen = this.#timeline.settled(before, granularity);
    return subject === "next node" ? this.#node(k, seen) : this.#value(k, seen, granularity, subject);
  }

  #node(k: number, seen: number): Question | undefined {
    const id = this.#owners[k] ?? "";
    const label = (id: string) => this.#lookup.nodeLabel(id);
    // By name: their order in the queue is the answer.
    const choices = [...this.#timeline.stateAt(seen).queue].sort((a, b) => (label(a) < label(b) ? -1 : 1));
    // One alone is no choice; of several turns between two steps the last can't be told from the queue.
    if (id === this.#owners[seen] || !choices.includes(id) || choices.length < 2) return undefined;
    return {
      k,
      shown: seen,
      prompt: ["Which node runs next?"],
      hint: "Of the nodes that are ready the engine runs the one that was made last in the forward pass; AccumulateGrad goes before all others.",
      focus: new Set(choices),
      edge: "",
      answer: { kind: "node", id, text: label(id), choices },
    };
  }

  #value(k: number, seen: number, granularity: Granularity, subject: Subject): Question | undefined {
    const event = this.#timeline.events[k] as Event;
    // A rule's own step shows what it took out; only its outcome is hidden.
    const shown = granularity === "story" ? seen : k - 1;
    const asked = this.#asked(event, k, granularity, shown);
    if (!asked) return undefined;
    const [value, prompt, hint, it = "it"] = asked;
    const numbers = subject === "gradient" ? entries(value) : undefined;
    return {
      k,
      shown,
      prompt: [...prompt, numbers ? ` What is ${it}?` : ` Which shape does ${it} have?`],
      hint: numbers ? hint : "The gradient of a tensor has the shape of the tensor.",
      focus: this.#timeline.focus(k),
      edge: part(event, "edge") ?? "",
      answer: numbers
        ? { kind: "numbers", numbers, text: value.text }
        : { kind: "shape", shape: value.shape, text: shapeText(value.shape) },
    };
  }

  /** The value that step `k` brings, how to ask for it, and the rule that gives it. */
  #asked(event: Event, k: number, granularity: Granularity, shown: number): Asked | undefined {
    const grad = (value: Value): Span => ["gradient", value.text];
    if (event.kind === "RuleApplied") {
      const next = this.#timeline.events[k + 1];
      const value = granularity !== "micro" && next?.kind === "Reduced" ? next.value : event.contribution;
      const came: Span[] = [["strong", event.name], " takes ", grad(event.upstream)];
      const hint = `${event.name}: ${event.equation.note || plain(event.equation.symbols)}`;
      return [value, [...came, " and hands a gradient to ", ["name", event.to], "."], hint];
    }
    if (event.kind === "Reduced") {
      const prompt: Span[] = [["name", event.to], " was broadcast: its gradient is summed back."];
      return [event.value, prompt, "Sum over the axes along which the tensor was stretched."];
    }
    if (event.kind === "Accumulated" && event.before) {
      const prompt: Span[] = [
        ["name", event.to],
        " has gathered ",
        grad(event.before),
        ", and ",
        grad(event.added),
        " arrives.",
      ];
      return [event.after, prompt, "Where the uses of a tensor meet, their gradients are added.", "the sum"];
    }
    if (event.kind !== "LeafWritten") return undefined;
    const leaf: Span[] = ["The leaf ", ["name", event.name], " is reached."];
    const its = `${event.name}.grad`;
    if (event.before) {
      const held: Span[] = [...leaf, " Its .grad holds ", grad(event.before), "; it gets a new one."];
      return [event.after, held, "AccumulateGrad adds to .grad: it does not replace what is there.", its];
    }
    if (this.#timeline.stateAt(shown).grads?.[event.tensor]) return undefined; // it stands on the page
    const root = this.#lookup.label(this.#lookup.root(this.#timeline.passAt(k)));
    const paths = `Multiply the local derivatives along each path from ${root} to ${event.name}, and add up the paths.`;
    return [event.after, leaf, paths, its];
  }
}

type Asked = [value: Value, prompt: Span[], hint: string, it?: string];

/** A shape as Python writes it: "()", "(3,)", "(4, 2)". */
export const shapeText = (shape: readonly number[]): string =>
  `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** Every entry of a value, when all are known and few enough to be typed. */
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
