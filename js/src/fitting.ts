// Shortens a number to the room it has: first to fewer digits, and only then by cutting it.
//
// render/metrics.py does the same; tests/fixtures/fitting.json holds both to it.

const NUMBER = /-?\d+\.\d+(e[+-]\d+)?|-?\d+e[+-]\d+/g;
const FEWER = [4, 3, 2]; // significant digits; the text of a value has 5

/** `text` in at most `most` characters: with fewer digits, or as the shape of a list, or else cut. */
export function fitted(text: string, most: number): string {
  if (text.length <= most) return text;
  for (const digits of FEWER) {
    const shorter = text.replace(NUMBER, (number) => rounded(number, digits));
    if (shorter.length <= most) return shorter;
  }
  const shape = text.startsWith("[") ? `(${text.split(",").length},)` : text.replace(/,\s/g, ",");
  if (shape.length <= most) return shape;
  return `${text.slice(0, Math.max(0, Math.floor(most) - 1))}…`;
}

/** A number with so many significant digits, and a point or an exponent, as Python's ".3g" writes it. */
const rounded = (number: string, digits: number) =>
  pointed(laidOut(Number(number).toExponential(digits - 1), digits));

/** A number with a point or an exponent. */
export const pointed = (text: string): string => (/[.en]/.test(text) ? text : `${text}.0`); // n: nan, inf

/** "1.2300e+1" as Python's "g" lays it out: with an exponent only if it is small or large, without zeros at its end. */
export function laidOut(text: string, digits: number): string {
  const [mantissa = "0", power = "0"] = text.split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? "-" : "+";
    return `${bare(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const [, sign, figures = ""] = /^(-?)(.*)$/.exec(mantissa.replace(".", "")) ?? [];
  const all = "0".repeat(Math.max(0, -exponent)) + figures;
  const whole = Math.max(0, exponent) + 1;
  return `${sign}${bare(`${all.slice(0, whole)}.${all.slice(whole)}`)}`;
}

/** `number` without zeros at its end. */
const bare = (number: string) => (number.includes(".") ? number.replace(/\.?0*$/, "") : number);
