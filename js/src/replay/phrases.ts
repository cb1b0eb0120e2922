// What a sentence says of a value, by the form of a reference: docs/trace.md lists them.
//
// Read next: retell.ts.

import type { Span, Value } from "../trace";
import { general, sizeOf, tupleText } from "./valuetext";

const MOST_LISTED = 6; // entries of a matrix that a sentence lists

/** The text of a value in a form: "", "list", "told.2", or the number of an entry. */
export function formOf(value: Value, form: string): string {
  const [word, part] = form.split(".");
  if (word === "list") return listed(value);
  if (word === "told") return told(value)[Number(part)] ?? "";
  return /^\d+$/.test(form) ? ((value.entries ?? "").split(" ")[Number(form)] ?? value.text) : value.text;
}

/** All entries where they are few, as graph/events/event.py lists them. */
function listed({ shape, text, entries }: Value): string {
  if (text.startsWith("[") || !entries || sizeOf(shape) > MOST_LISTED) return text;
  return [...shape].reverse().reduce((parts, length) => {
    const rows = Array.from({ length: parts.length / length }, (_, k) =>
      parts.slice(k * length, (k + 1) * length),
    );
    return rows.map((row) => `[${row.join(", ")}]`);
  }, entries.split(" "))[0] as string;
}

const short = (text: string) => general(Number(text), 3);
const many = (count: number) => count.toLocaleString("en");

/** What matters about many entries, in three parts, as `measured` of graph/events/event.py says it. */
function told({ shape, statistics, text }: Value): readonly string[] {
  if (!statistics) return [" is ", text, ""];
  const { low, high, mean, std, nan = 0, pos_inf = 0, neg_inf = 0, zeros = 0 } = statistics;
  const size = sizeOf(shape);
  const odd: [number, string][] = [
    [nan, "NaN"],
    [pos_inf + neg_inf, "infinity"],
  ];
  const said = odd.flatMap(([n, what]) => (n ? [`${what} in ${many(n)} of ${many(size)} entries`] : []));
  const has = [" has shape ", tupleText(shape)];
  if (said.length) return [...has, `: ${said.join(" and ")}`];
  const spread = Number(std) > 1e-9 * Math.abs(Number(low)); // or the rounding of a sum
  if (zeros === size || (low === high && !spread))
    return [" is ", zeros ? "0" : short(low), ` in all ${many(size)} entries`];
  const norm = Math.hypot(Math.sqrt(size) * Number(mean), Math.sqrt(size - 1) * Number(std));
  const none = zeros ? `, ${many(zeros)} of them 0` : "";
  return [...has, `, norm ${general(norm, 3)} and entries from ${short(low)} to ${short(high)}${none}`];
}

/** Sentences whose numbers are those of `find`; a part whose value is not known stays as it is. */
export function retoldSpans(
  spans: readonly Span[] | undefined,
  find: (name: string) => Value | null | undefined,
): Span[] {
  return (spans ?? []).map((span): Span => {
    const [role, text, reference] = span as string[];
    if (typeof span === "string" || !reference) return span;
    const [name = "", form = ""] = reference.split(":");
    const value = find(name);
    if (!value) return span;
    const now = form === "named" ? named(text ?? "", value.text) : formOf(value, form);
    return [role ?? "", now, reference];
  });
}

/** "b = 3.0" with another number. */
const named = (text: string, now: string): string => text.slice(0, text.lastIndexOf(" = ") + 3) + now;
