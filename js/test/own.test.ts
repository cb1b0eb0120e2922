import assert from "node:assert/strict";
import { test } from "node:test";
import { unsealed } from "../src/own.ts";
import type { PlayerOptions } from "../src/player.ts";
import { readTrace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { fixture } from "./page.ts";

const { walks, sealed } = fixture("questions.json") as unknown as {
  walks: { asked: { questions: object[] } };
  sealed: [text: string, key: string, sealed: string][];
};
const walk = (options: PlayerOptions = {}) => new Hands(options, walks.asked);

test("what Python seals is read", () => {
  for (const [text, key, as] of sealed) assert.equal(unsealed(as, key), text);
});

test("the answers stand nowhere in the document", () => {
  const text = JSON.stringify(walks.asked.questions);
  for (const secret of ["Wert", "product rule", "Which factor", "held fixed"])
    assert.ok(!text.includes(secret), secret);
});

test("the walk opens in predict mode, and asks what its author asks, before the step", () => {
  const hands = walk();
  assert.equal(hands.text(".gl-narration").slice(0, 23), "The forward pass comput");
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /^Größer als 2³/);
  assert.equal(hands.text(".gl-said"), "Type your answer.");
  hands.answer(" ");
  assert.equal(hands.text(".gl-said"), "Type an answer.");
  hands.answer("<b>no</b>");
  assert.equal(hands.text(".gl-said"), "Not <b>no</b>.");
  assert.ok(hands.find(".gl-form").querySelectorAll("button")[1]?.hidden, "there is no hint to ask for");
  hands.answer("  WERT ");
  assert.equal(hands.text(".gl-said"), "Right: Wert");
  assert.match(hands.text(".gl-narration"), /is computed/);
});

test("hints by wrong answer, the general hint, the reason, and a second question before the same step", () => {
  const hands = walk({ step: 26 });
  hands.press("ArrowRight");
  assert.equal(hands.text(".gl-narration"), "What will a.grad hold?");
  hands.answer("2");
  assert.equal(hands.text(".gl-said"), "Not 2. That is a itself.");
  hands.answer("7");
  assert.equal(hands.text(".gl-said"), "Not 7. Which factor does not change?");
  hands.click("Hint");
  assert.equal(hands.text(".gl-said"), "Which factor does not change?");
  hands.answer("3,010"); // a decimal comma, and within 1%
  assert.equal(hands.text(".gl-said"), "Right: 3.0 or 3.5. The slope of a b over a is b.");
  assert.equal(hands.text(".gl-narration"), "And why?");
  assert.match(hands.text('tr[data-tensor="t0"] td:last-child'), /not yet/);
  hands.click("a is the other factor");
  assert.equal(hands.text(".gl-said"), "Not this one. Which of the two is held fixed?");
  hands.click("the sum passes it on");
  assert.equal(hands.text(".gl-said"), "Not this one.");
  hands.click("b is the other factor");
  assert.equal(hands.text(".gl-said"), "Right: b is the other factor. Yes: the product rule.");
  assert.match(hands.text(".gl-narration"), /^The gradient reaches the leaf a/);
  const [first, second] = hands.last("answers") as { [part: string]: unknown }[];
  assert.deepEqual(first, {
    step: 31,
    question: "What will a.grad hold?",
    answers: ["2", "7", "3,010"],
    tries: 3,
    hints: 1,
    right: true,
  });
  assert.deepEqual(second?.answers, [
    "a is the other factor",
    "the sum passes it on",
    "b is the other factor",
  ]);
  assert.equal(hands.text(".gl-score"), "0 of 2 right at the first try");
});

test("a whole number is met exactly, and an answer that is shown counts as asked", () => {
  const hands = walk({ step: 32 });
  hands.press("ArrowRight");
  hands.answer("8");
  assert.equal(hands.text(".gl-said"), "Not 8. They are freed already.");
  hands.answer("0.001");
  assert.equal(hands.text(".gl-said"), "Not 0.001.");
  hands.click("Show");
  assert.match(hands.text(".gl-said"), /^It is 0\. The pass is over: 0 of 1/);
  const [told] = hands.last("answers") as { [part: string]: unknown }[];
  assert.deepEqual([told?.tries, told?.right], [2, false]);
});

test("a step over a whole node stops at a question on the way", () => {
  const hands = walk({ step: 18 });
  hands.press("ArrowRight", { shiftKey: true });
  hands.press("ArrowRight", { shiftKey: true });
  assert.equal(hands.text(".gl-narration"), "What will a.grad hold?");
});

test("the end is behind every open question, and Esc leaves the list of answers, then the questions", () => {
  const hands = walk({ step: 26 });
  hands.press("End");
  assert.equal(hands.text(".gl-narration"), "What will a.grad hold?");
  hands.answer("3");
  hands.press("End");
  assert.equal(hands.text(".gl-narration"), "And why?");
  const choice = hands.find(".gl-list button");
  choice.focus();
  hands.press("Escape", { target: choice });
  assert.equal(document.activeElement, hands.root);
  assert.equal(hands.text(".gl-narration"), "And why?");
  hands.press("Escape");
  assert.ok(hands.find(".gl-predict").hidden);
  assert.match(hands.text('tr[data-tensor="t0"] td:last-child'), /not yet/);
});

test("the story asks them too, and every granularity asks each once", () => {
  for (const granularity of ["story", "node", "micro"] as const) {
    const hands = walk({ granularity });
    const asked: string[] = [];
    for (let turn = 0; turn < 120; turn += 1) {
      hands.press("ArrowRight");
      const said = hands.text(".gl-narration");
      if (!hands.find(".gl-form").inert && !asked.includes(said)) asked.push(said);
    }
    assert.equal(asked.length, 4, granularity);
  }
});

test("without the forward pass its question is not asked, and the others keep their events", () => {
  const hands = walk({ step: 26 });
  hands.press("F");
  hands.press("ArrowRight");
  assert.equal(hands.text(".gl-narration"), "What will a.grad hold?");
  const start = walk({ walks_forward: false, step: 0 });
  start.press("ArrowRight");
  assert.ok(start.find(".gl-form").inert);
});

test("another subject is asked for between them", () => {
  const hands = walk({ step: 7 });
  hands.choose("What to predict", "gradient");
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /^AddBackward0 receives 1\.0 .* What is it\?$/);
});

test("reset asks them again; Python can set the answers", () => {
  const hands = walk();
  hands.press("ArrowRight");
  hands.answer("wert");
  hands.press("0");
  assert.deepEqual(hands.last("answers"), []);
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /^Größer/);
  hands.player.set("answers", []);
  assert.equal(hands.told.filter(([name]) => name === "answers").length, 2);
});

test("a damaged question is refused with a sentence", () => {
  const [one] = walks.asked.questions;
  for (const bad of [{ at: 99 }, { at: 1.5 }, { text: 3 }, { sealed: null }, { choices: "ab" }])
    assert.throws(
      () => readTrace({ ...walks.asked, questions: [{ ...one, ...bad }] }),
      /damaged: questions\[0\]/,
    );
  const hands = new Hands({}, { ...walks.asked, questions: [{ ...one, sealed: "AAAA" }] });
  assert.match(hands.text(".gl-broken"), /a question in it cannot be read/);
});

test("a trace without questions opens as before", () => {
  const { questions, ...rest } = walks.asked;
  const hands = new Hands({}, { ...rest, opening: undefined });
  assert.ok(hands.find(".gl-predict").hidden);
  assert.equal(hands.find('select[aria-label="What to predict"]').textContent?.includes("this walk"), false);
});
