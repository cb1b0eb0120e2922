// What the owner of a player may set: a widget, a page, or JupyterLab.
//
// Read next: mount.ts.

import type { Fetch } from "./cards/arrays";
import type { Replay, Rerun } from "./follow";
import type { Explored } from "./foresight";
import type { Shared } from "./state";
import type { Trace } from "./trace";

/** The module with the parts that are seldom needed. */
export type Extras = typeof import("./extras");

export interface PlayerOptions extends Partial<Shared> {
  speed?: number; // at first
  everywhere?: boolean; // keys count wherever the focus is: on a page that holds nothing else
  view?: string; // at first: "both", "computation" or "backward"
  otherwise?: PlayerOptions; // what holds where neither these options nor the trace's opening say
  /** A person, or playing, changed one of the shared things. */
  onChange?: <Name extends keyof Shared>(name: Name, value: Shared[Name]) => void;
  /** Asks Python for entries that the trace does not hold. */
  fetch?: Fetch;
  /** Runs the program again in Python, where the formulas of the trace do not suffice. */
  rerun?: Rerun | undefined;
  /** The model of an explorer, whose function `rerun` runs each time; it returns undefined when the kernel is gone. */
  explored?: (() => Explored | undefined) | undefined;
  /** Lets a trace follow what is edited; by default its formulas do. */
  replay?: (trace: Trace) => Replay;
  /** The seldom needed parts, or a function that loads them when they are needed. */
  extras?: Extras | (() => Promise<Extras>);
  /** Adds what only some owners have, such as a menu to save files. */
  tools?: Tools;
}

/** `root`: the element of the player, when it is drawn. `step`: the index of the event shown. */
export type Tools = (
  root: HTMLElement,
  about: { trace: Trace; step: () => number; load: () => Promise<Extras> }, // the extras, with their style
) => void;
