// The Equation card: the rule in symbols, then in numbers.

import { h, spans } from "./dom";
import { type Lookup, part } from "./lookup";
import { card, type Moment, type Panel } from "./panels";
import type { Equation, Event, Span, State, Value } from "./trace";

const grad = (value: Value | null | undefined): Span => (value ? ["gradient", value.text] : "nothing yet");

function sum(before: Value | null | undefined, added: Value, after: Value): Span[] {
  return before ? [grad(before), " + ", grad(added), " = ", grad(after)] : ["None → ", grad(after)];
}

const shapeText = (shape: readonly number[]) => (shape.length ? shape.join("×") : "one number");

/** What an event has to say as a formula; undefined when it is about bookkeeping only. */
export function equationOf(event: Event, state: State, lookup: Lookup): Equation | undefined {
  const root = lookup.label(lookup.root);
  switch (event.kind) {
    case "RuleApplied":
      return event.equation;
    case "Seeded":
      return {
        symbols: ["∂", ["name", root], "/∂", ["name", root]],
        numbers: [grad(event.value)],
        note: "where every path of the chain rule begins",
      };
    case "NodeEntered": {
      const formula = lookup.nodes.get(event.node)?.formula;
      const symbols: Span[] = formula ? [["code", formula]] : [["strong", event.name]];
      return { symbols, numbers: [grad(event.gradient)], note: "the gradient that came in" };
    }
    case "Reduced":
      return {
        symbols: ["sum over the axes that ", ["name", event.to], " was stretched along"],
        numbers: [["gradient", event.value.text]],
        note: `${shapeText(event.shape_before)} → ${shapeText(event.value.shape)}`,
      };
    case "Accumulated":
      return {
        symbols: event.before
          ? ["∂", ["name", root], "/∂", ["name", event.to], " = sum over its uses"]
          : ["∂", ["name", root], "/∂", ["name", event.to]],
        numbers: event.before ? sum(event.before, event.added, event.after) : [grad(event.after)],
        note: event.before ? "gathered + added = after" : "the first gradient to arrive",
      };
    case "LeafWritten":
      return {
        symbols: [["name", event.name], ".grad", event.before ? " = before + added" : ""],
        numbers: sum(event.before, event.added, event.after),
        note: event.before
          ? "it was not empty: gradients accumulate"
          : "the leaf keeps it, for the optimizer or for you",
      };
    case "GradRetained":
      return {
        symbols: [["name", event.name], ".grad"],
        numbers: [grad(event.value)],
        note: "kept because of retain_grad()",
      };
    case "HookRan":
      return {
        symbols: ["∂", ["name", root], "/∂", ["name", event.name]],
        numbers: [grad(event.before), " → ", grad(event.after)],
        note: "what the hook passes on",
      };
    case "Finished":
      return results(state, lookup);
    default:
      return undefined;
  }
}

/** Every leaf's gradient, for the last step. */
function results(state: State, lookup: Lookup): Equation {
  const root = lookup.label(lookup.root);
  const written = Object.entries(state.leaves ?? {}).filter(([id]) => lookup.tensors.get(id)?.is_leaf);
  const order = [...lookup.tensors.keys()];
  const leaves = written.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const shown = leaves
    .slice(0, 6)
    .flatMap(([id, leaf], at): Span[] => [
      at ? "   " : "",
      ["name", lookup.label(id)],
      " ",
      grad(leaf.after),
    ]);
  const more = leaves.length > 6 ? `and ${leaves.length - 6} more` : "";
  return { symbols: ["∂", ["name", root], "/∂ each leaf"], numbers: shown, note: more };
}

export function equationPanel(): Panel {
  const { element, aside, body } = card("equation", "Equation");
  const symbols = h("div", { class: "gl-symbols" });
  const numbers = h("div", { class: "gl-numbers" });
  const note = h("div", { class: "gl-note" });
  body.append(symbols, numbers, note);
  const update = ({ k, state, timeline, lookup }: Moment) => {
    // Bookkeeping keeps the formula that it follows from, faded.
    let at = k;
    let found: Equation | undefined;
    for (; at >= 0 && !found; at -= 1) {
      const event = timeline.events[at];
      found = event && equationOf(event, state, lookup);
    }
    element.classList.toggle("gl-faded", at + 1 !== k);
    const owner = timeline.events[at + 1];
    const node = lookup.nodes.get((owner && part(owner, "node")) ?? "");
    aside.textContent = node && owner?.kind !== "Seeded" ? node.name : "";
    symbols.replaceChildren(...spans(found?.symbols ?? []));
    numbers.replaceChildren(...spans(found?.numbers ?? []));
    note.textContent = found?.note ?? "";
  };
  return { element, update };
}
