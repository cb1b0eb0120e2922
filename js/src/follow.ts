// Lets a recording follow what a person edits: at most once per frame, however many changes arrive.
//
// The replay computes it in the page. Where that cannot be, the owner of the player may ask the kernel.
//
// Read next: foresight.ts (of an explorer), edits.ts, play.ts.

import { numberOf } from "./cards/heat";
import { type Edits, type NamedEdits, named } from "./edits";
import { walked } from "./forward";
import { alike, type Recording, type retelling } from "./recording";
import type { Trace } from "./trace";

/** What lets a trace follow: its formulas, run at other values. */
export interface Replay {
  /** "" or why this tensor cannot be edited, in one sentence. */
  why(tensor: string): string;
  /** The recorded entries of a leaf, row by row. */
  entries(tensor: string): ArrayLike<number>;
  /** The same trace at other values, or why there is none, in one sentence. */
  run(edits: Edits): Trace | string;
}

/** Runs the program again with the values of these leaves: a whole new trace, or why there is none. */
export type Rerun = (edits: NamedEdits) => Promise<Trace | string>;

/** What came of an edit: a recording that follows, or why there is none. */
export type Followed = (edits: Edits, found: Recording | string) => void;

export interface Follower {
  why(tensor: string): string;
  entries(tensor: string): ArrayLike<number>;
  /** The edits that wait for their turn. */
  waiting(): Edits | undefined;
  /** Whether the program runs again for an edit. */
  busy(): boolean;
  /** Follow these edits; `now`: before this returns, where the page can. */
  follow(edits: Edits, now?: boolean): void;
  stop(): void;
}

const DAMAGED = "The formulas of this recording are damaged, so nothing can follow.";
const ANOTHER = "With this value the program records another graph, so this picture cannot follow.";

/** `retell`: `retelling` of the module that made the recording, whose classes only it can read. */
export function followerOf(
  recorded: Recording,
  retell: typeof retelling,
  makeReplay: (trace: Trace) => Replay,
  rerun: Rerun | undefined,
  asks: boolean | undefined, // the kernel, each time
  done: Followed,
): Follower {
  let made: Replay | undefined; // only when somebody edits
  let wanted: Edits | undefined;
  let frame = 0;
  let asked = 0; // the number of the latest run: an answer to an earlier one comes too late
  let busy = false;

  const replay = () => {
    made ??= makeReplay(recorded.trace);
    return made;
  };
  const guarded = <Found>(find: () => Found): Found | string => {
    try {
      return find();
    } catch (error) {
      console.error(error);
      return DAMAGED;
    }
  };
  const known = new Map<string, ArrayLike<number>>();
  const entries = (tensor: string): ArrayLike<number> => {
    const held = known.get(tensor) ?? read(tensor);
    known.set(tensor, held);
    return held;
  };
  const read = (tensor: string): ArrayLike<number> => {
    const found = guarded(() => replay().entries(tensor));
    if (typeof found !== "string" && found.length) return found;
    const value = recorded.lookup.tensors.get(tensor)?.value; // the kernel has all digits, the trace has five
    const texts = value ? (value.entries || value.text).split(" ").map(numberOf) : [];
    return texts.length === value?.shape.reduce((product, size) => product * size, 1) ? texts : [];
  };
  const told = (found: Trace | string): Recording | string =>
    typeof found === "string" ? found : retell(recorded, found);

  const run = () => {
    const edits = wanted as Edits;
    wanted = undefined;
    asked += 1;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (wanted && !busy) run();
    });
    busy = false;
    if (!edits.size) return done(edits, recorded);
    const found = asks ? "" : guarded(() => told(replay().run(edits)));
    if (typeof found !== "string" || !rerun) return done(edits, found);
    const mine = asked;
    busy = true;
    const give = (answer: Trace | string) => {
      if (mine !== asked) return;
      busy = false;
      const same = typeof answer === "string" || alike(recorded.trace, answer);
      done(edits, same ? told(answer) : ANOTHER);
      if (wanted) run();
    };
    const walk = (found: Trace | string) =>
      typeof found === "string" ? found : walked(found, recorded.timeline.forward);
    rerun(named(edits, recorded.lookup)).then(
      (found) => give(walk(found)),
      (error: Error) => give(error.message),
    );
  };

  return {
    why: (tensor) => (rerun && entries(tensor).length ? "" : guarded(() => replay().why(tensor))),
    entries,
    waiting: () => wanted,
    busy: () => busy,
    follow(edits, now = !edits.size) {
      wanted = edits;
      if (now || (!frame && !busy)) run();
    },
    stop() {
      asked += 1;
      wanted = undefined;
      cancelAnimationFrame(frame);
    },
  };
}
