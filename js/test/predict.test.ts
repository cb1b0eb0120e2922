import assert from "node:assert/strict";
import { test } from "node:test";
import { Hands } from "./hands.ts";

/** In predict mode, at the step at which LogBackward0 hands 0.5 to d: asked for that 0.5. */
function asked(): Hands {
  const hands = new Hands({ step: 26 });
  hands.press("p");
  hands.press("ArrowRight");
  return hands;
}

test("the player asks for the next gradient, and shows it nowhere", () => {
  const hands = asked();
  assert.equal(
    hands.text(".gl-narration"),
    "LogBackward0 receives 5.0 and passes a gradient to d. What is it?",
  );
  assert.equal(hands.text('tr[data-tensor="t3"] td:last-child'), "not yet");
  assert.equal(hands.text('[data-id="n3.0"] .gl-contribution'), "?");
  assert.ok(!hands.says("0.5"));
  hands.press("t"); // the table of all steps must not tell it either
  for (const segment of hands.root.querySelectorAll(".gl-segments span"))
    segment.dispatchEvent(new Event("pointerover", { bubbles: true }));
  assert.ok(!hands.says("0.5"));
  hands.answer("0.5");
  assert.ok(hands.says("0.5"));
});

test("a right answer counts, is told to Python, and shows the step", () => {
  const hands = asked();
  hands.answer("0.5");
  assert.match(hands.text(".gl-narration"), /passes 0\.5 to d\.$/);
  assert.equal(hands.text(".gl-said"), "Right: 0.5");
  assert.deepEqual(hands.last("score"), { right: 1, asked: 1 });
  assert.equal(hands.text(".gl-score"), "1 of 1 right at the first try");
});

test("what others need to ask the same question is told", () => {
  const hands = asked();
  assert.deepEqual([hands.last("step"), hands.last("reached")], [28, undefined]);
  hands.press("ArrowRight"); // shows the answer
  assert.equal(hands.last("reached"), 28);
  hands.choose("What to predict", "shape");
  assert.equal(hands.last("subject"), "shape");
});

test("a wrong answer gets the rule as a hint, and then no longer counts as right", () => {
  const hands = asked();
  hands.answer("4");
  assert.match(hands.text(".gl-said"), /^Not 4\. LogBackward0: ∂e\/∂d = /);
  assert.match(hands.text(".gl-narration"), /What is it\?$/);
  assert.equal(hands.last("score"), undefined);
  hands.answer(".5");
  assert.deepEqual(hands.last("score"), { right: 0, asked: 1 });
});

test("an answer after a hint does not count as right either", () => {
  const hands = asked();
  hands.click("Hint");
  assert.match(hands.text(".gl-said"), /^LogBackward0: /);
  hands.answer("1/2");
  assert.deepEqual(hands.last("score"), { right: 0, asked: 1 });
});

test("the tolerance is shown", () => {
  assert.equal(asked().text(".gl-said"), "An answer within 1% is right."); // ±0.005 would tell it
});

test("an answer that can't be read gets an explanation and costs nothing", () => {
  const hands = asked();
  hands.answer("5/10*1");
  assert.match(hands.text(".gl-said"), /^Type a number/);
  hands.answer("1/2");
  assert.deepEqual(hands.last("score"), { right: 1, asked: 1 });
});

test("nothing that is typed is evaluated or read as markup", () => {
  const hands = asked();
  hands.answer("globalThis.harmed=1");
  hands.answer("<img src=x onerror=globalThis.harmed=1>");
  assert.equal((globalThis as { harmed?: unknown }).harmed, undefined);
  assert.equal(hands.root.querySelector("img"), null);
});

test("the right arrow shows the answer, then goes on; a held key shows nothing", () => {
  const hands = asked();
  hands.press("ArrowRight", { repeat: true });
  assert.match(hands.text(".gl-narration"), /What is it\?$/);
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /passes 0\.5 to d\.$/);
  assert.deepEqual(hands.last("score"), { right: 0, asked: 1 });
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /^The gradient reaches the leaf d/);
});

test("a step that was seen is not asked for again", () => {
  const hands = asked();
  hands.answer("1/2");
  hands.press("ArrowLeft");
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /passes 0\.5 to d\.$/);
});

test("the arrows in the field are the field's once something is typed", () => {
  const hands = asked();
  const field = hands.find(".gl-answer") as HTMLInputElement;
  field.value = "4";
  assert.equal(hands.press("ArrowLeft", { target: field }), true); // not prevented
  assert.equal(hands.press("p", { target: field }), true);
  assert.match(hands.text(".gl-narration"), /What is it\?$/);
});

test("playing stops at a question", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const hands = new Hands();
  hands.press("p");
  hands.press(" ");
  context.mock.timers.tick(1400);
  assert.match(hands.text(".gl-narration"), /What is it\?$/);
  assert.equal(hands.text(".gl-play"), "Play");
});

test("the next node can be chosen from those that are ready, or typed", () => {
  const hands = new Hands({ step: 6, predicting: true });
  hands.choose("What to predict", "next node");
  hands.press("ArrowRight");
  assert.equal(hands.text(".gl-narration"), "Which node runs next?");
  assert.equal(hands.text(".gl-p-now .gl-aside"), "AddBackward0 · 4");
  const ready = [...hands.root.querySelectorAll(".gl-ready button")].map((button) => button.textContent);
  assert.deepEqual(ready, ["MulBackward0 · 1", "MulBackward0 · 3"]);
  const queue = [...hands.root.querySelectorAll(".gl-queue li:not(.gl-now, .gl-waits, .gl-none)")].map(
    (chip) => chip.textContent,
  );
  assert.deepEqual(queue, ready, "the queue does not tell the order");
  hands.answer("MulBackward0");
  assert.match(hands.text(".gl-said"), /^Several nodes have this name/);
  hands.answer("TanhBackward0");
  assert.match(hands.text(".gl-said"), /^Choose one of the nodes that are ready/);
  hands.click("MulBackward0 · 1");
  assert.match(hands.text(".gl-said"), /the one that the forward pass made last/);
  hands.click("MulBackward0 · 3");
  assert.match(hands.text(".gl-narration"), /^MulBackward0 .* to t\.$/);
  assert.deepEqual(hands.last("score"), { right: 0, asked: 1 });
});

