import assert from "node:assert/strict";
import { test } from "node:test";
import { within } from "../src/neighbours.ts";
import type { Scene } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { nested } from "./nested.ts";
import { lesson } from "./page.ts";

const way = (hands: Hands) => [...hands.root.querySelectorAll(".gl-crumbs li")].map((li) => li.textContent);
const drawn = (hands: Hands, id: string) =>
  [...hands.root.querySelectorAll("[data-id]")].find((one) => one.getAttribute("data-id") === id);
const box = (hands: Hands, label: string) =>
  [...hands.root.querySelectorAll<HTMLInputElement>("label input")].find(
    (input) => input.parentElement?.textContent === label,
  ) as HTMLInputElement;
/** Where the step lies is not shown by itself. */
function stay(hands: Hands): void {
  const follow = box(hands, "follow");
  follow.checked = false;
  follow.dispatchEvent(new Event("change"));
}
function enter(hands: Hands, card: string): void {
  const hit = drawn(hands, card)?.querySelector(".gl-hit");
  hit?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
}

test("a program with scopes opens collapsed", () => {
  const hands = new Hands({}, nested());
  assert.deepEqual(way(hands), ["graph"]);
  assert.ok(drawn(hands, "@net"));
  assert.equal(drawn(hands, "n5"), undefined);
});

test("a graph without scopes has no bar over it", () => {
  assert.equal(new Hands().find(".gl-path").hidden, true);
  assert.equal(new Hands({}, nested()).find(".gl-path").hidden, false);
});

test("Enter on a card enters its scope and moves the focus there", () => {
  const hands = new Hands({}, nested());
  enter(hands, "@net");
  assert.deepEqual(way(hands), ["graph", "the net"]);
  assert.equal(document.activeElement?.textContent, "the net");
  enter(hands, "@net.right");
  assert.deepEqual(way(hands), ["graph", "the net", "right"]);
  assert.ok(drawn(hands, "n3"));
  assert.equal(drawn(hands, "n5"), undefined);
  assert.equal(hands.text(".gl-crumbs [aria-current]"), "right");
});

test("Backspace leaves one scope at a time, up to the whole graph", () => {
  const hands = new Hands({}, nested());
  enter(hands, "@net");
  enter(hands, "@net.left");
  hands.press("Backspace");
  assert.deepEqual(way(hands), ["graph", "the net"]);
  hands.press("Backspace");
  hands.press("Backspace");
  assert.deepEqual(way(hands), ["graph"]);
});

test("a breadcrumb leads back at once", () => {
  const hands = new Hands({}, nested());
  enter(hands, "@net");
  enter(hands, "@net.left");
  hands.click("graph");
  assert.deepEqual(way(hands), ["graph"]);
  assert.ok(drawn(hands, "@net"));
});

test("Enter enters the scope of the current node", () => {
  const hands = new Hands({ step: 13 }, nested());
  hands.press("Enter");
  assert.deepEqual(way(hands), ["graph", "the net"]);
  hands.press("Enter");
  assert.deepEqual(way(hands), ["graph", "the net", "right"]);
  hands.press("Enter"); // nothing is further in
  assert.equal(way(hands).length, 3);
});

test("a step inside a scope highlights its card, which counts the nodes that are done", () => {
  const hands = new Hands({ granularity: "micro" }, nested());
  const status = () => drawn(hands, "@net")?.getAttribute("data-status");
  const count = () => drawn(hands, "@net")?.querySelector(".gl-count")?.textContent;
  const bar = () => Number(drawn(hands, "@net")?.querySelector(".gl-part")?.getAttribute("width"));
  assert.deepEqual([status(), count(), bar()], ["pending", "", 0]);
  hands.player.setStep(13); // the rule of n1
  assert.equal(status(), "current");
  hands.player.setStep(24); // its leaf, which all scopes share
  assert.equal(count(), "1 of 7"); // three operations and four leaves
  assert.equal(Math.round(bar()), 14);
  hands.player.setStep(51);
  assert.deepEqual([status(), count(), bar()], ["done", "7 of 7", 100]);
  assert.match(
    drawn(hands, "@net")?.querySelector(".gl-hit")?.getAttribute("aria-label") ?? "",
    /Go inside$/,
  );
});

test("the view follows the step from scope to scope, unless that is switched off", () => {
  const hands = new Hands({ granularity: "micro" }, nested());
  enter(hands, "@net");
  enter(hands, "@net.right");
  hands.player.setStep(36); // n5, in net.left
  assert.deepEqual(way(hands), ["graph", "the net", "left"]);
  assert.equal(drawn(hands, "n5")?.getAttribute("data-status"), "current");
  stay(hands);
  hands.player.setStep(13);
  assert.deepEqual(way(hands), ["graph", "the net", "left"]);
});

test("a line that several edges share counts the gradients that have run", () => {
  const hands = new Hands({ granularity: "micro" }, nested());
  enter(hands, "@net");
  stay(hands);
  const line = () => drawn(hands, "~@net.left>n0")?.classList.contains("gl-shown");
  assert.equal(line(), false);
  hands.player.setStep(2);
  assert.equal(line(), true);
});

