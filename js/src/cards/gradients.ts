// The Gradients card: for each tensor its gradient before, what was added, and its gradient after.
//
// Leaves come first, always in the same rows, because the pass exists for their `.grad`. A gradient that
// is not yet computed is shown as "not yet", never as zero.
//
// Read next: cards/queue.ts.

import { breakable, brief, differs, h, setText } from "../dom";
import { DROPPED, gradText, type Lookup, NONE, part } from "../lookup";
import type { Moment } from "../moment";
import type { Event, TensorInfo, Trace, Value } from "../trace";
import { card, type Panel } from "./card";

const MOST = 150; // rows; of further tensors, only the current one gets a row

const WIDE = 10; // characters of a column
const HEAD = 20; // pixels of the header, which stays in sight

type Arriving = Event & { kind: "Accumulated" | "HookRan" | "Seeded" };

interface Sum {
  before?: Value | null;
  added?: Value;
  after?: Value | undefined;
}

interface Row {
  tensor: TensorInfo;
  element: HTMLElement;
  kind: HTMLElement;
  cells: { before: HTMLElement; added: HTMLElement; after: HTMLElement };
  arrivals: readonly number[]; // the events at which gradients arrive, in order
}

export function gradientsPanel(recording: { readonly trace: Trace }, lookup: Lookup): Panel {
  const { element, aside, body } = card("gradients", "Gradients");
  const head = ["tensor", "before", "added", "after"].map((text) => h("th", { scope: "col" }, text));
  const lines = h("tbody");
  body.append(h("table.gl-grads", {}, h("thead", {}, h("tr", {}, ...head)), lines));

  let arrivals: Map<string, number[]>;
  let [listed, rows]: [Row[], Row[]] = [[], []];
  let known: Set<string>;
  let current: Row | undefined;
  const make = (tensor: TensorInfo) => makeRow(tensor, arrivals.get(tensor.id) ?? [], lookup);
  const of = h("i");
  const renew = () => {
    const { trace } = recording;
    arrivals = allArrivals(trace);
    listed = ordered(trace).slice(0, MOST).map(make);
    known = new Set(listed.map(({ tensor }) => tensor.id));
    rows = listed;
    current = undefined;
    lines.replaceChildren(...rows.map((row) => row.element));
  };
  renew();

  const update = (moment: Moment) => {
    const { state, event } = moment;
    const now = part(event, "tensor");
    let adds = false; // to what earlier passes left in a `.grad`
    const more = rows === listed ? undefined : rows.at(-1);
    if (more?.tensor.id !== now) {
      more?.element.remove();
      const told = known.has(now ?? "") ? undefined : lookup.tensors.get(now ?? "");
      rows = told ? [...listed, make(told)] : listed;
      if (told) lines.append(rows.at(-1)?.element ?? "");
    }
    for (const row of rows) {
      const { tensor, element, cells, kind } = row;
      const { is_leaf, retains_grad } = tensor;
      const hidden = !is_leaf && !retains_grad && !state.grads?.[tensor.id] && tensor.id !== now;
      if (hidden !== element.hidden) element.hidden = hidden; // setting it again would cost a new layout
      if (hidden) continue;
      const [texts, arrived] = textsOf(row, moment);
      if (is_leaf && texts[0] !== "–") adds = true;
      const [was] = moment.was ? textsOf(row, moment.was) : [];
      for (const [at, cell] of Object.values(cells).entries()) {
        const text = texts[at] as string;
        if (cell.textContent !== text) cell.replaceChildren(...breakable(text)); // not within 9.5e-07
        differs(cell, text, was?.[at]);
      }
      if (!is_leaf && !retains_grad) {
        const done = state.status[tensor.producer ?? ""] === "done";
        setText(kind, done ? "passed on" : "in a buffer");
      }
      element.classList.toggle("gl-known", arrived);
      element.classList.toggle("gl-now", tensor.id === now);
    }
    setText(of, lookup.derived(moment.pass));
    aside.replaceChildren(...(adds ? [".grad of each leaf"] : ["∂", of, "/∂ each"]));
    current = rows.find((row) => row.tensor.id === now);
  };
  const settle = () => {
    if (current) reveal(body, current.element);
  };
  return { element, update, renew, settle };
}

