// Runs a program: a list of named steps over arrays. Nothing in it is text that is evaluated.
//
// Read next: replay.ts.

import { budget, decoded, isFloat, type Nd, Refusal, rounded, unfit } from "./arrays";
import { nd } from "./elementary";
import { type Primitive, primitives, type Value } from "./primitives";

const MOST_STEPS = 2_000; // in one program, as in graph/formulas.py
const DEEPEST = 8; // lists in lists
const MOST_WORK = 5_000_000; // entries that one calculation may compute: less than a second
const REFERENCE = /^([xygs])(\d{1,6})(?:\.(\d{1,6}))?$/;

/** What a program reads: inputs, outputs, and the gradients of outputs. */
export interface Given {
  x?: readonly Value[];
  y?: readonly Value[];
  g?: readonly Value[];
}
/** The same, and what its steps have made so far; single: numbers are rounded to float32. */
type Read = (given: Given & { s: Value[] }, single: boolean) => Value;

/** A program that was read. */
export interface Runnable {
  /** The first of its steps that has no form in TypeScript; "" if it can run. */
  unknown: string;
  /** What it reads: "x0", "g0". */
  reads: ReadonlySet<string>;
  /** Its results; `single`: every step is rounded to float32. Throws an Error that says why not. */
  run(given: Given, single: boolean): (Nd | null)[];
}

/** Calls `f`, which may compute so many entries, `budget.left` if it is a part of a calculation. Returns what it returns, or why it cannot. */
export function bounded<T>(f: () => T, work = MOST_WORK): T | string {
  budget.left = work;
  try {
    return f();
  } catch (error) {
    return error instanceof Refusal ? error.message : "its formula is damaged";
  }
}

const listed = (found: unknown): readonly unknown[] =>
  Array.isArray(found) && found.length <= MOST_STEPS ? found : unfit();

/** Reads a program. Throws an Error that says what is wrong with it. */
export function readProgram(program: unknown): Runnable {
  const { steps, results } = (program ?? {}) as { [key: string]: unknown };
  const reads = new Set<string>();
  let unknown = "";

  /** What reads one argument of a step. */
  function argument(found: unknown, step: number, depth = 0): Read {
    if (typeof found === "string") {
      const [, kind, number, part] = REFERENCE.exec(found) ?? unfit();
      const index = Number(number);
      if (kind === "s" && index >= step) unfit();
      reads.add(found);
      return (given) => {
        const whole = given[kind as "s"]?.[index];
        const value = part ? (whole as readonly Value[])[Number(part)] : whole;
        return value === undefined ? unfit() : value;
      };
    }
    if (typeof found === "number") return (_, single) => (single ? Math.fround(found) : found);
    if (Array.isArray(found)) {
      const parts = (depth < DEEPEST ? found : unfit()).map((part) => argument(part, step, depth + 1));
      return (given, single) => parts.map((read) => read(given, single));
    }
    if (typeof found !== "object" || found === null) return () => found as boolean | null;
    const { f, text, dtype, array, slice } = found as { [key: string]: never };
    const value: Value | undefined = array
      ? decoded(array)
      : slice
        ? { slice }
        : f
          ? Number(`${f}`.replace("inf", "Infinity"))
          : (text ?? dtype);
    return value === undefined ? unfit() : (_, single) => (single ? settled(value) : value);
  }

  const ready = listed(steps).map((step, k): [Primitive, Read[]] => {
    const [name, ...args] = listed(step);
    const found = primitives.get(name as string);
    if (!found) unknown ||= `${name}`;
    return [found ?? (() => null), args.map((arg) => argument(arg, k))];
  });
  const wanted = listed(results).map((result) => argument(result, ready.length));
  const settled = (value: Value): Value =>
    Array.isArray(value)
      ? value.map(settled)
      : (value as Nd | undefined)?.data && isFloat(value as Nd)
        ? rounded(value as Nd)
        : value;
  return {
    unknown,
    reads,
    run({ x, y, g }, single) {
      const inputs = (list: Given["x"]) => (single ? list?.map(settled) : list);
      const given = { x: inputs(x), y: inputs(y), g: inputs(g), s: [] as Value[] };
      for (const [f, args] of ready) {
        const made = f(...args.map((read) => read(given, single)));
        given.s.push(single ? settled(made) : made);
      }
      return wanted.map((read) => {
        const value = read(given, single);
        return value === null ? null : nd(value);
      });
    },
  };
}
