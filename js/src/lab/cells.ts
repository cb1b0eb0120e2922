// Inserts a cell below the active one.
//
// Read next: lab/snippets.ts, which writes its code.

import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";

/** Insert a cell below the active one, and make it active. The cell is not run. */
export function insertCell({ content, node }: NotebookPanel, code: string): void {
  NotebookActions.insertBelow(content);
  content.activeCell?.model.sharedModel.setSource(code);
  content.mode = "command";
  content.activate();
  node.querySelector(".jp-Cell.jp-mod-active")?.scrollIntoView({ block: "nearest" });
}