test("the shape can be asked for", () => {
  const hands = asked();
  hands.choose("What to predict", "shape");
  assert.match(hands.text(".gl-narration"), /What is its shape\?$/);
  hands.answer("five");
  assert.match(hands.text(".gl-said"), /^Type a shape/);
  hands.answer("(1,)");
  assert.deepEqual(hands.last("score"), { right: 1, asked: 1 });
});

test("the story asks for the gradient of a leaf, which no earlier step has shown", () => {
  const hands = new Hands({ granularity: "story", step: 26, predicting: true });
  hands.press("ArrowRight");
  assert.equal(hands.text(".gl-narration"), "The gradient reaches the leaf d. What is d.grad?");
  assert.ok(!hands.says("0.5"));
  hands.click("Hint");
  assert.match(hands.text(".gl-said"), /^Multiply the local derivatives along each path from e to d/);
});

test("Python starts and stops it, and sets the score", () => {
  const hands = new Hands({ predicting: true, score: { right: 2, asked: 3 } });
  assert.equal(hands.text(".gl-score"), "2 of 3 right at the first try");
  hands.player.set("predicting", false);
  assert.ok(hands.find(".gl-predict").hidden);
  assert.equal(hands.last("predicting"), undefined, "what came from outside is not told back");
  hands.press("p");
  assert.equal(hands.last("predicting"), true);
});

test("a step without a question says so, instead of the last feedback", () => {
  const hands = asked();
  hands.answer("0.5");
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /^The gradient reaches the leaf d/);
  assert.match(hands.text(".gl-said"), /^This step has nothing to predict/);
});

test("a jump stops at the first open question", () => {
  const scrub = (hands: Hands) => {
    const range = hands.find(".gl-range") as HTMLInputElement;
    range.value = range.max;
    range.dispatchEvent(new Event("input"));
  };
  const table = (hands: Hands) => {
    if (hands.find(".gl-table").hidden) hands.press("t");
    hands.find(".gl-steps tr:last-child button").click();
  };
  const jumps = [(hands: Hands) => hands.press("End"), scrub, table];
  for (const jump of jumps) {
    const hands = asked();
    hands.press("ArrowLeft");
    for (let time = 0; time < 2; time += 1) {
      jump(hands); // also while it is open
      assert.match(hands.text(".gl-narration"), /^LogBackward0 receives 5\.0 .* What is it\?$/);
      assert.ok(!hands.says("0.5"));
    }
  }
});

test("Shift and the arrow stop at a question on the way, too", () => {
  const hands = new Hands({ predicting: true });
  hands.press("ArrowRight", { shiftKey: true });
  assert.match(hands.text(".gl-narration"), /What is it\?$/);
  assert.equal(hands.last("score"), undefined);
});

test("the health of the pass waits for the predictions", () => {
  const hands = asked();
  hands.press("h");
  assert.match(hands.text("dialog[open]"), /Health tells the gradients of all steps, so predict them first/);
  assert.ok(!hands.says("0.5"));
  hands.press("h");
  hands.press("p");
  hands.press("h");
  assert.ok(hands.find("dialog[open] .gl-health table"));
});

test("the keys p and Esc end predicting, and do not tell the answer", () => {
  for (const key of ["p", "Escape"]) {
    const hands = asked();
    hands.press(key);
    assert.ok(hands.find(".gl-predict").hidden);
    assert.ok(!hands.says("0.5"));
    hands.press("p");
    hands.press("ArrowRight");
    assert.match(hands.text(".gl-narration"), /What is it\?$/);
  }
});

test("Enter in the field gives the answer, whatever the page does with a form", () => {
  const hands = asked();
  const field = hands.find(".gl-answer") as HTMLInputElement;
  field.value = "0.5";
  assert.equal(hands.press("Enter", { target: field }), false, "and nothing else");
  assert.deepEqual(hands.last("score"), { right: 1, asked: 1 });
});

test("the last step tells the score on a line of its own, which is read aloud", () => {
  const hands = asked();
  hands.answer("0.5");
  hands.choose("What to predict", "error"); // there is none, so nothing more is asked
  hands.press("End");
  assert.equal(hands.text(".gl-said"), "The pass is over: 1 of 1 right at the first try.");
  assert.equal(hands.find(".gl-said").getAttribute("role"), "status");
  hands.press("ArrowLeft");
  assert.ok(!hands.text(".gl-said").includes("over"));
});

test("a right answer is greeted at every try", () => {
  const hands = asked();
  hands.answer("4");
  assert.ok(hands.find(".gl-said").classList.contains("gl-wrong"));
  hands.answer("0.5");
  assert.ok(hands.find(".gl-said").classList.contains("gl-right"));
});

test("what a key has switched is said, and that there is no step after the last one", () => {
  const hands = new Hands({ step: 26 });
  for (const said of ["LogBackward0 · 2: breakpoint", "LogBackward0 · 2: no breakpoint"]) {
    hands.press("b");
    assert.equal(hands.text(".gl-toast"), said);
  }
  hands.press("]");
  assert.equal(hands.text(".gl-toast"), "Speed ×2");
  hands.press("End");
  hands.press("ArrowRight");
  assert.equal(hands.text(".gl-toast"), "There is no step after this one.");
});
