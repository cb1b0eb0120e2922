// The menu that saves what a player shows: the page, the picture, or the recording.
//
// Read next: exported.ts.

import { makeDialog } from "./dialog";
import { button, h, icon, setText } from "./dom";
import { png, svgText } from "./exported";
import type { Tools } from "./state";

const ARROW = "M7 2h2v6h3L8 12.5 4 8h3zM2 13h12v1.6H2z";

/** `page`: the text of a page that plays the recording and opens at event `step`. */
export const saveMenu =
  (page: (step: number, picture: string) => Promise<string>): Tools =>
  (root, { trace, step }) => {
    const said = h("p.gl-note", { role: "status" });
    const row = (label: string, ending: string, make: () => Promise<BlobPart>) => {
      const save = async () => {
        setText(said, "");
        try {
          download(`${named(trace.title)}.${ending}`, await make());
          dialog.open(false);
        } catch (error) {
          setText(said, `Not saved: ${error instanceof Error ? error.message : error}`);
        }
      };
      return button("button.gl-button", () => void save(), {}, `${label} (.${ending})`);
    };
    const picture = async () => svgText(root);
    const list = h(
      "div.gl-choices",
      {},
      ...(trace.events.length
        ? [row("The walk, as a page that plays", "html", () => page(step(), svgText(root)))]
        : []),
      row("This picture, sharp at any size", "svg", picture),
      row("This picture, for slides", "png", async () => png(await picture())),
      row(
        "The recording, for JupyterLab and Python",
        "graphlab.json",
        async () => `${JSON.stringify(trace)}\n`,
      ),
    );
    const dialog = makeDialog("save", "Save", () => dialog.open(false), list, said);
    const about = { "aria-label": "Save", title: "Save the walk or the picture" };
    const open = button("button.gl-button", () => dialog.open(true), about, icon(ARROW));
    const place = root.querySelector(".gl-icons") ?? root.querySelector(".gl-frame");
    place?.append(open);
    root.querySelector(".gl-frame")?.append(dialog.element);
    if (place?.matches(".gl-frame"))
      Object.assign(open.style, { display: "flex", margin: "0 12px 12px auto" });
  };

/** A file name for a title: `params['w']` becomes "params-w". */
export const named = (title: string): string =>
  title
    .replaceAll(/[^\p{L}\p{N}_.]+/gu, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60) || "graph";

function download(name: string, data: BlobPart): void {
  const url = URL.createObjectURL(new Blob([data]));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
