// The player with all its parts. The widget mounts it without the extras, which it asks Python for when they are
// needed: notebooks hold its module.
//
// Read next: mount.ts, extras.ts.

import * as extras from "./extras";
import { mount, type PlayerHandle } from "./mount";
import type { PlayerOptions } from "./options";

export type { PlayerHandle, PlayerOptions, Shared, Told } from "./mount";

/** Show `data` (a trace) inside `root`, as `mount` does. */
export const mountPlayer = (root: HTMLElement, data: unknown, options: PlayerOptions = {}): PlayerHandle =>
  mount(root, data, { extras, ...options });
