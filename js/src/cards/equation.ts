// The Equation card: the rule in symbols, then in numbers.
//
// Read next: cards/node.ts.

import { bracketed, brief, type Child, h, shapeText, spans } from "../dom";
import { type Lookup, part } from "../lookup";
import type { Moment } from "../moment";
import type { Failed, PassBegan } from "../schema";
import type { Equation, Event, Span, Value } from "../trace";
import { makeArrays, type Spec } from "./arrays";
import { bytes, card, type Panel } from "./card";
import { makeProduct } from "./product";

const MOST_PATHS = 5; // terms of a running sum
const LONG = 60; // characters of a rule that is written smaller
const GAP = "\u00a0"; // between a name and its number, which stay on one line

const grad = (value: Value | null | undefined): Span => (value ? ["gradient", value.text] : "nothing yet");

function sum(before: Value | null | undefined, added: Value, after: Value): Span[] {
  return before ? [grad(before), " + ", grad(added), " = ", grad(after)] : ["None → ", grad(after)];
}

/** ∂root/∂name. */
const partial = (root: string, name: string): Span[] => [
  "∂",
  ["name", root],
  "/∂",
  ["name", bracketed(name)],
];

/** The spans of the first `most` of `items`, with `gap` between them. */
const listed = <Item>(
  items: readonly Item[],
  most: number,
  of: (item: Item) => Span[],
  gap = "   ",
): Span[] => items.slice(0, most).flatMap((item, at) => (at ? [gap, ...of(item)] : of(item)));

const sizeOf = (shape: readonly number[]) => (shape.length ? shapeText(shape) : "one number");

/** The formula of an event; undefined for an event about the queue only. */
function equationOf(event: Event, moment: Moment): Equation | undefined {
  const { state, lookup } = moment;
  const root = lookup.derived(moment.pass);
  switch (event.kind) {
    case "RuleApplied":
    case "ForwardBegan":
    case "Computed":
    case "ForwardFinished":
      return event.equation;
    case "Seeded":
      return {
        symbols: partial(root, lookup.label(event.tensor)),
        numbers: [grad(event.value)],
        note: root.startsWith("(g·") ? "the given weights g" : "the start of every path of the chain rule",
      };
    case "NodeEntered": {
      const formula = lookup.nodes.get(event.node)?.formula;
      const symbols: Span[] = formula ? [["code", formula]] : [["strong", event.name]];
      return { symbols, numbers: [grad(event.gradient)], note: "the incoming gradient" };
    }
    case "SavedUnpacked": {
      const of = lookup.saved(event.node).find(({ name }) => name === event.name || name === event.saved);
      const shown = of?.tensor ? lookup.label(of.tensor) : event.saved;
      return {
        symbols: [["strong", lookup.nodes.get(event.node)?.name ?? event.name], " needs ", ["name", shown]],
        numbers: [["value", event.text]],
        note: `saved as ${event.saved} in the forward pass, for the rule that runs next`,
      };
    }
    case "SavedFreed":
      if (!event.nbytes) return undefined;
      return {
        symbols: ["saved for ", ["strong", event.name]],
        numbers: [`${bytes(event.nbytes)} freed · ${bytes(state.held ?? 0)} still held`],
        note: "a second backward pass would need them; retain_graph=True keeps them",
      };
    case "Reduced":
      return {
        symbols: ["sum over the dimensions along which ", ["name", event.to], " was broadcast"],
        numbers: [["gradient", event.value.text]],
        note: `${sizeOf(event.shape_before)} → ${sizeOf(event.value.shape)}`,
      };
    case "Accumulated":
      return {
        symbols: [...partial(root, event.to), event.before ? " = sum over its uses" : ""],
        numbers: event.before ? sum(event.before, event.added, event.after) : [grad(event.after)],
        note: event.before ? "before + added = after" : "the first gradient to arrive",
      };
    case "LeafWritten":
      return {
        symbols: [["name", event.name], ".grad", event.before ? " = before + added" : ""],
        numbers: sum(event.before, event.added, event.after),
        note: event.before
          ? ".grad was not empty: gradients accumulate"
          : "the leaf keeps its gradient, for the optimizer or for you",
      };
    case "GradRetained":
      return {
        symbols: [["name", event.name], ".grad"],
        numbers:
          event.before && event.after ? sum(event.before, event.value, event.after) : [grad(event.value)],
        note: "kept because of retain_grad()",
      };
    case "HookRan":
      return {
        symbols: partial(root, event.name),
        numbers: [grad(event.before), " → ", grad(event.after)],
        note: "the gradient that the hook returns",
      };
    case "GradReturned":
      return {
        symbols: partial(root, event.name),
        numbers: [grad(event.value)],
        note: "autograd.grad returns it; no .grad is written",
      };
    case "PassBegan":
      return { symbols: [["name", event.title]], numbers: [], note: passNote(event) };
    case "GradCleared":
      return {
        symbols: listed(event.names, 4, (name) => [["name", name], ".grad"], ", "),
        numbers: [event.zeros?.length ? "0" : "None"],
        note: "otherwise the next pass would add to the old gradient",
      };
    case "GradReplaced":
      return {
        symbols: [["name", event.name], ".grad"],
        numbers: event.before ? change(event.before, event.after, "gradient") : [grad(event.after)],
        note: "changed by hand, between two passes",
      };
    case "ChangedInPlace":
      return {
        symbols: [["name", event.name], " in place"],
        numbers: change(event.before, event.after),
        note:
          event.counted === false ? "this change does not count as a version" : `version ${event.version}`,
      };
    case "OptimizerStepped":
      return {
        symbols: ["one step of ", ["strong", event.optimizer]],
        numbers: listed(event.changes, 4, (one) => [
          ["name", one.name],
          GAP,
          ...(one.unchanged ? ["unchanged"] : change(one.before, one.after)),
        ]),
        note:
          event.changes.length > 4
            ? `and ${event.changes.length - 4} more`
            : "each change is computed from the gradients",
      };
    case "Failed":
      return { symbols: failure(event), numbers: event.why ? [event.why] : [], note: event.message };
    case "Finished":
      return results(moment, root);
    default:
      return undefined;
  }
}

