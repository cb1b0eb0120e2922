// The Now card: the gradient that came into the current node, and its saved tensors, inputs and output.
//
// Read next: cards/arrays.ts.

import { bracketed, breakable, brief, type Child, differs, h, shapeText } from "../dom";
import { type Lookup, part, UNKNOWN, valueNow, versionNow } from "../lookup";
import type { Moment } from "../moment";
import type { Event, NodeInfo, Saved, State, Value } from "../trace";
import { type Fetch, makeArrays, type Spec } from "./arrays";
import { bytes, card, type Panel } from "./card";
import { ALL } from "./product";

const MOST_INPUTS = 3;
const MOST_CHANGES = 3; // parameters of an optimizer that are shown

type Row = [name: Child, value: Child, about: Child[]];

/** The node that this moment belongs to. */
function nodeAt({ event, state }: Moment): string | undefined {
  return (
    state.current ?? (event.kind === "Seeded" || event.kind === "Finished" ? undefined : part(event, "node"))
  );
}

function incoming(moment: Moment, node: string): Value | undefined {
  const outputs = moment.lookup.nodes.get(node)?.outputs ?? [];
  const leaf = moment.lookup.nodes.get(node)?.variable;
  const tensor = leaf ?? outputs.find((id) => moment.state.grads?.[id]);
  return moment.state.grads?.[tensor ?? ""];
}

/** A saved tensor: value, shape, version when it was saved and now, and whether it is held or freed. */
function savedRow(saved: Saved, freed: boolean, used: boolean, { lookup, state }: Moment): Row {
  const name = h("code", { class: used ? "gl-used" : undefined }, ...breakable(saved.name));
  const value = saved.value && valueNow(saved, state);
  const shown = named(saved.tensor ? lookup.label(saved.tensor) : "", value?.text ?? saved.text ?? "");
  if (!value) return [name, shown, []];
  const then = saved.version_saved ?? 0;
  const now = versionNow(saved, state);
  const version: Child = now === then ? `v${then}` : h("b.gl-bad", {}, `v${then}, now v${now}`);
  const kept = `${bytes(saved.nbytes ?? 0)} ${freed ? "freed" : "held"}`;
  const title = `shape ${shapeText(value.shape)}, ${value.dtype}, saved at version ${then}, now at version ${now}`;
  return [name, shown, [h("span", { title }, `${sizeOf(value)} · `, version, ` · ${kept}`)]];
}

const sizeOf = ({ shape, dtype }: Value) => `${shapeText(shape)}${dtype === "float32" ? "" : ` ${dtype}`}`;

function named(label: string, text: string): HTMLElement {
  const value = h("b", {}, ...breakable(brief(text)));
  return label && label !== text ? h("span", {}, h("i", {}, ...breakable(label)), " = ", value) : value;
}

/** The inputs that were not saved, because the rule does not need their values; in the forward pass, all. */
function inputRows(node: NodeInfo, { lookup, state }: Moment): Row[] {
  const saved = new Set(state.computed ? [] : (node.saved ?? []).map(({ tensor }) => tensor));
  return node.inputs.flatMap((id, at): Row[] => {
    const value = state.values?.[id] ?? lookup.tensors.get(id)?.value;
    if (saved.has(id) || !value) return [];
    const kept = (node.saved ?? []).find(
      (one) => one.tensor === id && state.kept?.[`${node.id}.${one.name}`],
    );
    const what = kept ? ` · saved as ${kept.name}` : state.computed ? "" : " · not saved";
    const about = `${sizeOf(value)}${what}`;
    return [[`input ${at}`, named(lookup.label(id), value.text), [about]]];
  });
}

const currently = (id: string | undefined, lookup: Lookup, state: State) =>
  state.values?.[id ?? ""] ?? lookup.tensors.get(id ?? "")?.value;

function figures(moment: Moment, node: string): Spec[] {
  const { event, focus, lookup, root, state } = moment;
  // The step of a rule shows only what the rule uses: upstream, local and contribution side by side.
  const used = lookup
    .saved(node)
    .filter(({ name }) => event.kind !== "RuleApplied" || focus.has(`s:${node}.${name}`));
  const rule = (event.kind === "RuleApplied" || event.kind === "Computed") && event.product;
  const ran = state.computed && lookup.nodes.get(node);
  const specs: Spec[] = ran
    ? [...ran.inputs, ...ran.outputs].map((id) => [lookup.label(id), currently(id, lookup, state), id])
    : [
        ["gradient in", incoming(moment, node)],
        ...used.map((saved): Spec => [saved.name, saved.value && valueNow(saved, state), saved.tensor]),
      ];
  if (event.kind === "RuleApplied")
    specs.push([`∂${bracketed(lookup.label(root))}/∂${bracketed(event.to)}`, event.contribution]);
  // the equation shows small ones already
  if (rule && specs.every(([, value]) => !value?.shape.some((size, d) => size > (d < 2 ? ALL : 1))))
    return [];
  if (event.kind === "LeafWritten") specs.push([`${event.name}.grad`, event.after, `${event.tensor}.grad`]);
  const leaf = lookup.tensors.get(lookup.nodes.get(node)?.variable ?? "");
  if (leaf) specs.push([lookup.label(leaf.id), leaf.value, leaf.id]);
  return specs;
}

