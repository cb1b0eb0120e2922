import assert from "node:assert/strict";
import { test } from "node:test";
import { type Ask, makeArrays, summary } from "../src/cards/arrays.ts";
import { digits } from "../src/cards/heat.ts";
import type { Value } from "../src/trace.ts";
import { fixture, newPage } from "./page.ts";

const VALUES = fixture("values.json") as unknown as { [name: string]: Value };

const value = (name: string): Value => {
  const found = VALUES[name];
  assert.ok(found, name);
  return found;
};

function shown(name: string, fetch?: (ask: Ask) => Promise<string[]>) {
  const root = newPage().appendChild(document.createElement("div"));
  root.className = "graphlab";
  root.tabIndex = 0;
  const arrays = makeArrays(fetch);
  root.append(arrays.element);
  arrays.show([["w", value(name), "t0"]]);
  const cells = () => [...root.querySelectorAll("td")];
  return {
    root,
    arrays,
    cells,
    texts: () => cells().map((cell) => cell.textContent),
    said: () => root.querySelector(".gl-reading")?.textContent,
    index: () => root.querySelector(".gl-slices")?.textContent,
    nudge: (label: string) => root.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.click(),
    press: (key: string) => {
      const before = focusedCell();
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
      before?.dispatchEvent(event);
      return event;
    },
  };
}

const focusedCell = () => document.activeElement as HTMLElement | null;

test("an entry is short enough for a cell", () => {
  const pairs = [
    ["-0.073813", "−0.0738"],
    ["1.2345e-12", "1.23e−12"],
    ["-1.0943e-06", "−1.09e−6"],
    ["0.00012345", "0.000123"],
    ["12345678", "1.23e+7"],
    ["5.0", "5.0"],
    ["7.516", "7.52"],
    ["1234", "1234"],
    ["0.075", "0.075"],
    ["nan", "NaN"],
    ["-inf", "−∞"],
    ["True", "True"],
    ["1+2j", "1+2j"],
  ];
  for (const [text, short] of pairs) assert.equal(digits(text as string), short);
  assert.equal(digits("0.5", true), "+0.5");
  assert.equal(digits("0.0", true), "0.0");
});

test("one line gives the statistics of all entries", () => {
  assert.match(summary(value("weights")), /^2 NaN · 1 \+∞ · −2\.\d+ to 2\.\d+, mean\s.*, std\s/);
  assert.equal(summary(value("mask")), "5 True, 7 False");
  assert.equal(summary(value("empty")), "no entries");
  assert.equal(summary(value("all NaN")), "6 NaN");
});

test("colour is never alone: signs are written, NaN and inf marked", () => {
  const { cells, texts } = shown("weights");
  assert.deepEqual(texts().slice(0, 3), ["NaN", "+∞", "−1.5"]);
  assert.deepEqual(
    cells()
      .slice(0, 4)
      .map((cell) => cell.className),
    ["gl-odd", "gl-odd", "gl-minus", "gl-plus"],
  );
  assert.match(texts()[3] ?? "", /^\+/);
});

test("pointing at a cell shows its entry in full", () => {
  const { cells, said } = shown("weights");
  const all = said();
  cells()[2]?.dispatchEvent(new Event("pointerenter"));
  assert.equal(said(), "w[0, 2] = -1.5");
  cells()[0]?.closest("table")?.dispatchEvent(new Event("pointerleave"));
  assert.equal(said(), all);
  assert.equal(cells()[2]?.getAttribute("aria-label"), "−1.5; [0, 2] = -1.5");
});

test("an array is one tab stop, and the arrow keys inside it do not move the player", () => {
  const { cells, press, said, root } = shown("mask");
  const stops = () => cells().filter((cell) => cell.tabIndex === 0).length;
  assert.equal(stops(), 1);
  let steps = 0;
  root.addEventListener("keydown", () => {
    steps += 1;
  });
  cells()[0]?.focus();
  press("ArrowRight");
  press("ArrowDown");
  assert.equal(focusedCell(), cells()[5]);
  assert.match(said() ?? "", /^w\[1, 1\] = /);
  press("ArrowUp");
  press("ArrowUp"); // the edge
  press("ArrowLeft");
  press("ArrowLeft");
  assert.equal(focusedCell(), cells()[0]);
  assert.deepEqual([steps, stops()], [0, 1]);
  assert.equal(press("End").defaultPrevented, false);
  assert.equal(steps, 1); // the player's key
});

