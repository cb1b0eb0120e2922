import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "../src/neighbours.ts";
import { Hands } from "./hands.ts";

const count = (hands: Hands, selector: string) => hands.root.querySelectorAll(selector).length;

test("b sets a breakpoint on the node at work and takes it away", () => {
  const hands = new Hands({ step: 13 });
  hands.press("b");
  assert.deepEqual(hands.last("breakpoints"), ["n1"]);
  assert.ok(hands.find('[data-id="n1"]').classList.contains("gl-break"));
  assert.equal(count(hands, ".gl-segments [data-break]"), 1);
  hands.press("b");
  assert.deepEqual(hands.last("breakpoints"), []);
  assert.equal(count(hands, ".gl-break, [data-break]"), 0);
});

test("playing stops at a breakpoint, and continues from there", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const hands = new Hands({ breakpoints: ["LogBackward0"] });
  hands.press(" ");
  for (let beat = 0; beat < 40; beat += 1) context.mock.timers.tick(1400);
  assert.equal(hands.find('[data-id="n3"]').getAttribute("data-status"), "current");
  assert.equal(hands.text(".gl-position"), "step 7 of 14");
  assert.equal(hands.text(".gl-play"), "Play");
  hands.press(" ");
  for (let beat = 0; beat < 40; beat += 1) context.mock.timers.tick(1400);
  assert.match(hands.text(".gl-narration"), /^Done/);
});

test("Shift+Right stops at a breakpoint between two steps of the story", () => {
  const hands = new Hands({ granularity: "story", breakpoints: ["n0"] });
  hands.press("ArrowRight", { shiftKey: true });
  assert.match(hands.text(".gl-narration"), /^AddBackward0 /);
  hands.press("ArrowRight", { shiftKey: true });
  assert.match(hands.text(".gl-narration"), /^The gradient reaches the leaf /);
});

test("kinds of nodes are chosen from a list", () => {
  const hands = new Hands();
  hands.press("B", { shiftKey: true });
  const boxes = [...hands.root.querySelectorAll<HTMLInputElement>(".gl-choices input")];
  const mul = boxes.find((box) => box.parentElement?.textContent === "MulBackward0 2 nodes");
  assert.ok(mul);
  mul.checked = true;
  mul.dispatchEvent(new Event("change"));
  assert.deepEqual(hands.last("breakpoints"), ["MulBackward0"]);
  assert.equal(count(hands, "[data-id].gl-break"), 2);
  hands.press("Escape");
  assert.equal(count(hands, "dialog[open]"), 0);
});

test("breakpoints from Python that name nothing here are left out", () => {
  const hands = new Hands();
  hands.player.set("breakpoints", ["n1", "n99", "<script>"]);
  assert.equal(count(hands, ".gl-break"), 1);
  assert.equal(hands.last("breakpoints"), undefined);
});

test("the table has a row for each step, marks the present one, and its buttons go there", () => {
  const hands = new Hands();
  hands.press("t");
  assert.equal(count(hands, ".gl-steps tbody tr"), 14);
  assert.equal(hands.text(".gl-steps caption"), "All 14 steps of the backward pass of e");
  assert.equal(hands.find("[aria-current]").dataset.step, "1");
  const cells = [...hands.find('tr[data-step="4"]').children].map((cell) => cell.textContent);
  assert.deepEqual(cells.slice(2), ["MulBackward0 · 3", "1.0", "5.0", "line 7: v = t*c"]);
  hands.find('tr[data-step="4"] button').click();
  assert.equal(hands.text(".gl-position"), "step 4 of 14");
  assert.equal(hands.find("[aria-current]").dataset.step, "4");
  assert.equal(count(hands, '.gl-steps [tabindex="0"]'), 1, "Tab meets the present row only");
  hands.press("ArrowRight");
  assert.equal(hands.find("[aria-current]").dataset.step, "5");
  hands.press("t");
  assert.ok(hands.find(".gl-table").hidden);
});

