// A recording as a page that plays offline, as timeline.save("walk.html") writes it. The player's script is
// fetched when a person first saves a page.
//
// Read next: fallback.ts.

import { named } from "../savemenu";
import type { Trace } from "../trace";
import { playerScript } from "./playerscript";

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** The text of a page that opens at event `step`; `picture`: an SVG, for readers without scripts. */
export async function pageOf(trace: Trace, step: number, picture: string): Promise<string> {
  const script = await playerScript();
  const [packed, image] = await Promise.all([gzip(JSON.stringify(trace)), base64(new Blob([picture]))]);
  const inline = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${named(trace.title)}</title>
</head>
<body>
<div class="graphlab-player" data-graphlab="page" data-step="${step}"><img alt="The graph" src="data:image/svg+xml;base64,${image}"><script type="application/gzip">${packed}</script></div><script>${inline}</script>
</body>
</html>
`;
}

const gzip = async (text: string): Promise<string> =>
  base64(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).blob());

async function base64(data: Blob): Promise<string> {
  const bytes = new Uint8Array(await data.arrayBuffer());
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(text);
}
