// Several passes in one recording: each has a root and a drawing of its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Timeline } from "../src/timeline.ts";
import { readTrace, type Trace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { training } from "./page.ts";

const firsts = (trace: Trace) => (trace.passes ?? []).map(({ first }) => first);
const drawing = (hands: Hands) => Number(hands.find(".gl-svg").getAttribute("viewBox")?.split(" ")[2]) - 400;
const said = (hands: Hands) => hands.text(".gl-toast");

test("a jump goes to the start of the next pass; backwards, first to the start of this one", () => {
  const timeline = new Timeline(readTrace(training()));
  const [one = 0, two = 0, three = 0] = firsts(training());
  assert.equal(one, 0);
  assert.equal(timeline.passStart(0, true), two);
  assert.equal(timeline.passStart(two - 1, true), two);
  assert.equal(timeline.passStart(two, true), three);
  assert.equal(timeline.passStart(three, true), undefined);
  assert.equal(timeline.passStart(three + 5, false), three);
  assert.equal(timeline.passStart(three, false), two);
  assert.equal(timeline.passStart(0, false), undefined);
});

test("n goes from pass to pass, Shift+N back, and each shows its own drawing and title", () => {
  const trace = training();
  const [, two, three] = firsts(trace);
  const hands = new Hands({}, trace);
  const title = () => hands.text(".gl-pass span");
  assert.equal(title(), `pass 1 of 3: ${trace.passes?.[0]?.title}`);
  assert.equal(drawing(hands), 1);
  hands.press("n");
  assert.equal(hands.last("step"), two);
  assert.equal(title(), `pass 2 of 3: ${trace.passes?.[1]?.title}`);
  assert.equal(drawing(hands), 2);
  assert.match(hands.text(".gl-narration"), /^Pass 2 of 3/);
  hands.press("n");
  assert.equal(hands.last("step"), three);
  assert.equal(drawing(hands), 3);
  hands.press("ArrowRight");
  hands.press("N", { shiftKey: true });
  assert.equal(hands.last("step"), three); // first to where this pass began
  hands.press("N", { shiftKey: true });
  assert.equal(hands.last("step"), two);
  assert.equal(drawing(hands), 2);
});

test("before the first and after the last pass the player says that there is none", () => {
  const trace = training();
  const hands = new Hands({}, trace);
  hands.press("N", { shiftKey: true });
  assert.equal(said(hands), "There is no pass before this one.");
  hands.press("n");
  assert.equal(said(hands), "");
  hands.press("n");
  hands.press("n");
  assert.equal(said(hands), "There is no pass after this one.");
  assert.equal(drawing(hands), 3);
});

test("the buttons beside the title do the same", () => {
  const trace = training();
  const hands = new Hands({}, trace);
  hands.click("Next pass");
  assert.equal(hands.last("step"), firsts(trace)[1]);
  hands.click("Previous pass");
  assert.equal(hands.last("step"), 0);
});

test("a recording of one pass shows no title and no buttons for passes", () => {
  const hands = new Hands();
  assert.equal(hands.find(".gl-pass").hidden, true);
  hands.press("n");
  assert.equal(said(hands), "There is no pass after this one.");
});

test("steps lead from pass to pass, and back again", () => {
  const trace = training();
  const hands = new Hands({}, trace);
  const seen: number[] = [];
  for (let k = 0; k < 200; k += 1) {
    seen.push(drawing(hands));
    const before = hands.last("step");
    hands.press("ArrowRight");
    if (hands.last("step") === before) break;
  }
  assert.deepEqual([...new Set(seen)], [1, 2, 3]);
  hands.press("Home");
  assert.equal(drawing(hands), 1);
});

test("in the bar a gap shows where a pass begins", () => {
  const hands = new Hands({}, training());
  assert.equal(hands.root.querySelectorAll(".gl-segments [data-pass]").length, 2);
  assert.equal(new Hands().root.querySelectorAll(".gl-segments [data-pass]").length, 0);
});

test("in predict mode a jump to the next pass asks, and hides what that step brings", () => {
  const trace = training();
  const hands = new Hands({}, trace);
  hands.press("p");
  hands.press("n");
  assert.equal(hands.last("step"), firsts(trace)[1]); // a pass begins: nothing to predict in that
  assert.match(hands.text(".gl-said"), /^This step has nothing to predict/);
});
