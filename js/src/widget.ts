// The live widget: anywidget calls render() for each view of the model.
//
// The model holds what is shared, so two views of it walk together, and Python can read and move both.

import type { Fetch } from "./cards/arrays";
import { Link, type Linked } from "./connection";
import { mountPlayer, type PlayerHandle, type Shared } from "./player";

const PATIENCE = 4000; // milliseconds that Python may take to answer
const NO_ENTRIES = "The kernel is gone: only what was recorded can be shown.";
const GONE =
  "All that was recorded can still be walked; Python no longer follows. Run the cell again for a live one.";
const NAMES = ["step", "playing", "granularity", "breakpoints", "predicting", "score", "stale"] as const;

/** What anywidget's model offers, as far as it is used here. */
export interface Model extends Linked {
  get(name: "trace"): unknown;
  get<Name extends keyof Shared>(name: Name): Shared[Name];
  set<Name extends keyof Shared>(name: Name, value: Shared[Name]): void;
  save_changes(): void;
  send?(content: object): void;
  on(name: string, callback: (content?: unknown) => void): void;
  off(name: string, callback: (content?: unknown) => void): void;
}

/** What Python sends when it was asked for entries. */
interface Answer {
  ask: number;
  entries?: string[];
  why?: string;
}

export function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const root = document.createElement("div");
  el.append(root);
  let player: PlayerHandle;

  const asked = new Map<number, (answer: Answer) => void>();
  let count = 0;
  /** Asks Python; a kernel that is gone, or busy for long, does not answer. */
  const fetch: Fetch = (ask) =>
    new Promise((done, fail) => {
      if (link.lost) return fail(new Error(NO_ENTRIES));
      count += 1;
      const give = ({ entries, why }: Partial<Answer>) => {
        clearTimeout(timer);
        if (entries) done(entries);
        else fail(new Error(why ?? "The kernel does not answer: only what was recorded can be shown."));
      };
      const timer = setTimeout(give, PATIENCE, {});
      asked.set(count, give);
      try {
        model.send?.({ ...ask, ask: count });
      } catch {
        give({});
      }
    });
  const mount = () => {
    player = mountPlayer(root, model.get("trace"), {
      step: model.get("step"),
      playing: model.get("playing"),
      granularity: model.get("granularity"),
      breakpoints: model.get("breakpoints"),
      predicting: model.get("predicting"),
      score: model.get("score"),
      stale: model.get("stale"),
      fetch,
      onChange(name, value) {
        if (same(model.get(name), value)) return;
        model.set(name, value);
        if (!link.lost) model.save_changes();
      },
    });
  };
  const listeners = new Map<string, (content?: unknown) => void>(
    NAMES.map((name) => [`change:${name}`, () => player.set(name, model.get(name))]),
  );
  listeners.set("change:stale", () => {
    if (!link.lost) player.set("stale", model.get("stale"));
  });
  listeners.set("change:trace", () => {
    player.destroy();
    mount();
    if (link.lost) sayGone();
  });

  listeners.set("msg:custom", (content) => {
    const answer = content as Answer;
    asked.get(answer?.ask)?.(answer);
    asked.delete(answer?.ask);
  });

  const sayGone = () => player.warn("kernel gone", GONE);
  const link = new Link(model, sayGone);
  mount();
  for (const [event, listener] of listeners) model.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) model.off(event, listener);
    link.end();
    player.destroy();
    root.remove();
  };
}

/** Lists and scores are new objects each time: what counts is what they say. */
function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export default { render };
