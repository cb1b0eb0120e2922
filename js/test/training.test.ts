// A recorded training loop: what the player shows of it is what Python says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Lookup } from "../src/lookup.ts";
import { SceneView } from "../src/sceneview.ts";
import { Timeline } from "../src/timeline.ts";
import { readTrace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { fixture, newPage, smallScene } from "./page.ts";

const NAME = "training.json";
const training = () => readTrace(fixture(NAME));
const kinds = () => training().events.map(({ kind }) => kind);
const row = (hands: Hands, name: string) => {
  const rows = [...hands.root.querySelectorAll(".gl-grads tbody tr")];
  const found = rows.find((tr) => tr.querySelector("i")?.textContent === name);
  return [...(found?.querySelectorAll("td") ?? [])].map((cell) => cell.textContent);
};

test("the cards say of every gradient what Python's pictures say, event after event", () => {
  const { cards } = fixture(NAME);
  assert.ok(cards);
  const trace = training();
  const timeline = new Timeline(trace);
  newPage();
  const lookup = new Lookup(trace);
  const view = new SceneView(smallScene(trace), { lookup, title: "", pass: 0 });
  const wanted = trace.graph.tensors.filter(({ requires_grad }) => requires_grad);
  for (const [k, event] of trace.events.entries()) {
    const focus = timeline.focus(k);
    const state = timeline.stateAt(k);
    view.update({ state, event, focus, settled: k, lookup, was: undefined }, false);
    for (const { id } of wanted) {
      const shown = view.element.querySelector(`[data-id="${id}"] .gl-grad`);
      const text: string = cards[k]?.[id] ?? (state.finished ? "None" : "not yet");
      assert.equal(shown?.textContent, text, `${id} after event ${k}, ${event.kind}`);
      assert.equal(shown?.classList.contains("gl-filled"), !["None", "not yet"].includes(text));
    }
  }
});

test("a gradient that was cleared is None, and not yet known when the next pass begins", () => {
  const step = kinds().indexOf("GradCleared");
  const hands = new Hands({ step: step - 1 }, training());
  assert.equal(row(hands, "w").at(-1), "21.0");
  hands.player.setStep(step);
  assert.deepEqual(row(hands, "w"), ["–", "–", "None"]);
  assert.equal(hands.text(".gl-p-equation .gl-symbols"), "w.grad, b.grad");
  hands.player.setStep(kinds().indexOf("PassBegan", step));
  assert.deepEqual(row(hands, "w"), ["–", "–", "not yet"]);
  hands.press("End");
  assert.deepEqual(row(hands, "w"), ["–", "–", "None"]);
  assert.equal(row(hands, "b").at(-1), "0.0"); // was set to 0
});

test("paths are counted in their own pass: w is used once in the first, twice in the second", () => {
  const { events, passes } = training();
  const to = events.flatMap((event, k) => (event.kind === "RuleApplied" && event.to === "w" ? [k] : []));
  const [second = 0, third = 0] = (passes ?? []).slice(1).map(({ first }) => first);
  assert.deepEqual(
    [to.filter((k) => k < second), to.filter((k) => k > third)].map(({ length }) => length),
    [1, 1],
  );
  const notes = to.map((step) => new Hands({ step }, training()).text(".gl-p-equation .gl-note"));
  const paths = notes.map((note) => /of \d paths/.exec(note)?.[0]);
  assert.deepEqual(paths, [undefined, "of 2 paths", "of 2 paths", undefined]);
});

test("where passes add up, the last step tells each .grad from the derivative", () => {
  const ends = kinds().flatMap((kind, k) => (kind === "Finished" ? [k] : []));
  const shown = ends.map((step) => {
    const hands = new Hands({ step }, training());
    return [".gl-p-equation .gl-symbols", ".gl-p-equation .gl-numbers", ".gl-p-gradients .gl-aside"].map(
      (selector) => hands.text(selector),
    );
  });
  assert.deepEqual(shown[0]?.slice(0, 1), ["∂loss/∂ each leaf"]);
  assert.deepEqual(shown[0]?.[2], "∂loss/∂ each");
  assert.deepEqual(shown[2]?.[0], ".grad of each leaf");
  assert.match(shown[2]?.[1] ?? "", /b\.grad = \S+ \(∂loss\/∂b = \S+, added to \S+\)/);
  assert.deepEqual(shown[2]?.[2], ".grad of each leaf");
});
