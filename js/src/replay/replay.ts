// Runs the graph of a trace at other values: forward in the order in which it was made, then backward in the
// order of the engine, as graph/replaying.py does.
//
// Read next: ../timeline.ts.

import type { Followed, Formula } from "../schema";
import type { Values } from "../tangent";
import type { EdgeInfo, NodeInfo, Trace } from "../trace";
import {
  budget,
  decoded,
  each,
  isFloat,
  isSame,
  type Nd,
  refuse,
  reshape,
  rounded,
  scalar,
  sumTo,
  unfit,
} from "./arrays";
import { bounded, type Runnable, readProgram } from "./interpret";

const MOST_ENTRIES = 10_000; // entries of all leaves and constants together, as in graph/formulas.py
const CURVE_WORK = 40_000_000; // entries that all points of a curve together may compute
const HERE = "Values cannot be changed here:";
const RECORDED = `${HERE} this is a recording of what ran. Call graphlab.trace before backward() to try other values.`;

/** Why numbers cannot follow, in one sentence, and the id of the node where that is; "" if it is at none. */
export interface Problem {
  problem: string;
  node: string;
}

/** Every number of a graph at some values. What is missing in a map is as it was recorded. */
export interface Numbers {
  /** The value of each tensor. */
  tensors: Map<string, Nd>;
  /** By node: all that its forward makes, first its outputs, then what only its rules read. */
  outputs: Results;
  /** By node: the gradient of each of its outputs. */
  came: Map<string, readonly (Nd | null)[]>;
  /** By edge: what the rule made, before a broadcast is undone; what was sent; and the sum at its tensor then. */
  made: Map<string, Nd>;
  sent: Map<string, Nd>;
  sums: Map<string, Nd>;
  /** The same sums, by the index of an Accumulated. */
  gathered: Map<number, Nd>;
  /** By tensor: its `.grad` afterwards. */
  leaves: Map<string, Nd>;
  /** The nodes of which some entry lies outside of where their rule holds. */
  outside: Set<string>;
  /** What the rule of an edge makes of the gradient 1; undefined where there is none. */
  slopes(edge: string): Nd | undefined;
}

/** By tensor: its entries, row by row. */
export type Edits = ReadonlyMap<string, ArrayLike<number>>;

export interface Replayer {
  /** "", or why nothing can follow. */
  cannot: string;
  /** "", or why this tensor cannot be edited. */
  editable(tensor: string): string;
  /** The recorded entries of a leaf or a constant, row by row; undefined where they are not known. */
  entries(tensor: string): Float64Array | undefined;
  /** Every number, where some tensors have other entries. Never throws. */
  run(edits: Edits): Numbers | Problem;
  /**
   * The single number `root` as a function of one entry of a tensor, in double precision: its value for
   * each in `at`, NaN where it has none, or the graph would be another one. Never throws.
   */
  curve(
    root: string,
    tensor: string,
    entry: number,
    at: ArrayLike<number>,
    edits?: Edits,
  ): Float64Array & Values;
}

type Results = Map<string, readonly (Nd | null)[]>;

/** A constant that follows tensors, or what a program decided. */
interface Follower {
  inputs: readonly string[];
  program: Runnable;
  single: boolean;
}

interface Ready {
  node: NodeInfo;
  single: boolean; // whether its steps are rounded to float32
  forward: Runnable;
  backward: Runnable;
  domain?: Runnable | undefined;
}

const filled = (x: Nd, entry: number): Nd => ({ ...x, data: x.data.map(() => entry) });

