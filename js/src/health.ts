// The health of a pass: the first NaN or infinity, how the gradient grows or vanishes from module to module,
// the bytes that each keeps, its dead units, what was changed in place, and the parameters that get no gradient. Each
// answer leads to its step, if it has one.
//
// graphlab/graph/gradient_health.py answers the same in Python.
//
// Read next: healthdialog.ts.

import { bytes } from "./cards/card";
import { digits } from "./cards/heat";
import { button, h } from "./dom";
import type { Recording } from "./recording";
import type { Dispatch } from "./state";
import type { NodeInfo, Source, Value } from "./trace";

const FAR = 1e4; // a gradient that grew or shrank by this factor since it entered is reported

/** What one module, or a node that is in none, did to the gradient. */
export interface Flow {
  name: string;
  step: number; // the step of its first node
  came: number; // squares of Euclidean norms; NaN where the entries are not known
  sent: number; // what it sent to other modules and to leaves
  rules: number; // how many of its rules made a gradient
  made: number; // entries that its rules made
  zeros: number; // how many of these entries are 0
  saved: number; // bytes, each tensor once
  dead: number; // units that are 0, or get no gradient, for the whole batch
  units: number; // all units of the activations that have dead units
}

export interface Trouble {
  node: NodeInfo;
  what: string; // "nan", "inf" or "-inf"
  step: number | undefined;
}

/** Everything to be shown of the pass of the event `step`. */
export function healthView(step: number, recording: Recording, dispatch: Dispatch): HTMLElement {
  const go = (k: number, label: string) => {
    const leave = () => {
      dispatch({ type: "closed", dialog: "health" });
      dispatch({ type: "goTo", step: k });
    };
    return button("button.gl-button", leave, {}, label);
  };
  const found = firstTrouble(recording, step);
  const first = h("p", {}, found ? told(found) : "No NaN and no infinity is known in this pass.");
  if (found?.step) first.append(go(found.step, "Go to its step"));
  const flows = flowOf(recording, step);
  const norms = flows.map(({ sent }) => Math.sqrt(sent));
  const entered = Math.sqrt(flows[0]?.came || 1);
  const logs = [entered, ...norms.filter((norm) => norm > 0)].map(Math.log10);
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const rows = flows.map(({ name, step, came, sent, rules, made, zeros, saved, dead, units }, at) => {
    const norm = norms[at] as number;
    const none = rules ? "all 0" : "sent None";
    const fill = h("div.gl-fill");
    fill.style.scale = `${norm > 0 ? (Math.log10(norm) - low + 1) / (high - low + 1) : 0} 1`;
    const cells = [
      short(came),
      short(sent),
      h("div.gl-bar", { "aria-hidden": "true" }, fill),
      norm === 0 ? none : norm < entered / FAR ? "vanishes" : norm > entered * FAR ? "explodes" : "",
      zeros && `${Math.round((100 * zeros) / made)}%`,
      dead && `${dead} of ${units}`,
      saved && bytes(saved),
    ];
    return h("tr", {}, h("th", {}, go(step, name)), ...cells.map((cell) => h("td", {}, cell || "")));
  });
  const heads = ["module or node", "norm in", "norm out", "", "", "zeros", "dead", "saved"];
  const table = h("table", {}, h("tr", {}, ...heads.map((head) => h("th", {}, head))), ...rows);
  const changes = recording.timeline.events.flatMap((event, k) =>
    event.kind === "ChangedInPlace"
      ? [h("li", {}, go(k, event.name), " changed in place", lineOf(event.source))]
      : [],
  );
  const unreached = (recording.trace.graph.unreached ?? []).map(({ name, why, source }) =>
    h("li", {}, h("b", {}, name), ` gets no gradient: ${why}${lineOf(source)}`),
  );
  return h("div.gl-health", {}, first, table, h("ul", {}, ...unreached, ...changes));
}

const short = (square: number) => (Number.isNaN(square) ? "–" : digits(String(Math.sqrt(square))));

const lineOf = (source?: Source | null) => (source ? `, line ${source.line}: ${source.text}` : "");

function told({ node: { name, scope, source }, what }: Trouble): string {
  return `${name} ${scope ?? ""} is the first that is known to have made ${what}${lineOf(source)}. `;
}

