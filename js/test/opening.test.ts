import assert from "node:assert/strict";
import { test } from "node:test";
import { walked } from "../src/forward.ts";
import { readTrace, type Trace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { fixture, lesson, smallScene } from "./page.ts";

/** The lesson with two drawings, which opens after the gradient has reached LogBackward0. */
function quiz(opening: object = {}): Trace {
  const trace = lesson();
  const both = smallScene(trace);
  const chosen = { step: 26, predicting: true, granularity: "micro", view: "backward", ...opening };
  return { ...trace, scenes: [both, { ...both, view: "backward" }], opening: chosen } as Trace;
}

const viewOf = (hands: Hands): string => hands.text('.gl-tab[aria-pressed="true"]');

test("a trace opens at the event, in the mode, with the steps and in the view that it asks for", () => {
  const trace = quiz();
  const hands = new Hands({}, trace);
  assert.equal(hands.text(".gl-position"), `step 27 of ${trace.events.length}`);
  assert.equal((hands.find('select[aria-label^="Granularity"]') as HTMLSelectElement).value, "micro");
  assert.equal(viewOf(hands), "backward");
  assert.equal(hands.text(".gl-score"), "0 of 0 right at the first try");
});

test("what follows the event is asked, and stands nowhere", () => {
  const hands = new Hands({}, quiz({ granularity: "node" }));
  hands.press("ArrowRight");
  assert.match(hands.text(".gl-narration"), /What is it\?$/);
  assert.ok(!hands.says("0.5"));
  hands.answer("1/2");
  assert.equal(hands.text(".gl-score"), "1 of 1 right at the first try");
});

test("what the owner chooses comes before the trace, and a person's settings after it", () => {
  const otherwise = { granularity: "story", view: "both", speed: 2 } as const;
  const settings = new Hands({ otherwise }, quiz());
  assert.equal((settings.find('select[aria-label^="Granularity"]') as HTMLSelectElement).value, "micro");
  assert.equal(viewOf(settings), "backward");
  assert.equal((settings.find('select[aria-label="Speed"]') as HTMLSelectElement).value, "2");
  const plain = new Hands({ otherwise }, quiz({ granularity: null, view: null }));
  assert.equal((plain.find('select[aria-label^="Granularity"]') as HTMLSelectElement).value, "story");
  assert.equal(viewOf(plain), "both");
  const owner = new Hands({ step: 3, predicting: false, granularity: "node" }, quiz());
  assert.match(owner.text(".gl-position"), /^step 2 of /);
  assert.ok(owner.find(".gl-predict").hidden);
  assert.equal(viewOf(owner), "backward");
});

test("a view that the trace does not have leaves the one that it has", () => {
  const hands = new Hands(
    {},
    { ...quiz({ view: "computation" }), scenes: [{ ...smallScene(lesson()), view: "backward" }] },
  );
  assert.ok(hands.find('[data-id="t0"]'));
});

test("a trace without an opening opens as ever", () => {
  for (const opening of [undefined, null]) {
    const hands = new Hands({}, { ...quiz(), opening });
    assert.match(hands.text(".gl-position"), /^step 1 of /);
    assert.ok(hands.find(".gl-predict").hidden);
  }
});

for (const [opening, said] of [
  ["x", "opening should be an object"],
  [{}, "opening.step should be an integer from 0 to 46"],
  [{ step: 1000 }, "opening.step should be an integer"],
  [{ step: -1 }, "opening.step should be an integer"],
  [{ step: 1.5 }, "opening.step should be an integer"],
  [{ step: 3, granularity: "leaf" }, 'opening.granularity should be "story", "node" or "micro"'],
] as const)
  test(`a damaged opening ${JSON.stringify(opening)} is refused with a sentence`, () => {
    const damaged = { ...lesson(), opening } as unknown;
    const count = lesson().events.length;
    assert.throws(() => readTrace(damaged), new RegExp(said.replace("46", String(count - 1))));
  });

test("with the forward pass the trace opens at the same event, and the beginning stays", () => {
  const trace = readTrace({ ...fixture("forward.json"), opening: { step: 5 } });
  const other = walked(trace, !trace.walks_forward);
  assert.equal(other.events[other.opening?.step ?? -1]?.kind, trace.events[5]?.kind);
  assert.equal(walked(other, Boolean(trace.walks_forward)).opening?.step, 5);
});

test("an opening counts in the walk that the document shows, and is saved so", () => {
  const plain = readTrace(fixture("forward.json"));
  const base = walked(plain, false);
  const last = walked(plain, true).events.length - 1;
  const shown = { ...base, walks_forward: true, opening: { step: last } };
  const trace = readTrace(JSON.parse(JSON.stringify(shown)));
  assert.equal(trace.opening?.step, last);
  let saved: Trace | undefined;
  const tools = (_: HTMLElement, about: { trace: Trace }) => {
    saved = about.trace;
  };
  const hands = new Hands({ tools }, JSON.parse(JSON.stringify(shown)));
  assert.equal(readTrace(JSON.parse(JSON.stringify(saved))).opening?.step, last);
  hands.press("F"); // without the forward pass
  const again = readTrace(JSON.parse(JSON.stringify(saved)));
  assert.equal(again.events[again.opening?.step ?? -1]?.kind, trace.events[last]?.kind);
});

test("the score stands on the page as text, at the end as a sentence", () => {
  const hands = new Hands({}, quiz({ granularity: "story", step: 0 }));
  for (let k = 0; k < 20; k += 1) hands.press("ArrowRight");
  assert.match(hands.text(".gl-score"), /^0 of \d+ right at the first try$/);
  assert.match(hands.text(".gl-said"), /The pass is over: 0 of \d+ right at the first try\.$/);
});
