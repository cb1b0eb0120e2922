// Numbers that fit: a gradient along a line is written with fewer digits before it is cut.
//
// As render/metrics.py does; tests/fixtures/fitting.json holds both to it.

const NUMBER = /-?\d+\.\d+(e[+-]\d+)?|-?\d+e[+-]\d+/g;
const FEWER = [4, 3, 2]; // significant digits; of a value's text there are 5

/** `text` in at most `most` characters: with fewer digits, as the shape of a list, else cut. */
export function fitted(text: string, most: number): string {
  if (text.length <= most) return text;
  for (const digits of FEWER) {
    const shorter = text.replace(NUMBER, (number) => rounded(number, digits));
    if (shorter.length <= most) return shorter;
  }
  const shape = `(${text.split(",").length},)`;
  if (text.startsWith("[") && shape.length <= most) return shape;
  return `${text.slice(0, Math.max(0, Math.floor(most) - 1))}…`;
}

/** A number with so many significant digits, and a point or an exponent: Python's ".3g". */
function rounded(number: string, digits: number): string {
  const [mantissa = "0", power = "0"] = Number(number)
    .toExponential(digits - 1)
    .split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? "-" : "+";
    return `${bare(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const plain = bare(Number(number).toFixed(digits - 1 - exponent));
  return plain.includes(".") ? plain : `${plain}.0`;
}

/** Without zeros at its end. */
const bare = (number: string) => (number.includes(".") ? number.replace(/\.?0+$/, "") : number);
