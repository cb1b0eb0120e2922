import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { type Edits, named, nudged, shortest, stepOf, typed, unnamed, withEntry } from "../src/edits.ts";
import type { Replay } from "../src/follow.ts";
import { drawing } from "../src/groups.ts";
import { Lookup } from "../src/lookup.ts";
import type { PlayerOptions } from "../src/options.ts";
import { makeRecording, retelling } from "../src/recording.ts";
import { firstState, reduce } from "../src/reducer.ts";
import { NO_EDITS } from "../src/state.ts";
import { readTrace, type Trace, type Value } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { lesson } from "./page.ts";

const VALUES: { [name: string]: number } = { a: 2, b: 3, c: 5, d: 10 };
const text = (value: number) =>
  Number.isNaN(value) ? "nan" : Number.isInteger(value) ? `${value}.0` : String(Number(value.toPrecision(5)));
const single = (value: number): Value => ({
  shape: [1],
  dtype: "float32",
  text: text(value),
  entries: "",
  kept: [],
  nbytes: 4,
  statistics: null,
});

/** The lesson e = a*b + c*log(d) at other values: enough of a retelling to test the page with. */
function replayLesson(trace: Trace): Replay {
  const ids = new Map(trace.graph.tensors.map(({ id, name }) => [id, name]));
  const run = (edits: Edits): Trace | string => {
    const at = { ...VALUES };
    for (const [id, [value]] of edits) at[ids.get(id) ?? ""] = value as number;
    const { a = 0, b = 0, c = 0, d = 0 } = at;
    if (a > 1000) return "a * b was recorded with a ≤ 1000; with this value the program goes another way.";
    const t = Math.log(d);
    const all: { [name: string]: number } = { ...at, u: a * b, t, v: c * t, e: a * b + c * t };
    const grads: { [name: string]: number } = { a: b, b: a, c: t, d: c / d };
    const tensors = trace.graph.tensors.map((one) => ({ ...one, value: single(all[one.name ?? ""] ?? 0) }));
    const events = trace.events.map((event) => {
      if (event.kind !== "LeafWritten") return event;
      const after = single(grads[event.name] ?? 0);
      const caption = [["name", event.name], ".grad is ", ["gradient", after.text], "."];
      const patch = { ...event.patch, leaves: { [event.tensor]: { added: after, after } } };
      return { ...event, added: after, after, caption, patch } as unknown as typeof event;
    });
    return { ...trace, events, graph: { ...trace.graph, tensors } };
  };
  return {
    why: (id) => (ids.get(id) === "b" ? "b is an index, so it cannot be edited." : ""),
    entries: (id) => Float64Array.of(VALUES[ids.get(id) ?? ""] ?? 0),
    run,
  };
}

/** The lesson, whose cards show values too. */
function withValues(): Trace {
  const trace = lesson();
  const log = trace.graph.nodes.find(({ name }) => name === "LogBackward0");
  if (log) log.formula = "log(d)";
  for (const scene of trace.scenes)
    for (const group of scene.groups) {
      const tensor = trace.graph.tensors.find(({ id }) => id === group.id);
      if (!tensor?.value || group.marks.some(({ c }) => c === "value")) continue;
      group.title = `${tensor.name}; ${tensor.value.text}; float32`;
      group.marks.push({ m: "text", c: "value", x: 70, y: 20, t: tensor.value.text });
    }
  return trace;
}

let hands: Hands;
const open = (options: PlayerOptions = {}, data: unknown = withValues()) => {
  hands = new Hands({ replay: replayLesson, ...options }, data);
};
afterEach(() => hands?.player.destroy());

const field = () => hands.find(".gl-typed") as HTMLInputElement;
const card = (id: string) => hands.find(`[data-id="${id}"]`);
const press = (key: string, target: Element = field(), more: object = {}) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event;
};
const clickValue = (id: string) =>
  card(id)
    .querySelector("[data-edit]")
    ?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const type = (id: string, value: string) => {
  clickValue(id);
  field().value = value;
  press("Enter");
};
const frame = () => new Promise((done) => requestAnimationFrame(done));
const shown = (id: string) => card(id).querySelector(".gl-value")?.textContent;
const strip = () => hands.text(".gl-strip [role=status]");
const isOpen = () => !hands.find(".gl-editor:not(.gl-entries)").hidden;

