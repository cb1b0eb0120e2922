// The player inside text/html, where no extension of ours is: it mounts on every [data-graphlab]
// element, from the trace that the element carries, compressed. Where scripts do not run, or can't
// decompress, the static picture stays.

import { mountPlayer } from "./player";

function mountAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(
    "[data-graphlab]:not([data-graphlab-mounted])",
  )) {
    const packed = element.querySelector('script[type="application/gzip"]')?.textContent;
    if (!packed || typeof DecompressionStream === "undefined") continue;
    element.setAttribute("data-graphlab-mounted", "");
    void unpack(packed).then((text) => mountPlayer(element, text));
  }
}

async function unpack(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).text();
}

mountAll();
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
