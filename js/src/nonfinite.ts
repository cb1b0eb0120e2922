// The search for the first NaN or infinity follows the program: forward, backward, and between.
//
// Each value is "nan", "inf", "-inf", "finite" or, if the trace does not hold it, "": unknown. The search stops at
// the first value that is known to be not finite, and says no more than is known.
//
// graphlab/graph/causes.py searches in the same way; tests/fixtures/nonfinite.json holds what both say.
//
// Read next: health.ts.

import type { Recording } from "./recording";
import type { GradReplaced } from "./schema";
import type { Event, NodeInfo, Source, Value } from "./trace";

const BAD = /^(nan|-?inf)$/;
// Operations that often write an infinity on purpose.
const WRITES = /^(masked_fill|where|fill|index_|put|copy_slices)/;
// Operations that make them of finite numbers, and whose inputs a trace shows.
const MAKES = /^(log|r?sqrt|div|exp|reciprocal)/;

/** A sentence, and the index of the event that tells about it, if there is one. */
export interface Nonfinite {
  said: string;
  step: number | undefined;
}

/** The first NaN or infinity that is known. */
export function firstNonfinite({
  trace: { graph },
  timeline: { events },
  lookup,
}: Recording): Nonfinite | undefined {
  const now = new Map(graph.tensors.map(({ id, value }) => [id, known(value)]));
  for (const node of graph.nodes) for (const [id, kind] of savedBy(node)) if (!now.get(id)) now.set(id, kind);
  const begun = events.filter((event) => event.kind === "PassBegan");
  const roots = new Set([graph.root, ...begun.flatMap((event) => event.roots)]);

  const tell = (
    number: number,
    said: string,
    source: Source | null | undefined,
    step: number | undefined,
  ) => ({
    said: `${begun.length > 1 ? `Pass ${number}: ` : ""}${said}${lineOf(source)}`,
    step,
  });

  const forward = (node: NodeInfo, number: number): Nonfinite | undefined => {
    const own = savedBy(node);
    const kindOf = (id: string) => own.get(id) || now.get(id) || "";
    const [came, made] = [node.inputs.map(kindOf), node.outputs.map(kindOf)];
    const what = made.find((kind) => BAD.test(kind));
    const writes = WRITES.test(node.op);
    const found = (said: string) => {
      const pass = begun.find(({ waits }) => waits.some(([id]) => id === node.id)); // the first that visits it
      return tell(pass?.number ?? number, said, node.source, stepOf(events, node));
    };
    for (const [k, kind] of came.entries()) {
      const tensor = lookup.tensors.get(node.inputs[k] as string);
      const onPurpose = kind !== "nan" && (writes || (kind === "-inf" && !tensor?.requires_grad));
      if (!BAD.test(kind) || tensor?.producer || onPurpose || (!what && made.every(Boolean))) continue;
      const name = tensor?.name ? `${tensor.name}, an input of ${of(node)},` : `An input of ${of(node)}`;
      return found(`${name} already holds ${kind}`);
    }
    if (!what) return undefined;
    const passedOn = came.includes(what) || (what === "-inf" && !came.every(Boolean));
    if (what !== "nan" && (writes || passedOn) && !node.outputs.some((id) => roots.has(id))) return undefined;
    return found(`${of(node)} computed ${what}${origin(node, came)}`);
  };

  const age = graph.nodes.filter(({ variable }) => !variable).sort((a, b) => a.sequence - b.sequence);
  let [number, done] = [1, 0];
  const walk = (last: number): Nonfinite | undefined => {
    for (let node = age[done]; node && node.sequence <= last; node = age[++done]) {
      const found = forward(node, number);
      if (found) return found;
    }
    return undefined;
  };
  if (!begun.length) {
    const found = walk(Number.POSITIVE_INFINITY); // a rehearsal
    if (found) return found;
  }
  for (const [k, event] of events.entries()) {
    if (event.kind === "PassBegan") {
      number = event.number;
      const visited = event.waits.map(([id]) => lookup.nodes.get(id) as NodeInfo);
      const found = walk(Math.max(...visited.map((node) => (node.variable ? -1 : node.sequence))));
      if (found) return found;
    } else if (event.kind === "RuleApplied") {
      const node = lookup.nodes.get(event.node) as NodeInfo;
      const [came, sent] = [known(event.upstream), known(event.contribution)];
      const used = (node.saved ?? []).map(({ value }) => known(value));
      if (BAD.test(came)) return tell(number, `${of(node)} received ${came}`, node.source, k);
      if (BAD.test(sent))
        return tell(number, `${of(node)} sent ${sent}${origin(node, [came, ...used])}`, node.source, k);
    } else
      for (const one of event.kind === "OptimizerStepped" ? event.changes : [event]) {
        const { tensor, name, before, after, version } = one as GradReplaced & { version: number };
        const was = known(before);
        const what = known(after);
        if (BAD.test(what) && !BAD.test(was) && name && lookup.tensors.get(tensor)?.requires_grad) {
          const grad = version >= 0 ? "" : ".grad";
          const said = event.kind === "HookRan" ? `A hook on ${name} returned` : `${name}${grad} now holds`;
          return tell(number, `${said} ${what}`, (event as GradReplaced).source, k);
        }
        // Whether an operation ran before a change of data or after it is not known.
        if (version >= 0 && (was !== what || now.get(tensor) !== what)) now.set(tensor, "");
      }
  }
  return undefined;
}

/** "nan", "inf" or "-inf" if a value contains it, else "finite", or "" if it is unknown. */
export function known(value?: Value | null): string {
  if (!value) return "";
  const { statistics: counts, norm, shape, text } = value;
  if (counts) return counts.nan ? "nan" : counts.pos_inf ? "inf" : counts.neg_inf ? "-inf" : "finite";
  const single = shape.every((length) => length === 1);
  const said = norm || (single && text) || "";
  if (BAD.test(said)) return said;
  return norm || (single && /\d$/.test(text)) ? "finite" : "";
}

/** The end of a sentence, if all that a node used is known to be finite. */
const origin = ({ op }: NodeInfo, kinds: string[]) =>
  MAKES.test(op) && kinds.every((kind) => kind === "finite") ? " from finite numbers" : "";

/** What is known of the tensors that a node saved, when it saved them. */
function savedBy({ saved = [] }: NodeInfo): Map<string, string> {
  const fresh = saved.filter((one) => !one.value || (one.version_now ?? 0) === (one.version_saved ?? 0));
  return new Map(fresh.flatMap(({ tensor, value }) => (tensor ? [[tensor, known(value)]] : [])));
}

/** The event with which the walk begins to tell of a node. */
function stepOf(events: readonly Event[], { id }: NodeInfo): number | undefined {
  const at = events.findIndex(
    (event) => (event.kind === "Computed" || event.kind === "NodeEntered") && event.node === id,
  );
  return at < 0 ? undefined : at;
}

const of = ({ name, scope }: NodeInfo) => (scope ? `${name} in ${scope}` : name);

export const lineOf = (source?: Source | null) => (source ? `, line ${source.line}: ${source.text}` : "");
