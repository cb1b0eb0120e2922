// The forward pass in the player: the walk with it and without it, the switch, and the questions about it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rebased, walked } from "../src/forward.ts";
import { Timeline } from "../src/timeline.ts";
import { readTrace, type Trace, TraceError } from "../src/trace.ts";
import widget, { type Model } from "../src/widget.ts";
import { Hands } from "./hands.ts";
import { fixture, newPage, smallScene } from "./page.ts";

const FORWARD = new Set(["ForwardBegan", "Computed", "SavedKept", "ForwardFinished"]);
const raw = () => fixture("forward.json") as Trace & { forward_states: unknown[] };
const read = () => readTrace(raw());
/** The recorded loop with a drawing for each pass. */
const drawn = (): Trace => {
  const trace = raw();
  const scene = smallScene(trace);
  const text = (id: string) => trace.graph.tensors.find((one) => one.id === id)?.value?.text;
  const groups = scene.groups.map((group) => ({ ...group, title: `${group.title}; ${text(group.id)}` }));
  const passes = (trace.passes ?? []).map((one) => ({ ...one, scenes: [{ ...scene, groups }] }));
  return { ...trace, passes } as Trace;
};
const opened = (options = {}) => new Hands(options, drawn());

test("with its forward passes, a walk has the states that Python has", () => {
  const { forward_states: expected } = raw();
  const timeline = new Timeline(walked(read(), true));
  assert.equal(timeline.length, expected.length);
  const forwards = expected.map((_, k) => k);
  for (const k of [...forwards, ...forwards.toReversed()])
    assert.deepEqual(timeline.stateAt(k), expected[k], `state ${k}`);
});

test("forwards and back again, the walk is as it was", () => {
  const trace = read();
  const whole = walked(trace, true);
  const back = walked(whole, false);
  assert.deepEqual(back.events, trace.events);
  assert.deepEqual(back.passes, trace.passes);
  assert.deepEqual(back.forward, trace.forward);
  assert.deepEqual(walked(back, true).events, whole.events);
  assert.deepEqual(readTrace({ ...raw(), walks_forward: true }).events, whole.events);
});

test("an event keeps its place in both walks, and the beginning stays the beginning", () => {
  const trace = read();
  const whole = walked(trace, true);
  for (const [k, event] of trace.events.entries()) {
    const there = rebased(k, trace, true);
    if (k) assert.equal(whole.events[there], event);
    assert.equal(rebased(there, whole, false), k);
  }
  assert.equal(rebased(0, trace, true), 0);
  for (const [k, event] of whole.events.entries())
    if (FORWARD.has(event.kind))
      assert.ok(!FORWARD.has(trace.events[rebased(k, whole, false)]?.kind ?? "Computed"), `event ${k}`);
});

test("each pass begins with its forward part", () => {
  const whole = walked(read(), true);
  assert.equal(whole.events[whole.passes?.[1]?.first ?? 0]?.kind, "ForwardBegan");
});

test("a damaged forward part is refused with a sentence, and one beyond the events is left out", () => {
  const broken = (forward: unknown) => () => readTrace({ ...raw(), forward });
  assert.throws(broken(3), TraceError);
  assert.throws(broken([{ before: -1, events: [] }]), /forward\[0\]\.before should be an integer from 0 on/);
  assert.throws(broken([{ before: 0, events: [{ kind: "Computed" }] }]), /forward\[0\]\.events\[0\]\.level/);
  assert.deepEqual(readTrace({ ...raw(), forward: [{ before: 9999, events: [] }] }).forward, []);
});

test("the switch adds the forward passes at the same event, tells its owner, and takes them away again", () => {
  const hands = opened({ step: 20 });
  const before = hands.text(".gl-narration");
  assert.equal(hands.find(".gl-way").hidden, true);
  hands.press("F", { shiftKey: true });
  assert.equal(hands.text(".gl-narration"), before);
  assert.equal(hands.last("walks_forward"), true);
  assert.deepEqual(
    hands.told.map(([name]) => name),
    ["walks_forward", "step", "reached"],
  );
  assert.equal(hands.last("step"), rebased(20, read(), true));
  assert.equal(hands.text(".gl-way"), "← backward");
  hands.click("Forward");
  assert.equal(hands.last("step"), 20);
  assert.equal(hands.text(".gl-narration"), before);
});

test("where a trace holds no forward pass, there is no button, and the key says so", () => {
  const hands = new Hands();
  assert.equal((hands.find(".gl-forward") as HTMLButtonElement).hidden, true);
  hands.press("F", { shiftKey: true });
  assert.equal(hands.text(".gl-toast"), "This recording holds no forward pass.");
});

