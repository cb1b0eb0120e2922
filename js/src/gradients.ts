// The Gradients card: for each tensor what was there, what was added, and what that makes.
//
// Leaves first, always in the same row: their `.grad` is what the pass is for. What has no gradient
// yet says so, and is never shown as zero.

import { h, setText } from "./dom";
import { type Lookup, part } from "./lookup";
import { card, type Moment, type Panel } from "./panels";
import type { Event, TensorInfo, Trace, Value } from "./trace";

interface Sum {
  before?: Value | null;
  added?: Value;
  after?: Value;
}

interface Row {
  tensor: TensorInfo;
  element: HTMLElement;
  cells: { before: HTMLElement; added: HTMLElement; after: HTMLElement };
  arrivals: [k: number, event: Event & { kind: "Accumulated" | "HookRan" | "Seeded" }][];
}

export function gradientsPanel(trace: Trace, lookup: Lookup): Panel {
  const { element, aside, body } = card("gradients", "Gradients");
  const head = ["tensor", "before", "added", "after"].map((text) => h("th", { scope: "col" }, text));
  const lines = h("tbody");
  body.append(h("table", { class: "gl-grads" }, h("thead", {}, h("tr", {}, ...head)), lines));

  const rows = ordered(trace).map((tensor) => makeRow(tensor, trace, lookup));
  const root = lookup.label(lookup.root);
  aside.replaceChildren("∂", h("i", {}, root), "/∂ each");
  lines.append(...rows.map((row) => row.element));

  const update = (moment: Moment) => {
    const { state, event, settled } = moment;
    const now = part(event, "tensor");
    for (const row of rows) {
      const { before, added, after } = sumOf(row, moment);
      // A leaf's own grad counts as before; a tensor in the middle starts from nothing.
      const earlier = before ?? (row.tensor.is_leaf && !after ? row.tensor.grad : undefined);
      setText(row.cells.before, earlier?.text ?? "–");
      setText(row.cells.added, added ? sign(added.text) : "–");
      setText(row.cells.after, after?.text ?? "not yet");
      row.element.classList.toggle("gl-known", after !== undefined);
      row.element.classList.toggle("gl-now", row.tensor.id === now);
      row.element.hidden =
        !row.tensor.is_leaf &&
        !row.tensor.retains_grad &&
        !state.grads?.[row.tensor.id] &&
        row.tensor.id !== now;
    }
    const current = rows.find((row) => row.tensor.id === now);
    if (current && settled >= 0) reveal(body, current.element);
  };
  return { element, update };
}

/** Leaves, then what was asked to keep its gradient, then the rest from the root on. */
function ordered(trace: Trace): TensorInfo[] {
  const wanted = trace.graph.tensors.filter((tensor) => tensor.requires_grad);
  const first = new Map<string, number>();
  for (const [k, event] of trace.events.entries()) {
    const id = part(event, "tensor");
    if (id && !first.has(id)) first.set(id, k);
  }
  const rank = (tensor: TensorInfo) => (tensor.is_leaf ? 0 : tensor.retains_grad ? 1 : 2);
  const reached = (tensor: TensorInfo) =>
    tensor.is_leaf ? 0 : (first.get(tensor.id) ?? trace.events.length);
  return wanted.sort((a, b) => rank(a) - rank(b) || reached(a) - reached(b));
}

function makeRow(tensor: TensorInfo, trace: Trace, lookup: Lookup): Row {
  const kind = tensor.is_leaf ? "leaf" : tensor.retains_grad ? "retain_grad" : "not kept";
  const tip = tensor.is_leaf
    ? "a leaf: AccumulateGrad adds to its .grad"
    : tensor.retains_grad
      ? "no leaf, but retain_grad() keeps its gradient"
      : "no leaf: its gradient is passed on and then dropped";
  const name = h(
    "th",
    { scope: "row" },
    h("i", {}, lookup.label(tensor.id)),
    h("small", { title: tip }, kind),
  );
  const cells = { before: h("td"), added: h("td"), after: h("td") };
  const element = h(
    "tr",
    { class: `gl-row-${tensor.is_leaf ? "leaf" : "inner"}`, "data-tensor": tensor.id },
    name,
    ...Object.values(cells),
  );
  const arrivals = [...trace.events.entries()].flatMap(([k, event]): Row["arrivals"] =>
    (event.kind === "Accumulated" || event.kind === "HookRan" || event.kind === "Seeded") &&
    event.tensor === tensor.id
      ? [[k, event]]
      : [],
  );
  return { tensor, element, cells, arrivals };
}

function sumOf({ tensor, arrivals }: Row, { state, settled }: Moment): Sum {
  const written = state.leaves?.[tensor.id];
  if (written && tensor.is_leaf) return written;
  const last = arrivals.findLast(([k]) => k <= settled)?.[1];
  if (last?.kind === "HookRan" && last.after) {
    if (tensor.is_leaf) return { before: tensor.grad ?? null, added: last.after };
    return { before: last.before, after: last.after }; // what was there, and what the hook made of it
  }
  if (tensor.is_leaf)
    return last?.kind === "Accumulated" ? { before: tensor.grad ?? null, added: last.after } : {};
  if (last?.kind === "Accumulated") return last;
  if (last?.kind === "Seeded") return { added: last.value, after: last.value };
  return {};
}

const sign = (text: string) => (/^[0-9.]/.test(text) ? `+${text}` : text);

/** Bring a row into its own box's sight, without moving the page. */
function reveal(box: HTMLElement, row: HTMLElement): void {
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
  else if (inner.top < outer.top + 24) box.scrollTop += inner.top - outer.top - 24;
}