function failure({ hook, name, on }: Failed): Span[] {
  if (!hook) return [["strong", name], " failed"];
  const at: Span[] = on ? [" on ", ["name", on], ", at "] : [" of "];
  return ["hook ", ["code", hook], ...at, ["strong", name], " failed"];
}

/** A change of a tensor. If its text is only a shape, the first entry that changed, as Python shows it. */
export function change(before: Value | null | undefined, after: Value, role = "value"): Span[] {
  const now: Span = [role, after.text];
  if (!before) return [now];
  if (before.text !== after.text || !after.shape.length || after.text.startsWith("["))
    return [[role, before.text], " → ", now];
  const found = firstChange(before, after);
  if (!found) return [now, ", changed outside the part shown"];
  const [place, was, is] = found;
  return [["code", `[${place}]`], " ", [role, was], " → ", [role, is], " (only this entry is shown)"];
}

/** The first known entry that has changed: its index, and its value before and after. */
function firstChange(before: Value, after: Value): [place: string, was: string, now: string] | undefined {
  const kept = after.kept?.length ? after.kept : after.shape;
  const [old, now] = [before, after].map((value) => (value.entries ?? "").split(" "));
  if (!old || !now || old.length !== now.length) return undefined;
  const k = now.findIndex((text, at) => text !== old[at]);
  if (k < 0) return undefined;
  const place: number[] = [];
  let rest = k;
  for (const length of [...kept].reverse()) {
    place.unshift(rest % length);
    rest = Math.floor(rest / length);
  }
  return [place.join(", "), old[k] ?? "", now[k] ?? ""];
}

function passNote({ number, count, keeps_graph, creates_graph }: PassBegan): string {
  const which = count > 1 ? `pass ${number} of ${count}` : "one pass";
  if (creates_graph) return `${which}, which is recorded too: its nodes form a second layer`;
  return keeps_graph ? `${which}; saved tensors are kept` : `${which}; saved tensors are freed as it runs`;
}

/** What the pass computed for every leaf that it reached, or what autograd.grad returned, for the last step. */
function results({ state, lookup, timeline, pass }: Moment, root: string): Equation {
  const returned = timeline.events.flatMap((event, k) =>
    event.kind === "GradReturned" && timeline.passAt(k) === pass ? [event] : [],
  );
  if (returned.length) {
    const numbers = listed(returned, 6, ({ name, value }) => [["name", name], GAP, grad(value)]);
    return { symbols: ["∂", ["name", root], "/∂ each"], numbers, note: "" };
  }
  const written = Object.entries(state.leaves ?? {}).filter(
    ([id, leaf]) => leaf.added && lookup.tensors.get(id)?.is_leaf,
  );
  const order = [...lookup.tensors.keys()];
  const leaves = written.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const adds = leaves.some(([, leaf]) => leaf.before);
  const shown = listed(leaves, 6, ([id, { before, added, after }]): Span[] => {
    const name = lookup.label(id);
    if (!before || after?.text.startsWith("(")) return [["name", name], GAP, grad(after)];
    const summed: Span[] = [grad(added), ", added to ", grad(before), ")"];
    return [["name", name], ".grad = ", grad(after), " (", ...partial(root, name), " = ", ...summed];
  });
  const more = leaves.length > 6 ? `and ${leaves.length - 6} more` : "";
  const note = adds ? "zero_grad() empties .grad" : "";
  return {
    symbols: adds ? [".grad of each leaf"] : ["∂", ["name", root], "/∂ each leaf"],
    numbers: shown,
    note: more || note,
  };
}

