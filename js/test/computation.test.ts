import assert from "node:assert/strict";
import { test } from "node:test";
import { computationOf } from "../src/computation.ts";
import { mountPlayer } from "../src/player.ts";
import type { Scene } from "../src/trace.ts";
import { lesson, newPage } from "./page.ts";

const scene: Scene = {
  view: "both",
  width: 200,
  height: 100,
  groups: [
    { id: "n0.0", kind: "flow", title: "", marks: [{ m: "path", c: "flow", d: "M0 0L1 1" }] },
    { id: "s:n0.self", kind: "saved", title: "", marks: [{ m: "rect", c: "chip", x: 0, y: 0, w: 9, h: 9 }] },
    {
      id: "t0",
      kind: "tensor",
      title: "a",
      marks: [
        { m: "rect", c: "card", x: 0, y: 10, w: 90, h: 54 },
        { m: "text", c: "name", x: 5, y: 28, t: "a" },
        { m: "path", c: "divider", d: "M0 37h90" },
        { m: "text", c: "key", x: 5, y: 55, t: "grad" },
        { m: "text", c: "grad", x: 80, y: 55, t: "not yet", slot: "grad" },
        { m: "text", c: "caption", x: 40, y: 76, t: "leaf" },
      ],
    },
  ],
};

test("the computation is the view of both without gradients and saved tensors", () => {
  const made = computationOf(scene);
  assert.equal(made.view, "computation");
  assert.deepEqual(
    made.groups.map(({ id }) => id),
    ["t0"],
  );
  const marks = made.groups[0]?.marks ?? [];
  assert.deepEqual(
    marks.map(({ c }) => c),
    ["card", "name", "caption"],
  );
});

test("a card without its gradient stays around the wire that reaches it", () => {
  const [card, name, caption] = computationOf(scene).groups[0]?.marks ?? [];
  const wire = 10 + (54 - 9) / 2; // the card's line: half of what the gradient's line leaves it
  assert.equal((card?.y ?? 0) + (card?.h ?? 0) / 2, wire);
  assert.equal((name?.y ?? 0) - (card?.y ?? 0), 18);
  assert.equal((caption?.y ?? 0) - (card?.y ?? 0) - (card?.h ?? 0), 12);
  assert.equal(scene.groups[2]?.marks[0]?.h, 54, "the scene itself is left as it was");
});

test("the views are switched in place, and the step is kept", () => {
  const root = newPage().appendChild(document.createElement("div"));
  const player = mountPlayer(root, lesson());
  player.setStep(13);
  const tabs = [...root.querySelectorAll<HTMLElement>(".gl-tab")];
  assert.deepEqual(
    tabs.map((tab) => tab.textContent),
    ["computation", "backward", "both"],
  );
  const flows = () => root.querySelectorAll(".gl-svg .gl-flows").length;
  assert.ok(flows() > 0);
  tabs[0]?.click();
  assert.equal(flows(), 0);
  assert.equal(root.querySelector('[data-id="n1"]')?.getAttribute("data-status"), "current");
  assert.match(root.querySelector(".gl-narration")?.textContent ?? "", /passes 5\.0 to t\.$/);
});
