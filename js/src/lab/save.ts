// Writing a walk to a .graphlab.json file of the server, where the person says.

import type { JupyterFrontEnd } from "@jupyterlab/application";
import { Dialog, InputDialog, showDialog, showErrorMessage } from "@jupyterlab/apputils";
import { ENDING, fileName } from "./snippets";

/** Ask where to, ask before something is overwritten, write, and open what was written. */
export async function saveTrace(
  app: JupyterFrontEnd,
  tensor: string,
  folder: string,
  document: unknown,
): Promise<void> {
  const { contents } = app.serviceManager;
  const { button, value } = await InputDialog.getText({
    title: "Save the trace",
    label: "It plays again wherever GraphLab's extension is installed, without a kernel.",
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
      body: `${path} exists already.`,
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