// --- the numbers ---

test("an edit changes a copy of one entry, and the recorded value edits nothing", () => {
  const recorded = Float64Array.of(1, 2, 3);
  const one = withEntry(NO_EDITS, ["t1", 2], -0.1, recorded, "float32");
  assert.deepEqual([...(one.get("t1") ?? [])], [1, 2, Math.fround(-0.1)]);
  assert.deepEqual([...recorded], [1, 2, 3]);
  assert.equal(withEntry(one, ["t1", 2], 3, recorded, "float32").size, 0);
  const odd = Float64Array.of(Number.NaN, 0);
  assert.equal(withEntry(NO_EDITS, ["t1", 1], -0, odd, "float64").size, 0);
});

test("what is typed is a number, or a sentence says why not", () => {
  assert.equal(typed("-1", "float32", "10.0"), -1);
  assert.equal(typed(" 1/4 ", "float32", ""), 0.25);
  assert.equal(typed("−2.5", "float32", ""), -2.5);
  assert.equal(typed("1e300", "float64", ""), 1e300);
  const refused: [text: string, dtype: string, says: RegExp][] = [
    ["", "float32", /empty.*Esc to keep 10/],
    ["d + 1", "float32", /“d \+ 1” is not a number/],
    ["nan", "float32", /nan is not finite/],
    ["-inf", "float64", /-inf is not finite/],
    ["1/0", "float64", /1\/0 is not finite/],
    ["1e400", "float64", /1e400 is too large: the largest float64/],
    ["1e39", "float32", /1e39 is too large: the largest float32 is 3.4e\+38/],
    [`<img src=x>${"9".repeat(500)}`, "float32", /^“<img src=x>9{13}…” is not a number/],
  ];
  for (const [text, dtype, says] of refused) assert.match(String(typed(text, dtype, "10.0")), says);
});

test("arrow keys go by a tenth, over 0, and back to where they began", () => {
  const values = [10, 2, 0.5, 300, -7, 0, 0.001].map((value) => stepOf(value, value));
  assert.deepEqual(values, [1, 0.2, 0.05, 20, 0.5, 0.1, 0.0001]);
  assert.equal(stepOf(0.1, 10), 1); // the step does not shrink on the way to 0
  let value = 10;
  for (let k = 0; k < 11; k += 1) value = nudged(value, -1, 1);
  assert.equal(value, -1);
  assert.equal(nudged(2.34, 1, 0.2), 2.4);
  assert.equal(nudged(2.34, -1, 0.2), 2.2);
  assert.equal(nudged(0.3, 1, 0.1), 0.4);
});

test("a number in float32 is written as short as it was typed", () => {
  assert.equal(shortest(Math.fround(0.1), "float32"), "0.1");
  assert.equal(shortest(Math.fround(1 / 3), "float32"), "0.33333334");
  assert.equal(shortest(1 / 3, "float64"), "0.3333333333333333");
});

test("Python names the leaves, and gets nested lists", () => {
  const trace = lesson();
  const [a] = trace.graph.tensors;
  assert.ok(a?.value);
  Object.assign(a.value, { shape: [2, 2], dtype: "float64" });
  const lookup = new Lookup(trace);
  const recorded = (id: string) => (id === a.id ? [1, 2, 3, 4] : [VALUES[lookup.label(id)] ?? 0]);
  const given = {
    a: [
      [1, 2],
      [3, 5],
    ],
    d: -1,
    c: 5,
    nobody: 1,
    b: [1, 2],
  };
  const edits = unnamed(given, lookup, recorded);
  assert.deepEqual(
    [...edits.keys()].map((id) => lookup.label(id)),
    ["a", "d"],
  ); // c is as recorded, b has one entry
  assert.deepEqual(named(edits, lookup), {
    a: [
      [1, 2],
      [3, 5],
    ],
    d: [-1],
  });
});

