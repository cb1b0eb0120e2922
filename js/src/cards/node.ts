// The Now card: the gradient that came into the current node, and its saved tensors, inputs and output.
//
// Read next: cards/arrays.ts.

import { breakable, brief, type Child, h, shapeText } from "../dom";
import { part, valueNow, versionNow } from "../lookup";
import type { Moment } from "../moment";
import type { Event, NodeInfo, Saved, Value } from "../trace";
import { type Fetch, makeArrays, type Spec } from "./arrays";
import { bytes, card, type Panel } from "./card";
import { ALL } from "./product";

const MOST_INPUTS = 3;
const MOST_CHANGES = 3; // parameters of an optimizer

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
  const value = h("b", {}, brief(text));
  return label && label !== text ? h("span", {}, h("i", {}, ...breakable(label)), " = ", value) : value;
}

/** The inputs that were not saved, because the rule does not need their values. */
function inputRows(node: NodeInfo, { lookup, state }: Moment): Row[] {
  const saved = new Set((node.saved ?? []).map(({ tensor }) => tensor));
  return node.inputs.flatMap((id, at): Row[] => {
    const value = state.values?.[id] ?? lookup.tensors.get(id)?.value;
    if (saved.has(id) || !value) return [];
    return [[`input ${at}`, named(lookup.label(id), value.text), [`${sizeOf(value)} · not saved`]]];
  });
}

function figures(
  { event, focus, lookup, root, state }: Moment,
  node: string,
  came: Value | undefined,
): Spec[] {
  // The step of a rule shows only what the rule uses: upstream, local and contribution side by side.
  const used = lookup
    .saved(node)
    .filter(({ name }) => event.kind !== "RuleApplied" || focus.has(`s:${node}.${name}`));
  const rule = event.kind === "RuleApplied" && event.product;
  const specs: Spec[] = [
    ["gradient in", came],
    ...used.map((saved): Spec => [saved.name, saved.value && valueNow(saved, state), saved.tensor]),
  ];
  if (event.kind === "RuleApplied") specs.push([`∂${lookup.label(root)}/∂${event.to}`, event.contribution]);
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
    const { event, focus, lookup, root, state } = moment;
    const id = nodeAt(moment);
    const node = lookup.nodes.get(id ?? "");
    aside.textContent = node ? lookup.nodeLabel(node.id) : "";
    if (!node) {
      table.replaceChildren(...rows(edgeOfPass(event, moment)));
      arrays.show(changed(event) ?? [[lookup.label(root), lookup.tensors.get(root)?.value, root]]);
      return;
    }
    const came = incoming(moment, node.id);
    const freed = Boolean(state.freed?.[node.id]);
    const facts: Row[] = [
      [
        "gradient in",
        h("b.gl-s-gradient", {}, brief(came?.text ?? "not computed")),
        came ? [sizeOf(came)] : [],
      ],
    ];
    for (const saved of node.saved ?? []) {
      const gone = freed || Boolean(saved.freed);
      facts.push(savedRow(saved, gone, focus.has(`s:${node.id}.${saved.name}`), moment));
    }
    if (node.made_by) facts.push(["made by", `the rule of ${lookup.nodeLabel(node.made_by)}`, []]);
    const variable = lookup.tensors.get(node.variable ?? "");
    const held = state.values?.[node.variable ?? ""] ?? variable?.value;
    if (variable && held) facts.push(["leaf", named(lookup.label(variable.id), held.text), [sizeOf(held)]]);
    else facts.push(...inputRows(node, moment).slice(0, MOST_INPUTS));
    const made = lookup.tensors.get(node.outputs[0] ?? "");
    const output = state.values?.[made?.id ?? ""] ?? made?.value;
    if (made && output) facts.push(["output", named(lookup.label(made.id), output.text), [sizeOf(output)]]);
    table.replaceChildren(...rows(facts));
    arrays.show(figures(moment, node.id, came));
  };
  return { element, update };
}

/** The parameters before and after a step of an optimizer. */
function changed(event: Event): Spec[] | undefined {
  if (event.kind !== "OptimizerStepped") return undefined;
  return event.changes.slice(0, MOST_CHANGES).flatMap(({ name, tensor, before, after }): Spec[] => [
    [`${name} before`, before],
    [name, after, tensor],
  ]);
}

/** What the card says before the first node and after the last. */
function edgeOfPass(event: Event, { lookup, root, state }: Moment): Row[] {
  const value = state.values?.[root] ?? lookup.tensors.get(root)?.value;
  if (event.kind === "Finished") {
    return [["saved tensors", state.held ? `${bytes(state.held)} still held` : "all freed", []]];
  }
  return [["root", named(lookup.label(root), value?.text ?? "?"), value ? [sizeOf(value)] : []]];
}

function rows(facts: readonly Row[]): HTMLTableRowElement[] {
  return facts.map(([name, value, about]) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value), h("td.gl-about", {}, ...about)),
  );
}
