// The values that a person has changed: which entries of which leaves, and the sentence that tells of them.
// Nothing typed is evaluated, and every function here is pure.
//
// Read next: follow.ts (how the graph follows), editor.ts (how a person edits).

import { readNumber } from "./answers";
import type { Lookup } from "./lookup";
import type { Timeline } from "./timeline";
import type { TensorInfo, Value } from "./trace";

/** A recording, at some values. */
type Retold = { lookup: Lookup; timeline: Timeline };

/** All entries, row by row, of each leaf that is edited; by the id of the tensor, the latest last. */
export type Edits = ReadonlyMap<string, Float64Array>;

/** The same for Python: by the name of the leaf, as lists within lists. */
export type Nested = number | readonly Nested[];
export type NamedEdits = { readonly [leaf: string]: Nested };

/** One entry of a tensor. */
export type Place = readonly [tensor: string, entry: number];

const EXAMPLE = "Type a number such as 2.5 or -1e-3";
const LARGEST: { [dtype: string]: number } = { float16: 65504, float32: 3.4028234663852886e38 };
const LONGEST = 24; // characters of what was typed, in a sentence

/** Whether two entries are the same number; nan is itself, and -0 is 0. */
const same = (one: number, other = 0) => one === other || (Number.isNaN(one) && Number.isNaN(other));

/** `value` as a tensor of this type holds it. */
const held = (value: number, dtype: string) => (dtype === "float32" ? Math.fround(value) : value);

/** `edits` with another number at a place. A leaf whose entries are all as recorded is not edited. */
export function withEntry(
  edits: Edits,
  [tensor, entry]: Place,
  value: number,
  recorded: ArrayLike<number>,
  dtype: string,
): Edits {
  const entries = Float64Array.from(edits.get(tensor) ?? recorded);
  entries[entry] = held(value, dtype);
  const next = new Map(edits);
  next.delete(tensor); // the latest last
  if (entries.some((one, k) => !same(one, recorded[k]))) next.set(tensor, entries);
  return next;
}

/** The number that a person has typed, or a sentence that says why it cannot be taken. */
export function typed(text: string, dtype: string, kept: string): number | string {
  const word = text.trim();
  const shown = word.length > LONGEST ? `${word.slice(0, LONGEST)}…` : word;
  if (!word) return `The field is empty. ${EXAMPLE}, or press Esc to keep ${kept}.`;
  const number = readNumber(word);
  if (number === undefined) return `“${shown}” is not a number. ${EXAMPLE}.`;
  const most = LARGEST[dtype] ?? Number.MAX_VALUE;
  if (Math.abs(number) > most && /\d/.test(word) && !/\/\s*0*\.?0*$/.test(word))
    return `${shown} is too large: the largest ${dtype} is ${most.toPrecision(2)}.`;
  if (!Number.isFinite(number)) return `${shown} is not finite. ${EXAMPLE}.`;
  return number;
}

