import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { marked } from "../src/dom";
import { mountPlayer, type PlayerHandle, type PlayerOptions } from "../src/player.ts";
import type { Trace } from "../src/trace.ts";
import { lesson, newPage } from "./page.ts";

let root: HTMLElement;
let player: PlayerHandle;
let steps: number[];

function mount(data: unknown = lesson(), options: PlayerOptions = {}): void {
  root = newPage().appendChild(document.createElement("div"));
  steps = [];
  player = mountPlayer(root, data, {
    onChange: (name, value) => {
      if (name === "step") steps.push(value as number);
    },
    ...options,
  });
}

const find = (selector: string) => {
  const found = root.querySelector<HTMLElement>(selector);
  assert.ok(found, `nothing on the page matches ${selector}`);
  return found;
};
const text = (selector: string) => find(selector).textContent;
const click = (label: string) =>
  find(`[aria-label="${label}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
const press = (key: string, shiftKey = false, target = root) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
const row = (id: string) =>
  [...find(`tr[data-tensor="${id}"]`).querySelectorAll("td")].map((cell) => cell.textContent);

beforeEach(() => mount());
afterEach(() => {
  player.destroy();
  mock.timers.reset();
});

test("it opens at the first step, and nothing plays by itself", () => {
  assert.equal(text(".gl-position"), "step 1 of 14");
  assert.match(text(".gl-narration") ?? "", /^The backward pass starts at e with the gradient 1\.0\.$/);
  assert.equal(text(".gl-play"), "Play");
});

test("the buttons walk to the end and back, and say each step to their owner", () => {
  for (let k = 0; k < 13; k += 1) click("One step forward");
  assert.equal(text(".gl-position"), "step 14 of 14");
  assert.equal(steps.at(-1), 51);
  click("One step forward"); // at the end: stays
  assert.equal(steps.length, 13);
  click("First step");
  assert.equal(text(".gl-position"), "step 1 of 14");
  click("Last step");
  click("One step back");
  assert.equal(text(".gl-position"), "step 13 of 14");
});

test("at the end the table holds the gradients of calculus, and inner gradients are passed on", () => {
  press("End");
  assert.deepEqual(row("t0"), ["–", "+3.0", "3.0"]);
  assert.deepEqual(row("t1"), ["–", "+2.0", "2.0"]);
  assert.deepEqual(row("t3"), ["–", "+0.5", "0.5"]);
  assert.deepEqual(row("t5"), ["–", "+2.3026", "2.3026"]);
  assert.match(text('tr[data-tensor="t2"] th') ?? "", /passed on/);
});

test("a gradient that is not computed says so and is never shown as zero", () => {
  assert.deepEqual(row("t0"), ["–", "–", "not yet"]);
  assert.equal(text('[data-id="t0"] .gl-grad'), "not yet");
});

test("the keys step, jump and turn back", () => {
  press("ArrowRight");
  press("ArrowRight");
  assert.equal(text(".gl-position"), "step 3 of 14");
  press("ArrowLeft");
  assert.equal(text(".gl-position"), "step 2 of 14");
  press("End");
  assert.equal(text(".gl-position"), "step 14 of 14");
  press("Home");
  assert.equal(text(".gl-position"), "step 1 of 14");
});

test("with Shift the arrows go from node to node", () => {
  press("ArrowRight", true);
  press("ArrowRight", true);
  assert.match(text(".gl-narration") ?? "", /^MulBackward0 .* to t\.$/);
  press("ArrowLeft", true);
  assert.match(text(".gl-narration") ?? "", /^AddBackward0 .* to u\.$/);
});

test("a key that the browser or a list needs is left alone", () => {
  const select = find("select");
  assert.equal(press("ArrowRight", false, select), true); // not prevented
  const copy = new KeyboardEvent("keydown", {
    key: "ArrowRight",
    ctrlKey: true,
    bubbles: true,
    cancelable: true,
  });
  assert.equal(root.dispatchEvent(copy), true);
  assert.equal(text(".gl-position"), "step 1 of 14");
});

test("a key that is typed with AltGr counts, as [ and ] on a German keyboard", () => {
  const chosen = () => [...root.querySelectorAll("select")].map((select) => select.value).join();
  const before = chosen();
  const typed = { key: "]", ctrlKey: true, altKey: true, bubbles: true, cancelable: true };
  const event = new KeyboardEvent("keydown", typed);
  event.getModifierState = (name) => name === "AltGraph";
  assert.equal(root.dispatchEvent(event), false);
  assert.notEqual(chosen(), before);
});

test("Space plays to the end at the pace of its speed, then stops", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  press(" ");
  assert.equal(text(".gl-play"), "Pause");
  mock.timers.tick(1400);
  assert.equal(text(".gl-position"), "step 2 of 14");
  press("]"); // twice as fast
  mock.timers.tick(700);
  assert.equal(text(".gl-position"), "step 3 of 14");
  for (let beat = 0; beat < 20; beat += 1) mock.timers.tick(700);
  assert.equal(text(".gl-position"), "step 14 of 14");
  assert.equal(text(".gl-play"), "Play");
});

test("a step by hand stops the playing", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  press(" ");
  press("ArrowRight");
  mock.timers.tick(60_000);
  assert.equal(text(".gl-position"), "step 2 of 14");
});

test("a change of granularity keeps the place", () => {
  player.setStep(13);
  const grain = find('select[aria-label^="Granularity"]') as HTMLSelectElement;
  grain.value = "micro";
  grain.dispatchEvent(new Event("change"));
  assert.equal(text(".gl-position"), "step 14 of 52");
  grain.value = "story";
  grain.dispatchEvent(new Event("change"));
  assert.match(text(".gl-narration") ?? "", /passes 5\.0 to t\.$/);
  assert.deepEqual(steps, []);
});

test("a node can be chosen by mouse and by key, and takes you to its step", () => {
  const log = find('[data-id="n3"]');
  log.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.match(text(".gl-narration") ?? "", /^LogBackward0 /);
  const add = find('[data-id="n0"]');
  press("Enter", false, add);
  assert.match(text(".gl-narration") ?? "", /^AddBackward0 /);
});

test("Tab meets the nodes in the order in which the engine runs them", () => {
  const ids = [...root.querySelectorAll(".gl-ops.gl-pick")].map((group) => group.getAttribute("data-id"));
  assert.deepEqual(ids, ["n0", "n1", "n3", "n5"]);
});

test("the state is on the picture: status, flows and freed chips", () => {
  player.setStep(13);
  assert.equal(
    find('[data-id="n0"]').dataset.status ?? find('[data-id="n0"]').getAttribute("data-status"),
    "done",
  );
  assert.equal(find('[data-id="n1"]').getAttribute("data-status"), "current");
  assert.equal(find('[data-id="n5"]').getAttribute("data-status"), "ready");
  assert.ok(find('[data-id="n1.0"]').classList.contains("gl-shown"));
  assert.ok(!find('[data-id="n3.0"]').classList.contains("gl-shown"));
  assert.ok(find('[data-id="s:n1.other"]').classList.contains("gl-focus"));
  press("End");
  assert.ok(find('[data-id="s:n1.other"]').classList.contains("gl-freed"));
  player.setStep(13);
  assert.ok(!find('[data-id="s:n1.other"]').classList.contains("gl-freed"));
});

test("a marked part is counted in code points, as Python counts", () => {
  const texts = marked("P['\u{1f98a}'] * b", 0, 6).map((part) => (part as Element).textContent ?? part);
  assert.deepEqual(texts, ["P['\u{1f98a}']", " * b"]);
});

test("the source line of the node is shown with its expression marked", () => {
  player.setStep(13);
  assert.equal(text(".gl-place"), "In [1], line 7");
  assert.equal(text(".gl-code"), "v = t*c");
  assert.equal(text(".gl-code mark"), "t*c");
});

test("help opens with ?, holds the focus and closes with Escape", () => {
  press("?");
  assert.ok((find(".gl-dialog") as HTMLDialogElement).open);
  press("Escape");
  assert.ok(!(find(".gl-dialog") as HTMLDialogElement).open);
});

test("being moved from outside is not reported back", () => {
  player.setStep(20);
  assert.deepEqual(steps, []);
  player.setStep(999); // held inside
  assert.equal(text(".gl-position"), "step 14 of 14");
});

test("a trace without events is a still picture without controls", () => {
  player.destroy();
  mount({ ...lesson(), events: [] });
  assert.equal(root.querySelector(".gl-foot"), null);
  assert.equal(root.querySelector(".gl-narration"), null);
  assert.ok(find('[data-id="t0"]'));
  assert.equal(find(".gl-picture").getAttribute("role"), "img");
  assert.match(find(".gl-overview .gl-spot").getAttribute("x") ?? "", /^-/); // no step to mark
});

test("a broken document shows a sentence, and a newer one says what to do", () => {
  mount({ format: "graphlab.trace", version: 9 });
  assert.match(text("[role=alert]") ?? "", /newer GraphLab \(trace version 9;/);
  mount("{");
  assert.match(text("[role=alert]") ?? "", /not complete JSON/);
  player.setStep(3); // a player of nothing takes orders without complaint
  player.set("playing", true);
});

test("names that look like markup are read as text everywhere", () => {
  const hostile = `<img src=x onerror="globalThis.harmed=1">`;
  const trace = JSON.parse(
    JSON.stringify(lesson()).replaceAll('"name":"a"', `"name":${JSON.stringify(hostile)}`),
  ) as Trace;
  for (const event of trace.events) event.caption = [hostile, ["name", hostile], ["onerror", hostile]];
  for (const scene of trace.scenes) {
    for (const group of scene.groups) {
      group.title = hostile;
      for (const mark of group.marks) if (mark.m === "text") mark.t = hostile;
    }
  }
  for (const node of trace.graph.nodes) {
    node.name = hostile;
    node.source = { label: hostile, line: 1, text: hostile, start: 1, end: 4 };
  }
  player.destroy();
  mount({ ...trace, title: hostile });
  for (let k = 0; k < 13; k += 1) press("ArrowRight");
  assert.equal(root.querySelector("img, script, [onerror]"), null);
  assert.ok(text(".gl-narration")?.startsWith(hostile));
  assert.equal((globalThis as { harmed?: unknown }).harmed, undefined);
});

test("destroy leaves the element as it was, and keys do nothing", () => {
  player.destroy();
  press("ArrowRight");
  assert.deepEqual(steps, []);
  assert.equal(root.childElementCount, 0);
});

test("an empty recording says why, and has no controls", () => {
  mount({
    ...(lesson() as object),
    title: "nothing was recorded: call backward() inside the block",
    graph: { root: "", tensors: [], nodes: [], edges: [] },
    events: [],
    scenes: [],
  });
  assert.equal(text(".gl-nothing"), "Nothing was recorded: call backward() inside the block.");
  assert.equal(root.querySelectorAll("button, svg, input").length, 0);
  player.set("step", 3); // and moves nowhere
});