test("the table follows the granularity", () => {
  const hands = new Hands();
  hands.press("t");
  hands.choose("Granularity", "story");
  assert.equal(count(hands, ".gl-steps tbody tr"), 7);
});

test("presenter mode fills the page and Escape leaves it", () => {
  const hands = new Hands();
  hands.press("f");
  assert.ok(hands.root.classList.contains("gl-presenting"));
  assert.equal(count(hands, ".gl-ring"), 1);
  hands.press("Escape");
  assert.ok(!hands.root.classList.contains("gl-presenting"));
  assert.equal(count(hands, ".gl-ring"), 0);
});

/** Lets the browser answer requests for full screen, and tell what has changed, when the test says so. */
function lateBrowser({ root }: Hands) {
  const requests: (() => void)[] = [];
  const show = (element: Element | null) =>
    Object.defineProperty(document, "fullscreenElement", { value: element, configurable: true });
  const tell = () => document.dispatchEvent(new Event("fullscreenchange"));
  const answer = async () => {
    show(root);
    tell();
    requests.shift()?.();
    await new Promise(setImmediate);
  };
  root.requestFullscreen = () => new Promise((done) => requests.push(done));
  document.exitFullscreen = async () => void show(null);
  return { answer, tell };
}

test("who presents again before the browser tells that full screen was left still presents", async () => {
  const hands = new Hands();
  const { answer, tell } = lateBrowser(hands);
  const presents = () => hands.root.classList.contains("gl-presenting");
  hands.press("f");
  await answer();
  hands.press("Escape");
  hands.press("f");
  tell(); // of the Escape
  assert.ok(presents());
  await answer();
  assert.ok(presents());
  await document.exitFullscreen(); // the browser's own Escape
  tell();
  assert.ok(!presents());
});

test("a presentation that ended before the browser answered leaves no full screen behind", async () => {
  const hands = new Hands();
  const { answer } = lateBrowser(hands);
  hands.press("f");
  hands.press("Escape");
  await answer();
  assert.ok(!document.fullscreenElement);
  assert.ok(!hands.root.classList.contains("gl-presenting"));
});

test("a presenter's remote control steps", () => {
  const hands = new Hands();
  hands.press("PageDown");
  assert.equal(hands.text(".gl-position"), "step 2 of 14");
  hands.press("PageUp");
  assert.equal(hands.text(".gl-position"), "step 1 of 14");
});

test("Escape leaves the innermost thing first", () => {
  const hands = new Hands();
  for (const key of ["p", "t", "f", "?"]) hands.press(key);
  const open = () =>
    [
      (hands.find(".gl-dialog") as HTMLDialogElement).open,
      hands.root.classList.contains("gl-presenting"),
      !hands.find(".gl-table").hidden,
      !hands.find(".gl-predict").hidden,
    ].filter(Boolean).length;
  for (const left of [4, 3, 2, 1, 0]) {
    assert.equal(open(), left);
    hands.press("Escape");
  }
});

test("a reset clears breakpoints and score and goes to the first step", () => {
  const hands = new Hands({ step: 30, breakpoints: ["n1"], score: { right: 1, asked: 1 } });
  hands.click("Reset");
  assert.equal(hands.text(".gl-position"), "step 1 of 14");
  assert.deepEqual(hands.last("breakpoints"), []);
  assert.deepEqual(hands.last("score"), { right: 0, asked: 0 });
});

test("every button has a name and every key of a title works", () => {
  const hands = new Hands();
  for (const button of hands.root.querySelectorAll("button"))
    assert.ok(button.getAttribute("aria-label") ?? button.textContent, button.outerHTML);
});

test("the nearest ids are those with the fewest links in between", () => {
  const links = new Map([
    ["a", ["b"]],
    ["b", ["a", "c"]],
    ["c", ["b", "d"]],
    ["d", ["c"]],
  ]);
  assert.deepEqual([...nearest(links, ["b"], 3)], ["b", "a", "c"]);
  assert.deepEqual([...nearest(links, ["gone"], 2)], ["a", "b"]);
  assert.equal(nearest(new Map(), ["a"], 2).size, 0);
});
