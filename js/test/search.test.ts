import assert from "node:assert/strict";
import { test } from "node:test";
import { Hands } from "./hands.ts";
import { nested } from "./nested.ts";
import { lesson } from "./page.ts";

const items = (hands: Hands) => [...hands.root.querySelectorAll<HTMLElement>(".gl-hits li")];
const names = (hands: Hands) => items(hands).map((li) => li.querySelector("b")?.textContent);
const field = (hands: Hands) => hands.find(".gl-field") as HTMLInputElement;
const chosen = (hands: Hands) => items(hands).findIndex((li) => li.getAttribute("aria-selected") === "true");
function search(hands: Hands, text: string): void {
  if (!open(hands)) hands.press("/");
  field(hands).value = text;
  field(hands).dispatchEvent(new Event("input", { bubbles: true }));
}
const open = (hands: Hands) => field(hands).closest("dialog")?.open;

test("/ opens the search with the focus in it, and Escape closes it", () => {
  const hands = new Hands();
  assert.equal(open(hands), false);
  hands.press("/");
  assert.equal(open(hands), true);
  assert.equal(document.activeElement, field(hands));
  assert.equal(hands.press("Escape", { target: field(hands) }), true); // the browser closes it
  hands.find("dialog.gl-search, dialog[open]").dispatchEvent(new Event("cancel"));
  assert.equal(open(hands), false);
  assert.equal(document.activeElement, hands.root);
});

test("a variable, an operation, a grad_fn, a scope and a line of code are found", () => {
  const hands = new Hands({}, nested());
  const found = (text: string) => {
    search(hands, text);
    return names(hands);
  };
  assert.deepEqual(found("LogBack"), ["LogBackward0", "t"]);
  assert.deepEqual(found("net.left"), ["u", "MulBackward0"]);
  assert.deepEqual(found("e = u + v"), ["AddBackward0"]);
  assert.ok(found("mul").includes("MulBackward0"));
  assert.equal(found("d")[0], "d"); // what is called so comes first
  assert.deepEqual(found("nothing is called so"), []);
  assert.equal(hands.text("dialog[open] [role=status]"), "0 found");
  assert.deepEqual(found(""), []);
});

test("arrow keys choose among the hits and do not step", () => {
  const hands = new Hands();
  search(hands, "mul");
  const many = items(hands).length;
  assert.ok(many >= 2);
  assert.equal(chosen(hands), 0);
  hands.press("ArrowDown", { target: field(hands) });
  assert.equal(chosen(hands), 1);
  for (let k = 0; k < many; k += 1) hands.press("ArrowDown", { target: field(hands) });
  assert.equal(chosen(hands), many - 1);
  for (let k = 0; k <= many; k += 1) hands.press("ArrowUp", { target: field(hands) });
  assert.equal(chosen(hands), 0);
  assert.equal(hands.last("step"), undefined);
});

test("Enter goes to what was found: its step, in the scope that draws it", () => {
  const hands = new Hands({}, nested());
  search(hands, "log");
  hands.press("Enter", { target: field(hands) });
  assert.equal(open(hands), false);
  assert.ok(hands.root.querySelector('[data-id="n3"]'));
  assert.equal(hands.text(".gl-crumbs [aria-current]"), "right");
  assert.match(hands.text(".gl-narration"), /^LogBackward0/);
});

test("Enter with no hit changes nothing", () => {
  const hands = new Hands();
  search(hands, "zzz");
  hands.press("Enter", { target: field(hands) });
  assert.equal(open(hands), true);
  assert.equal(hands.last("step"), undefined);
});

test("typed letters are not commands", () => {
  const hands = new Hands();
  hands.press("/");
  for (const key of ["b", "p", "t", " ", "/", "Backspace", "End"]) hands.press(key, { target: field(hands) });
  assert.deepEqual(hands.told, []);
  assert.equal(open(hands), true);
});

test("names from a notebook and search words are plain text", () => {
  const trace = lesson();
  const hostile = '"><img src=x onerror=alert(1)>';
  const tensors = trace.graph.tensors.map((tensor) =>
    tensor.name === "a" ? { ...tensor, name: hostile } : tensor,
  );
  const hands = new Hands({}, { ...trace, graph: { ...trace.graph, tensors } });
  search(hands, hostile);
  assert.deepEqual(names(hands), [hostile]);
  for (const text of ["<img", "(", "[", "\\", "*", ".*", "__proto__"]) search(hands, text);
  assert.deepEqual(names(hands), []); // ".*" is no pattern
  assert.equal(hands.root.querySelector("img"), null);
});

test("only the first of very many hits are listed, but all are counted", () => {
  const trace = lesson();
  const [first] = trace.graph.tensors;
  assert.ok(first);
  const more = Array.from({ length: 100 }, (_, k) => ({ ...first, id: `more${k}`, name: `w${k}` }));
  const graph = { ...trace.graph, tensors: [...trace.graph.tensors, ...more] };
  const hands = new Hands({}, { ...trace, graph });
  search(hands, "w");
  assert.equal(items(hands).length, 40);
  assert.match(hands.text("dialog[open] [role=status]"), /^1\d\d found; these are the first 40$/);
});

test("the arrow keys say which hit is chosen", () => {
  const hands = new Hands({}, nested());
  hands.press("/");
  search(hands, "backward");
  const hits = hands.root.querySelectorAll(".gl-hits li");
  hands.press("ArrowDown", { target: field(hands) });
  assert.equal(
    hands.text(".gl-search [role=status], dialog[open] [role=status]"),
    `2 of ${hits.length}: ${hits[1]?.querySelector("b")?.textContent}`,
  );
});

test("no key in a dialog takes a step behind it, and that which opened it closes it", () => {
  const hands = new Hands({ step: 4 });
  hands.press("?");
  const dialog = hands.find("dialog[open]");
  for (const key of ["PageDown", "ArrowRight", "End", "Escape"])
    assert.equal(hands.press(key, { target: dialog }), true); // the browser scrolls, or closes the dialog
  assert.equal(hands.last("step"), undefined);
  hands.press("?", { target: dialog });
  assert.equal(hands.root.querySelector("dialog[open]"), null);
});
