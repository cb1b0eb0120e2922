// The live widget: anywidget calls render() for each view of the model.
//
// The model holds the shared part of the state, so two views of it move together, and Python can read and
// move both.
//
// Read next: player.ts, connection.ts.

import type { Fetch } from "./cards/arrays";
import { Connection, type Linked } from "./connection";
import type { Dialog } from "./dialog";
import { keepKeys } from "./dom";
import type { Rerun } from "./follow";
import type { Explored } from "./foresight";
import { hear } from "./hearing";
import { mount, type PlayerHandle, type Shared, type Told } from "./mount";
import type { Extras, Tools } from "./options";
import { saveButton } from "./savebutton";
import { decompressed, opened, readTrace } from "./trace";

const PATIENCE = 4000; // milliseconds that Python may take to answer
const NONE = {
  entries: "The kernel is gone, so only recorded entries can be shown.",
  page: "the kernel, which writes pages, is gone. Save the recording instead.",
  trace: "The kernel is gone, so nothing follows this change.",
  module: "The kernel is gone, so the player cannot load what this needs. Run the cell again.",
};
const SILENT = {
  entries: "The kernel does not answer, so only recorded entries can be shown.",
  page: "the kernel, which writes pages, does not answer.",
  trace: "The kernel does not answer, so nothing follows this change.",
  module: "The kernel is busy: try again when it is done.",
};
const GONE =
  "You can still step through the recording, but it is no longer connected to Python. Run the cell again to connect it.";
const NAMES = [
  ...(["step", "playing", "granularity", "breakpoints", "predicting", "walks_forward"] as const),
  ...(["score", "answers", "edits", "stale"] as const),
];

/** The part of anywidget's model that is used here. */
export interface Model extends Omit<Linked, "widget_manager"> {
  readonly widget_manager?: (Linked & Explored)["widget_manager"];
  get(name: "trace"): unknown;
  get(name: "drawing"): { gzip?: string } | undefined; // this and the next two: in an explorer only
  get(name: "told"): (Told & { step?: number | null } & ReturnType<Explored["get"]>) | undefined;
  get(name: "note"): { label: string; text: string } | undefined;
  get<Name extends keyof Shared>(name: Name): Shared[Name];
  set<Name extends keyof Shared>(name: Name, value: Shared[Name]): void;
  save_changes(): void;
  send?(content: object): void;
  on(name: string, callback: (content?: unknown) => void): void;
  off(name: string, callback: (content?: unknown) => void): void;
}

/** The answer of Python to a request for entries. */
interface Answer {
  ask: number;
  entries?: string[];
  page?: string;
  trace?: object;
  module?: string;
  why?: string;
}

let loaded: Promise<Extras> | undefined; // once for all views

