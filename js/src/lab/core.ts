// The drawing core in JupyterLab: the packed player that saved pages carry too, so that the extension holds its
// code once. It is fetched and unpacked when a first output is shown.
//
// Read next: fallback.ts, scripts/packing.mjs.

import type { Core } from "../fallback";
import { playerScript } from "./playerscript";

let found: Promise<Core> | undefined;

/** The core. Rejects, with a sentence, where it cannot be fetched or unpacked; another call tries again. */
export function core(): Promise<Core> {
  found ??= load().catch((error) => {
    found = undefined;
    throw error;
  });
  return found;
}

async function load(): Promise<Core> {
  const script = await playerScript();
  const page = globalThis as { [key: string]: unknown };
  const key = /graphlab-[0-9a-f]{12}/.exec(script)?.[0] ?? ""; // the key of this version: an output may have run it already
  if (!page[key]) {
    const element = document.createElement("script");
    element.text = script;
    document.head.append(element);
    element.remove();
  }
  const unpacked = (await page[key]) as Core | undefined;
  if (!unpacked) throw new Error("GraphLab's player cannot run in this browser.");
  return unpacked;
}
