// The menu that saves what a player shows: the page, the picture, or the recording.
//
// Read next: exported.ts.

import { type Dialog, makeDialog } from "./dialog";
import { button, h, setText } from "./dom";
import { png, svgText } from "./exported";
import { saveButton } from "./savebutton";
import type { Trace } from "./trace";

/** The text of a page that plays the recording and opens at event `step`. */
export type MakePage = (step: number, picture: string) => Promise<string>;

/** What is saved; `step`: the event that is shown. */
interface Walk {
  trace: Trace;
  step: () => number;
}

/** A button, and the menu that it opens. */
export const saveMenu =
  (page: MakePage) =>
  (root: HTMLElement, about: Walk): void => {
    const menu = makeSaveMenu(page, root, about);
    saveButton(root, () => menu.open(true));
  };

/** The menu, in the frame of a player. */
export function makeSaveMenu(page: MakePage, root: HTMLElement, { trace, step }: Walk): Dialog {
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
  const slide = async () => {
    const { theme } = root.dataset;
    root.dataset.theme = "slide"; // light and on white, whatever the page is
    const text = svgText(root);
    root.dataset.theme = theme;
    return png(text);
  };
  const list = h(
    "div.gl-choices",
    {},
    ...(trace.events.length
      ? [row("The walk, as a page that plays", "html", () => page(step(), svgText(root)))]
      : []),
    row("This picture, sharp at any size", "svg", picture),
    row("This picture, for slides", "png", slide),
    row(
      "The recording, for JupyterLab and Python",
      "graphlab.json",
      async () => `${JSON.stringify(trace)}\n`,
    ),
  );
  const dialog = makeDialog("save", "Save", () => dialog.open(false), list, said);
  root.querySelector(".gl-frame")?.append(dialog.element);
  return dialog;
}

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