test("an edit asks an open question anew about the new numbers, and nothing that was answered", () => {
  const trace = lesson();
  const recording = makeRecording(trace);
  let state = firstState({ predicting: true }, recording);
  state = reduce(state, { type: "forward" }, recording);
  state = reduce(state, { type: "forward" }, recording);
  while (!state.question && state.step < 51) state = reduce(state, { type: "forward" }, recording);
  assert.ok(state.question);
  const { k } = state.question;
  const events = trace.events.map((event) =>
    event.kind === "RuleApplied" ? { ...event, contribution: single(77) } : event,
  );
  const other = retelling(recording, { ...trace, events });
  const edits: Edits = new Map([["t3", Float64Array.of(-1)]]);
  const next = reduce(state, { type: "followed", edits, touched: ["t3", 0], message: "" }, other);
  assert.equal(next.question?.k, k);
  assert.equal(next.question?.answer.text, "77.0");
  assert.deepEqual([next.step, next.reached, next.score], [state.step, state.reached, state.score]);
});

// --- the page ---

test("a gradient on an edge that is not as recorded has as many digits as fit anywhere", () => {
  open();
  const element = document.createElementNS("http://www.w3.org/2000/svg", "g");
  const label = element.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "text"));
  const slots = [{ element: label, initial: "", name: "contribution", most: 4 }]; // room for "1.98"
  const draw = drawing({
    group: { id: "n3.0", kind: "flow", title: "", marks: [] },
    element,
    slots,
  } as never);
  const state = (text: string) => ({ edges: { "n3.0": single(Number(text)) } });
  draw?.({ state: state("-1.9203"), was: { state: state("1.98") }, edge: "" } as never);
  assert.equal(label.textContent, "-1.92");
});

test("a click on the value of a leaf opens a field, and Enter changes everything that follows", () => {
  open();
  clickValue("t3");
  assert.ok(isOpen());
  assert.equal(document.activeElement, field());
  assert.equal(field().value, "10");
  field().value = "-1";
  press("Enter");
  assert.ok(!isOpen());
  assert.equal(shown("t3"), "-1.0");
  assert.equal(shown("t4"), "nan");
  assert.ok(card("t4").querySelector(".gl-value.gl-moved"));
  assert.ok(!card("t2").querySelector(".gl-moved"));
  assert.match(card("t3").querySelector("title")?.textContent ?? "", /d; -1.0 \(recorded 10.0\)/);
  assert.equal(card("t3").querySelector(".gl-caption")?.textContent, "was 10.0");
  assert.equal(strip(), "d is now −1.0 (recorded 10.0): log(d) is not defined (nan).");
  const heard =
    /^What follows: e from 17\.513 to nan, d\.grad from 0\.5 to -5\.0, c\.grad from 2\.3026 to nan\.$/;
  assert.match(hands.text(".gl-strip i"), heard); // read aloud; eyes see it in the picture
  assert.equal(hands.text(".gl-position"), "step 1 of 14");
  assert.deepEqual(hands.last("edits"), { d: [-1] });
});

test("the step, the view, breakpoints and the focus stay as they are", () => {
  open({ step: 20, breakpoints: ["MulBackward0"] });
  const before = hands.text(".gl-position");
  const hit = card("t3").querySelector(".gl-hit") as unknown as HTMLElement;
  hit.focus();
  press("Enter", hit);
  assert.ok(isOpen());
  field().value = "20";
  press("Enter");
  assert.equal(document.activeElement, hit);
  assert.equal(hands.text(".gl-position"), before);
  assert.deepEqual(
    hands.told.map(([name]) => name),
    ["edits"],
  );
});

test("Space on a leaf goes to its step, as before", () => {
  open();
  press(" ", card("t3").querySelector(".gl-hit") as Element);
  assert.ok(!isOpen());
  assert.notEqual(hands.text(".gl-position"), "step 1 of 14");
});

