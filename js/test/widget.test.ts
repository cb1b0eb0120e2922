import assert from "node:assert/strict";
import { mock, test } from "node:test";
import widget, { type Model } from "../src/widget.ts";
import { lesson, newPage } from "./page.ts";

/** A model as anywidget gives it: traits, listeners, and a count of what was sent to Python. */
class FakeModel implements Model {
  readonly traits: { [name: string]: unknown } = { trace: lesson(), step: 0, playing: false };
  readonly listeners = new Map<string, Set<() => void>>();
  saved = 0;

  get(name: string): never {
    return this.traits[name] as never;
  }
  set(name: string, value: unknown): void {
    if (this.traits[name] === value) return;
    this.traits[name] = value;
    for (const listener of this.listeners.get(`change:${name}`) ?? []) listener();
  }
  save_changes(): void {
    this.saved += 1;
  }
  on(name: string, callback: () => void): void {
    this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(callback));
  }
  off(name: string, callback: () => void): void {
    this.listeners.get(name)?.delete(callback);
  }
}

function view(model: FakeModel): {
  el: HTMLElement;
  leave: () => void;
  count: () => string | null | undefined;
} {
  const el = document.body.appendChild(document.createElement("div"));
  const leave = widget.render({ model, el });
  return { el, leave, count: () => el.querySelector(".gl-count")?.textContent };
}

const forward = (el: HTMLElement) =>
  el.querySelector<HTMLElement>('[aria-label="One step forward"]')?.click();

test("a step on the page reaches Python, and a step from Python reaches the page", () => {
  newPage();
  const model = new FakeModel();
  const { el, count } = view(model);
  forward(el);
  assert.deepEqual([model.traits.step, model.saved], [2, 1]);
  model.set("step", 51);
  assert.equal(count(), "step 14 of 14");
  assert.equal(model.saved, 1); // what came from Python is not sent back
});

test("two views of one model walk together", () => {
  newPage();
  const model = new FakeModel();
  const [one, two] = [view(model), view(model)];
  forward(one.el);
  forward(two.el);
  assert.deepEqual([one.count(), two.count()], ["step 3 of 14", "step 3 of 14"]);
});

test("two views that play take each step once", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  newPage();
  const model = new FakeModel();
  const [one, two] = [view(model), view(model)];
  model.set("playing", true);
  for (let beat = 2; beat <= 5; beat += 1) {
    mock.timers.tick(1400);
    assert.deepEqual([one.count(), two.count()], [`step ${beat} of 14`, `step ${beat} of 14`]);
  }
  model.set("playing", false);
  mock.timers.tick(60_000);
  assert.equal(one.count(), "step 5 of 14");
  mock.timers.reset();
});

test("a new trace replaces the old picture", () => {
  newPage();
  const model = new FakeModel();
  const { el } = view(model);
  model.set("trace", { ...lesson(), events: [] });
  assert.equal(el.querySelector(".gl-foot"), null);
});

test("the clean-up removes the view and its listeners", () => {
  newPage();
  const model = new FakeModel();
  const { el, leave } = view(model);
  leave();
  assert.equal(el.childElementCount, 0);
  assert.deepEqual(
    [...model.listeners.values()].map((set) => set.size),
    [0, 0, 0],
  );
});