test("what is not computed says so, in the picture and to a screen reader, until it is", () => {
  const hands = opened({ walks_forward: true, step: 0 });
  const { graph } = read();
  const loss = graph.root;
  const card = () => hands.find(`[data-id="${loss}"]`);
  assert.match(hands.text(".gl-narration"), /forward pass computes loss/);
  assert.ok(card().classList.contains("gl-pending"));
  assert.match(card().querySelector(".gl-hit")?.getAttribute("aria-label") ?? "", /not computed/);
  assert.equal(hands.text(".gl-p-now td"), "loss = not computed");
  while (!/^loss = /.test(hands.text(".gl-narration"))) hands.press("ArrowRight");
  assert.ok(!card().classList.contains("gl-pending"));
  assert.equal(hands.text(".gl-p-queue [role=heading]"), "Operations");
  assert.match(hands.text(".gl-why"), /^Why now: Its inputs/);
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /^The forward pass is done: loss = /);
  hands.press("ArrowRight");
  assert.equal(hands.text(".gl-p-queue [role=heading]"), "Ready queue");
});

test("with Shift the arrows go from operation to operation, and a breakpoint stops at one", () => {
  const hands = opened({ walks_forward: true, granularity: "micro" });
  const { events } = walked(read(), true);
  const computed = events.flatMap(({ kind }, k) => (kind === "Computed" ? [k] : []));
  hands.press("ArrowRight", { shiftKey: true });
  assert.equal(hands.last("step"), computed[0]);
  hands.press("ArrowRight", { shiftKey: true });
  assert.equal(hands.last("step"), computed[1]);
});

test("the search goes to the operation that computes a tensor", () => {
  const hands = opened({ walks_forward: true });
  hands.press("/");
  const field = hands.find(".gl-field") as HTMLInputElement;
  field.value = "h";
  field.dispatchEvent(new Event("input"));
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  assert.match(hands.text(".gl-narration"), /^h = X W: /);
});

test("a product of matrices shows each entry as the sum that it is", () => {
  const hands = opened({ walks_forward: true });
  while (!/^h = /.test(hands.text(".gl-narration"))) hands.press("ArrowRight");
  const cell = hands.find(".gl-result td");
  cell.dispatchEvent(new Event("pointerenter"));
  assert.equal(hands.text(".gl-sum"), "1·1 + 2·0.5 = 2");
});

test("predict mode asks for values, hides them, and names the operation as a hint", () => {
  const hands = opened({ walks_forward: true });
  hands.press("p");
  hands.press("ArrowRight");
  assert.equal(hands.text(".gl-narration"), "h = X W is computed next. What is h?");
  hands.click("Hint");
  assert.equal(hands.text(".gl-said").replaceAll("\u00a0", " "), "MmBackward0 ran h = X W: (2, 2) @ (2, 2)");
  hands.answer("2 -1 5 -3");
  assert.deepEqual(hands.last("score"), { right: 0, asked: 1 });
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /What is h\.mean\(\)\?$/);
  hands.answer("0.75");
  assert.deepEqual(hands.last("score"), { right: 1, asked: 2 });
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /What is loss\?$/);
  assert.ok(!hands.says("0.375"));
  assert.ok(!hands.root.innerHTML.includes("0.375")); // in no title, either
  hands.answer("0.375");
  assert.deepEqual(hands.last("score"), { right: 2, asked: 3 });
});

test("predict mode asks for the shape of what is computed", () => {
  const hands = opened({ walks_forward: true });
  hands.press("p");
  hands.choose("What to predict", "shape");
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /What is the shape of h\?$/);
  hands.answer("2, 2");
  assert.deepEqual(hands.last("score"), { right: 1, asked: 1 });
});

test("the bar says which part goes forward and which goes back", () => {
  const hands = opened({ walks_forward: true });
  const words = [...hands.root.querySelectorAll(".gl-ways span")].map(({ textContent }) => textContent);
  assert.deepEqual(words, ["→ forward", "← backward", "→ forward", "← backward"]);
});

/** A model as anywidget gives it. */
function model(traits: { [name: string]: unknown }): Model & { traits: { [name: string]: unknown } } {
  const listeners: [string, (content?: unknown) => void][] = [];
  return {
    traits,
    get: (name: string) => traits[name] as never,
    set(name: string, value: unknown) {
      if (traits[name] === value) return;
      traits[name] = value;
      for (const [event, call] of [...listeners]) if (event === `change:${name}`) call();
    },
    save_changes() {},
    on: (name, call) => void listeners.push([name, call]),
    off() {},
  };
}

test("two views of one model switch together, and so does Python", () => {
  newPage();
  const traits = { trace: drawn(), step: 20, walks_forward: false, granularity: "node", breakpoints: [] };
  const shared = model({ ...traits, predicting: false, playing: false, score: { right: 0, asked: 0 } });
  const views = [0, 1].map(() => {
    const el = document.body.appendChild(document.createElement("div"));
    widget.render({ model: shared, el });
    return el;
  });
  const said = () => views.map((el) => el.querySelector(".gl-narration")?.textContent);
  const [before] = said();
  views[0]?.querySelector<HTMLElement>(".gl-forward")?.click();
  assert.deepEqual(said(), [before, before]);
  assert.equal(shared.traits.step, rebased(20, read(), true));
  shared.set("walks_forward", false); // Python sends the switch first, and then the step
  shared.set("step", 20);
  assert.deepEqual(said(), [before, before]);
  assert.equal(shared.traits.step, 20);
});
