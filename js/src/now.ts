// The Now card: the gradient that came into the node at work, and what it saved in the forward pass.

import { type Child, h } from "./dom";
import { part } from "./lookup";
import { bytes, card, heatmap, type Moment, type Panel } from "./panels";
import type { Event, Saved, Value } from "./trace";

type Row = [name: Child, value: Child, about: Child[]];

/** The node whose work this moment belongs to. */
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

function savedRow(saved: Saved, freed: boolean, used: boolean, label: string): Row {
  const version =
    saved.version_now === saved.version_saved
      ? ""
      : `saved at version ${saved.version_saved ?? 0}, now ${saved.version_now ?? 0}`;
  const about: Child[] = [saved.value ? `${bytes(saved.nbytes ?? 0)} ${freed ? "freed" : "held"}` : ""];
  if (version) about.push(" ", h("b", { class: "gl-bad" }, version));
  const name = h("code", { class: used ? "gl-used" : undefined }, saved.name);
  const text = saved.value?.text ?? saved.text ?? "";
  const value =
    label && label !== text ? h("span", {}, h("i", {}, label), " = ", h("b", {}, text)) : h("b", {}, text);
  return [name, value, about];
}

function figures(moment: Moment, node: string, came: Value | undefined): HTMLElement[] {
  const { event, focus, lookup } = moment;
  // A rule's own step shows only what the rule took out: upstream, local, contribution side by side.
  const used = lookup
    .saved(node)
    .filter(({ name }) => event.kind !== "RuleApplied" || focus.has(`s:${node}.${name}`));
  const saved = used.flatMap((one) => heatmap(one.name, one.value));
  const gives =
    event.kind === "RuleApplied"
      ? heatmap(`∂${lookup.label(lookup.root)}/∂${event.to}`, event.contribution)
      : [];
  return [...heatmap("came in", came), ...saved, ...gives];
}

export function nowPanel(): Panel {
  const { element, aside, body } = card("now", "Now");
  const table = h("table", { class: "gl-rows" });
  const shown = h("div", { class: "gl-figures" });
  body.append(table, shown);

  const update = (moment: Moment) => {
    const { event, focus, lookup, state } = moment;
    const id = nodeAt(moment);
    const node = lookup.nodes.get(id ?? "");
    aside.textContent = node ? lookup.nodeLabel(node.id) : "";
    if (!node) {
      table.replaceChildren(...rows(edgeOfPass(event, moment)));
      shown.replaceChildren(...heatmap(lookup.label(lookup.root), lookup.tensors.get(lookup.root)?.value));
      return;
    }
    const came = incoming(moment, node.id);
    const freed = Boolean(state.freed?.[node.id]);
    const facts: Row[] = [
      ["gradient in", h("b", { class: "gl-s-gradient" }, came?.text ?? "not computed"), []],
    ];
    for (const saved of node.saved ?? []) {
      const label = saved.tensor ? lookup.label(saved.tensor) : "";
      facts.push(
        savedRow(saved, freed || Boolean(saved.freed), focus.has(`s:${node.id}.${saved.name}`), label),
      );
    }
    const variable = lookup.tensors.get(node.variable ?? "");
    if (variable)
      facts.push([
        "leaf",
        h("span", {}, h("i", {}, lookup.label(variable.id)), " = ", h("b", {}, variable.value?.text ?? "?")),
        [],
      ]);
    else if (!node.saved?.length) facts.push(["saved", "nothing: no value is needed", []]);
    table.replaceChildren(...rows(facts));
    shown.replaceChildren(...figures(moment, node.id, came));
  };
  return { element, update };
}

/** What to say before the first node and after the last. */
function edgeOfPass(event: Event, { lookup, state }: Moment): Row[] {
  const root = lookup.label(lookup.root);
  const value = lookup.tensors.get(lookup.root)?.value?.text ?? "?";
  if (event.kind === "Finished") {
    return [["saved tensors", state.held ? `${bytes(state.held)} still held` : "all freed", []]];
  }
  return [["root", h("span", {}, h("i", {}, root), " = ", h("b", {}, value)), []]];
}

function rows(facts: readonly Row[]): HTMLTableRowElement[] {
  return facts.map(([name, value, about]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", {}, value),
      h("td", { class: "gl-about" }, ...about),
    ),
  );
}
