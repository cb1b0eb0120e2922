// What predict mode asks about saved tensors: which one is freed, how many bytes are held, which error comes.
//
// While such a question is open, the page shows the step before, with its memory.
//
// Read next: questions.ts.

import type { Asked } from "./answers";
import { brief } from "./dom";
import type { Lookup } from "./lookup";
import { memoryQuestions } from "./questions";
import type { Timeline } from "./timeline";
import type { Event, Span, State } from "./trace";

const MOST = 8; // slots to choose from
const NONE = "none of them";
const KEPT =
  "This pass keeps its graph for another pass (retain_graph or create_graph), so nothing is freed.";

/** What PyTorch says, by a part of it that tells it, and why it is not this one. */
const ERRORS = [
  [
    "second time",
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).",
    "That error comes when an earlier pass has freed what this node saved. Here the node still holds it.",
  ],
  [
    "modified by an inplace",
    "one of the variables needed for gradient computation has been modified by an inplace operation",
    "That error comes when a saved tensor was changed later. Here every saved tensor still has the version that it was saved with.",
  ],
  [
    "does not require grad",
    "element 0 of tensors does not require grad and does not have a grad_fn",
    "That error comes before a pass begins, when the root has no graph. This pass is running.",
  ],
  [
    "only for scalar outputs",
    "grad can be implicitly created only for scalar outputs",
    "That error comes before a pass begins, when the root has several entries and no gradient is given.",
  ],
  [
    "returned nan values",
    "Function returned nan values in its output",
    "That error comes in anomaly detection, when a rule returns NaN.",
  ],
] as const;
const ALWAYS = 4; // the first few are offered as choices in every question

/** What happens in a step. */
interface Happens {
  events: readonly Event[];
  before: State;
  after: State;
  freed: readonly string[]; // nodes whose saved tensors are freed
  done: string; // the node whose turn ends, and which keeps what it has saved; "" for none
}

function happens(seen: number, last: number, timeline: Timeline): Happens | undefined {
  const events = timeline.events.slice(seen + 1, last + 1);
  if (events.some(({ kind }) => kind === "PassBegan" || kind === "ForwardBegan")) return undefined;
  const [before, after] = [timeline.stateAt(seen), timeline.stateAt(last)];
  const freed = events.flatMap((event) => (event.kind === "SavedFreed" && event.nbytes ? [event.node] : []));
  const over = events.some(({ kind }) => kind === "NodeEntered" || kind === "Finished");
  const began = timeline.events.findLast((event, k) => k <= seen && event.kind === "PassBegan");
  const keeps = began?.kind === "PassBegan" && (began.keeps_graph || began.creates_graph);
  return { events, before, after, freed, done: (keeps && over && !before.computed && before.current) || "" };
}

/** Which saved tensor is freed between the events `seen` and `last`? */
function freedQuestion(
  seen: number,
  last: number,
  { timeline, lookup }: { timeline: Timeline; lookup: Lookup },
): Asked | undefined {
  const step = happens(seen, last, timeline);
  if (!step || step.before.computed) return undefined;
  const keeps = bytesOf(step.done, lookup) > 0;
  if (!keeps && !step.freed.length) return undefined;
  const slots = heldSlots(seen, step.before, timeline, lookup);
  const own = slots.filter(([node]) => step.freed.includes(node));
  const others = slots.filter((slot) => !own.includes(slot)).slice(0, Math.max(1, MOST - own.length));
  const right = own.map(([, label]) => label);
  const why = (node: string) =>
    keeps ? KEPT : `${lookup.nodeLabel(node)} has not run yet, so it still needs what it has saved.`;
  return {
    prompt: ["The walk goes on by one step. Which saved tensor is freed?"],
    hint: "A node frees what it has saved as soon as all its rules have run, unless the pass keeps its graph.",
    slips: [
      ...others.map(([node, label]) => [label, why(node)] as const),
      [NONE, "This pass does not keep its graph: a node that is done frees what it has saved."],
    ],
    answer: {
      kind: "choice",
      // Sorted by name, because the order of the nodes is that in which they run.
      choices: [...[...own, ...others].map(([, label]) => label).sort(), NONE],
      right: keeps ? [NONE] : right,
      text: keeps ? NONE : right.join(" and "),
    },
  };
}

