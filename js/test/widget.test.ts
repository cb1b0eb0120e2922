import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as extras from "../src/extras.ts";
import type { Value } from "../src/trace.ts";
import widget, { type Model } from "../src/widget.ts";
import { fixture, lesson, newPage } from "./page.ts";
import { pairs } from "./pairs.ts";

/** A model as anywidget gives it: traits, listeners, and a count of what was sent to Python. */
class FakeModel implements Model {
  readonly traits: { [name: string]: unknown } = {
    trace: lesson(),
    step: 0,
    playing: false,
    granularity: "node",
    breakpoints: [],
    predicting: false,
    score: { right: 0, asked: 0 },
  };
  readonly listeners = new Map<string, Set<(content?: unknown) => void>>();
  readonly sent: { ask?: number }[] = [];
  saved = 0;
  widget_manager: { kernel?: object | null } | undefined;

  send(content: object): void {
    this.sent.push(content);
  }

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
  on(name: string, callback: (content?: unknown) => void): void {
    this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(callback));
  }
  off(name: string, callback: (content?: unknown) => void): void {
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
  return { el, leave, count: () => el.querySelector(".gl-position")?.textContent };
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

test("two views of one model move together", () => {
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
  assert.ok(model.listeners.size > 5);
  for (const [event, listeners] of model.listeners) assert.equal(listeners.size, 0, event);
});

test("a widget whose tensors were replaced shows a warning, and removes it", () => {
  newPage();
  const model = new FakeModel();
  const { el } = view(model);
  const badge = () => el.querySelector<HTMLElement>(".gl-stale");
  assert.equal(badge()?.hidden, true);
  model.set("stale", "e <b>was</b> reassigned since this was recorded.");
  assert.equal(badge()?.hidden, false);
  assert.equal(badge()?.textContent, "stalee <b>was</b> reassigned since this was recorded.");
  model.set("stale", "");
  assert.equal(badge()?.hidden, true);
});

/** The lesson, whose root is a matrix of which the trace holds a corner. */
function withMatrix(): FakeModel {
  const model = new FakeModel();
  const { large } = fixture("values.json") as unknown as { [name: string]: Value };
  const trace = lesson();
  for (const tensor of trace.graph.tensors) if (tensor.id === trace.graph.root) tensor.value = large as Value;
  model.traits.trace = trace;
  return model;
}

const onward = (el: HTMLElement) =>
  el.querySelector<HTMLElement>('[aria-label="forward along dimension 1"]')?.click();
const settled = () => new Promise((done) => setImmediate(done));

test("requests for entries are numbered, and each answer goes to its request", async () => {
  newPage();
  const model = withMatrix();
  const { el } = view(model);
  onward(el);
  const [{ ask, ...asked } = {}] = model.sent;
  assert.deepEqual({ ...asked, like: 0 }, { value: "t7", like: 0, at: [], rows: [0, 5], cols: [5, 10] });
  for (const other of [{ ask: 99, entries: ["0.0"] }, { ask, entries: Array(25).fill("7.5") }, {}]) {
    for (const listener of model.listeners.get("msg:custom") ?? []) listener(other);
  }
  await settled();
  assert.equal(el.querySelector("td.gl-plus")?.textContent, "7.5");
});

test("a kernel that dies during a request is reported, and the player goes on", async () => {
  newPage();
  mock.timers.enable({ apis: ["setTimeout"] });
  const model = withMatrix();
  const { el, count } = view(model);
  onward(el);
  mock.timers.tick(5000);
  mock.timers.reset();
  await settled();
  assert.match(el.querySelector(".gl-reading")?.textContent ?? "", /^The kernel does not answer/);
  forward(el);
  assert.equal(count(), "step 2 of 14");
});

/** A kernel as JupyterLab's widget manager has it: it says when it changes, and when it goes. */
class FakeKernel {
  status = "idle";
  isDisposed = false;
  readonly listeners = new Set<() => void>();
  readonly statusChanged = this.#signal();
  readonly disposed = this.#signal();

  #signal() {
    return {
      connect: (listener: () => void) => void this.listeners.add(listener),
      disconnect: (listener: () => void) => void this.listeners.delete(listener),
    };
  }
  becomes(change: { status?: string; isDisposed?: boolean }): void {
    Object.assign(this, change);
    for (const listener of this.listeners) listener();
  }
}

const badgeOf = (el: HTMLElement) => el.querySelector<HTMLElement>(".gl-stale");