/** The first operation that makes what is not finite of finite numbers: forward, or else backward. */
export function firstTrouble({ trace, lookup, timeline }: Recording, step: number): Trouble | undefined {
  const pass = timeline.passAt(step);
  const values = new Map<string, Value | null | undefined>();
  for (const { id, value } of trace.graph.tensors) values.set(id, value);
  for (const { saved } of trace.graph.nodes)
    for (const { tensor, value } of saved ?? [])
      if (tensor && value && !values.get(tensor)?.statistics) values.set(tensor, value);
  const bad = (id: string) => odd(values.get(id));
  for (const node of byAge(trace.graph.nodes)) {
    if (node.variable) continue;
    const what = node.outputs.map(bad).find(Boolean);
    if (!what || node.inputs.some(bad)) continue;
    if (what === "-inf" && /^(masked_fill|where)/.test(node.op)) continue; // on purpose
    return { node, what, step: lookup.stepOf(node.id, pass) };
  }
  for (const [k, event] of timeline.events.entries()) {
    if (event.kind !== "RuleApplied" || timeline.passAt(k) !== pass || odd(event.upstream)) continue;
    const what = odd(event.contribution);
    const node = lookup.nodes.get(event.node);
    if (what && node) return { node, what, step: k };
  }
  return undefined;
}

/** What each module did to the gradient, and each node that is in none. */
export function flowOf(recording: Recording, step: number): Flow[] {
  const { timeline, lookup, trace } = recording;
  const pass = timeline.passAt(step);
  const group = ({ id, variable, scope }: NodeInfo) => (variable ? "" : scope || lookup.nodeLabel(id));
  const found = new Map<string, Flow>();
  const of = (id: string) => {
    const node = lookup.nodes.get(id);
    const name = node ? group(node) : "";
    const step = lookup.stepOf(id, pass) ?? 0;
    const flow = found.get(name) ?? {
      name,
      step,
      came: 0,
      sent: 0,
      rules: 0,
      made: 0,
      zeros: 0,
      saved: 0,
      dead: 0,
      units: 0,
    };
    if (name) found.set(name, flow);
    return flow;
  };
  for (const [k, event] of timeline.events.entries()) {
    if (timeline.passAt(k) !== pass) continue;
    if (event.kind === "Seeded") of(event.node).came += square(event.value);
    if (event.kind !== "RuleApplied") continue;
    const flow = of(event.node);
    const next = of(lookup.edges.get(event.edge)?.target ?? "");
    const value = event.contribution;
    flow.rules++;
    if (value.statistics || sizeOf(value) === 1) {
      flow.made += sizeOf(value);
      flow.zeros += value.statistics?.zeros ?? Number(!Number(value.text));
    }
    if (flow === next) continue;
    flow.sent += square(value);
    next.came += square(value);
  }
  for (const node of trace.graph.nodes) {
    const flow = found.get(group(node));
    if (!flow || recording.was || !node.units || lookup.stepOf(node.id, pass) === undefined) continue;
    flow.units += node.units;
    flow.dead += Math.max(node.silent ?? 0, node.blocked ?? 0);
  }
  const { tensors } = lookup;
  const counted = new Set<string>();
  for (const node of byAge(trace.graph.nodes))
    for (const { tensor, nbytes = 0 } of node.saved ?? []) {
      const held = tensors.get(tensor ?? "");
      const owner = tensors.get(held?.base ?? "") ?? held;
      if (owner && ((owner.is_leaf && owner.requires_grad) || counted.has(owner.id))) continue;
      if (owner) counted.add(owner.id);
      const flow = found.get(group(node));
      const whole = (nbytes && !owner?.is_leaf && owner?.value?.nbytes) || 0; // a view keeps the whole
      if (flow) flow.saved += Math.max(nbytes, whole);
    }
  return [...found.values()].sort((a, b) => a.step - b.step);
}

const byAge = (nodes: readonly NodeInfo[]) => [...nodes].sort((a, b) => a.sequence - b.sequence);

const sizeOf = ({ shape }: Value) => shape.reduce((a, b) => a * b, 1);

function odd(value?: Value | null): string {
  const counts = value?.statistics;
  if (!counts) return value && /^(nan|-?inf)$/.test(value.text) ? value.text : "";
  return counts.nan ? "nan" : counts.pos_inf ? "inf" : counts.neg_inf ? "-inf" : "";
}

/** The square of the Euclidean norm, as far as it is told; else NaN. */
function square(value: Value): number {
  const { text, statistics, norm } = value;
  const count = sizeOf(value);
  if (norm || count === 1) return Number(norm || text) ** 2;
  if (!statistics || odd(value)) return Number.NaN;
  return count * Number(statistics.mean) ** 2 + (count - 1) * Number(statistics.std) ** 2;
}
