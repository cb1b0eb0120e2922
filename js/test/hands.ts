// A player on a page, and the hands of a person on it.

import assert from "node:assert/strict";
import { mountPlayer, type PlayerHandle, type PlayerOptions, type Shared } from "../src/player.ts";
import { lesson, newPage } from "./page.ts";

export class Hands {
  readonly root: HTMLElement;
  readonly player: PlayerHandle;
  readonly told: [name: keyof Shared, value: unknown][] = [];

  constructor(options: PlayerOptions = {}, data: unknown = lesson()) {
    this.root = newPage().appendChild(document.createElement("div"));
    const onChange: PlayerOptions["onChange"] = (name, value) => this.told.push([name, value]);
    this.player = mountPlayer(this.root, data, { onChange, ...options });
  }

  find(selector: string): HTMLElement {
    const found = this.root.querySelector<HTMLElement>(selector);
    assert.ok(found, `nothing on the page matches ${selector}`);
    return found;
  }

  text(selector: string): string {
    return this.find(selector).textContent ?? "";
  }

  click(label: string): void {
    const buttons = [...this.root.querySelectorAll<HTMLElement>("button, [role=button]")];
    const named = buttons.find(
      (button) => (button.getAttribute("aria-label") ?? button.textContent) === label,
    );
    assert.ok(named, `there is no button ${label}`);
    named.click();
  }

  press(key: string, { shiftKey = false, target = this.root, repeat = false } = {}): boolean {
    const event = new KeyboardEvent("keydown", { key, shiftKey, repeat, bubbles: true, cancelable: true });
    return target.dispatchEvent(event);
  }

  choose(label: string, value: string): void {
    const select = this.find(`select[aria-label^="${label}"]`) as HTMLSelectElement;
    select.value = value;
    select.dispatchEvent(new Event("change"));
  }

  answer(text: string): void {
    (this.find(".gl-answer") as HTMLInputElement).value = text;
    this.find(".gl-form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  }

  /** What the owner was told last about `name`. */
  last(name: keyof Shared): unknown {
    return this.told.findLast(([told]) => told === name)?.[1];
  }

  /** Whether a number stands anywhere where it can be read or hovered over; the list of speeds aside. */
  says(number: string): boolean {
    const parts: string[] = [];
    for (const element of this.root.querySelectorAll("*:not(style, option)")) {
      if (element.closest("[hidden]")) continue;
      for (const name of ["title", "aria-label", "aria-valuetext", "placeholder"])
        parts.push(element.getAttribute(name) ?? "");
      for (const node of element.childNodes) if (node.nodeType === 3) parts.push(node.textContent ?? "");
    }
    return parts.some((part) => part.split(/[^\d.]+/).includes(number) || part.includes(` ${number}.`));
  }
}