test("a kernel that dies is reported at once, and the player goes on without Python", async () => {
  for (const end of [{ status: "dead" }, { isDisposed: true }, "comm_live_update"] as const) {
    newPage();
    const model = withMatrix();
    const kernel = new FakeKernel();
    model.widget_manager = { kernel };
    const { el, count, leave } = view(model);
    kernel.becomes({ status: "busy" });
    assert.equal(badgeOf(el)?.hidden, true);
    if (typeof end === "string") for (const listener of model.listeners.get(end) ?? []) listener();
    else kernel.becomes(end);
    assert.equal(badgeOf(el)?.hidden, false);
    assert.match(badgeOf(el)?.textContent ?? "", /^kernel gone.*no longer connected to Python/);
    onward(el);
    await settled();
    assert.match(el.querySelector(".gl-reading")?.textContent ?? "", /^The kernel is gone/);
    assert.equal(model.sent.length, 0);
    forward(el);
    assert.deepEqual([count(), model.saved, model.traits.step], ["step 2 of 14", 0, 2]);
    model.set("stale", "");
    assert.equal(badgeOf(el)?.hidden, false);
    leave();
    assert.equal(kernel.listeners.size, 0);
  }
});

test("a kernel that was replaced is noticed at the next step", () => {
  newPage();
  const model = new FakeModel();
  model.widget_manager = { kernel: new FakeKernel() };
  const { el } = view(model);
  model.widget_manager.kernel = new FakeKernel();
  forward(el);
  assert.deepEqual([badgeOf(el)?.hidden, model.saved], [false, 0]);
});

for (const [named, ready] of [
  ["a model that anywidget has given up hears Python directly, and asks for what it missed", false],
  ["a model that anywidget passes messages on to is left alone", true],
] as const)
  test(named, async () => {
    newPage();
    const heard: object[] = [];
    const sent: object[] = [];
    let listener: ((message: object) => unknown) | undefined;
    class Usual {
      readonly comm = {
        on_msg: (callback: typeof listener) => (listener = callback),
        send: (data: object) => sent.push(data),
      };
      async _handle_comm_msg(message: object): Promise<void> {
        heard.push(this, message);
      }
    }
    class Waiting extends Usual {
      override async _handle_comm_msg(): Promise<void> {
        if (!ready) throw new Error("[anywidget] Failed to initialize model.");
      }
    }
    const whole = new Waiting();
    const model = Object.assign(new FakeModel(), { set: () => whole });
    model.widget_manager = { kernel: new FakeKernel() };
    view(model);
    await new Promise(setImmediate);
    assert.deepEqual(sent, ready ? [] : [{ method: "request_state" }]);
    listener?.({});
    assert.deepEqual(heard, ready ? [] : [whole, {}]);
  });

test("without information about the kernel, it is taken to be there", () => {
  for (const manager of [undefined, {}, { kernel: null }, { kernel: {} }]) {
    newPage();
    const model = new FakeModel();
    model.widget_manager = manager;
    const { el } = view(model);
    forward(el);
    assert.deepEqual([badgeOf(el)?.hidden, model.saved], [true, 1]);
  }
});

test("an edit that comes while Python is busy is told, and can be made again", async () => {
  newPage();
  const model = new FakeModel();
  model.send = () => {
    throw new Error("busy");
  };
  const { el } = view(model);
  model.set("edits", { a: 3 });
  await new Promise(setImmediate);
  assert.match(el.textContent ?? "", /The kernel is busy: try again when it is done\./);
});

test("what is seldom needed is asked for when somebody comes to the player", async () => {
  newPage();
  const model = new FakeModel();
  const { el } = view(model);
  assert.deepEqual(model.sent, []);
  el.querySelector(".graphlab")?.dispatchEvent(new Event("pointerenter"));
  assert.deepEqual(model.sent, [{ module: "extras", ask: 1 }]);
  const refused = { ask: 1, why: "not now" }; // nothing is said: nobody has asked for anything
  for (const listener of model.listeners.get("msg:custom") ?? []) listener(refused);
  await new Promise(setImmediate);
  assert.equal(el.querySelector(".gl-toast")?.textContent, "");
});

test("a dialog says why it cannot open where Python does not answer", async () => {
  newPage();
  const model = new FakeModel();
  model.send = () => {
    throw new Error("busy");
  };
  const { el } = view(model);
  const root = el.querySelector(".graphlab") as HTMLElement;
  for (const key of ["?", "/", "B", "t"]) {
    root.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: key === "B", bubbles: true }));
    await new Promise(setImmediate);
    assert.match(el.querySelector(".gl-toast")?.textContent ?? "", /The kernel is busy: try again/);
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  }
});

