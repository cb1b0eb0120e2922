import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { mountPlayer, type PlayerHandle } from "../src/player.ts";
import type { Trace } from "../src/trace.ts";
import { lesson, newPage } from "./page.ts";

let root: HTMLElement;
let player: PlayerHandle;
let told: [string, unknown][];

beforeEach(() => {
  root = newPage().appendChild(document.createElement("div"));
  told = [];
  player = mountPlayer(root, lesson(), { onChange: (name, value) => told.push([name, value]) });
});
afterEach(() => player.destroy());

const text = (selector: string) => root.querySelector(selector)?.textContent;
const press = (key: string) =>
  root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

/** The lesson with another value of `a`, as a card of its own would show it. */
function changed(value: string): Trace {
  const trace = lesson();
  const a = trace.graph.tensors.find(({ name }) => name === "a");
  assert.ok(a?.value);
  a.value.text = value;
  return trace;
}

test("another trace keeps the step, the granularity, the breakpoints and the table", () => {
  for (const key of ["ArrowRight", "ArrowRight", "b", "t"]) press(key);
  player.set("granularity", "micro");
  const before = text(".gl-position");
  const sheet = root.querySelector("style");
  player.replace(changed("7.25"));
  assert.equal(text(".gl-position"), before);
  assert.equal(root.querySelector(".gl-tabled") !== null, true);
  assert.equal(root.querySelectorAll(".gl-break").length, 1);
  assert.equal(root.querySelectorAll(".gl-frame").length, 1);
  assert.equal(root.querySelector("style"), sheet); // read once
});

test("what came is marked in the picture and for screen readers, until the next trace", () => {
  player.replace(changed("1.0"), { came: ["n1", "t0", "n999"] });
  const marked = () => [...root.querySelectorAll<SVGElement>(".gl-came")].map((one) => one.dataset.id);
  assert.deepEqual(marked().sort(), ["n1", "t0"]);
  assert.equal(root.querySelectorAll(".gl-new").length, 2);
  assert.match(text('[data-id="n1"] > title') ?? "", /; new$/);
  player.replace(changed("2.0"));
  assert.deepEqual(marked(), []);
});

test("a shorter trace shows the nearest step that it has, and says so to its owner", () => {
  player.setStep(player.last);
  told = [];
  const trace = lesson();
  player.replace({ ...trace, events: trace.events.slice(0, 20) });
  assert.deepEqual(told[0], ["step", 19]);
  assert.equal(player.last, 19);
});

test("the step that stands where the learner stood is shown", () => {
  player.setStep(10);
  told = [];
  player.replace(changed("3.0"), { step: 2 });
  assert.equal(text(".gl-position"), "step 2 of 14");
  assert.deepEqual(told, [["step", 2]]);
});

test("a presentation goes on with another trace, and ends with the player", () => {
  press("f");
  assert.ok(root.classList.contains("gl-presenting"));
  player.replace(changed("2.5"));
  assert.ok(root.classList.contains("gl-presenting"));
  assert.equal(root.querySelectorAll(".gl-ring").length, 1);
  player.destroy();
  assert.equal(root.classList.contains("gl-presenting"), false);
});

test("the focus stays on the same control", () => {
  const forward = () => root.querySelector<HTMLElement>('[aria-label="One step forward"]');
  forward()?.focus();
  player.replace(changed("2.5"));
  assert.equal(document.activeElement, forward());
});

test("the focus stays on the same leaf where the graph is another one", () => {
  const hit = (id: string) => root.querySelector<HTMLElement>(`[data-id="${id}"] > .gl-hit`);
  hit("t1")?.focus();
  const trace = lesson();
  player.replace({ ...trace, events: trace.events.slice(0, 30) });
  assert.equal(document.activeElement, hit("t1"));
});

test("a trace that is damaged says so, and the next one that is whole is shown", () => {
  player.setStep(4);
  player.replace({ format: "graphlab.trace", version: 3 });
  assert.match(text(".gl-frame") ?? "", /damaged/);
  player.replace(changed("2.0"));
  assert.match(text(".gl-position") ?? "", /of 14/);
});

test("where only values differ, the drawing stays and its numbers change", () => {
  player.setStep(20);
  const drawn = () => root.querySelector(".gl-picture");
  const before = drawn();
  const trace = changed("7.25");
  for (const scene of trace.scenes)
    for (const { id, marks } of scene.groups)
      if (id === "t0") for (const mark of marks) if (mark.c === "name") mark.t = "A";
  const event = trace.events[20] as { caption: unknown };
  event.caption = ["now with 7.25"];
  player.replace(trace, { came: ["t0"] });
  assert.equal(drawn(), before);
  assert.equal(text('[data-id="t0"] .gl-name'), "A");
  assert.equal(text(".gl-narration"), "now with 7.25");
  player.replace(changed("7.5"));
  assert.equal(drawn(), before);
  assert.equal(root.querySelector(".gl-came, .gl-new"), null);
});

test("the gradients of another trace are those of its own events", () => {
  player.setStep(player.last);
  const cells = () => [...root.querySelectorAll("[data-tensor=t0] td")].map((cell) => cell.textContent);
  const old = cells();
  const trace = JSON.parse(JSON.stringify(lesson()).replaceAll('"text":"3.0"', '"text":"9.5"')) as Trace;
  player.replace(trace);
  assert.notDeepEqual(cells(), old);
  assert.ok(cells().includes("9.5"));
});
