// The player inside text/html, where no extension of ours is: it mounts on every [data-graphlab]
// element, from the JSON that the element carries. Without scripts the static picture stays.

import { mountPlayer } from "./player";

function mountAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(
    "[data-graphlab]:not([data-graphlab-mounted])",
  )) {
    const text = element.querySelector('script[type="application/json"]')?.textContent;
    if (!text) continue;
    element.setAttribute("data-graphlab-mounted", "");
    mountPlayer(element, text);
  }
}

mountAll();
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
