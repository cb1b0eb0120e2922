// A trace retold: the same events on the same graph, in the same drawings, with other numbers.
//
// Sentences were made in Python, and their parts name the values that they show, so only numbers are written
// here, and only when they are read: of a thousand events, one is shown.
//
// Read next: valuetext.ts, phrases.ts.

import type { Event, Product, RuleApplied, Saved, Span, Trace, Value } from "../trace";
import type { Nd } from "./arrays";
import { retoldSpans } from "./phrases";
import type { Numbers } from "./replay";
import { toldValue } from "./valuetext";

type Known = Value | null | undefined; // null: there is none; undefined: as it was recorded
/** The fields of an event that hold values, and what else its sentences refer to. */
type Shown = { [name: string]: Known };

/** The numbers that are told. What they do not hold stays as it was recorded. */
export type Retold = Omit<Numbers, "outputs" | "sums" | "outside"> & Partial<Numbers>;

const UNKNOWN = "not known now"; // the text of a saved value that no formula computes
const LONGEST = 24; // characters of a text

/** `trace` with other numbers. */
export function retold(trace: Trace, numbers: Retold): Trace {
  const { graph } = trace;
  const tensors = graph.tensors.map((tensor) => {
    const now = numbers.tensors.get(tensor.id);
    return now ? { ...tensor, value: toldValue(now) } : tensor;
  });
  const nodes = graph.nodes.map((node) => {
    const more = (numbers.outputs?.get(node.id) ?? []).slice(node.outputs.length);
    const savedNow = (saved: Saved): Saved => {
      const { tensor, value } = saved;
      if (!value) return saved;
      const now = tensor
        ? numbers.tensors.get(tensor)
        : more.find((nd) => nd && `${nd.shape} ${nd.dtype}` === `${value.shape} ${value.dtype}`);
      if (!tensor && now) more.splice(more.indexOf(now), 1);
      if (now) return { ...saved, value: toldValue(now) };
      return tensor || !value.dtype.startsWith("float") ? saved : { ...saved, value: null, text: UNKNOWN };
    };
    const proof = proofAt(node.proof, numbers.outside?.has(node.id));
    const saved = node.saved?.map(savedNow);
    return saved?.length || proof !== node.proof
      ? { ...node, ...(saved && { saved }), ...(proof && { proof }) }
      : node;
  });
  const told = { ...trace, graph: { ...graph, tensors, nodes } };
  return { ...told, events: eventsOf(told, numbers) };
}

/** "✓ rule proved where d > 0", or what is said where d is not (OUTSIDE in graphlab/adapters/proofs.py). */
const proofAt = (proof: string | undefined, outside = false): string | undefined =>
  proof?.replace(/^.*(?=rule proved where )/, outside ? "✗ outside of its domain: " : "✓ ");

function eventsOf({ graph, events }: Trace, numbers: Retold): Event[] {
  const tensors = new Map(graph.tensors.map((tensor) => [tensor.id, tensor]));
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const arrived = new Map<string, Nd>(); // tensor -> the gradient gathered so far
  const known = (nd: Nd | null | undefined) => nd && toldValue(nd);
  const came = (node: string): Known => {
    const all = numbers.came.get(node)?.flatMap((nd) => (nd ? [toldValue(nd)] : []));
    return all && (all.length > 1 ? together(all) : all[0]);
  };
  const gathered = (id: string): Known => {
    const { producer, output_nr = 0 } = tensors.get(id) ?? {};
    return known(arrived.get(id) ?? numbers.came.get(producer ?? "")?.[output_nr]);
  };

  const shownBy = (event: Event, k: number): Shown => {
    switch (event.kind) {
      case "NodeEntered":
        return { gradient: came(event.node) };
      case "RuleApplied": {
        const [made, sent] = [numbers.made.get(event.edge), numbers.sent.get(event.edge)];
        const whole = made && String(made.shape) !== String(sent?.shape) ? made : sent;
        return { upstream: came(event.node), contribution: known(whole), sent: known(sent) };
      }
      case "Reduced":
        return { value: known(numbers.sent.get(event.edge)) };
      case "Accumulated": {
        const sent = numbers.sent.get(event.edge);
        const before = event.before && gathered(event.tensor);
        const after = numbers.gathered.get(k) ?? (event.before ? undefined : sent);
        if (after) arrived.set(event.tensor, after);
        return { before, added: known(sent), after: known(after) };
      }
      case "LeafWritten":
        return { added: gathered(event.tensor), after: known(numbers.leaves.get(event.tensor)) };
      case "GradRetained": {
        const value = gathered(event.tensor);
        return { value, after: event.after && known(numbers.leaves.get(event.tensor)) };
      }
      case "HookRan": {
        const value = gathered(event.tensor);
        return { before: event.before && value, after: event.after && value };
      }
      case "Seeded":
      case "GradReturned":
        return { value: gathered(event.tensor) };
      default:
        return {};
    }
  };

  return events.map((event, k): Event => {
    const shown = shownBy(event, k);
    const names = event.caption.some((span) => typeof span !== "string" && span[2]);
    const says = names || "equation" in event || Object.keys(shown).length;
    if (!says) return event; // nothing of a value
    const find = (name: string): Known => {
      if (name === "slope" && event.kind === "RuleApplied") return known(numbers.slopes(event.edge));
      if (name === "saved" && "saved" in event) {
        const held = nodes.get(event.node)?.saved?.find((one) => one.name === event.saved);
        return held && (held.value ?? ({ text: held.text } as Value));
      }
      return shown[name] ?? (shown[name] === undefined ? tensors.get(name)?.value : null);
    };
    return retoldEvent(event, shown, find);
  });
}

