import assert from "node:assert/strict";
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