test("at the last step the gradients follow and what changed is marked", () => {
  open();
  hands.press("End");
  type("t3", "0.5");
  const cells = [...hands.find('tr[data-tensor="t3"]').querySelectorAll("td")];
  assert.deepEqual(
    cells.map((cell) => cell.textContent),
    ["–", "+10.0", "10.0"],
  );
  assert.equal(cells[2]?.title, "recorded: 0.5");
  assert.ok(cells[2]?.classList.contains("gl-moved"));
  assert.ok(!hands.find('tr[data-tensor="t0"]').querySelector(".gl-moved"));
});

test("Reset brings the recorded values back: the button, and the key r", () => {
  for (const [reset, said] of [
    [() => hands.click("Reset the values"), "The recorded values are back."],
    [() => hands.press("r"), "The recorded values are back."],
    [() => hands.press("0"), ""], // the walk is back at its beginning, and tells that
  ] as const) {
    open();
    const picture = () =>
      [...hands.root.querySelectorAll(".gl-picture :is(text, title), .gl-picture .gl-moved")].map(
        (one) => `${one.textContent} ${one.classList.contains("gl-moved")}`,
      );
    const before = picture();
    type("t3", "5");
    type("t0", "7");
    assert.equal(strip(), "a is now 7.0 (recorded 2.0), and 1 more value is changed.");
    assert.equal(shown("t2"), "21.0");
    reset();
    assert.equal(strip(), "");
    assert.equal(hands.text(".gl-strip i"), "");
    assert.equal(hands.text(".gl-toast"), said);
    assert.deepEqual(picture(), before);
    assert.deepEqual(hands.last("edits"), {});
    hands.player.destroy();
  }
});

test("arrow keys in the field change at once, Shift by ten steps, Alt by a tenth; Escape takes all back", async () => {
  open();
  clickValue("t3");
  press("ArrowUp");
  assert.equal(shown("t3"), "11.0");
  press("ArrowDown", field(), { shiftKey: true });
  press("ArrowDown", field(), { altKey: true });
  assert.equal(field().value, "0.9");
  assert.equal(hands.text(".gl-position"), "step 1 of 14"); // arrows are no steps here
  await frame();
  assert.equal(shown("t3"), "0.9");
  press("Escape");
  assert.ok(!isOpen());
  assert.equal(shown("t3"), "10.0");
  assert.equal(strip(), "");
});

test("bad input stays in the field with a sentence, and the last right picture stays", () => {
  open();
  type("t3", "5");
  for (const text of ["", "abc", "1e400", "nan", "inf"]) {
    type("t3", text);
    assert.ok(isOpen(), text);
    assert.ok(hands.text(".gl-why-not").length > 20);
    assert.equal(field().getAttribute("aria-invalid"), "true");
    press("Escape");
  }
  assert.equal(shown("t3"), "5.0");
  assert.equal(hands.text(".gl-why-not"), "");
});

test("what cannot be edited says why where one tries", () => {
  open();
  clickValue("t1");
  assert.equal(hands.text(".gl-why-not"), "b is an index, so it cannot be edited.");
  assert.ok(field().hidden);
  hands.press("ArrowRight");
  assert.ok(!isOpen());
  assert.equal(hands.text(".gl-position"), "step 2 of 14");
});

test("a decision that would go another way says so, and the last right picture stays", () => {
  open();
  type("t0", "7");
  type("t0", "2000");
  assert.ok(isOpen());
  assert.match(hands.text(".gl-why-not"), /goes another way/);
  assert.equal(shown("t0"), "7.0");
  press("Escape");
  assert.deepEqual(hands.last("edits"), { a: [7] });
});