test("after a click on a cell the keys still belong to the player", () => {
  const { cells, root } = shown("mask");
  const event = new Event("pointerdown", { bubbles: true, cancelable: true });
  cells()[3]?.dispatchEvent(event);
  assert.ok(event.defaultPrevented);
  assert.equal(document.activeElement, root);
});

test("a small 4-d tensor is sliced without a kernel", () => {
  const { texts, index, nudge, cells, said } = shown("kernels");
  assert.equal(index(), "[‹0›, ‹0›, ‹:›, ‹:›]");
  assert.deepEqual(texts().slice(0, 3), ["0", "1", "2"]);
  nudge("forward along dimension 0");
  nudge("forward along dimension 1");
  assert.deepEqual(texts().slice(0, 3), ["27", "28", "29"]);
  cells()[8]?.dispatchEvent(new Event("pointerenter"));
  assert.equal(said(), "w[1, 1, 2, 2] = 35");
  nudge("forward along dimension 0"); // there are only two
  assert.equal(texts()[0], "27");
});

test("a vector is one row, and its window moves", () => {
  const { texts, index, nudge } = shown("vector");
  assert.deepEqual([texts().length, index()], [5, "[‹0:5›]"]);
  nudge("forward along dimension 0");
  assert.deepEqual(texts(), ["3", "4", "5", "6", "7"]);
});

test("an empty array, or one of NaN only, says so", () => {
  for (const name of ["empty", "empty vector"]) {
    assert.deepEqual(shown(name).texts(), []);
    assert.equal(shown(name).said(), "no entries");
  }
  assert.deepEqual(new Set(shown("all NaN").texts()), new Set(["NaN"]));
});

test("entries that the trace does not hold are requested from the kernel", async () => {
  const asked: Ask[] = [];
  const { texts, nudge } = shown("large", async (ask) => {
    asked.push(ask);
    return Array.from({ length: 25 }, (_, k) => `${k}.5`);
  });
  nudge("forward along dimension 1");
  assert.equal(texts()[0], "…");
  await new Promise((done) => setTimeout(done));
  assert.equal(texts()[24], "24.5");
  assert.deepEqual(asked, [{ value: "t0", like: value("large"), at: [], rows: [0, 5], cols: [5, 10] }]);
  nudge("back along dimension 1");
  nudge("forward along dimension 1");
  assert.equal(asked.length, 1); // it is known now
});

test("a missing kernel is reported once, and the recorded corner stays", async () => {
  const { texts, nudge, said, index } = shown("large", () => Promise.reject(new Error("no longer held")));
  const corner = texts();
  nudge("forward along dimension 0");
  await new Promise((done) => setTimeout(done));
  assert.equal(said(), "no longer held");
  assert.deepEqual(texts(), corner);
  assert.equal(index(), "[‹0:5›, ‹0:5›]");
  nudge("forward along dimension 0");
  assert.deepEqual(texts(), corner);
});

test("an array that stays is not built again, and keeps the focus", () => {
  const { arrays, cells, root } = shown("mask");
  const first = cells()[0];
  first?.focus();
  arrays.show([["w", { ...value("mask") }, "t0"]]);
  assert.equal(cells()[0], first);
  assert.equal(document.activeElement, first);
  arrays.show([["w", value("vector")]]);
  assert.equal(document.activeElement, root); // what had the focus is gone: the player has it
});

test("names are shown as they are", () => {
  const { root, arrays } = shown("mask");
  arrays.show([["<img src=x onerror=alert(1)>", value("mask")]]);
  assert.equal(root.querySelector("img"), null);
  assert.match(root.textContent ?? "", /<img src=x/);
});

test("a button at the end keeps the focus and is aria-disabled", () => {
  const { nudge } = shown("kernels");
  const button = document.querySelector<HTMLButtonElement>('[aria-label="forward along dimension 0"]');
  assert.equal(button?.getAttribute("aria-disabled"), "false");
  nudge("forward along dimension 0"); // there are only two
  assert.equal(button?.getAttribute("aria-disabled"), "true");
  assert.equal(button?.disabled, false);
});
