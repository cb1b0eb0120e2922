import assert from "node:assert/strict";
import { test } from "node:test";
import * as extras from "../src/extras.ts";
import type { PlayerOptions } from "../src/player.ts";
import { Hands } from "./hands.ts";
import { fixture } from "./page.ts";

const { walks } = fixture("questions.json") as unknown as { walks: { [name: string]: object } };

/** In predict mode at event `step` of a walk, asked about `subject`; then one step on. */
function at(walk: string, step: number, subject: string, options: PlayerOptions = {}): Hands {
  const hands = new Hands({ step, predicting: true, ...options }, walks[walk]);
  hands.choose("What to predict", subject);
  hands.press("ArrowRight");
  return hands;
}

const choices = (hands: Hands) =>
  [...hands.root.querySelectorAll(".gl-list .gl-button")].map(({ textContent }) => textContent);
const memory = (hands: Hands) => hands.text(".gl-memory span");

test("the saved tensor that is freed is chosen among those that are held", () => {
  const hands = at("freed_twice", 4, "tensor freed");
  assert.match(hands.text(".gl-narration"), /Which saved tensor is freed\?$/);
  assert.deepEqual(choices(hands), [
    "MulBackward0 · 1: other = 2.0",
    "MulBackward0 · 1: self = 3.0",
    "PowBackward0 · 2: self = 6.0",
    "none of them",
  ]);
  assert.equal(memory(hands), "saved tensors: 12\u00a0B of 12\u00a0B held");
  hands.click("MulBackward0 · 1: other = 2.0");
  assert.equal(
    hands.text(".gl-said"),
    "Not this one. MulBackward0 · 1 has not run yet, so it still needs what it has saved.",
  );
  hands.click("none of them");
  assert.match(hands.text(".gl-said"), /does not keep its graph/);
  hands.click("PowBackward0 · 2: self = 6.0");
  assert.equal(hands.text(".gl-said"), "Right: PowBackward0 · 2: self = 6.0");
  assert.equal(memory(hands), "saved tensors: 8\u00a0B of 12\u00a0B held");
  assert.deepEqual(hands.last("score"), { right: 0, asked: 1 });
});

test("in a pass that keeps its graph none is freed, and all bytes stay held", () => {
  const slots = at("kept", 4, "tensor freed");
  slots.click("PowBackward0 · 2: self = 6.0");
  assert.match(slots.text(".gl-said"), /retain_graph/);
  slots.click("none of them");
  assert.ok(slots.find(".gl-said").classList.contains("gl-right"));
  const bytes = at("kept", 4, "bytes held");
  assert.equal(
    bytes.text(".gl-narration"),
    "PowBackward0 · 2 is done. How many bytes of saved tensors are held then?",
  );
  bytes.answer("8");
  assert.match(bytes.text(".gl-said"), /^Not 8\. This pass keeps its graph/);
  bytes.answer("12");
  assert.equal(bytes.text(".gl-said"), "Right: 12 bytes");
});

test("the bytes that are held are asked for, and each misconception has its hint", () => {
  const hands = at("freed_twice", 4, "bytes held");
  assert.match(hands.text(".gl-narration"), /^PowBackward0 · 2 is done\. How many bytes/);
  assert.equal(hands.text(".gl-said"), "Type the exact number.");
  for (const [typed, hint] of [
    ["12", /^Not 12\. That is how many bytes are held before the step/],
    ["4 bytes", /^Not 4 bytes\. That is how many bytes are freed\. How many are left/],
    ["0", /Other nodes have not run yet/],
    ["2", /counts numbers/],
    ["8.01", /Subtract what the node/],
    ["many", /^Type a number/],
  ] as const) {
    hands.answer(typed);
    assert.match(hands.text(".gl-said"), hint);
  }
  hands.answer("8 bytes");
  assert.equal(hands.text(".gl-said"), "Right: 8 bytes");
  assert.deepEqual(hands.last("answers"), [
    {
      step: 12,
      question: "PowBackward0 · 2 is done. How many bytes of saved tensors are held then?",
      answers: ["12", "4 bytes", "0", "2", "8.01", "8 bytes"],
      tries: 6,
      hints: 0,
      right: true,
    },
  ]);
});

test("in the forward pass the bytes are asked for that an operation adds", () => {
  const hands = at("asked", 0, "bytes held", { walks_forward: true, granularity: "micro" });
  hands.answer("Wert"); // the author's own question comes first
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /^The walk goes on by one step\. How many bytes/);
  hands.answer("4");
  assert.ok(hands.find(".gl-said").classList.contains("gl-right"));
});

for (const [walk, step, said, wrong, hint] of [
  [
    "freed_twice",
    25,
    /^Trying to backward through the graph a second time/,
    /^one of the variables/,
    /still has the version/,
  ],
  ["changed", 4, /^one of the variables needed for gradient computation/, /^Trying to/, /still holds it/],
] as const) {
  test(`the error that ends the pass is chosen among PyTorch's messages: ${walk}`, () => {
    const hands = at(walk, step, "error");
    assert.match(hands.text(".gl-narration"), /runs next, and the pass fails\. What does PyTorch say\?$/);
    assert.equal(choices(hands).length, 4);
    const named = (pattern: RegExp) => choices(hands).find((text) => pattern.test(text ?? "")) ?? "";
    hands.click(named(wrong));
    assert.match(hands.text(".gl-said"), hint);
    hands.click(named(/^grad can be implicitly/));
    assert.match(hands.text(".gl-said"), /before a pass begins/);
    hands.click(named(said));
    assert.ok(hands.find(".gl-said").classList.contains("gl-right"));
    assert.match(hands.text(".gl-narration"), /failed: /);
  });
}

test("a walk that does not fail is not asked for its error", () => {
  const hands = new Hands({ predicting: true }, walks.kept);
  hands.choose("What to predict", "error");
  while (!hands.text(".gl-narration").startsWith("The backward pass is done")) hands.press("ArrowRight");
  assert.equal(hands.last("score"), undefined);
});

test("the arrow keys go from choice to choice, and do not show the answer", () => {
  const hands = at("freed_twice", 4, "tensor freed");
  const buttons = [...hands.root.querySelectorAll<HTMLElement>(".gl-list .gl-button")];
  assert.equal(document.activeElement, document.body);
  buttons[0]?.focus();
  for (const [key, focus] of [
    ["ArrowRight", 1],
    ["ArrowDown", 2],
    ["ArrowUp", 1],
    ["ArrowLeft", 0],
    ["ArrowLeft", 3],
  ] as const) {
    hands.press(key, { target: document.activeElement as HTMLElement });
    assert.equal(document.activeElement, buttons[focus]);
  }
  assert.equal(hands.last("score"), undefined);
  assert.equal(hands.find(".gl-list").getAttribute("role"), "group");
});

test("what memory holds is asked for when the extras have come; if they do not come, the list stays as it was", async () => {
  for (const loaded of [true, false]) {
    const load = () => (loaded ? Promise.resolve(extras) : Promise.reject(new Error("They did not come.")));
    const hands = new Hands({ predicting: true, step: 4, extras: load }, walks.freed_twice);
    const subject = hands.find('select[aria-label="What to predict"]') as HTMLSelectElement;
    hands.choose("What to predict", "shape");
    assert.equal(subject.value, "shape"); // the player knows it itself
    hands.choose("What to predict", "bytes held");
    await new Promise(setImmediate);
    assert.equal(subject.value, loaded ? "bytes held" : "shape");
    assert.equal(hands.text(".gl-toast"), loaded ? "" : "They did not come.");
  }
});
