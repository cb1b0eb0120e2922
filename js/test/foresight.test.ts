// What an explorer shows before its kernel answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as extras from "../src/extras.ts";
import type { Explored } from "../src/foresight.ts";
import { mountPlayer, type PlayerHandle } from "../src/player.ts";
import type { Trace } from "../src/trace.ts";
import { newPage } from "./page.ts";
import { pairs } from "./pairs.ts";

/** What is read and listened to, as ipywidgets has it. */
class Model implements Explored {
  readonly values: { [name: string]: unknown };
  readonly listeners = new Map<string, Set<() => void>>();
  readonly sliders: { [id: string]: Model };
  readonly widget_manager = {
    get_model: (id: string) => Promise.resolve(this.sliders[id]) as Promise<unknown>,
  };
  constructor(values: Model["values"], sliders: Model["sliders"] = {}) {
    this.values = values;
    this.sliders = sliders;
  }
  get(name: string): never {
    return this.values[name] as never;
  }
  set(name: string, value: unknown): void {
    this.values[name] = value;
    for (const heard of this.listeners.get(`change:${name}`) ?? []) heard();
  }
  on(name: string, heard: () => void): void {
    this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(heard));
  }
  off(name: string, heard: () => void): void {
    this.listeners.get(name)?.delete(heard);
  }
}

/** Wait for two frames, and for the promises of each. */
const passed = async () => {
  for (let k = 0; k < 2; k += 1) await new Promise((done) => requestAnimationFrame(done));
  await new Promise(setImmediate);
};
const [pair] = pairs(); // the lesson: t0 has a slider
const trace = pair?.one as Trace;
const [first, second] = ["0.88749", "1.6968"];

interface Opened {
  player: PlayerHandle;
  model: Model;
  slider: Model;
  asked: unknown[];
  /** The value of a tensor in the picture. */
  shown(tensor: string): string;
  /** What the kernel answers to an edit that was made in the picture. */
  answer(why: string): void;
}

async function opened(gone = { now: false }): Promise<Opened> {
  const root = newPage().appendChild(document.createElement("div"));
  const slider = new Model({ value: Number(first), step: 0.1 });
  const model = new Model({ told: { sure: { t0: { "0": "s" } } } }, { s: slider });
  const asked: unknown[] = [];
  let answer: (why: string) => void = () => undefined;
  const player = mountPlayer(root, trace, {
    extras,
    explored: () => (gone.now ? undefined : model),
    rerun: (edits) => {
      asked.push(edits);
      return new Promise((done) => {
        answer = done;
      });
    },
  });
  await passed();
  const shown = (id: string) => root.querySelector(`[data-id="${id}"] .gl-value`)?.textContent ?? "";
  return { player, model, slider, asked, shown, answer: (why) => answer(why) };
}

const edit = (tensor: string) => {
  const root = document.querySelector(".graphlab") as HTMLElement;
  const place = root.querySelector(`[data-edit="${tensor} 0"]`);
  place?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const field = root.querySelector(".gl-typed") as HTMLInputElement;
  return (text: string) => {
    field.value = text;
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  };
};

test("a slider that moves is followed at once, marks nothing, and tells the kernel by itself", async () => {
  const { slider, shown, asked } = await opened();
  assert.equal(shown("t0"), first);
  slider.set("value", 3);
  assert.equal(shown("t0"), "3.0");
  assert.equal(document.querySelectorAll(".gl-changed").length, 0);
  assert.equal(document.querySelector<HTMLElement>(".gl-strip button")?.hidden, true);
  slider.set("value", Number(first));
  await passed();
  assert.equal(shown("t0"), first);
  assert.deepEqual(asked, []);
});

test("of changes within a frame, the last is followed", async () => {
  const { slider, shown } = await opened();
  for (let k = 1; k <= 1000; k += 1) slider.set("value", 2 + k);
  assert.equal(shown("t0"), "3.0");
  await passed();
  assert.equal(shown("t0"), "1002.0");
});

test("a slider that is put on its grid has not moved", async () => {
  const { slider, shown } = await opened();
  slider.set("value", Number(first) + 0.05);
  assert.equal(shown("t0"), first);
});

test("the answer to an earlier value does not come back to the picture", async () => {
  const { player, slider, shown } = await opened();
  const seen: string[] = [];
  slider.set("value", 7);
  player.replace(JSON.parse(JSON.stringify(trace)));
  await Promise.resolve().then(() => Promise.resolve()); // before a frame is painted
  seen.push(shown("t0"));
  await passed();
  assert.deepEqual([...seen, shown("t0")], ["7.0", "7.0"]);
});

test("a slider that the kernel moves to an edit does not undo a later edit", async () => {
  const { player, slider, shown, asked } = await opened();
  const type = edit("t0");
  type("2");
  await passed();
  edit("t0")("3"); // the kernel is still busy with 2
  await passed();
  slider.set("value", 2);
  await passed();
  assert.equal(shown("t0"), "3.0");
  player.replace(JSON.parse(JSON.stringify(trace)));
  await passed();
  assert.equal(shown("t0"), "3.0");
  assert.deepEqual(
    asked.map((one) => JSON.stringify(one).match(/\d+(?=[^\d]*$)/)?.[0]),
    ["2", "3"],
  );
});

test("an error in the function brings the last right picture back, and ends what is known", async () => {
  const { model, slider, shown } = await opened();
  slider.set("value", 3);
  model.set("told", { stopped: 1 });
  assert.equal(shown("t0"), first);
  await passed();
  slider.set("value", 4);
  assert.equal(shown("t0"), first);
});

test("without its kernel nothing is foreseen", async () => {
  const gone = { now: false };
  const { slider, shown } = await opened(gone);
  gone.now = true;
  slider.set("value", 3);
  assert.equal(shown("t0"), first);
});

test("a value that is changed in the picture is shown at once, and the kernel is asked", async () => {
  const { shown, asked, answer } = await opened();
  edit("t0")("5");
  assert.equal(shown("t0"), "5.0");
  assert.deepEqual(asked, [{ a: 5 }]);
  edit("t0")("0.88749"); // as recorded; but the kernel has heard of 5
  await passed();
  assert.equal(shown("t0"), first);
  answer("");
  await passed();
  assert.deepEqual(asked, [{ a: 5 }, { a: Number(first) }]);
});

test("what the kernel refuses is taken back, with its sentence", async () => {
  const { shown, answer } = await opened();
  edit("t0")("5");
  answer("a is made inside f.");
  await passed();
  assert.equal(shown("t0"), first);
  assert.match(document.body.textContent ?? "", /a is made inside f\./);
});

test("a leaf that the kernel does not name is left to it", async () => {
  const { shown, asked } = await opened();
  edit("t1")("5");
  assert.equal(shown("t1"), second);
  assert.deepEqual(asked, [{ b: 5 }]);
});

test("a player that goes leaves no listener behind", async () => {
  const { player, model, slider } = await opened();
  player.destroy();
  for (const one of [model, slider])
    assert.deepEqual(
      [...one.listeners.values()].map(({ size }) => size),
      [0],
    );
});
