// What an explorer shows before its kernel has answered: the formulas of the last graph, run in the page.
//
// The kernel runs the function in any case, and its answer replaces what was foreseen. Only values that are
// known to change nothing but the numbers are foreseen: graphlab/faces/exploring.py says which.
//
// Read next: follow.ts.

import { type Edits, withEntry } from "./edits";
import { type Followed, type Follower, followerOf, type Replay, type Rerun } from "./follow";
import type { Recording, retelling } from "./recording";
import { NO_EDITS } from "./state";
import type { Trace } from "./trace";

/** The part of an explorer's model that is used here. */
export interface Explored {
  /** sure: by leaf, the models of the sliders of its entries. stopped: there is no picture for the latest values. */
  get(name: "told"): { sure?: { [leaf: string]: { [entry: string]: string } }; stopped?: number } | undefined;
  on(name: string, heard: () => void): void;
  off(name: string, heard: () => void): void;
  readonly widget_manager?: { get_model?(id: string): Promise<unknown> } | undefined;
}

type Slider = Omit<Explored, "get"> & { get(name: "value" | "step"): number };

const HALF = 0.51; // in steps of the slider: a smaller difference is rounding to its grid

/** `explored`: the model of an explorer; it returns undefined when the kernel is gone. */
export function makeFollower(
  recorded: Recording,
  retell: typeof retelling,
  makeReplay: (trace: Trace) => Replay,
  rerun: Rerun | undefined,
  explored: (() => Explored | undefined) | undefined,
  done: Followed,
): Follower {
  let shown: Edits = NO_EDITS; // the edits that the page shows before the kernel answers
  const back = () => {
    if (shown.size) done(NO_EDITS, recorded);
    shown = NO_EDITS;
  };
  const answered: Followed = (edits, found) => {
    if (typeof found !== "string" || (found && explored?.())) back(); // without a kernel what is shown stays
    done(edits, found);
  };
  const kernel = followerOf(
    recorded,
    retell,
    makeReplay,
    rerun,
    Boolean(explored),
    explored ? answered : done,
  );
  const model = explored?.();
  if (!explored || !model) return kernel;

  let sure = model.get("told")?.sure ?? {};
  let wanted: Edits | undefined;
  let frame = 0;
  let replay: Replay | undefined;
  const { entries } = kernel;
  const gone = new AbortController();
  const hear = (one: Pick<Explored, "on" | "off">, name: string, heard: () => void) => {
    if (gone.signal.aborted) return;
    one.on(name, heard);
    gone.signal.addEventListener("abort", () => one.off(name, heard));
  };

  /** Show what the kernel will answer, if that is known. */
  const foresee = (edits: Edits) => {
    if (!edits.size) return back();
    if (!explored() || ![...edits.keys()].every((leaf) => sure[leaf])) return;
    replay ??= makeReplay(recorded.trace);
    const found = replay.run(edits);
    if (typeof found === "string") return;
    const { was: _, ...next } = retell(recorded, found); // nothing is marked: the answer will mark nothing
    shown = edits;
    done(edits, next);
  };
  /** The edits as far as a frame has room for them; the kernel is asked unless a slider does that itself. */
  const follow = (edits: Edits, asks: boolean) => {
    const old = [...shown.keys()].map((leaf): [string, Float64Array] => [
      leaf,
      Float64Array.from(entries(leaf)),
    ]);
    if (asks) kernel.follow(edits.size ? edits : new Map(old));
    wanted = edits;
    if (!frame) run();
  };
  const run = () => {
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (wanted) run();
    });
    const edits = wanted as Edits;
    wanted = undefined;
    foresee(edits);
  };

  hear(model, "change:told", () => {
    if (!model.get("told")?.stopped) return;
    sure = {};
    back();
  });
  for (const [leaf, sliders] of Object.entries(sure))
    for (const [entry, id] of Object.entries(sliders))
      model.widget_manager?.get_model?.(id).then((found) => {
        const slider = found as Slider;
        const moved = () => {
          if (kernel.busy()) return; // it moves its slider to an edit, of which there may be later ones
          const now = wanted ?? shown;
          const held = (now.get(leaf) ?? entries(leaf))[Number(entry)] ?? Number.NaN;
          const value = slider.get("value");
          const dtype = recorded.lookup.tensors.get(leaf)?.value?.dtype ?? "";
          if (Math.abs(value - held) > slider.get("step") * HALF)
            follow(withEntry(now, [leaf, Number(entry)], value, entries(leaf), dtype), false);
        };
        hear(slider, "change:value", moved);
        if (!gone.signal.aborted) moved(); // since the kernel began to work
      });
  return {
    ...kernel,
    waiting: () => wanted ?? kernel.waiting(),
    follow: (edits) => follow(edits, true),
    stop() {
      gone.abort();
      cancelAnimationFrame(frame);
      kernel.stop();
    },
  };
}