/** The shortest text that gives this number back. */
export function shortest(value: number, dtype: string): string {
  for (let digits = 1; dtype === "float32" && digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(value);
}

/** A number as the cards write it: "-1.0", with a real minus sign. */
function written(value: number, dtype: string): string {
  const text = shortest(Number(value.toPrecision(5)), dtype).replace("-", "−");
  return /^−?\d+$/.test(text) ? `${text}.0` : text;
}

/** How far one press of an arrow key goes: 1, 2 or 5 times a power of ten, about a tenth of the number. */
export function stepOf(value: number, recorded: number): number {
  const size = Math.max(Math.abs(value), Math.abs(recorded)) || 1;
  const power = Number(`1e${Math.floor(Math.log10(size) - 1 + 1e-9)}`); // 10 ** -4 is not 1e-4
  return power * ([5, 2].find((times) => times * power <= size / 10 + power * 1e-9) ?? 1);
}

/** The multiple of `step` that lies `by` multiples further, so that the way always leads over 0. */
export function nudged(value: number, by: number, step: number): number {
  const at = value / step;
  const whole = by > 0 ? Math.floor(at + 1e-6) : Math.ceil(at - 1e-6);
  return Number(((whole + by) * step).toPrecision(12));
}

/** What a leaf is called for Python: its name, or its id where several have that name. */
function nameOf(tensor: TensorInfo, { tensors }: Lookup): string {
  const same = [...tensors.values()].filter(({ name, is_leaf }) => is_leaf && name === tensor.name);
  return tensor.name && same.length === 1 ? tensor.name : tensor.id;
}

const sizeOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

function nested(entries: readonly number[], shape: readonly number[]): Nested {
  if (!shape.length) return entries[0] ?? 0;
  const [count = 0, ...rest] = shape;
  const size = sizeOf(rest);
  return Array.from({ length: count }, (_, k) => nested(entries.slice(k * size, (k + 1) * size), rest));
}

/** The edits as Python has them. */
export function named(edits: Edits, lookup: Lookup): NamedEdits {
  return Object.fromEntries(
    [...edits].flatMap(([id, entries]) => {
      const tensor = lookup.tensors.get(id);
      if (!tensor?.value) return [];
      const { dtype, shape } = tensor.value;
      const numbers = [...entries].map((one) => Number(shortest(one, dtype)));
      return [[nameOf(tensor, lookup), nested(numbers, shape)]];
    }),
  );
}

/** The edits that Python asks for. A leaf that does not exist, and a list of another size, are left out. */
export function unnamed(
  given: NamedEdits,
  lookup: Lookup,
  recorded: (tensor: string) => ArrayLike<number>,
): Edits {
  const found = new Map<string, Float64Array>();
  for (const tensor of lookup.tensors.values()) {
    const name = nameOf(tensor, lookup);
    if (!tensor.is_leaf || !Object.hasOwn(given, name)) continue;
    const numbers = [given[name]].flat(Number.POSITIVE_INFINITY as 1).map(Number);
    const entries = Float64Array.from(numbers, (one) => held(one, tensor.value?.dtype ?? ""));
    const now = recorded(tensor.id);
    if (entries.length !== now.length || !entries.every(Number.isFinite)) continue;
    if (entries.some((one, k) => !same(one, now[k]))) found.set(tensor.id, entries);
  }
  return found;
}

/** "W[0, 1]": what an entry is called. */
export function placeName([id, entry]: Place, lookup: Lookup): string {
  const place: number[] = [];
  let rest = entry;
  const shape = lookup.tensors.get(id)?.value?.shape ?? [];
  for (const size of [...shape].reverse()) {
    place.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return lookup.label(id) + (place.some((_, d) => (shape[d] ?? 0) > 1) ? `[${place.join(", ")}]` : "");
}

const odd = (value: Value | null | undefined): string => {
  const { nan, pos_inf, neg_inf } = value?.statistics ?? {};
  if (nan || value?.text === "nan") return "is not defined (nan)";
  return pos_inf || neg_inf || /^-?inf$/.test(value?.text ?? "") ? "is infinite" : "";
};

/** The first tensor that is nan or inf now and was not: "log(d) is not defined (nan)"; "" if there is none. */
function undefinedNow(now: Lookup, was: Lookup): string {
  for (const { id, value, producer, name } of now.tensors.values()) {
    const what = odd(value);
    if (what && !odd(was.tensors.get(id)?.value))
      return `${was.nodes.get(producer ?? "")?.formula || name || id} ${what}`;
  }
  return "";
}

/** "d is now −1.0 (recorded 10.0): log(d) is not defined (nan)." `touched` is told of first. */
export function sentence(
  edits: Edits,
  touched: Place | undefined,
  recorded: (tensor: string) => ArrayLike<number>,
  now: Lookup,
  was: Lookup,
): string {
  let [first, count]: [Place | undefined, number] = [undefined, 0];
  for (const [id, entries] of edits) {
    const old = recorded(id);
    for (const [k, entry] of entries.entries()) {
      if (same(entry, old[k])) continue;
      count += 1;
      if (!first || first[0] !== touched?.[0] || first[1] !== touched[1]) first = [id, k];
    }
  }
  if (!first) return "";
  const [id, entry] = first;
  const dtype = was.tensors.get(id)?.value?.dtype ?? "";
  const [value, old] = [edits.get(id)?.[entry], recorded(id)[entry]].map((one) => written(one ?? 0, dtype));
  const more = count > 1 ? `, and ${count - 1} more ${count > 2 ? "values are" : "value is"} changed` : "";
  const what = undefinedNow(now, was);
  return `${placeName(first, was)} is now ${value} (recorded ${old})${more}${what ? `: ${what}` : ""}.`;
}

/** What follows from edits: "e from 17.513 to 21.0, c.grad from 2.3026 to 3.0". */
export function changes({ lookup, timeline }: Retold, was: Retold): string {
  const told: string[] = [];
  const tell = (name: string, old: Value | null | undefined, value: Value | null | undefined) => {
    if (!old || !value || (old.text === value.text && old.entries === value.entries)) return;
    told.push(sizeOf(value.shape) > 1 ? name : `${name} from ${old.text} to ${value.text}`);
  };
  const [now, before] = [timeline, was.timeline].map((one) => one.stateAt(one.length - 1).leaves);
  const root = lookup.root(0);
  tell(lookup.label(root), was.lookup.tensors.get(root)?.value, lookup.tensors.get(root)?.value);
  for (const { id, is_leaf } of lookup.tensors.values())
    if (is_leaf) tell(`${lookup.label(id)}.grad`, before?.[id]?.after, now?.[id]?.after);
  return `What follows: ${told.join(", ") || "nothing"}.`;
}
