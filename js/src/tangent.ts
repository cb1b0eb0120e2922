// A function of one number, as a picture shows it: where to look, its points, where it ends, its slopes.
//
// graphlab/faces/render/slope_picture.py does the same for pictures in Python.
//
// Read next: cards/slope.ts.

import type { Point } from "./linepath";

/** Values of a function, NaN where it has none; `problem`: why the graph would be another one there. */
export type Values = ArrayLike<number> & { problem?: string };

export type Sample = (at: readonly number[]) => Values;

export type Window = readonly [low: number, high: number];

/** Where the function is defined on one side only. */
export interface Border {
  at: number;
  below: boolean; // whether it is defined below, or else above
  open: boolean; // whether it is not defined there itself
}

const SAMPLES = 161;
const HALVINGS = 48;
const STEP = 2 ** -17; // the step of a one-sided difference, relative to the number
const KINK = 1e-4; // relative to the slopes: a smaller difference is not a kink
const ALONE = 1e-3; // part of the window: a function that is known in less is known at one point
const GROWS = 1.3; // by this factor differences have to grow from step to step, where the slope is infinite
const ROUNDED = 1e-8; // relative to the height: a smaller change is rounding

/** What to look at around a number: as far as it is large, so that 0 is in sight. */
export function around(x: number, zoom = 1): Window {
  const half = (Math.abs(x) || 1) * 1.2 * zoom;
  return [x - half, x + half];
}

/** The points of the curve, from left to right, and where it ends. A point that is not there has the height NaN. */
export function sampled(
  sample: Sample,
  [low, high]: Window,
): { points: Point[]; borders: Border[]; problem: string | undefined } {
  const xs = Array.from({ length: SAMPLES }, (_, k) => low + ((high - low) * k) / (SAMPLES - 1));
  const ys = sample(xs);
  const points: Point[] = [];
  const borders: Border[] = [];
  const heightAt = (x: number) => sample([x])[0] ?? Number.NaN;
  for (const [k, x] of xs.entries()) {
    const [y, before] = [ys[k] ?? Number.NaN, points.at(-1)];
    const there = Number.isFinite(y);
    if (before && there !== Number.isFinite(before[1])) {
      let [yes, no] = there ? [x, before[0]] : [before[0], x];
      for (let n = 0; n < HALVINGS; n += 1) {
        const middle = (yes + no) / 2;
        if (Number.isFinite(heightAt(middle))) yes = middle;
        else no = middle;
      }
      const [near, close] = [Number(no.toPrecision(6)), 1e-9 * (high - low)];
      const at = Math.abs(no) < close ? 0 : Math.abs(near - no) < close ? near : no;
      borders.push({ at, below: !there, open: !Number.isFinite(heightAt(at)) });
      points.push(
        there ? [at, Number.NaN] : [yes, heightAt(yes)],
        there ? [yes, heightAt(yes)] : [at, Number.NaN],
      );
    }
    points.push([x, there ? y : Number.NaN]);
  }
  return { points, borders, problem: ys.problem };
}

/** Where a function of `name` is not defined: "not defined for d ≤ 0"; "" if it is everywhere in sight. */
export function undefinedWhere(
  borders: readonly Border[],
  name: string,
  written: (x: number) => string,
  problem?: string,
): string {
  const [one, two] = borders;
  const what = problem ? "another graph" : "not defined";
  if (!one) return "";
  if (borders.length === 1)
    return `${what} for ${name} ${"<>≤≥"[Number(one.below) + 2 * Number(one.open)]} ${written(one.at)}`;
  if (borders.length === 2 && one.below && one.at === two?.at)
    return `${what} at ${name} = ${written(one.at)}`;
  return `${what} here`;
}

/** The heights to show: all, or if a few are far away the middle ones; `kept` is always in sight. */
export function heights(points: readonly Point[], kept: readonly number[]): Window {
  const sorted = points.flatMap(([, y]) => (Number.isFinite(y) ? [y] : [])).sort((a, b) => a - b);
  const part = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  let [low, high] = [part(0), part(1)];
  const [least, most] = [part(0.1), part(0.9)];
  const middle = most - least;
  if (high - low > 6 * middle && middle) {
    low = Math.max(low, least - middle);
    high = Math.min(high, most + middle);
  }
  const inside = kept.filter(Number.isFinite);
  [low, high] = [Math.min(low, ...inside), Math.max(high, ...inside)];
  const xs = points.flatMap(([x, y]) => (Number.isFinite(y) ? [x] : []));
  const wide = ([a = 0, ...more]: number[]) => (more.at(-1) ?? a) - a;
  if (wide(xs) < ALONE * wide(points.map(([x]) => x))) low = high = (low + high) / 2;
  const free = (high - low) * 0.06 || Math.abs(high) || 1;
  return [low - free, high + free];
}

/** The slopes on both sides of a point, NaN where the function ends, and whether they differ: a kink. */
export function oneSided(sample: Sample, x: number): { left: number; right: number; kink: boolean } {
  const h = STEP * (Math.abs(x) || 1);
  const steps = [h, h / 8, h / 64];
  const [y = 0, ...more] = Array.from(sample([x, ...steps.flatMap((one) => [x - one, x + one])]));
  const [far = 0, farRight = 0, near = 0, nearRight = 0, last = 0, lastRight = 0] = more.map(
    (one, k) => ((one - y) * (k % 2 ? 1 : -1)) / (steps[k >> 1] ?? h),
  );
  const [left, right] = [limit(far, near, last), limit(farRight, nearRight, lastRight)];
  const [gap, before] = [Math.abs(right - left), Math.abs(farRight - far)];
  // a smooth curve's gap shrinks with h
  const size = Math.max(Math.abs(left), Math.abs(right));
  const kink = gap > before / 2 && gap > KINK * size && size * (Math.abs(x) || 1) > ROUNDED * Math.abs(y);
  return { left, right, kink: kink || gap === Number.POSITIVE_INFINITY };
}

/** The slope, from differences with steps h, h/8 and h/64; infinite if they keep growing. */
function limit(far: number, near: number, last: number): number {
  const grows = Math.abs(last) > GROWS * Math.abs(near) && last * far > 0.9 * near * near;
  return grows ? near / 0 : near;
}