export function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const root = document.createElement("div");
  el.append(root);
  let player: PlayerHandle;

  const asked = new Map<number, (answer: Answer) => void>();
  let count = 0;
  /** Ask Python. A kernel that is gone or busy does not answer. */
  const request = <Name extends "entries" | "page" | "trace" | "module">(
    name: Name,
    ask: object,
  ): Promise<Required<Answer>[Name]> =>
    new Promise((done, fail) => {
      if (link.lost) return fail(new Error(NONE[name]));
      count += 1;
      const give = (answer: Partial<Answer>) => {
        clearTimeout(timer);
        const found = answer[name];
        if (found) done(found as Required<Answer>[Name]);
        else fail(new Error(answer.why ?? SILENT[name]));
      };
      const timer = setTimeout(give, PATIENCE, {});
      asked.set(count, give);
      try {
        model.send?.({ ...ask, ask: count });
      } catch {
        give({});
      }
    });
  const fetch: Fetch = (ask) => request("entries", ask);
  /** Let Python run the graph, or the function, at other values. */
  const rerun: Rerun = async (edit) =>
    readTrace(await decompressed(opened(await request("trace", { edit }))));
  /** The parts that are seldom needed, which Python sends. */
  const extras = async (): Promise<Extras> => {
    loaded ??= request("module", { module: "extras" }).then(imported);
    return loaded.catch((error) => {
      loaded = undefined;
      throw error;
    });
  };
  // Somebody uses the player: what may be needed next comes now, as long as there is a kernel.
  const prepare = () => void extras().catch(() => undefined);
  for (const kind of ["pointerenter", "focusin"]) root.addEventListener(kind, prepare, { once: true });
  const page = (step: number) => request("page", { page: step });
  const tools: Tools = (root, about) => {
    let menu: Promise<Dialog> | undefined;
    saveButton(root, () => {
      menu ??= about.load().then(({ makeSaveMenu }) => makeSaveMenu(page, root, about));
      menu.then(
        (made) => made.open(true),
        ({ message }: Error) => {
          menu = undefined;
          player.say(message);
        },
      );
    });
  };
  /** The trace, which may leave its drawings to another part of the model: see `decompressed`. */
  const whole = () => {
    const drawing = model.get("drawing");
    return drawing?.gzip ? { ...(model.get("trace") as object), drawing } : model.get("trace");
  };
  const show = () => {
    player = mount(root, whole(), {
      step: model.get("step"),
      playing: model.get("playing"),
      granularity: model.get("granularity"),
      breakpoints: model.get("breakpoints"),
      predicting: model.get("predicting"),
      walks_forward: model.get("walks_forward"),
      score: model.get("score"),
      answers: model.get("answers"),
      edits: model.get("edits"),
      stale: model.get("stale"),
      fetch,
      rerun,
      extras,
      explored: model.get("told") && (() => (link.lost ? undefined : model)),
      tools,
      onChange(name, value) {
        if (same(model.get(name) ?? value, value)) return; // nor what the model does not have
        model.set(name, value);
        if (!link.lost) model.save_changes();
      },
    });
  };
  const box = () => el.closest<HTMLElement>(".widget-vbox");
  /** Give the handles of an explorer's sliders, which ipywidgets leaves without a name, that of their label. */
  const nameSliders = () => {
    for (const one of box()?.querySelectorAll(".widget-slider") ?? [])
      one
        .querySelector(".noUi-handle")
        ?.setAttribute("aria-label", one.querySelector(".widget-label")?.textContent ?? "");
  };
  const listeners = new Map<string, (content?: unknown) => void>(
    NAMES.map((name) => [`change:${name}`, () => player.set(name, model.get(name))]),
  );
  listeners.set("change:stale", () => {
    if (!link.lost) player.set("stale", model.get("stale"));
  });
  listeners.set("change:trace", () => {
    const { step, came } = model.get("told") ?? {};
    player.replace(whole(), { step: step ?? undefined, came });
    nameSliders();
  });
  const note = () => {
    const { label, text } = model.get("note") ?? { label: "", text: "" };
    if (!link.lost) player.warn(label, text);
  };
  listeners.set("change:note", note);

  listeners.set("msg:custom", (content) => {
    const answer = content as Answer;
    if (answer?.module) loaded ??= imported(answer.module); // a late answer counts too
    asked.get(answer?.ask)?.(answer);
    asked.delete(answer?.ask);
  });

  const sayGone = () => player.warn("kernel gone", GONE);
  const link = new Connection(model, sayGone);
  show();
  requestAnimationFrame(() => {
    nameSliders();
    const around = model.get("told") && box();
    if (around) keepKeys(around); // a letter at a slider is no command to the notebook
  });
  if (model.get("note")) note();
  for (const [event, listener] of listeners) model.on(event, listener);
  void hear(model);
  return () => {
    for (const [event, listener] of listeners) model.off(event, listener);
    link.end();
    player.destroy();
    root.remove();
  };
}

/** The extras, from a module that unpacks their text beside the core (scripts/packing.mjs). */
async function imported(script: string): Promise<Extras> {
  const run = async (text: string) => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    await import(url).finally(() => URL.revokeObjectURL(url));
  };
  await run(script);
  const [key = ""] = /graphlab-\w{12}/.exec(script) ?? [];
  const version = (globalThis as unknown as { [key: string]: { e: string; x: { extras: Extras } } })[key];
  await run(version?.e ?? "");
  return (version as { x: { extras: Extras } }).x.extras;
}

/** Whether two values are equal; lists and scores are new objects each time. */
function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export default { render };