/** What Python answers to the question for the extras: it unpacks a text that here takes them from this process. */
async function sendExtras(model: FakeModel): Promise<void> {
  Object.assign(globalThis, { theExtras: extras });
  const version = 'globalThis["graphlab-0123456789ab"]';
  const unpacked = `${version}.x = { extras: globalThis.theExtras }`;
  const text = `${version} = { e: "" }`;
  const urls = [text, unpacked].map((code) => `data:text/javascript,${encodeURIComponent(code)}`);
  const waiting = [...urls];
  mock.method(URL, "createObjectURL", () => waiting.shift());
  mock.method(URL, "revokeObjectURL", () => undefined);
  const asked = model.sent.findLast((one) => "module" in one);
  for (const listener of model.listeners.get("msg:custom") ?? []) listener({ ask: asked?.ask, module: text });
  for (const url of urls) {
    await import(url); // which the widget has begun, and hears first
    await new Promise(setImmediate);
  }
  mock.restoreAll();
}

test("an edit reaches Python by the name of its leaf, and edits from Python move every view", async () => {
  newPage();
  const model = new FakeModel();
  const [pair] = pairs();
  Object.assign(model.traits, { trace: pair?.one, edits: {} });
  const [one, two] = [view(model), view(model)];
  const shown = (el: HTMLElement) => el.querySelector('[data-id="t0"] .gl-value')?.textContent;
  one.el.querySelector('[data-edit="t0 0"]')?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.deepEqual(model.sent.at(-1), { module: "extras", ask: 1 });
  assert.equal(one.el.querySelector(".gl-typed"), null);
  await sendExtras(model);
  const field = one.el.querySelector(".gl-typed") as HTMLInputElement; // the click opened it
  assert.equal(document.activeElement, field);
  field.value = "2.5";
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  await new Promise(setImmediate); // the other view takes the extras now
  assert.deepEqual([model.traits.edits, model.saved], [{ a: 2.5 }, 1]);
  assert.deepEqual([shown(one.el), shown(two.el)], ["2.5", "2.5"]);
  await new Promise((done) => requestAnimationFrame(done));
  model.set("edits", { a: 3 });
  assert.deepEqual([shown(one.el), shown(two.el)], ["3.0", "3.0"]);
  assert.equal(model.saved, 1); // what came from Python is not sent back
  await new Promise((done) => requestAnimationFrame(done));
  model.set("edits", {});
  assert.deepEqual([shown(one.el), shown(two.el)], [pair?.one.graph.tensors[0]?.value?.text, shown(one.el)]);
});

const packed = (data: unknown) => gzipSync(JSON.stringify(data)).toString("base64");
/** Wait until `found` finds something. */
async function shown<Found>(found: () => Found): Promise<Found> {
  for (let k = 0; k < 500 && !found(); k += 1) await new Promise((done) => setTimeout(done, 10));
  return found();
}

test("the drawings of an explorer stay in the page, and the trace tells their texts", async () => {
  newPage();
  const { scenes = [], format, version, ...rest } = lesson();
  const model = new FakeModel();
  const told = (...texts: unknown[]) => ({
    format,
    version,
    gzip: packed({ format, version, ...rest, texts }),
  });
  model.traits.drawing = { gzip: packed(scenes) };
  model.traits.trace = told(...scenes.map(() => []));
  const { el, leave } = view(model);
  const groups = scenes.find(({ view }) => view === "both")?.groups ?? [];
  const id = lesson().graph.tensors.find(({ name }) => name === "a")?.id;
  const at = groups.findIndex((group) => group.id === id);
  const card = () => el.querySelector(`.gl-tensors[data-id="${id}"]`);
  const before = await shown(card);
  const titleNow = () => card()?.querySelector("title")?.textContent ?? "";
  const title = titleNow();
  assert.ok(before && title);
  const texts = groups[at]?.marks.filter(({ m }) => m === "text").map(({ t }) => t);
  model.set(
    "trace",
    told(...scenes.map(({ view }) => (view === "both" ? [[at, "another", ...(texts ?? [])]] : []))),
  );
  assert.ok(await shown(() => titleNow().startsWith("another")));
  assert.equal(card(), before); // nothing was drawn anew
  model.set("trace", told(...scenes.map(() => [])));
  assert.ok(await shown(() => titleNow() === title)); // which the drawings still have
  leave();
});

test("an explorer whose drawings are damaged says so", async () => {
  newPage();
  const { format, version, ...rest } = lesson();
  const gzip = packed({ format, version, ...rest, scenes: [], texts: [[[99_999, "", ""]]] });
  const model = new FakeModel();
  Object.assign(model.traits, {
    drawing: { gzip: packed(lesson().scenes) },
    trace: { format, version, gzip },
  });
  const { el, leave } = view(model);
  const alert = await shown(() => el.querySelector(".gl-broken"));
  assert.match(alert?.textContent ?? "", /This GraphLab trace is damaged/);
  leave();
});
