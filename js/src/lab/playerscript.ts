// The built player as a text: two files of the extension, which Python reads too
// (graphlab/faces/render/html.py).
//
// Read next: scripts/packing.mjs.

// the builder gives them names of their own
const FILES = [new URL("./graphlab.core", import.meta.url), new URL("./graphlab.extras", import.meta.url)];

/** The player's script, fetched when it is needed. Rejects, with a sentence, where it cannot be fetched. */
export async function playerScript(): Promise<string> {
  const texts = FILES.map(async (file) => {
    const answer = await fetch(file).catch(() => undefined);
    if (!answer?.ok) throw new Error("GraphLab's player could not be fetched.");
    return answer.text();
  });
  const [core = "", extras = ""] = await Promise.all(texts);
  return scriptOf(core, extras);
}

/** The script that unpacks and runs both. */
export const scriptOf = (core: string, extras: string): string =>
  `(()=>{${core.split("\n")[0]}${extras.replace("\n", "")}})()`;
