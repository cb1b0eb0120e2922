// The path of a curve through points, in pixels.
//
// Read next: curve.ts.

export type Point = readonly [x: number, y: number];

/**
 * A path from left to right; a point that is not finite leaves a gap, and one between two gaps is a dot.
 *
 * Of many points in one column of pixels only the first, the lowest, the highest and the last are drawn, so that
 * a path has no more of them than the screen can show.
 */
export function linePath(points: readonly Point[]): string {
  let path = "";
  let column: Point[] = []; // the points of the present column that are drawn
  let begun = false;
  let moved = ""; // where the path has begun anew, and did not go on yet
  const flush = () => {
    for (const [x, y] of column) {
      const at = `${round(x)} ${round(y)}`;
      path += begun ? `L${at}` : `M${at}`;
      moved = begun ? "" : "h0";
      begun = true;
    }
    column = [];
  };
  for (const point of points) {
    const [x, y] = point;
    if (!Number.isFinite(y)) {
      flush();
      path += moved;
      moved = "";
      begun = false;
      continue;
    }
    const first = column[0];
    if (first && Math.round(first[0]) !== Math.round(x)) flush();
    column.push(point);
    if (column.length > 4) column = outline(column);
  }
  flush();
  return path + moved;
}

/** The first, the lowest, the highest and the last of some points, in their order. */
function outline(points: readonly Point[]): Point[] {
  const heights = points.map(([, y]) => y);
  const keep = [0, heights.indexOf(Math.min(...heights)), heights.indexOf(Math.max(...heights))];
  return points.filter((_, k) => keep.includes(k) || k === points.length - 1);
}

const round = (number: number) => Math.round(10 * number) / 10;

/** The least and the largest of the finite numbers; undefined where there is none. */
export function ends(numbers: Iterable<number | undefined>): [low: number, high: number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    if (number === undefined || !Number.isFinite(number)) continue;
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return low > high ? undefined : [low, high];
}

/** How far a number lies from `low` towards `high`, from 0 to 1; 0.5 where these are the same. */
export const share = (number: number, [low, high]: readonly [number, number]): number =>
  low === high ? 0.5 : (number / 2 - low / 2) / (high / 2 - low / 2);

/** A number for an axis: 3 digits. */
export function tick(number: number): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number > 0 ? "∞" : "−∞";
  const rounded = Number(number.toPrecision(3));
  const [small, large] = [Math.abs(rounded) < 1e-3, Math.abs(rounded) >= 1e5];
  return (rounded && (small || large) ? rounded.toExponential() : String(rounded)).replaceAll("-", "−");
}