/** The texts of the three columns, and whether the gradient is known. */
function textsOf(row: Row, moment: Moment): [texts: string[], known: boolean] {
  const { tensor } = row;
  const { is_leaf, retains_grad } = tensor;
  const { state } = moment;
  const { before, added, after } = sumOf(row, moment);
  // A leaf may have a .grad from before the pass; the buffer of any other tensor starts empty.
  const cleared = state.cleared?.[tensor.id];
  const earlier = before ?? (is_leaf && !after && !cleared ? tensor.grad : undefined);
  const gone =
    after && state.finished && !is_leaf && !retains_grad && !state.returned?.[tensor.id]
      ? `, ${DROPPED}`
      : "";
  const texts = [
    short(earlier?.text ?? "–"),
    added ? sign(short(added.text)) : "–",
    short(
      gradText(after, state, tensor.id) ?? (cleared || state.finished ? (earlier?.text ?? NONE) : "not yet"),
    ) + gone,
  ];
  return [texts, after !== undefined];
}

/** Leaves, then tensors with retain_grad(), then the others in the order of the pass. */
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

/** The gradients that arrive at each tensor, in order. */
function allArrivals(trace: Trace): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [k, event] of trace.events.entries()) {
    if (event.kind !== "Accumulated" && event.kind !== "HookRan" && event.kind !== "Seeded") continue;
    const at = found.get(event.tensor);
    if (at) at.push(k);
    else found.set(event.tensor, [k]);
  }
  return found;
}

function makeRow(tensor: TensorInfo, arrivals: readonly number[], lookup: Lookup): Row {
  const tip = tensor.is_leaf
    ? "a leaf: AccumulateGrad adds to its .grad"
    : tensor.retains_grad
      ? "not a leaf, but retain_grad() keeps its gradient"
      : "not a leaf: its gradient is summed in a buffer, passed on and then dropped";
  const kind = h(
    "small",
    { title: tip },
    ...breakable(tensor.is_leaf ? "leaf" : tensor.retains_grad ? "retain_grad" : ""),
  );
  const label = lookup.label(tensor.id);
  const name = h("th", { scope: "row" }, h("i", { title: label }, ...breakable(label)), kind);
  const cells = { before: h("td"), added: h("td"), after: h("td") };
  const element = h(
    "tr",
    { class: `gl-row-${tensor.is_leaf ? "leaf" : "inner"}`, "data-tensor": tensor.id },
    name,
    ...Object.values(cells),
  );
  return { tensor, element, kind, cells, arrivals };
}

function sumOf({ tensor, arrivals }: Row, { state, settled, timeline }: Moment): Sum {
  if (state.returned?.[tensor.id]) return { after: state.grads?.[tensor.id] };
  if (state.cleared?.[tensor.id]) return {};
  const written = state.leaves?.[tensor.id];
  if (written?.added && tensor.is_leaf) return written;
  const before = written?.after ?? tensor.grad ?? null;
  const found = arrivals.findLast((k) => k <= settled);
  const here = found !== undefined && timeline.passAt(found) === timeline.passAt(settled);
  const last = here && !(tensor.is_leaf && state.finished) ? (timeline.events[found] as Arriving) : undefined;
  if (last?.kind === "HookRan" && last.after) {
    if (tensor.is_leaf) return { before, added: last.after };
    return { before: last.before, after: last.after }; // the gradient before and after the hook
  }
  if (tensor.is_leaf) {
    if (last?.kind === "Accumulated") return { before, added: last.after };
    return written ? { after: written.after } : {};
  }
  if (last?.kind === "Accumulated") return last;
  if (last?.kind === "Seeded") return { added: last.value, after: last.value };
  return {};
}

/** A plus sign before a number, but not before the shape of an array. */
const sign = (text: string) => (/^[0-9.]+(e[+-]?\d+)?$/.test(text) ? `+${text}` : text);

/** The text of a value for a narrow column: a shape of many dimensions may break into two lines. */
function short(text: string): string {
  const whole = brief(text);
  return whole.length > WIDE ? whole.replaceAll("\u00a0", " ") : whole;
}

/** Scroll the card to a row, without moving the page: to the top, or with that row below the header. */
function reveal(box: HTMLElement, row: HTMLElement): void {
  box.scrollTop = 0;
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.bottom > outer.bottom) box.scrollTop = inner.top - outer.top - HEAD;
}
