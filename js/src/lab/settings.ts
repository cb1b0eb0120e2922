// The settings of GraphLab in JupyterLab (schema/panel.json). They hold for outputs and documents too.
//
// Read next: lab/index.ts.

import type { PlayerOptions } from "../player";
import { GRANULARITIES, type Granularity } from "../trace";

export interface Settings {
  openAtStart: boolean;
  refresh: boolean; // after each cell
  view: "both" | "computation" | "backward";
  granularity: Granularity;
  speed: number;
}

export const DEFAULTS: Settings = {
  openAtStart: false,
  refresh: true,
  view: "both",
  granularity: "node",
  speed: 1,
};

let chosen = DEFAULTS;

export function settings(): Settings {
  return chosen;
}

/** Apply settings from JupyterLab, which has checked them. Missing ones get their defaults. */
export function choose(composite: { readonly [name: string]: unknown }): Settings {
  const { openAtStart, refresh, view, granularity, speed } = composite;
  chosen = {
    openAtStart: openAtStart === true,
    refresh: refresh !== false,
    view: view === "computation" || view === "backward" ? view : "both",
    granularity: GRANULARITIES.find((one) => one === granularity) ?? DEFAULTS.granularity,
    speed: typeof speed === "number" ? speed : DEFAULTS.speed,
  };
  return chosen;
}

/** The options of a new player. */
export function playerOptions(): PlayerOptions {
  const { granularity, speed, view } = chosen;
  return { granularity, speed, view };
}
