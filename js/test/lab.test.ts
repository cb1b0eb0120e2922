// The parts of JupyterLab's panel that need no JupyterLab: what it asks, says, writes and lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ISessionContext } from "@jupyterlab/apputils";
import type { Kernel } from "@jupyterlab/services";
import { Asker, foreignLanguage, type Row, SAID, type Table, whyNot } from "../src/lab/kernel.ts";
import { choose, DEFAULTS, playerOptions } from "../src/lab/settings.ts";
import { cellCode, fileName } from "../src/lab/snippets.ts";
import { TensorTable } from "../src/lab/table.ts";
import { newPage } from "./page.ts";

function row(name: string, more: Partial<Row> = {}): Row {
  return {
    name,
    code: name,
    mark: `${name}.0`,
    value: "1.0",
    shape: [],
    dtype: "float32",
    is_leaf: true,
    requires_grad: true,
    grad_fn: null,
    version: 0,
    grad: null,
    retains_grad: false,
    ...more,
  };
}

/** A kernel that gives one answer, and keeps what it was asked. */
function kernel(answer: unknown, status = "idle") {
  const asked: { [name: string]: unknown }[] = [];
  const done = answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ content: answer });
  const made = {
    status,
    info: Promise.resolve({ language_info: { name: "R" } }),
    requestExecute(content: { [name: string]: unknown }) {
      asked.push(content);
      return { msg: { header: { msg_id: "own" } }, done };
    },
  };
  return { asked, made: made as unknown as Kernel.IKernelConnection };
}

function session(more: object): ISessionContext {
  return {
    isReady: true,
    hasNoKernel: false,
    kernelDisplayStatus: "idle",
    session: null,
    ...more,
  } as ISessionContext;
}

test("a request is silent, leaves no history, and does not import graphlab", async () => {
  const data = { "application/json": { module: "torch", rows: [], unseen: 0, last: null } };
  const { asked, made } = kernel({ status: "ok", user_expressions: { graphlab: { status: "ok", data } } });
  const asker = new Asker();
  assert.deepEqual(await asker.table(made), { table: data["application/json"] });
  const { code, silent, store_history, stop_on_error, user_expressions } = asked[0] ?? {};
  assert.deepEqual([code, silent, store_history, stop_on_error], ["", true, false, false]);
  assert.match(JSON.stringify(user_expressions), /sys.*modules\.get.*graphlab.* is not None else/);
  assert.ok(asker.isOwn("own"));
  assert.ok(!asker.isOwn("another"));
});

test("names reach Python as strings, whatever they contain", async () => {
  const { asked, made } = kernel({ status: "ok", user_expressions: {} });
  await new Asker().draw(made, "d['\"\\\n🙂']", "both");
  const { graphlab } = (asked[0]?.user_expressions ?? {}) as { graphlab: string };
  assert.ok(graphlab.includes(`.draw("d['\\"\\\\\\n🙂']", "both")`), graphlab);
});

test("every answer without a table is a sentence", async () => {
  const answers: [unknown, string][] = [
    [{ status: "ok", data: { "text/plain": "'idle'" } }, SAID.notLoaded],
    [{ status: "ok", data: { "text/plain": "'absent'" } }, SAID.notInstalled],
    [{ status: "error", ename: "ModuleNotFoundError", evalue: "x" }, SAID.tooOld],
    [{ status: "error", ename: "RuntimeError", evalue: "boom" }, "The kernel reports an error: boom"],
    [undefined, SAID.noAnswer],
  ];
  for (const [graphlab, said] of answers) {
    const { made } = kernel({ status: "ok", user_expressions: { graphlab } });
    assert.deepEqual(await new Asker().table(made), { said });
  }
  assert.deepEqual(await new Asker().table(kernel(new Error("canceled"), "dead").made), { said: SAID.dead });
  assert.deepEqual((await new Asker().walk(kernel({ status: "aborted" }).made, "e")).said, SAID.noAnswer);
});