test("c switches between the whole graph and scopes as cards, where the whole is small enough", () => {
  const hands = new Hands({}, nested({ whole: true }));
  assert.ok(drawn(hands, "n5")); // few nodes: all of them
  hands.press("c");
  assert.ok(drawn(hands, "@net"));
  assert.equal(drawn(hands, "n5"), undefined);
  hands.press("c");
  assert.ok(drawn(hands, "n3"));
  const deep = new Hands({}, nested());
  deep.press("c"); // too much to be shown: as it was
  assert.ok(drawn(deep, "@net"));
});

test("a scope may be called anything", () => {
  const name = '<img src=x onerror="x">';
  const hands = new Hands({}, nested({ name }));
  enter(hands, `@${name}`);
  enter(hands, `@${name}.left`);
  assert.deepEqual(way(hands), ["graph", "the net", "left"]);
  assert.equal(hands.root.querySelector("img"), null);
});

test("everything further away than the chosen number of edges fades", () => {
  const hands = new Hands({ step: 13, view: "both" });
  const faded = () =>
    [...hands.root.querySelectorAll(".gl-far")].map((one) => one.getAttribute("data-id")).sort();
  assert.deepEqual(faded(), []);
  hands.choose("Show around the step", "1");
  const near = faded();
  assert.ok(near.includes("n5") && near.includes("t0")); // u = a*b
  for (const id of ["n1", "t4", "t5", "t6"]) assert.ok(!near.includes(id)); // v = t*c
  hands.choose("Show around the step", "2");
  assert.ok(faded().length < near.length && faded().includes("n5"));
  hands.player.setStep(37); // the rule of n5
  assert.ok(!faded().includes("n5") && faded().includes("n1"));
  hands.choose("Show around the step", "0");
  assert.deepEqual(faded(), []);
});

test("`within` finds the ids that are at most so many links away", () => {
  const links = new Map([
    ["a", ["b"]],
    ["b", ["a", "c"]],
    ["c", ["b", "d"]],
    ["d", ["c"]],
    ["far", []],
  ]);
  assert.deepEqual([...within(links, ["a"], 1)], ["a", "b"]);
  assert.deepEqual([...within(links, ["a"], 2)], ["a", "b", "c"]);
  assert.deepEqual([...within(links, ["a"], 99)], ["a", "b", "c", "d"]);
  assert.deepEqual([...within(links, ["not here"], 1)], ["a", "b", "c", "d", "far"]);
});

test("a key that can do nothing says why", () => {
  const hands = new Hands();
  const said = () => hands.text(".gl-toast");
  hands.press("c");
  assert.equal(said(), "This graph has no scopes, so there is nothing to collapse.");
  hands.press("ArrowRight");
  assert.equal(said(), "");
  hands.press("Enter");
  assert.equal(said(), "This graph has no scopes, so there is none to enter.");
  hands.press("Backspace");
  assert.equal(said(), "This is the whole graph.");
  assert.equal(hands.find(".gl-toast").getAttribute("role"), "status");
});

test("a small program with scopes is shown in full, and the keys say so", () => {
  const trace = nested();
  const small = { ...trace, scenes: [lesson().scenes[0] as Scene] };
  const hands = new Hands({ step: 13 }, small);
  hands.press("c");
  assert.match(hands.text(".gl-toast"), /^This graph is small, so it is shown in full/);
  hands.press("Enter");
  assert.match(hands.text(".gl-toast"), /^This graph is small, so it is shown in full/);
});

test("c says what it did, or that the graph is too large to be shown in full", () => {
  const hands = new Hands({}, nested({ whole: true }));
  hands.press("c");
  assert.equal(hands.text(".gl-toast"), "Scopes are shown as cards.");
  hands.press("c");
  assert.equal(hands.text(".gl-toast"), "The whole graph is shown.");
  const deep = new Hands({}, nested());
  deep.press("c");
  assert.match(deep.text(".gl-toast"), /^This graph is too large to be shown in full/);
});

test("Enter enters the current scope from the whole graph too, or says that there is none", () => {
  const hands = new Hands({ step: 13 }, nested({ whole: true }));
  hands.press("Enter");
  assert.deepEqual(way(hands), ["graph", "the net"]);
  assert.equal(hands.find(".gl-path nav").hidden, false);
  const outside = new Hands({}, nested()); // the root's own step
  outside.press("Enter");
  assert.equal(outside.text(".gl-toast"), "The current step lies in no scope that you can enter.");
});

test("presenting collapses a large graph, and leaving restores it", () => {
  const trace = nested({ whole: true });
  const [all, ...others] = trace.scenes as [Scene, ...Scene[]];
  const more = Array.from({ length: 20 }, (_, k): Scene["groups"][number] => ({
    id: `extra${k}`,
    kind: "tensor",
    title: "",
    marks: [],
  }));
  const large = { ...trace, scenes: [{ ...all, groups: [...all.groups, ...more] }, ...others] };
  const hands = new Hands({ step: 13 }, large);
  assert.ok(drawn(hands, "n5"));
  hands.press("f");
  assert.ok(drawn(hands, "@net"));
  assert.equal(drawn(hands, "n5"), undefined);
  hands.press("Escape");
  assert.ok(drawn(hands, "n5"));
  const small = new Hands({}, trace); // few enough: all of it stays
  small.press("f");
  assert.ok(drawn(small, "n5"));
});
