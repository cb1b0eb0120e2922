import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { wrapped } from "../src/exported.ts";
import { pageOf } from "../src/lab/pagefile.ts";
import { mountPlayer } from "../src/player.ts";
import { named, saveMenu } from "../src/savemenu.ts";
import { readTrace } from "../src/trace.ts";
import { lesson, newPage } from "./page.ts";

const click = (name: string) =>
  [...document.querySelectorAll("button")]
    .find((one) => one.getAttribute("aria-label") === name || one.textContent?.startsWith(name))
    ?.click();

test("a file is named after the tensor, whatever that is called", () => {
  assert.equal(named("params['w']"), "params-w");
  assert.equal(named("../../<script>"), "script");
  assert.equal(named("größe"), "größe");
  assert.equal(named("…"), "graph");
});

test("the sentence is broken between words", () => {
  assert.deepEqual(wrapped("one two three", 7), ["one two", "three"]);
  assert.deepEqual(wrapped("averylongword is", 5), ["averylongword", "is"]);
  assert.deepEqual(wrapped("", 5), []);
});

test("the menu asks for the page at the step that is shown, and says why nothing was saved", async () => {
  newPage();
  const root = document.body.appendChild(document.createElement("div"));
  const page = mock.fn((_: number) => Promise.reject(new Error("the kernel is gone.")));
  mountPlayer(root, lesson(), { step: 13, tools: saveMenu(page) });
  click("Save");
  click("The walk");
  await new Promise((done) => setTimeout(done));
  assert.equal(page.mock.calls[0]?.arguments[0], 13);
  assert.equal(
    root.querySelector('[aria-label="Save"] .gl-note')?.textContent,
    "Not saved: the kernel is gone.",
  );
});

test("a saved page holds the recording, and no name in it becomes markup", async () => {
  const trace = { ...readTrace(lesson()), title: "</title><script>alert(1)</script>" };
  const files = ["play('</script>');\nthe module's rest", "more();\nrest()"];
  mock.method(globalThis, "fetch", async () => new Response(files.shift()));
  const page = await pageOf(trace, 7, "<svg/>");
  mock.restoreAll();
  assert.ok(page.includes("<script>(()=>{play('<\\/script>');more();rest()})()</script>"));
  assert.match(page, /data-step="7"/);
  assert.match(page, /<title>title-script-alert-1-script<\/title>/);
  assert.ok(!page.includes("alert(1)"));
});

test("a page that cannot be saved because the player is not there says so", async () => {
  mock.method(globalThis, "fetch", async () => new Response("", { status: 404 }));
  await assert.rejects(pageOf(readTrace(lesson()), 7, "<svg/>"), /player could not be fetched/);
  mock.restoreAll();
});
