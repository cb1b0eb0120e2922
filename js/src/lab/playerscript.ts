// The built player as a text: a file of the extension, which Python reads too (graphlab/faces/render/html.py).

const FILE = new URL("./graphlab.player", import.meta.url); // the builder gives it a name of its own

/** The player's script, fetched when it is needed. Rejects, with a sentence, where it cannot be fetched. */
export async function playerScript(): Promise<string> {
  const answer = await fetch(FILE).catch(() => undefined);
  if (!answer?.ok) throw new Error("GraphLab's player could not be fetched.");
  return answer.text();
}
