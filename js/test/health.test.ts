import assert from "node:assert/strict";
import { test } from "node:test";
import { firstTrouble, flowOf } from "../src/health.ts";
import { mountPlayer } from "../src/player.ts";
import { makeRecording } from "../src/recording.ts";
import { readTrace, type Trace } from "../src/trace.ts";
import { fixture, lesson, newPage } from "./page.ts";

/** The lesson with one gradient made NaN. */
function withNan(): Trace {
  const trace = structuredClone(lesson());
  const event = trace.events.find(({ kind, focus }) => kind === "RuleApplied" && focus.includes("n1"));
  if (event?.kind === "RuleApplied") event.contribution = { ...event.contribution, text: "nan" };
  return trace;
}

test("the flow of the lesson: e = a*b + c*log(d)", () => {
  const flows = flowOf(makeRecording(readTrace(lesson())), 0);
  const squares = flows.map(({ name, came, sent }) => [name.split(" ")[0], came, sent.toPrecision(4)]);
  assert.deepEqual(squares, [
    ["AddBackward0", 1, "2.000"],
    ["MulBackward0", 1, "30.30"], // 5² + 2.3026²
    ["LogBackward0", 25, "0.2500"],
    ["MulBackward0", 1, "13.00"], // 3² + 2²
  ]);
});

test("the flow of a recording is that of the pass that is shown", () => {
  const recording = makeRecording(readTrace(fixture("training.json")));
  const firsts = recording.trace.passes?.map(({ first }) => first) ?? [];
  const [one, other] = [flowOf(recording, 0), flowOf(recording, firsts.at(-1) ?? 0)];
  assert.ok(one.length && one[0]?.came === 1 && other[0]?.came === 1);
  assert.notDeepEqual(
    one.map(({ sent }) => sent),
    other.map(({ sent }) => sent),
  );
});

test("of a large array without statistics the norm is told", () => {
  const trace = structuredClone(lesson());
  const event = trace.events.find(({ kind, focus }) => kind === "RuleApplied" && focus.includes("n3"));
  if (event?.kind === "RuleApplied")
    event.contribution = { ...event.contribution, shape: [400], text: "(400,) float32", norm: "4.0" };
  const flow = flowOf(makeRecording(readTrace(trace)), 0).find(({ name }) => name.startsWith("Log"));
  assert.equal(flow?.sent, 16);
});

test("the first NaN is where a rule made it of a finite gradient", () => {
  const found = firstTrouble(makeRecording(readTrace(withNan())), 0);
  assert.deepEqual([found?.node.id, found?.what], ["n1", "nan"]);
  assert.equal(firstTrouble(makeRecording(readTrace(lesson())), 0), undefined);
});

test("h shows the health of the pass, and its buttons lead to a step", () => {
  const root = newPage().appendChild(document.createElement("div"));
  let step = 0;
  mountPlayer(root, withNan(), {
    onChange: (name, value) => {
      if (name === "step") step = Number(value);
    },
  });
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  const dialog = root.querySelector(".gl-health");
  assert.match(dialog?.textContent ?? "", /^MulBackward0 .*known to have made nan/);
  assert.equal(dialog?.querySelectorAll("tr").length, 5);
  dialog?.querySelector("button")?.click();
  assert.ok(step > 0);
  assert.equal(root.querySelector("dialog[open]"), null);
});

test("a node that sent no gradient is told apart from one that sent zeros", () => {
  const trace = structuredClone(lesson());
  for (const event of trace.events)
    if (event.kind === "RuleApplied" && event.focus.includes("n3"))
      event.contribution = { ...event.contribution, text: "0.0" };
  const said = (shown: Trace) => {
    const root = newPage().appendChild(document.createElement("div"));
    mountPlayer(root, shown, {});
    root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
    const rows = [...root.querySelectorAll(".gl-health tr")].map((row) => row.textContent ?? "");
    return rows.find((row) => row.startsWith("LogBackward0")) ?? "";
  };
  assert.match(said(trace), /all 0/);
  const events = trace.events.filter(({ kind, focus }) => kind !== "RuleApplied" || !focus.includes("n3"));
  assert.match(said({ ...trace, events }), /sent None/);
});

test("the health view tells of dead units and of parameters without a gradient", () => {
  const trace = structuredClone(lesson());
  const node = trace.graph.nodes.find(({ id }) => id === "n1");
  if (node) Object.assign(node, { units: 8, silent: 2, blocked: 3 });
  const source = { label: "In [1]", line: 4, text: "h = h.detach()" };
  const lost = { name: "net.<b>0", why: "cut off by detach()", source };
  trace.graph.unreached = [lost, { name: "net.1", why: "unused" }];
  const root = newPage().appendChild(document.createElement("div"));
  mountPlayer(root, trace, {});
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  const items = [...root.querySelectorAll(".gl-health li")].map((item) => item.textContent);
  assert.equal(items[0], "net.<b>0 gets no gradient: cut off by detach(), line 4: h = h.detach()");
  assert.equal(items[1], "net.1 gets no gradient: unused");
  const rows = [...root.querySelectorAll(".gl-health tr")].map((row) => row.textContent ?? "");
  assert.equal(rows.filter((row) => row.includes("3 of 8")).length, 1);
  assert.match(rows[0] ?? "", /zerosdeadsaved/);
});
