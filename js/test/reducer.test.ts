// The transitions of the player's state, without a page: every test makes actions and looks at states.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlayerOptions } from "../src/options.ts";
import { makeRecording } from "../src/recording.ts";
import { firstState, reduce } from "../src/reducer.ts";
import { type Action, knownUpTo, type PlayerState } from "../src/state.ts";
import { nested } from "./nested.ts";
import { lesson } from "./page.ts";

const recording = makeRecording(lesson());
const start = (options: PlayerOptions = {}, of = recording) => firstState(options, of);

/** The state after all of these actions; a word stands for the command of this name. */
function after(state: PlayerState, actions: (Action | string)[], of = recording): PlayerState {
  const all = actions.map((one) => (typeof one === "string" ? ({ type: one } as Action) : one));
  return all.reduce((now, action) => reduce(now, action, of), state);
}

/** Freezes a state and everything in it, so that a transition that changes it throws. */
function frozen<Thing>(thing: Thing): Thing {
  if (typeof thing === "object" && thing !== null && !Object.isFrozen(thing)) {
    Object.freeze(thing);
    if (!(thing instanceof Set)) Object.values(thing).forEach(frozen);
  }
  return thing;
}

test("no action changes the state that it is given", () => {
  const actions: (Action | string)[] = [
    ...["forward", "predict", "forward", "hint", "breakpoint", "table", "present", "help", "collapse"],
    { type: "answer", text: "1" },
    { type: "set", name: "breakpoints", value: ["n1"] },
    { type: "find", id: "n3" },
    ...["escape", "reset", "toggle", "tick"],
  ];
  let state = frozen(start());
  for (const action of actions) state = frozen(after(state, [action]));
  assert.equal(state.step, 2);
});

test("the same state and action give the same new state", () => {
  const state = start({ step: 13, predicting: true });
  assert.deepEqual(after(state, ["forward"]), after(state, ["forward"]));
});

test("an action that can do nothing gives back the same object", () => {
  const state = start();
  const nothing = ["escape", "panUp", "larger", "reveal", "tick"];
  for (const type of nothing) assert.equal(after(state, [type]), state, type);
  assert.equal(after(state, [{ type: "set", name: "playing", value: false }]), state);
  assert.equal(after(state, [{ type: "closed", dialog: "help" }]), state);
});

test("a step from outside is held inside the timeline", () => {
  const step = (value: number) => after(start(), [{ type: "set", name: "step", value }]).step;
  assert.deepEqual([step(-5), step(1e9), step(Number.NaN), step(3.7)], [0, 51, 0, 3]);
});

test("playing starts again at the end, and stops there", () => {
  let state = after(start({ step: 51 }), ["toggle"]);
  assert.deepEqual([state.playing, state.step], [true, 0]);
  for (let beat = 0; beat < 20; beat += 1) state = after(state, ["tick"]);
  assert.deepEqual([state.playing, state.step], [false, 51]);
});

test("playing stops at a breakpoint, and a step by hand takes over from it", () => {
  const state = after(start({ breakpoints: ["n1"] }), ["toggle", "tick", "tick", "tick", "tick"]);
  assert.equal(state.playing, false);
  assert.equal(recording.breakpoints.nodeAt(state.step), "n1");
  assert.equal(after(start(), ["toggle", "forward"]).playing, false);
  assert.equal(after(start(), ["toggle", { type: "goTo", step: 5 }]).playing, true);
});

test("breakpoints that name nothing are left out, and each is listed once", () => {
  const value = ["n1", "n99", "MulBackward0", "n1"];
  const state = after(start(), [{ type: "set", name: "breakpoints", value }]);
  assert.deepEqual(state.breakpoints, ["n1", "MulBackward0"]);
  const without = after(state, [{ type: "toggleBreakpoint", mark: "n1" }]);
  assert.deepEqual(without.breakpoints, ["MulBackward0"]);
});

test("a question opens at a step that was not seen, and only the first try counts as right", () => {
  const asked = after(start({ step: 26, predicting: true }), ["forward"]);
  assert.equal(asked.question?.k, asked.step);
  assert.equal(knownUpTo(asked, recording), asked.step - 1);
  const right = after(asked, [{ type: "answer", text: "0.5" }]);
  assert.deepEqual(right.score, { right: 1, asked: 1 });
  assert.equal(right.feedback?.kind, "right");
  assert.equal(right.question, undefined);
  const second = after(asked, [
    { type: "answer", text: "7" },
    { type: "answer", text: "0.5" },
  ]);
  assert.deepEqual(second.score, { right: 0, asked: 1 });
  const unreadable = after(asked, [{ type: "answer", text: "half" }]);
  assert.deepEqual([unreadable.tries, unreadable.feedback?.kind], [0, "wrong"]);
  assert.equal(after(right, ["back", "forward"]).question, undefined);
});

test("Escape leaves one thing at a time, the innermost first", () => {
  let state = after(start(), ["predict", "table", "present", "help"]);
  const open = ({ dialog, presenting, table, predicting }: PlayerState) => [
    dialog === "help",
    presenting,
    table,
    predicting,
  ];
  const seen = [open(state)];
  for (let k = 0; k < 4; k += 1) {
    state = after(state, ["escape"]);
    seen.push(open(state));
  }
  assert.deepEqual(
    seen.map((flags) => flags.filter(Boolean).length),
    [4, 3, 2, 1, 0],
  );
  assert.deepEqual(
    seen.map((flags) => flags.indexOf(true)),
    [0, 1, 2, 3, -1],
  );
});

test("one dialog is open at a time, and one that the browser closed late closes no other", () => {
  const state = after(start(), ["help", "search"]);
  assert.equal(state.dialog, "search");
  assert.equal(after(state, [{ type: "closed", dialog: "help" }]).dialog, "search");
  assert.equal(after(state, [{ type: "closed", dialog: "search" }]).dialog, undefined);
});

test("a message stands until a person does the next thing", () => {
  const state = after(start(), ["collapse"]);
  assert.match(state.message, /^This graph has no scopes/);
  assert.equal(after(state, [{ type: "set", name: "step", value: 5 }]).message, state.message);
  assert.equal(after(state, ["forward"]).message, "");
});

test("the picture follows the step into its scope, unless that is switched off", () => {
  const scoped = makeRecording(nested());
  const go = { type: "goTo", step: 36 } as const; // n5, in net.left
  const right = after(start({}, scoped), [{ type: "enterScope", scope: "net.right" }], scoped);
  assert.equal(after(right, [go], scoped).picture.scope, "net.left");
  assert.equal(after(right, [{ type: "follow", on: false }, go], scoped).picture.scope, "net.right");
});

test("what was searched for is the target of the picture until the next step", () => {
  const scoped = makeRecording(nested());
  const state = after(start({}, scoped), ["search", { type: "find", id: "n3" }], scoped);
  assert.deepEqual([state.dialog, state.picture.scope, state.picture.target], [undefined, "net.right", "n3"]);
  assert.equal(after(state, ["forward"], scoped).picture.target, "");
});

test("a reset clears breakpoints, score and speed, and keeps the granularity", () => {
  const state = start({ step: 30, granularity: "micro", speed: 4, breakpoints: ["n1"] });
  const { step, granularity, speed, breakpoints } = after(state, ["reset"]);
  assert.deepEqual([step, granularity, speed, breakpoints], [0, "micro", 1, []]);
});

test("a step inside the same drawing keeps the picture object, so that the drawing is not chosen again", () => {
  const state = start();
  assert.equal(after(state, ["forward"]).picture, state.picture);
});