/** The saved tensors that are held after event `seen`, in the order in which their nodes run. */
function heldSlots(
  seen: number,
  state: State,
  timeline: Timeline,
  lookup: Lookup,
): [node: string, label: string][] {
  const began = timeline.events.findLast((event, k) => k <= seen && event.kind === "PassBegan");
  const inPass = began?.kind === "PassBegan" ? new Set(began.waits.map(([node]) => node)) : undefined;
  return [...lookup.nodes.values()].flatMap(({ id, saved = [] }) => {
    if (state.freed?.[id] || (inPass && !inPass.has(id))) return [];
    const held = saved.filter(({ nbytes, freed }) => nbytes && (inPass || !freed));
    return held.map(({ name, text, value }): [string, string] => {
      const said = brief(value?.text ?? text ?? "");
      return [id, `${lookup.nodeLabel(id)}: ${name}${said.length < 16 ? ` = ${said}` : ""}`];
    });
  });
}

const bytesOf = (node: string, lookup: Lookup): number =>
  lookup.saved(node).reduce((sum, { nbytes = 0 }) => sum + nbytes, 0);

/** How many bytes of saved tensors are held after event `last`? */
function heldQuestion(
  seen: number,
  last: number,
  { timeline, lookup }: { timeline: Timeline; lookup: Lookup },
): Asked | undefined {
  const step = happens(seen, last, timeline);
  if (!step || step.events.some(({ kind }) => kind === "Failed")) return undefined;
  const { before, after, freed, done } = step;
  const [was, held] = [before.held, after.held];
  const kept = bytesOf(done, lookup);
  if (was === held && !kept) return undefined;
  const ran = step.events.filter(({ kind }) => kind === "Computed");
  const one = ran.length === 1 && ran[0]?.kind === "Computed" ? ran[0] : undefined;
  const node = done || (freed.length === 1 ? freed[0] : "");
  const label = node ? lookup.nodeLabel(node) : "";
  const head: Span[] = label
    ? [["strong", label], " is done."]
    : one
      ? [...one.equation.symbols, " is computed next."]
      : ["The walk goes on by one step."];
  const grows = held > was;
  const slips: [number, string][] = [
    [kept ? was - kept : -1, KEPT],
    [was, `That is how many bytes are held before the step. How many does it ${grows ? "save" : "free"}?`],
    [
      Math.abs(held - was),
      grows
        ? "That is how many bytes are added. How many are held in all?"
        : "That is how many bytes are freed. How many are left?",
    ],
    [0, "A node frees only what it has saved itself. Other nodes have not run yet."],
    [held / 4, "That counts numbers. Each entry of float32 has 4 bytes."],
    [after.total, "That is how many bytes the whole forward pass saves."],
  ];
  return {
    prompt: [...head, " How many bytes of saved tensors are held then?"],
    hint: grows
      ? "An operation saves only what its backward rule needs; each entry of float32 has 4 bytes."
      : "Subtract what the node that is done has saved: the card Now and the picture show it.",
    slips: slips.filter(([number]) => number !== held).map(([number, hint]) => [String(number), hint]),
    answer: { kind: "one", accepted: [held], exact: true, text: `${held.toLocaleString("en")} bytes` },
  };
}

/** Which error ends the pass between the events `seen` and `last`? */
function errorQuestion(seen: number, last: number, { timeline }: { timeline: Timeline }): Asked | undefined {
  const failed = timeline.events.slice(seen + 1, last + 1).find(({ kind }) => kind === "Failed");
  if (failed?.kind !== "Failed" || failed.hook) return undefined;
  const right = ERRORS.find(([part]) => failed.message.includes(part));
  if (!right) return undefined; // an error of the learner's own code
  const said = ERRORS.filter((one, at) => at < ALWAYS || one === right);
  return {
    prompt: [["strong", failed.name], " runs next, and the pass fails. What does PyTorch say?"],
    hint: `Does ${failed.name} still hold what it saved, and at the version at which it was saved?`,
    slips: said.map(([, text, why]) => [text, why]),
    answer: {
      kind: "choice",
      choices: said.map(([, text]) => text),
      right: [right[1]],
      text: failed.message.split(/(?<=\.) /)[0] ?? right[1],
    },
  };
}

Object.assign(memoryQuestions, {
  "tensor freed": freedQuestion,
  "bytes held": heldQuestion,
  error: errorQuestion,
} satisfies Required<typeof memoryQuestions>);