/** One event with what is shown now; sentences, equations and patches are written when they are read. */
function retoldEvent(event: Event, shown: Shown, find: (name: string) => Known): Event {
  const fields: Shown = {};
  for (const [name, value] of Object.entries(shown))
    if (value !== undefined && name in event) fields[name] = value;
  const now: Event = {
    ...event,
    ...fields,
    get caption() {
      return retoldSpans(event.caption, find);
    },
    get patch() {
      return patchOf(event.patch, this as unknown as Shown & { tensor: string; edge: string });
    },
  };
  const { equation, phrase, told, product, text } = event as Partial<RuleApplied> & {
    told?: Span[];
    text?: string;
  };
  const later = (name: string, get: () => unknown) =>
    Object.defineProperty(now, name, { get, enumerable: true });
  if (equation)
    later("equation", () => ({
      ...equation,
      symbols: retoldSpans(equation.symbols, find),
      numbers: retoldSpans(equation.numbers, find),
    }));
  if (phrase) later("phrase", () => retoldSpans(phrase, find));
  if (told) later("told", () => retoldSpans(told, find));
  if (product) later("product", () => productOf(product, find));
  if (text !== undefined) later("text", () => textOf(text, event.caption, find));
  return now;
}

/** A text that ends a part of the sentence, "3.0" of "other = 3.0", as that part is told now. */
function textOf(text: string, caption: readonly Span[], find: (name: string) => Known): string {
  const span = caption.find((one) => one[2] && typeof one !== "string" && one[1].endsWith(text));
  const [now] = span ? retoldSpans([span], find) : [];
  return now && span ? (now[1] as string).slice((span[1] as string).length - text.length) : text;
}

/** A factor that is not saved is the local derivative. */
function productOf(product: Product, find: (name: string) => Known): Product {
  const factor = (one: Product["left"]) => (one.value ? { ...one, value: find("slope") ?? one.value } : one);
  return { ...product, left: factor(product.left), right: factor(product.right) };
}

/** What an event changes in the state, with the values that it has now. */
function patchOf(patch: Event["patch"], now: Shown & { tensor: string; edge: string }): Event["patch"] {
  const { grads, edges, leaves } = patch as { [part: string]: { [id: string]: unknown } };
  const { tensor, edge, value, before = null } = now;
  const after = now.after ?? value;
  return {
    ...patch,
    ...(after && grads && { grads: { ...grads, [tensor]: after } }),
    ...(edges && edge in edges && { edges: { ...edges, [edge]: now.contribution ?? value } }),
    ...(leaves && after && { leaves: { ...leaves, [tensor]: { before, added: now.added ?? value, after } } }),
  };
}

/** The gradients of several outputs as one text, as in adapters/event_writer.py. */
function together(values: readonly Value[]): Value {
  const text = `(${values.map((value) => value.text).join(", ")})`;
  const none = { entries: "", kept: [], nbytes: 0, statistics: null };
  return {
    shape: [],
    dtype: "tuple",
    text: text.length > LONGEST ? `(${values.length} tensors)` : text,
    ...none,
  };
}