/**
 * The shapes to stand under the symbols: of the result and the factors; none for single numbers. Several gradients
 * have no shape, nor has a derivative that the rule does not multiply by entry by entry: it is a matrix.
 */
function shapesOf(event: Event | undefined, lookup: Lookup): { [role: string]: string } {
  if (event?.kind !== "RuleApplied" || event.product) return {}; // its arrays have their shapes beside them
  const { upstream, equation } = event;
  const made = lookup.tensors.get(event.tensor)?.value?.shape ?? event.contribution.shape;
  if (!upstream.shape.length && !made.length) return {};
  const came = upstream.dtype === "tuple" ? "" : shapeText(upstream.shape);
  return { "": shapeText(made), gradient: came, value: equation.numbers[1] === " → " ? "" : came };
}

function symbolsOf(equation: Equation, event: Event | undefined, lookup: Lookup): Child[] {
  const shapes = shapesOf(event, lookup);
  return spans(equation.symbols).map((child, at) => {
    const part = equation.symbols[at];
    const shape = shapes[Array.isArray(part) ? (part[0] ?? "") : at === 0 ? "" : "-"];
    return shape ? h("ruby", {}, child, h("rt", {}, shape)) : child;
  });
}

/** The gradients so far of a tensor that this pass uses several times: "a sums 3.0 + 2.0 = 5.0". */
function pathsTo(tensor: string, { settled, state, timeline, lookup }: Moment): Child[] {
  const arrived: string[] = [];
  let k = settled;
  for (; k >= 0 && timeline.events[k]?.kind !== "PassBegan"; k -= 1) {
    const event = timeline.events[k];
    if (event?.kind === "Accumulated" && event.tensor === tensor) arrived.unshift(brief(event.added.text));
  }
  const began = timeline.events[k];
  const walked = began?.kind === "PassBegan" ? new Set(began.waits.map(([node]) => node)) : lookup.nodes;
  const uses = [...lookup.edges.values()].filter(
    (edge) => edge.tensor === tensor && walked.has(edge.source) && walked.has(edge.target),
  ).length;
  if (uses < 2 || !arrived.length || arrived.length > MOST_PATHS) return [];
  const sum = arrived.length > 1 ? ` = ${brief(state.grads?.[tensor]?.text ?? "?")}` : "";
  const last = arrived.pop() ?? "";
  const before = arrived.map((text) => `${text} + `).join("");
  const which = ` · ${arrived.length + 1} of ${uses} paths`;
  return [h("i", {}, lookup.label(tensor)), ` sums ${before}`, h("b", {}, last), sum, which];
}

/** The gradient before and after a hook. */
function hooked(event: Event | undefined): Spec[] {
  if (event?.kind !== "HookRan" || !event.after) return [];
  return [
    ["before", event.before ?? undefined],
    ["after", event.after],
  ];
}

export function equationPanel(): Panel {
  const { element, aside, body } = card("equation", "Equation");
  const symbols = h("div.gl-symbols");
  const numbers = h("div.gl-numbers");
  const note = h("div.gl-note");
  const rule = h("div.gl-note.gl-rule");
  const product = makeProduct();
  const arrays = makeArrays();
  body.append(symbols, numbers, product.element, note, rule);
  const update = (moment: Moment) => {
    const { k, timeline, lookup, was } = moment;
    // An event about the queue keeps the formula of the event before it.
    let at = k;
    let found: Equation | undefined;
    for (; at >= 0 && !found; at -= 1) {
      const event = timeline.events[at];
      found = event && equationOf(event, moment);
    }
    const owner = timeline.events[at + 1];
    const node = lookup.nodes.get((owner && part(owner, "node")) ?? "");
    aside.textContent = node && owner?.kind !== "Seeded" ? node.name : "";
    symbols.replaceChildren(...(found ? symbolsOf(found, owner, lookup) : []));
    symbols.classList.toggle("gl-long", (symbols.textContent ?? "").length > LONG);
    const recorded = was?.timeline.events[at + 1];
    const before = recorded && equationOf(recorded, was);
    numbers.replaceChildren(...spans(found?.numbers ?? [], before?.numbers));
    const both = hooked(owner);
    arrays.show(both);
    if (both.length) product.element.after(arrays.element);
    else arrays.element.remove();
    // both show these numbers, and more of them
    numbers.hidden = product.show(owner, moment) || arrays.element.childElementCount > 1;
    const paths = owner?.kind === "RuleApplied" ? pathsTo(owner.tensor, moment) : [];
    note.replaceChildren(...(paths.length ? paths : spans([found?.note ?? ""])));
    // The local derivative, if the sum over the paths stands in its place, and whether the rule is proved.
    const local = paths.length ? found?.note : "";
    const proof = owner?.kind === "RuleApplied" ? node?.proof : "";
    rule.textContent = [local, proof].filter(Boolean).join(" · ");
  };
  return { element, update };
}