/** Reads the formulas of a trace. Never throws: what is damaged is said in `cannot`. */
export function replayer({ graph, events, replay }: Trace): Replayer {
  const tensors = new Map(graph.tensors.map((tensor) => [tensor.id, tensor]));
  const edges = new Map(graph.edges.map((edge) => [edge.id, edge]));
  const leaving = new Map<string, EdgeInfo[]>(); // the edges of each node, in the order of its inputs
  const data = new Map<string, Nd>(); // the values of leaves and constants
  const gradients = new Map<string, Nd>(); // the gradients before the pass: those of roots, and "t0.grad"
  const ready = new Map<string, Ready>(); // in the order in which they ran
  const follows = new Map<string, Follower>(); // constants that are computed, such as masks
  const decided: (Follower & { outcome: Nd; sentence: string })[] = [];
  const read = new Set<string>(); // the tensors that formulas read
  let at: NodeInfo | undefined; // the node that is read, or runs

  const value = (id = "") => tensors.get(id)?.value;
  const isSingle = (id: string | undefined) => value(id)?.dtype === "float32";

  /** An array in the shape and the type of a tensor. */
  function fitted(id: string, x: Nd): Nd {
    const { shape, dtype } = value(id) ?? x;
    const y = sumTo(x, shape);
    return !isFloat(y) ? y : dtype === "float32" ? rounded(y) : { ...y, dtype };
  }

  /** Reads all formulas and numbers; returns why nothing can follow, or "". */
  function prepare(): string {
    if (!replay && events.some(({ kind }) => kind === "PassBegan")) return RECORDED;
    if (!replay) return `${HERE} this walk carries no formulas.`;
    let room = MOST_ENTRIES;
    for (const into of [data, gradients])
      for (const [id, numbers] of Object.entries((into === data ? replay.data : replay.gradients) ?? {})) {
        const found = decoded(numbers);
        room -= found.data.length;
        into.set(id, room < 0 ? refuse("it holds more than 10,000 numbers") : found);
      }
    for (const edge of [...graph.edges].sort((a, b) => a.index - b.index))
      leaving.set(edge.source, [...(leaving.get(edge.source) ?? []), edge]);
    let why = `${Object.values(replay.cannot ?? {})[0] ?? ""}`;
    /** Notes which tensors some programs read; false if one of them cannot run here. */
    const runs = (inputs: readonly string[], programs: readonly (Runnable | undefined)[]) => {
      for (const [k, id] of inputs.entries())
        if (programs.some((one) => one?.reads.has(`x${k}`))) read.add(id);
      return !programs.some((one) => one?.unknown);
    };
    const follower = (found: Followed): Follower => {
      const { inputs } = found;
      const program = readProgram(found);
      if (!runs(inputs, [program])) why ||= `${HERE} a mask needs a running kernel.`;
      return { inputs, program, single: isSingle(inputs[0]) };
    };
    for (const [id, found] of Object.entries(replay.follows ?? {})) follows.set(id, follower(found));
    for (const found of replay.decided ?? []) {
      const outcome = typeof found.outcome === "boolean" ? scalar(found.outcome) : decoded(found.outcome);
      decided.push({ ...follower(found), outcome, sentence: `${found.sentence}` });
    }
    const programs: Omit<Ready, "node" | "single">[] = [];
    for (const node of [...graph.nodes].reverse()) {
      if (node.variable) continue;
      const index = replay.nodes[node.id] ?? -1;
      const formula: (Formula & { domain?: unknown }) | undefined = replay.formulas[index];
      at = node;
      if (formula)
        programs[index] ??= {
          forward: readProgram(formula.forward),
          backward: readProgram(formula.backward),
          domain: formula.domain ? readProgram(formula.domain) : undefined,
        };
      const found = programs[index];
      if (found && runs(node.inputs, [found.forward, found.backward, found.domain]))
        ready.set(node.id, { ...found, node, single: isSingle(node.outputs[0]) });
      else why ||= `${node.name} needs a running kernel.`;
    }
    return `${replay.problem || why}`;
  }
  const found = bounded(() => [prepare()]);
  const cannot =
    typeof found === "string"
      ? `${HERE} the formula${at ? ` of ${(at as NodeInfo).name} is` : "s are"} damaged (${found}).`
      : `${found}`;

  /** Why a tensor's entries are as they are, or "". */
  function fixed(id: string): string {
    const { name, producer } = tensors.get(id) ?? {};
    const label = name || value(id)?.text || id;
    const held = data.get(id);
    if (producer || follows.has(id)) return `${label} is the result of an operation: change a leaf instead.`;
    if (!held || !read.has(id)) return `No formula here reads the entries of ${label}.`;
    return isFloat(held) ? "" : `${label} holds ${held.dtype}: only floating numbers can be changed.`;
  }

  /** A number in the code stands in the formulas that are shown, which stay as they are. */
  function unnamed(id: string): string {
    const { name, requires_grad } = tensors.get(id) ?? {};
    return name || requires_grad
      ? ""
      : `${value(id)?.text} stands in the code itself: give it a name to change it.`;
  }

  /** Leaves and constants, some of them with other entries. */
  function given(edits: Edits): Map<string, Nd> {
    const values = new Map(data);
    for (const [id, entries] of edits) {
      const held = values.get(id);
      const why = fixed(id);
      if (why || !held) refuse(why);
      else
        values.set(
          id,
          fitted(id, reshape({ ...held, dtype: "float64", data: Float64Array.from(entries) }, held.shape)),
        );
    }
    return values;
  }

  const of = (ids: readonly string[], values: ReadonlyMap<string, Nd>) => ids.map((id) => values.get(id));

  const followed = ({ inputs, program, single }: Follower, values: ReadonlyMap<string, Nd>, exact: boolean) =>
    program.run({ x: of(inputs, values) }, single && !exact)[0] ?? unfit();

  /** Computes the outputs of some nodes, in their order; `exact`: in double precision. */
  function forwards(nodes: Iterable<Ready>, values: Map<string, Nd>, exact = false): Results {
    const results: Results = new Map();
    for (const { node, single, forward } of nodes) {
      at = node;
      for (const id of node.inputs) {
        const follower = follows.get(id);
        if (follower) values.set(id, followed(follower, values, exact));
      }
      const made = forward.run({ x: of(node.inputs, values) }, single && !exact);
      for (const [k, id] of node.outputs.entries()) {
        const one = made[k];
        if (!one || !isSame(one.shape, value(id)?.shape ?? one.shape))
          return refuse("it would give another shape, so the graph would change");
        values.set(id, exact ? one : fitted(id, one));
      }
      results.set(node.id, made);
    }
    at = undefined;
    for (const one of decided) {
      const { shape, data } = followed(one, values, exact);
      if (`${[shape, data]}` !== `${[one.outcome.shape, one.outcome.data]}`) refuse(one.sentence);
    }
    return results;
  }

  /** Sends gradients from the root, when the values of all tensors are known. */
  function backwards(tensors: Map<string, Nd>, outputs: Results): Numbers {
    const numbers: Numbers = {
      tensors,
      outputs,
      came: new Map(),
      made: new Map(),
      sent: new Map(),
      sums: new Map(),
      gathered: new Map(),
      leaves: new Map(),
      outside: new Set(),
      slopes(edge) {
        const { source = "", index = 0 } = edges.get(edge) ?? {};
        const [one, grads] = [ready.get(source), came.get(source)];
        if (one && grads && !rules.has(source)) {
          const found = bounded(() =>
            applied(
              one,
              grads.map((grad) => grad && filled(grad, 1)),
            ),
          );
          rules.set(source, typeof found === "string" ? [] : found);
        }
        return rules.get(source)?.[index] ?? undefined;
      },
    };
    const { came, made, sent, sums, gathered, leaves, outside } = numbers;
    const rules: Results = new Map(); // what they make of the gradient 1
    const arrived = new Map<string, Nd>(); // the gradient of each tensor so far
    const entries = (id: string, entry: number) => filled(tensors.get(id) ?? unfit(), entry);
    const readable = ({ node }: Ready) => ({ x: of(node.inputs, tensors), y: outputs.get(node.id) ?? [] });
    const sum = (id: string, before: Nd | undefined, x: Nd) =>
      before
        ? fitted(
            id,
            each("float64", (a, b) => a + b, [before, x]),
          )
        : x;
    /** What the rules of a node make; an output that no gradient has reached counts as 0. */
    const applied = (one: Ready, grads: readonly (Nd | null)[]) => {
      at = one.node;
      const g = one.node.outputs.map((id, k) => grads[k] ?? entries(id, 0));
      return one.backward.run({ ...readable(one), g }, one.single);
    };
    arrived.set(graph.root, gradients.get(graph.root) ?? entries(graph.root, 1));
    for (const { id, variable } of graph.nodes) {
      const [leaf, one] = [arrived.get(variable ?? ""), ready.get(id)];
      if (variable && leaf) leaves.set(variable, sum(variable, gradients.get(`${variable}.grad`), leaf));
      const grads = one?.node.outputs.map((output) => arrived.get(output) ?? null);
      if (!one || !grads?.some(Boolean)) continue;
      came.set(id, grads);
      const shares = applied(one, grads);
      for (const edge of leaving.get(id) ?? []) {
        const share = shares[edge.index];
        if (!share) continue;
        const whole = fitted(edge.tensor, share);
        const now = sum(edge.tensor, arrived.get(edge.tensor), whole);
        made.set(edge.id, share);
        sent.set(edge.id, whole);
        sums.set(edge.id, now);
        arrived.set(edge.tensor, now);
      }
      const [holds] = one.domain?.run(readable(one), one.single) ?? [];
      if (holds?.data.includes(0)) outside.add(id);
    }
    for (const { id, retains_grad, grad } of graph.tensors) {
      const kept = arrived.get(id);
      if (kept && retains_grad && !grad) leaves.set(id, kept);
    }
    for (const [k, event] of events.entries()) {
      const now = event.kind === "Accumulated" && sums.get(event.edge);
      if (now) gathered.set(k, now);
    }
    return numbers;
  }

  return {
    cannot,
    editable: (tensor) => cannot || fixed(tensor) || unnamed(tensor),
    entries: (tensor) => data.get(tensor)?.data,
    run(edits) {
      at = undefined;
      const found =
        cannot ||
        bounded(() => {
          const values = given(edits);
          return backwards(values, forwards(ready.values(), values));
        });
      if (typeof found !== "string") return found;
      const node = at as NodeInfo | undefined;
      return {
        problem: node ? `${node.name} cannot be computed at these values: ${found}.` : found,
        node: node?.id ?? "",
      };
    },
    curve(root, tensor, entry, at, edits = new Map()) {
      const out: Float64Array & Values = Float64Array.from(at, () => Number.NaN);
      bounded(() => {
        const values = given(edits);
        forwards(ready.values(), values, true);
        const held = values.get(tensor) ?? unfit();
        const moved = new Set([tensor]); // and what depends on it
        const again = [...ready.values()].filter(({ node }) => {
          const depends = node.inputs.some((id) =>
            [id, ...(follows.get(id)?.inputs ?? [])].some((one) => moved.has(one)),
          );
          if (depends) for (const id of node.outputs) moved.add(id);
          return depends;
        });
        out.forEach((_, k) => {
          const refused = bounded(() => {
            values.set(tensor, { ...held, dtype: "float64", data: held.data.with(entry, at[k] as number) });
            forwards(again, values, true);
            const { data } = values.get(root) ?? held;
            if (data.length === 1) out[k] = data[0] as number;
          }, budget.left);
          if (refused) out.problem = refused;
        });
      }, CURVE_WORK);
      return out;
    },
  };
}