test("a drag changes the value by its way, Escape cancels it, and its click opens nothing", async () => {
  open();
  const place = card("t3").querySelector("[data-edit]") as Element;
  const point = (kind: string, clientX: number) =>
    place.dispatchEvent(
      Object.assign(new MouseEvent(kind, { bubbles: true, clientX, button: 0 }), { pointerId: 1 }),
    );
  point("pointerdown", 100);
  point("pointermove", 101); // still a click
  assert.equal(shown("t3"), "10.0");
  point("pointermove", 115);
  assert.equal(shown("t3"), "13.0");
  point("pointermove", 40);
  await frame();
  assert.equal(shown("t3"), "-2.0");
  press("Escape", hands.root);
  assert.equal(shown("t3"), "10.0");
  point("pointerup", 40);
  point("pointerdown", 100);
  point("pointermove", 110);
  point("pointerup", 110);
  point("click", 110);
  assert.ok(!isOpen());
  await frame();
  assert.equal(shown("t3"), "12.0");
});

test("a player that goes in the middle of a drag leaves nothing behind", async () => {
  open();
  const place = card("t3").querySelector("[data-edit]") as Element;
  const point = (kind: string, clientX: number) =>
    place.dispatchEvent(Object.assign(new MouseEvent(kind, { bubbles: true, clientX }), { pointerId: 1 }));
  point("pointerdown", 100);
  point("pointermove", 120);
  point("pointermove", 130);
  hands.player.destroy();
  point("pointermove", 150);
  point("pointerup", 150);
  await frame();
  assert.equal(hands.root.childElementCount, 0);
});

test("a thousand changes in one frame are followed twice: the first and the last", async () => {
  let runs = 0;
  const counted = (trace: Trace): Replay => {
    const replay = replayLesson(trace);
    return {
      ...replay,
      run(edits) {
        runs += 1;
        return replay.run(edits);
      },
    };
  };
  open({ replay: counted });
  clickValue("t3");
  for (let k = 0; k < 1000; k += 1) press("ArrowUp");
  await frame();
  assert.equal(runs, 2);
  assert.equal(shown("t3"), "1010.0");
});

test("formulas that throw, and a trace without any, say so in a sentence", () => {
  const broken = (): Replay => ({
    why: () => "",
    entries: () => [1],
    run() {
      throw new Error("no such step");
    },
  });
  const { error } = console;
  console.error = () => undefined;
  open({ replay: broken });
  type("t3", "5");
  assert.match(hands.text(".gl-why-not"), /damaged/);
  console.error = error;
  hands.player.destroy();
  hands = new Hands({}, withValues());
  clickValue("t3");
  assert.match(hands.text(".gl-why-not"), /formulas/);
});

test("Python moves the picture, and is told only what a person does", async () => {
  open({ edits: { d: 5 } });
  assert.equal(shown("t3"), "5.0");
  await frame();
  hands.player.set("edits", { a: 4, d: 10 }); // d as recorded
  assert.equal(shown("t0"), "4.0");
  assert.equal(shown("t3"), "10.0");
  assert.deepEqual(hands.last("edits"), { a: [4] }); // what Python set is not an edit of d
  hands.told.length = 0;
  await frame();
  hands.player.set("edits", { a: [5] });
  assert.deepEqual(hands.told, []);
  await frame();
  hands.player.set("edits", { a: 2000 });
  assert.deepEqual(hands.last("edits"), { a: [5] }); // the last that the picture could follow
});

test("where the formulas do not suffice, the kernel runs the program again", async () => {
  const trace = withValues();
  const asked: unknown[] = [];
  const answers = [
    replayLesson(readTrace(trace)).run(new Map([["t3", Float64Array.of(7)]])),
    "The kernel is gone.",
  ];
  const none: Replay = { why: () => "no formulas", entries: () => [], run: () => "no formulas" };
  const rerun = (edits: unknown) => {
    asked.push(edits);
    return Promise.resolve(answers.shift() as Trace | string);
  };
  open({ replay: () => none, rerun }, trace);
  type("t3", "7");
  await frame();
  assert.deepEqual(asked, [{ d: [7] }]);
  assert.equal(hands.text(".gl-toast"), "");
  assert.equal(shown("t3"), "7.0");
  type("t3", "8");
  await frame();
  assert.equal(shown("t3"), "7.0");
  assert.equal(hands.text(".gl-toast"), "The kernel is gone.");
});
