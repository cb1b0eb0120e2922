// The command with which a teacher leads the players of everyone who has the notebook open.
//
// Read next: lab/classroom.ts.

import type { JupyterFrontEnd } from "@jupyterlab/application";
import { Dialog, type ICommandPalette, showDialog, showErrorMessage } from "@jupyterlab/apputils";
import type { INotebookTracker } from "@jupyterlab/notebook";
import { roomOf } from "./classrooms";

const COMMAND = "graphlab:lead";
const TITLE = "This notebook is not shared";
const WHY =
  "A class can follow where the server has jupyter-collaboration and everyone opens the same notebook. " +
  "docs/classroom.md says how to set it up.";

export function addLeading(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  palette: ICommandPalette | null,
): void {
  app.commands.addCommand(COMMAND, {
    label: "GraphLab: Lead the class through this notebook, or stop leading",
    caption: "Everyone who has the notebook open follows the steps of your players",
    isEnabled: () => tracker.currentWidget !== null,
    describedBy: { args: { type: "object", properties: {} } },
    execute: async () => {
      const panel = tracker.currentWidget;
      if (!panel) return;
      const classroom = await roomOf(panel).classroom;
      if (!classroom) return showErrorMessage(TITLE, WHY);
      const { leader } = classroom;
      if (leader) {
        const { button } = await showDialog({
          title: `${leader} is leading. Take over?`,
          body: `Everyone will follow you, and ${leader} will be told.`,
          buttons: [Dialog.cancelButton(), Dialog.okButton({ label: "Take over" })],
        });
        if (!button.accept) return;
      }
      classroom.lead(!classroom.leads);
    },
  });
  palette?.addItem({ command: COMMAND, category: "GraphLab" });
}
