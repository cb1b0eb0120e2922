// The player in JupyterLab: the packed one that saved pages carry too, so that the extension holds its code once,
// and a live widget on the page shares it. It is fetched and unpacked when a first output is shown.
//
// Read next: fallback.ts, scripts/packing.mjs.

import type { Player } from "../fallback";
import { playerScript } from "./playerscript";

let found: Promise<Player> | undefined;

/** The player. Rejects, with a sentence, where it cannot be fetched or unpacked; another call tries again. */
export function core(): Promise<Player> {
  found ??= load().catch((error) => {
    found = undefined;
    throw error;
  });
  return found;
}

async function load(): Promise<Player> {
  const script = await playerScript();
  const page = globalThis as unknown as { [key: string]: { x?: Player } | undefined };
  const key = /graphlab-\w{12}/.exec(script)?.[0] ?? ""; // of this version: an output may have run it already
  if (!page[key]?.x) {
    const element = document.createElement("script");
    element.text = script;
    document.head.append(element);
    element.remove();
  }
  const unpacked = page[key]?.x;
  if (!unpacked) throw new Error("GraphLab's player cannot run in this browser.");
  return unpacked;
}
