import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { followTheme } from "../src/theme.ts";
import { newPage } from "./page.ts";

const settled = () => new Promise((resolve) => setTimeout(resolve, 10));

/** A root that follows its page; returns what it says of itself. */
function follower(body: HTMLElement): { says: () => [string | undefined, boolean]; stop: () => void } {
  const root = document.createElement("div");
  body.append(root);
  const stop = followTheme(root);
  return { says: () => [root.dataset.theme, root.hasAttribute("data-contrast")], stop };
}

test("the colours follow JupyterLab's themes, high contrast too, while they change", async () => {
  const body = newPage();
  body.dataset.jpThemeLight = "true";
  body.dataset.jpThemeName = "JupyterLab Light";
  const { says, stop } = follower(body);
  assert.deepEqual(says(), ["light", false]);
  body.dataset.jpThemeLight = "false";
  body.dataset.jpThemeName = "JupyterLab Dark High Contrast";
  await settled();
  assert.deepEqual(says(), ["dark", true]);
  body.dataset.jpThemeName = "JupyterLab Dark";
  await settled();
  assert.deepEqual(says(), ["dark", false]);
  stop();
});

test("an editor names high contrast by a class of the page", () => {
  const body = newPage();
  body.className = "vscode-high-contrast-light vscode-light";
  const { says, stop } = follower(body);
  assert.deepEqual(says(), ["light", true]);
  stop();
});

test("a dark theme, and that of slides, differ from a light one in colours alone, so they move nothing", () => {
  const folder = new URL("../../src/", import.meta.url); // from lib/test, where tests are built
  const names = readdirSync(folder, { recursive: true }).map(String);
  const styles = names
    .filter((name) => name.endsWith(".css"))
    .map((name) => readFileSync(new URL(name.replaceAll("\\", "/"), folder), "utf8"))
    .join("")
    .replace(/\/\*.*?\*\//gs, "");
  const blocks = [...styles.matchAll(/\[data-theme="(?:dark|slide)"\] \{([^{}]*)\}/g)].map(
    ([, block]) => block,
  );
  const told = styles.match(/data-theme\W?=|prefers-color-scheme|light-dark\(/g) ?? [];
  assert.equal(told.length, blocks.length); // no other rule tells them apart
  assert.ok(blocks.length >= 3);
  const colour =
    /#[\da-f]{3,6}|var\(--jp-layout-color1, #[\da-f]{3,6}\)|color-mix\(in srgb(, var\(--gl-[a-z]+\)( \d+%)?){2}\)/;
  const allowed = new RegExp(`^(--gl-[a-z-]+: (${colour.source})|color-scheme: dark)$`);
  for (const said of blocks.join("").split(";")) {
    if (said.trim()) assert.match(said.trim(), allowed);
  }
});
