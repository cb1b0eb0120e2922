// The player inside text/html, where no extension of ours is: it mounts on every [data-graphlab]
// element, from the trace that the element carries, compressed. Where scripts do not run, the picture
// stays; where they run and the trace cannot be unpacked, the picture stays with a sentence.
//
// A page of its own opens at the event that its address names (walk.html#step=17) and keeps that true.

import { h } from "./dom";
import { inflate } from "./inflate";
import { mountPlayer, type PlayerHandle } from "./player";
import { loaded } from "./styles";

const DAMAGED =
  "The walk in this page is damaged, as if it were cut off, so only the picture can be shown. Save it again.";
const TOO_OLD = "This browser is too old to play the walk; the picture shows how it ends.";

function mountAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(
    "[data-graphlab]:not([data-graphlab-mounted])",
  )) {
    const packed = element.querySelector('script[type="application/gzip"]')?.textContent;
    // While a page is still being read, the element may not be there in full.
    if (!packed && document.readyState === "loading") continue;
    element.setAttribute("data-graphlab-mounted", "");
    if (typeof DecompressionStream === "undefined") say(element, TOO_OLD);
    else
      Promise.all([inflate(packed ?? ""), loaded()]).then(
        ([text]) => mount(element, text),
        () => say(element, DAMAGED),
      );
  }
}

function mount(element: HTMLElement, text: string): void {
  const alone = element.dataset.graphlab === "page";
  element.classList.toggle("gl-page", alone);
  const step = Number(element.dataset.step ?? 0);
  const player = mountPlayer(element, text, {
    step,
    everywhere: alone,
    onChange(name, value) {
      if (alone && name === "step") address(Number(value));
    },
  });
  if (!alone || player.last < 0) return;
  if (location.hash) goTo(player, step);
  addEventListener("hashchange", () => goTo(player, step));
}

/** Show the event that the address names, the 17 of "#step=17"; where it names none, say so. */
function goTo(player: PlayerHandle, otherwise: number): void {
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
  address(shown);
  const none = Number.isNaN(k) ? `“${asked}” is no step` : `There is no step ${asked}`;
  player.say(`${none}: this walk has 0 to ${last}. Here is the ${shown ? "last" : "first"} one.`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Let the address name the event, so that it can be sent to somebody. */
function address(step: number): void {
  location.replace(`#step=${step}`); // history.replaceState is refused to pages on the disk
}

function say(element: HTMLElement, sentence: string): void {
  element.append(h("p", { role: "alert" }, sentence));
}

mountAll();
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
