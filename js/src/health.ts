// The health of a pass: why it failed, the first NaN or infinity of the recording, how the gradient grows or
// vanishes from module to module, the bytes that each keeps, its dead units, what was changed in place, and the
// parameters that get no gradient. Each answer leads to its step, if it has one.
//
// graphlab/graph/gradient_health.py answers the same in Python.
//
// Read next: nonfinite.ts, healthdialog.ts.

import { bytes } from "./cards/card";
import { digits } from "./cards/heat";
import { button, h } from "./dom";
import { firstNonfinite, known, lineOf } from "./nonfinite";
import type { Recording } from "./recording";
import type { Graph } from "./schema";
import type { Dispatch } from "./state";
import type { NodeInfo, Value } from "./trace";

const VIEWS = /^(m?t|transpose|permute|(unsafe_)?view|expand|(un)?squeeze|select|slice|to_copy)$/;
const FAR = 1e4; // a gradient that grew or shrank by this factor since it entered is reported

/** What one module, or a node that is in none, did to the gradient. */
export interface Flow {
  name: string;
  step: number; // the step of its first node
  came: number; // squares of Euclidean norms; NaN where the entries are not known
  sent?: number; // what it sent on to other modules; undefined where it sent nothing
  leaves?: number; // what it sent to leaves, such as its weights
  rules: number; // how many of its rules made a gradient
  failed: boolean;
  made: number; // entries that its rules made
  zeros: number; // how many of these entries are 0
  saved: number; // bytes, each tensor once
  dead: number; // units that are 0, or send no gradient, for the whole batch
  units: number; // all units of the activations that have dead units
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
  const told = (said: string, at?: number) =>
    h("p", {}, `${said}. `, ...(at === undefined ? [] : [go(at, "Go to its step")]));
  const found = firstNonfinite(recording);
  const first = told(found?.said ?? "No NaN and no infinity is known", found?.step);
  const failures = failuresOf(recording, step).map(([k, said]) => told(said, k));
  const flows = flowOf(recording, step);
  const norms = flows.map(({ sent, leaves }) => Math.sqrt(sent ?? leaves ?? 0));
  const entered = Math.sqrt(flows[0]?.came || 1);
  const logs = [entered, ...norms.filter((norm) => norm > 0)].map(Math.log10);
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const rows = flows.map((flow, at) => {
    const { came, sent, leaves, made, zeros, saved, dead } = flow;
    const norm = norms[at] as number;
    const grown = norm / entered;
    const share = Math.round((100 * zeros) / made);
    const note = grown < 1 / FAR ? "vanishes" : grown > FAR ? "explodes" : "";
    const none = failures.length ? "did not finish" : "sent None";
    const fill = h("div.gl-fill");
    fill.style.scale = `${norm > 0 ? (Math.log10(norm) - low + 1) / (high - low + 1) : 0} 1`;
    const cells = [
      short(came),
      short(sent),
      short(leaves),
      h("div.gl-bar", { "aria-hidden": "true" }, fill),
      flow.failed || !flow.rules ? none : norm === 0 ? "all 0" : note,
      zeros && `${share === 100 && zeros < made ? ">99" : share || "<1"}%`,
      dead && `${dead} of ${flow.units}`,
      saved && bytes(saved),
    ];
    return h(
      "tr",
      {},
      h("th", {}, go(flow.step, flow.name)),
      ...cells.map((cell) => h("td", {}, cell || "")),
    );
  });
  const heads = ["module or node", "norm in", "sent on", "to leaves", "", "", "zeros", "dead", "saved"];
  const table = h("table", {}, h("tr", {}, ...heads.map((head) => h("th", {}, head))), ...rows);
  const changes = recording.timeline.events.flatMap((event, k) =>
    event.kind === "ChangedInPlace"
      ? [h("li", {}, go(k, event.name), " changed in place", lineOf(event.source))]
      : [],
  );
  const causes = (recording.trace.causes ?? []).map(({ names, said, source }) =>
    h("p", {}, h("b", {}, names), ` ${said}${lineOf(source)}`),
  );
  return h("div.gl-health", {}, ...failures, first, ...causes, table, h("ul", {}, ...changes));
}

const short = (square?: number) =>
  square === undefined ? "" : Number.isNaN(square) ? "–" : digits(String(Math.sqrt(square)));

/** The failure of the pass of an event, if it failed: the index of its event, and a sentence. */
function failuresOf({ timeline }: Recording, step: number): [number, string][] {
  return timeline.events.flatMap((event, k): [number, string][] => {
    if (event.kind !== "Failed" || timeline.passAt(k) !== timeline.passAt(step)) return [];
    const { name, message, why, cause, source } = event;
    const said = [message.split(". ")[0]?.replace(/\.$/, ""), why].filter(Boolean).join(". ");
    return [[k, `The pass failed at ${name}: ${said}${lineOf(cause ?? source)}`]];
  });
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
      rules: 0,
      failed: false,
      made: 0,
      zeros: 0,
      saved: 0,
      dead: 0,
      units: 0,
    };
    if (name) found.set(name, flow);
    return flow;
  };
  const ends = leavesAndViews(trace.graph);
  for (const [k, event] of timeline.events.entries()) {
    if (timeline.passAt(k) !== pass) continue;
    if (event.kind === "Seeded") of(event.node).came += square(event.value);
    if (event.kind === "Failed") of(event.node).failed = true;
    if (event.kind !== "RuleApplied") continue;
    const flow = of(event.node);
    const target = lookup.edges.get(event.edge)?.target ?? "";
    const next = of(target);
    const value = event.contribution;
    flow.rules++;
    if (value.statistics || sizeOf(value) === 1) {
      flow.made += sizeOf(value);
      flow.zeros += value.statistics?.zeros ?? Number(Number(value.text) === 0);
    }
    if (flow === next) continue;
    if (ends.has(target)) flow.leaves = (flow.leaves ?? 0) + square(value);
    else flow.sent = (flow.sent ?? 0) + square(value);
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

/** The nodes of leaves, and those of views of them, such as the transposed weight of a layer. */
function leavesAndViews({ nodes, edges }: Graph): Set<string> {
  const found = new Set(nodes.flatMap(({ id, variable }) => (variable ? [id] : [])));
  const targets = new Map<string, string[]>();
  for (const { source, target } of edges) targets.set(source, [...(targets.get(source) ?? []), target]);
  for (const { id, op } of byAge(nodes))
    if (VIEWS.test(op) && targets.get(id)?.every((target) => found.has(target))) found.add(id);
  return found;
}

const byAge = (nodes: readonly NodeInfo[]) => [...nodes].sort((a, b) => a.sequence - b.sequence);

const sizeOf = ({ shape }: Value) => shape.reduce((a, b) => a * b, 1);

/** The square of the Euclidean norm, as far as it is told; else NaN. */
function square(value: Value): number {
  const { text, statistics, norm } = value;
  const count = sizeOf(value);
  if (norm || count === 1) return Number(norm || text) ** 2;
  if (!statistics || known(value) !== "finite") return Number.NaN;
  return count * Number(statistics.mean) ** 2 + (count - 1) * Number(statistics.std) ** 2;
}
