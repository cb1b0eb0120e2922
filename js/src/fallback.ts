// The player inside text/html, for pages without GraphLab's extension. It mounts on every element with
// [data-graphlab], from the compressed trace that the element holds. Where scripts do not run, the picture
// stays. Where the trace cannot be unpacked, the picture stays and a sentence says why.
//
// A page of its own opens at the event that its address names (walk.html#step=17), and changes the address
// with every step.
//
// Read next: pair.ts, player.ts.

import { documentIn } from "./columns";
import { h } from "./dom";
import * as extras from "./extras";
import { inflate } from "./inflate";
import { mountDocument } from "./pair";
import { mountPlayer, type PlayerHandle } from "./player";
import { saveMenu } from "./savemenu";
import "./widget"; // so that all of the widget is in what both share: scripts/parts.mjs

const DAMAGED = "The recording in this page is damaged or incomplete. Save the page again.";

function mountAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(
    "[data-graphlab]:not([data-graphlab-mounted])",
  )) {
    const packed = element.querySelector('script[type="application/gzip"]')?.textContent;
    // While the page is still loading, the element may be incomplete.
    if (!packed && document.readyState === "loading") continue;
    element.setAttribute("data-graphlab-mounted", "");
    inflate(packed ?? "")
      .then(documentIn)
      .then(
        (found) => mount(element, found),
        () => say(element, DAMAGED),
      );
  }
}

function mount(element: HTMLElement, found: unknown): void {
  let forward: boolean | undefined; // what a person chose; undefined: nothing yet
  const alone = element.dataset.graphlab === "page";
  element.classList.toggle("gl-page", alone);
  const { step } = element.dataset;
  const player = mountDocument(element, found, {
    ...(step && { step: Number(step) }),
    everywhere: alone,
    onChange(name, value) {
      if (name === "walks_forward") forward = Boolean(value);
      if (alone && name === "step") address(Number(value), forward);
    },
  });
  if (!alone || player.last < 0) return;
  const go = () => goTo(player, Number(step ?? 0));
  if (location.hash) go();
  addEventListener("hashchange", go);
}

/** Show the event that the address names, the 17 of "#step=17". If there is no such event, say so. */
function goTo(player: PlayerHandle, otherwise: number): void {
  const walk = /[#&]forward=([01])/.exec(location.hash)?.[1];
  if (walk) player.set("walks_forward", walk === "1");
  const { last } = player;
  const asked = /[#&]step=([^&]*)/.exec(decoded(location.hash))?.[1];
  if (asked === undefined) {
    player.setStep(otherwise);
    return;
  }
  const k = /^-?\d+$/.test(asked) ? Number(asked) : Number.NaN;
  const shown = k >= 0 ? Math.min(k, last) : 0;
  player.setStep(shown);
  if (k === shown) return;
  address(shown, walk ? walk === "1" : undefined);
  player.say(
    `There is no step ${asked}: the steps are 0 to ${last}. This is the ${shown ? "last" : "first"} one.`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Write the event into the address, so that a person can send a link to it. */
function address(step: number, forward?: boolean): void {
  const walk = forward === undefined ? "" : `forward=${Number(forward)}&`;
  location.replace(`#${walk}step=${step}`); // browsers refuse history.replaceState to pages from the disk
}

function say(element: HTMLElement, sentence: string): void {
  element.append(h("p", { role: "alert" }, sentence));
}

/** Mount the players of the page; of one that is still loading, also when it is complete. */
function mountPage(): void {
  mountAll();
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
}

const player = Object.assign(mountPage, { mountDocument, mountPlayer, saveMenu, extras });
export type Player = typeof player; // JupyterLab's extension has it too (lab/core.ts), and the widget its extras

export default player; // scripts/packing.mjs calls it for every output
