// After all values are edited, no recorded number is left on the page, but for those that are told as recorded.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Replay } from "../src/follow.ts";
import { retold } from "../src/replay/retell.ts";
import type { Trace } from "../src/trace.ts";
import { Hands } from "./hands.ts";
import { pairs } from "./pairs.ts";

const NUMBER = /\d+\.\d+(e[+-]\d+)?/g;
const READ = ["title", "aria-label", "aria-valuetext", "placeholder"];
const TOLD = /^(recorded:|was) .*|What follows: .*|\(recorded [^;]*/g; // what is said to be as it was recorded
const DRAWN = ["both", "backward"];

/** The numbers of a trace that are long enough to be its own. */
function numbersIn({ graph, events }: Trace): Set<string> {
  const all =
    JSON.stringify([graph.tensors, graph.nodes.map(({ saved }) => saved), events]).match(NUMBER) ?? [];
  return new Set(all.filter((text) => text.replace(/^0\.0*|\./g, "").length > 3));
}

/** All that can be read, hovered over or heard. */
function* words(root: HTMLElement): Generator<string> {
  for (const element of root.querySelectorAll("*:not(style, option)")) {
    if (element.closest("[hidden]")) continue;
    for (const name of READ) yield element.getAttribute(name) ?? "";
    for (const node of element.childNodes) if (node.nodeType === 3) yield node.textContent ?? "";
  }
}

/** What is read on the page with a number of `was`. */
const old = (root: HTMLElement, was: ReadonlySet<string>): string[] =>
  [...words(root)].filter((text) =>
    text
      .replace(TOLD, "")
      .match(NUMBER)
      ?.some((number) => was.has(number)),
  );

for (const { name, one, other, numbers } of pairs().filter(({ one }) => one.scenes.length))
  test(`${name}: no recorded number is left`, async () => {
    const now = numbersIn(other);
    const was = new Set([...numbersIn(one)].filter((number) => !now.has(number)));
    const replay: Replay = {
      why: () => "",
      entries: (id) => numbers.tensors.get(id)?.data.map((x) => x + 1) ?? [],
      run: () => retold(one, numbers),
    };
    const hands = new Hands({ replay: () => replay, granularity: "micro" }, one);
    assert.ok(old(hands.root, was).length > 0, "the test finds recorded numbers");
    const leaf = one.graph.tensors.find(({ name, is_leaf }) => name && is_leaf);
    const nested = (shape: readonly number[]): unknown =>
      shape.length ? Array.from({ length: shape[0] as number }, () => nested(shape.slice(1))) : 7;
    hands.player.set("edits", { [leaf?.name ?? ""]: nested(leaf?.value?.shape ?? []) } as never);
    await new Promise((done) => requestAnimationFrame(done));
    for (const view of DRAWN) {
      [...hands.root.querySelectorAll<HTMLElement>(".gl-tab")]
        .find((tab) => tab.textContent === view)
        ?.click();
      for (let k = 0; k <= hands.player.last; k += 1) {
        if (name.startsWith("network") && one.events[k]?.level === "micro") continue; // which takes long
        hands.player.setStep(k);
        assert.deepEqual(old(hands.root, was), [], `${view}, step ${k}`);
      }
    }
    hands.press("t"); // the table of all steps
    assert.deepEqual(old(hands.root, was), [], "the table");
    hands.player.destroy();
  });
