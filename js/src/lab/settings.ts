// What a person chose in JupyterLab's settings (schema/panel.json). Outputs and documents read it too.

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

/** Take what JupyterLab has read; it has checked it against the schema, and defaults stand in for the rest. */
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

/** How a player is to open. */
export function playerOptions(): PlayerOptions {
  const { granularity, speed, view } = chosen;
  return { granularity, speed, view };
}
