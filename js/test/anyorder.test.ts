// Random keys: what a step shows follows from the step alone, however it was reached.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Hands } from "./hands.ts";
import { lesson, training } from "./page.ts";

const KEYS =
  "ArrowLeft ArrowRight Home End [ ] + - n N b B p f F t s 0 r PageUp PageDown / h Enter Backspace c ? Escape".split(
    " ",
  );

/** Numbers that are the same in each run: a linear congruential generator. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

/** What each step shows: the sentence and the picture. */
function steps(hands: Hands): string[] {
  hands.press("Home");
  const count = Number(/ of (\d+)/.exec(hands.text(".gl-position"))?.[1]);
  assert.ok(count > 3);
  return Array.from({ length: count }, () => {
    const shown = [".gl-narration", ".gl-picture"].map((selector) => hands.find(selector).outerHTML);
    hands.press("ArrowRight");
    return shown.join("").replaceAll(/ (?:id|style|viewBox|tabindex|width|height)="[^"]*"|#[\w-]+/g, "");
  });
}

/** Leave every dialog, scope and mode that a key has entered. */
function settle(hands: Hands): void {
  for (let depth = 0; depth < 9; depth += 1) hands.press("Escape");
  for (const name of ["Forward", "Predict", "Present", "Table of all steps", "Play"]) {
    const button = [...hands.root.querySelectorAll<HTMLElement>("[aria-pressed=true]")].find((one) =>
      [one.textContent, one.getAttribute("aria-label")].includes(name),
    );
    button?.click();
  }
  hands.press("0");
  hands.press("r");
}

for (const [name, trace] of [
  ["lesson", lesson()],
  ["training", training()],
] as const)
  test(`${name}: whatever was pressed before, a step shows what it shows in a new player`, () => {
    const hands = new Hands({}, trace);
    const expected = steps(hands);
    for (let seed = 0; seed < 8; seed += 1) {
      const below = numbers(seed);
      const pressed = Array.from({ length: 60 }, () => KEYS[below(KEYS.length)] as string);
      for (const key of pressed) hands.press(key, { shiftKey: below(4) === 0 });
      settle(hands);
      const shown = steps(hands);
      const differs = expected.findIndex((step, at) => step !== shown[at]);
      assert.equal(differs, -1, `step ${differs} after ${pressed.join(" ")}`);
    }
  });
