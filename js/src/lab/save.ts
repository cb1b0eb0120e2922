// Writes a recording to a .graphlab.json file on the server.
//
// Read next: lab/snippets.ts.

import type { JupyterFrontEnd } from "@jupyterlab/application";
import { Dialog, InputDialog, showDialog, showErrorMessage } from "@jupyterlab/apputils";
import { ENDING, fileName } from "./snippets";

/** Ask for a path, ask before a file is overwritten, write the file, and open it. */
export async function saveTrace(
  app: JupyterFrontEnd,
  tensor: string,
  folder: string,
  document: unknown,
): Promise<void> {
  const { contents } = app.serviceManager;
  const { button, value } = await InputDialog.getText({
    title: "Save the trace",
    label: "The file plays in every JupyterLab with GraphLab's extension, without a kernel.",
    text: folder + fileName(tensor),
    okLabel: "Save",
  });
  if (!button.accept || !value) return;
  const path = value.endsWith(ENDING) ? value : value + ENDING;
  const there = await contents.get(path, { content: false }).then(
    () => true,
    () => false,
  );
  if (there) {
    const answer = await showDialog({
      title: "Overwrite the file?",
      body: `${path} already exists.`,
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: "Overwrite" })],
    });
    if (!answer.button.accept) return;
  }
  try {
    await contents.save(path, { type: "file", format: "text", content: `${JSON.stringify(document)}\n` });
  } catch (error) {
    return showErrorMessage(
      "The trace was not saved",
      error instanceof Error ? error.message : String(error),
    );
  }
  await app.commands.execute("docmanager:open", { path });
}