test("a session that cannot be asked says why", async () => {
  const running = (status: string) => ({ session: { kernel: { status } } });
  assert.equal(whyNot(undefined), SAID.noNotebook);
  assert.equal(whyNot(session({ hasNoKernel: true })), SAID.noKernel);
  assert.equal(whyNot(session({ hasNoKernel: true, isReady: false })), SAID.starting);
  assert.equal(whyNot(session({ hasNoKernel: true, isReady: false }), true), SAID.noKernel);
  assert.equal(whyNot(session(running("dead"))), SAID.dead);
  assert.equal(whyNot(session(running("autorestarting"))), SAID.restarting);
  assert.equal(whyNot(session({ ...running("idle"), kernelDisplayStatus: "disconnected" })), SAID.away);
  assert.equal(whyNot(session(running("busy"))), undefined);
  assert.equal(await foreignLanguage(kernel({}).made), "R");
});

test("a cell uses the name that the notebook has for graphlab", () => {
  const [one, many] = [row("e"), row("m", { shape: [3, 4] })];
  assert.equal(cellCode("step", one, "torch"), "torch.step(e)");
  assert.equal(cellCode("check", one, "gl"), "gl.check(e)");
  assert.equal(cellCode("trace", many, "torch"), "torch.trace(m, gradient=torch.ones_like(m))");
  assert.equal(cellCode("trace", one, null), "import graphlab\n\ngraphlab.trace(e)");
});

test("a file is named after its tensor, without characters that have a meaning in a path", () => {
  assert.equal(fileName("e"), "e.graphlab.json");
  assert.equal(fileName("params['w']"), "params-w.graphlab.json");
  assert.equal(fileName("d['../../x']"), "d-..-..-x.graphlab.json");
  assert.equal(fileName("🙂"), "trace.graphlab.json");
});

test("settings that are missing or wrong have defaults", () => {
  assert.deepEqual(choose({}), DEFAULTS);
  assert.deepEqual(choose({ view: "sideways", granularity: 3, speed: "fast" }), DEFAULTS);
  choose({ granularity: "micro", speed: 2, view: "backward" });
  assert.deepEqual(playerOptions(), { granularity: "micro", speed: 2, view: "backward" });
  choose({});
});

test("the table marks what a cell changed, and keeps its place", () => {
  newPage();
  const chosen: string[] = [];
  const shown = new TensorTable(({ code }) => chosen.push(code));
  document.body.append(shown.element);
  const table = (...rows: Row[]): Table => ({ module: "torch", rows, unseen: 0, last: null });
  const rows = () => [...shown.element.querySelectorAll<HTMLElement>("tbody tr")];
  const marked = () =>
    rows()
      .filter((one) => one.className.includes("gl-lab-changed"))
      .map((one) => one.dataset.code);
  shown.update(table(row("a"), row("b")), true);
  assert.deepEqual(marked(), []);
  rows()[1]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.deepEqual(chosen, ["b"]);
  shown.update(table(row("a", { grad: "2.0" }), row("b"), row("<i>c</i>")), false);
  assert.deepEqual(marked(), ["a", "<i>c</i>"]);
  assert.equal(rows()[1]?.getAttribute("aria-selected"), "true");
  assert.equal(rows()[1]?.tabIndex, 0);
  assert.equal(shown.element.querySelector("tbody i"), null);
  shown.update(table(row("a", { grad: "2.0" }), row("b"), row("<i>c</i>")), false);
  assert.deepEqual(marked(), ["a", "<i>c</i>"]); // the last cell changed no tensor: what the one before did stays
});

test("a row is chosen once, also if the kernel sends new rows while the pointer is down", () => {
  newPage();
  const chosen: string[] = [];
  const shown = new TensorTable(({ code }) => chosen.push(code));
  document.body.append(shown.element);
  const table: Table = { module: "torch", rows: [row("a"), row("b")], unseen: 0, last: null };
  const point = (type: string, at: number, detail = 0) =>
    shown.element
      .querySelectorAll("tbody td")
      .item(at)
      .dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0, detail }));
  shown.update(table, true);
  const last = shown.element.querySelectorAll("tbody td").length - 1;
  point("pointerdown", last);
  shown.update(table, false); // other elements: the browser sends no click
  point("pointerup", last);
  assert.deepEqual(chosen, ["b"]);
  for (const type of ["pointerdown", "pointerup", "click"]) point(type, 0, 1);
  assert.deepEqual(chosen, ["b", "a"]);
  point("pointerdown", 0);
  point("pointerup", last); // drawn to another row
  assert.deepEqual(chosen, ["b", "a"]);
});
