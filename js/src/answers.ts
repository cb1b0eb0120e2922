// Reads the numbers and shapes that a learner types. Nothing typed is evaluated.
//
// Read next: questions.ts, where the right answers come from.

import type { Span } from "./trace";

/** What is asked, and what is right. */
export interface Asked {
  prompt: Span[];
  hint: string; // the rule that gives the answer; "" for none
  slips?: readonly (readonly [answer: string, hint: string])[]; // wrong answers that have hints of their own
  why?: string; // what is said to a right answer
  answer:
    | { kind: "numbers"; numbers: number[]; text: string }
    | { kind: "one"; accepted: readonly number[]; exact: boolean; text: string }
    | { kind: "text"; accepted: readonly string[]; text: string }
    | { kind: "choice"; choices: readonly string[]; right: readonly string[]; text: string }
    | { kind: "shape"; shape: readonly number[]; text: string }
    | { kind: "node"; id: string; text: string; choices: readonly string[] };
}

const SHARE = 0.01; // tolerance, as a part of the largest entry
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const EXTREMES: { [word: string]: number } = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  "-infinity": Number.NEGATIVE_INFINITY,
};

/** One number: "2.5", "-1e-3", "1/3", "nan", "−inf"; undefined for anything else. */
export function readNumber(text: string): number | undefined {
  const word = text.trim().replaceAll("−", "-").replace(/^\+/, "").toLowerCase();
  if (Object.hasOwn(EXTREMES, word)) return EXTREMES[word];
  const parts = word.split("/").map((part) => part.trim());
  if (parts.length > 2 || !parts.every((part) => NUMBER.test(part))) return undefined;
  const [above, below = 1] = parts.map(Number);
  return (above as number) / below;
}

/** A number as a person writes one alone: "8,000 bytes", too. */
export const readOne = (text: string): number | undefined =>
  readNumber(text.replace(/\s*(bytes?|B)\s*$/, "").replaceAll(/[,_\s](?=\d{3}\b)/g, ""));

/** A text without what does not matter: capitals and spaces. */
export const readText = (text: string): string => text.trim().split(/\s+/).join(" ").toLowerCase();

/** The numbers of a list with any brackets: "[[1, 2], [3, 4]]", "1 2 3 4". */
export function readNumbers(text: string): number[] | undefined {
  const words = text
    .replace(/^\s*tensor\s*\(/i, " ")
    .replaceAll(/[[\](){}]/g, " ")
    .trim()
    .split(/\s*[,;]\s*|\s+/)
    .filter((word) => word !== "");
  const numbers = words.map(readNumber);
  return words.length && numbers.every((number) => number !== undefined) ? (numbers as number[]) : undefined;
}

/** A shape: "(4, 2)", "4x2", "4×2", "torch.Size([4, 2])"; "()" or "scalar" is that of one number. */
export function readShape(text: string): number[] | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/^(torch\.)?size/, "");
  if (/^([([\s\])]+|scalar|0-?d)$/.test(plain)) return [];
  const words = plain
    .replaceAll(/[[\]()]/g, " ")
    .trim()
    .split(/\s*[,x×*]\s*|\s+/)
    .filter((word) => word !== "");
  return words.length && words.every((word) => /^\d+$/.test(word)) ? words.map(Number) : undefined;
}

/** How far off an entry of a right answer may be. */
export function tolerance(truth: readonly number[]): number {
  const most = Math.max(0, ...truth.filter(Number.isFinite).map(Math.abs));
  return most * SHARE || 0.001;
}

/** Whether every number is within the tolerance. NaN equals NaN, and inf equals inf. */
export function close(given: readonly number[], truth: readonly number[]): boolean {
  const off = tolerance(truth);
  return (
    given.length === truth.length &&
    truth.every((right, at) => Object.is(given[at], right) || Math.abs((given[at] as number) - right) <= off)
  );
}

export const sameShape = (given: readonly number[], truth: readonly number[]): boolean =>
  given.length === truth.length && truth.every((size, at) => given[at] === size);
