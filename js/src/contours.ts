// Level lines of a function on a grid, by marching squares.
//
// graphlab/faces/render/slope.py draws the same.
//
// Read next: cards/slope.ts.

/** The values on a grid: `rows[j][i]`. */
export type Grid = readonly ArrayLike<number>[];

/** The pieces of a level line, in steps of the grid: from [i, j] to [i, j]. */
export type Piece = readonly [x1: number, y1: number, x2: number, y2: number];

/** The pieces of the line at `level`. A square with a corner that is not finite has none. */
export function contour(rows: Grid, level: number): Piece[] {
  const pieces: Piece[] = [];
  for (let j = 0; j + 1 < rows.length; j += 1)
    for (let i = 0; i + 1 < (rows[j]?.length ?? 0); i += 1) {
      const corners = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ].map(([x = 0, y = 0]) => [x, y, (rows[y]?.[x] ?? Number.NaN) - level] as const);
      if (!corners.every(([, , height]) => Number.isFinite(height))) continue;
      // where the line crosses a side of the square; four times over a saddle
      const crossed = corners.flatMap(([x, y, one], k) => {
        const [toX, toY, other] = corners[(k + 1) % 4] ?? [x, y, one];
        if (one < 0 === other < 0) return [];
        const share = one / (one - other);
        return [[x + (toX - x) * share, y + (toY - y) * share] as const];
      });
      const mean = corners.reduce((sum, [, , height]) => sum + height, 0);
      // over a saddle, the middle decides which corners the line cuts off
      const turns = crossed.length > 2 && mean < 0 !== (corners[0]?.[2] ?? 0) < 0;
      const [a, b, c, d] = turns ? [...crossed.slice(1), ...crossed] : crossed;
      if (a && b) pieces.push([...a, ...b]);
      if (c && d) pieces.push([...c, ...d]);
    }
  return pieces;
}

/** `count` levels at equal distances, from the lowest to near the highest of the finite values. */
export function levels(rows: Grid, count: number): number[] {
  const sorted = rows.flatMap((row) => Array.from(row).filter(Number.isFinite)).sort((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[0], sorted[Math.floor(0.92 * (sorted.length - 1))]];
  return low < high ? Array.from({ length: count }, (_, k) => low + ((high - low) * (k + 0.5)) / count) : [];
}