export function nodePanel(fetch?: Fetch): Panel {
  const { element, aside, body } = card("now", "Now");
  const table = h("table.gl-rows");
  const arrays = makeArrays(fetch);
  body.append(table, arrays.element);

  const update = (moment: Moment) => {
    const { lookup } = moment;
    const id = nodeAt(moment);
    const node = lookup.nodes.get(id ?? "");
    aside.textContent = node ? lookup.nodeLabel(node.id) : "";
    const both = <Made>(make: (at: Moment) => Made) =>
      [make(moment), moment.was && make(moment.was)] as const;
    const isLeaf = (id: string) => Boolean(lookup.tensors.get(id)?.is_leaf);
    if (!node) {
      table.replaceChildren(...rows(...both(edgeOfPass)));
      arrays.show(...both(ends), isLeaf);
      return;
    }
    table.replaceChildren(...rows(...both((at) => factsOf(at, node.id))));
    arrays.show(...both((at) => figures(at, node.id)), isLeaf);
  };
  return { element, update };
}

/** What is known of a node: the gradient that came in, what it saved, its inputs and its output. */
function factsOf(moment: Moment, id: string): Row[] {
  const { focus, lookup, state } = moment;
  const node = lookup.nodes.get(id) as NodeInfo;
  const came = incoming(moment, id);
  const freed = Boolean(state.freed?.[node.id]);
  const { computed, kept } = state; // while the forward pass is walked
  const inputs = inputRows(node, moment).slice(0, MOST_INPUTS);
  const facts: Row[] = computed
    ? inputs
    : [
        [
          "gradient in",
          h("b.gl-s-gradient", {}, brief(came?.text ?? "not computed")),
          came ? [sizeOf(came)] : [],
        ],
      ];
  for (const saved of node.saved ?? []) {
    if (kept && (!kept[`${node.id}.${saved.name}`] || node.inputs.includes(saved.tensor ?? ""))) continue;
    const gone = freed || Boolean(saved.freed);
    facts.push(savedRow(saved, gone, focus.has(`s:${node.id}.${saved.name}`), moment));
  }
  if (node.made_by) facts.push(["made by", `the rule of ${lookup.nodeLabel(node.made_by)}`, []]);
  const variable = lookup.tensors.get(node.variable ?? "");
  const held = state.values?.[node.variable ?? ""] ?? variable?.value;
  if (variable && held) facts.push(["leaf", named(lookup.label(variable.id), held.text), [sizeOf(held)]]);
  else if (!computed) facts.push(...inputs);
  const made = lookup.tensors.get(node.outputs[0] ?? "");
  const output = currently(made?.id, lookup, state);
  if (made && output) facts.push(["output", named(lookup.label(made.id), output.text), [sizeOf(output)]]);
  return facts;
}

/** The arrays before the first node and after the last. */
const ends = ({ event, lookup, root, state }: Moment): Spec[] =>
  state.computed ? [] : (changed(event) ?? [[lookup.label(root), lookup.tensors.get(root)?.value, root]]);

/** The parameters before and after a step of an optimizer. */
function changed(event: Event): Spec[] | undefined {
  if (event.kind !== "OptimizerStepped") return undefined;
  return event.changes.slice(0, MOST_CHANGES).flatMap(({ name, tensor, before, after }): Spec[] => [
    [`${name} before`, before],
    [name, after, tensor],
  ]);
}

/** What the card says before the first node and after the last. */
function edgeOfPass({ event, lookup, root, state }: Moment): Row[] {
  const value = state.values?.[root] ?? lookup.tensors.get(root)?.value;
  if (event.kind === "Finished") {
    return [["saved tensors", state.held ? `${bytes(state.held)} still held` : "all freed", []]];
  }
  const text = state.computed ? UNKNOWN : (value?.text ?? "?");
  return [["root", named(lookup.label(root), text), value ? [sizeOf(value)] : []]];
}

/** `was`: the same rows as they were recorded, where a value is edited. */
function rows(facts: readonly Row[], was?: readonly Row[]): HTMLTableRowElement[] {
  const number = (cell: Element) => cell.querySelector("b") ?? cell;
  return facts.map(([name, value, about], at) => {
    const [cell, old] = [value, was?.[at]?.[1]].map((one) => h("td", {}, one ?? ""));
    if (cell && old && was)
      differs(number(cell), number(cell).textContent ?? "", number(old).textContent ?? "");
    return h("tr", {}, h("th", { scope: "row" }, name), cell ?? "", h("td.gl-about", {}, ...about));
  });
}
