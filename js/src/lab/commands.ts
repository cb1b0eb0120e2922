// The commands of the panel: for the palette, the toolbar of the notebook, and keyboard shortcuts.
//
// Read next: lab/panel.ts.

import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { ICommandPalette } from "@jupyterlab/apputils";
import { LabIcon } from "@jupyterlab/ui-components";
import { ICON } from "./icon";
import type { TensorPanel } from "./panel";
import { CALLS, type Call } from "./snippets";

const CATEGORY = "GraphLab";
const INSERT: { [call in Call]: string } = {
  step: "Insert a cell that steps through the selected tensor",
  trace: "Insert a cell that traces the selected tensor",
  check: "Insert a cell that checks the selected tensor's gradients",
};

export function addCommands(app: JupyterFrontEnd, panel: TensorPanel, palette: ICommandPalette | null): void {
  const icon = new LabIcon(ICON);
  const isEnabled = () => panel.selected !== undefined;
  const show = () => app.shell.activateById(panel.id);
  const add = (name: string, label: string, execute: () => unknown, more: object = {}) => {
    const command = `graphlab:${name}`;
    const describedBy = { args: { type: "object", properties: {} } };
    app.commands.addCommand(command, { label: `GraphLab: ${label}`, execute, describedBy, ...more });
    palette?.addItem({ command, category: CATEGORY });
  };
  const caption = "Show the tensors of this notebook (GraphLab)";
  const enter = () => {
    show();
    panel.enter();
  };
  add("open-panel", "Open the tensor panel", enter, { icon, caption });
  add("refresh", "Read the tensors again", () => panel.refresh());
  add("walk-last", "Trace the last result", () => {
    show();
    return panel.walkLast();
  });
  add("walk-selected", "Step through the selected tensor", () => panel.walk(), { isEnabled });
  add("open-selected", "Step through the selected tensor in a tab", () => panel.open(), { isEnabled });
  add("save-trace", "Save the trace of the selected tensor…", () => panel.save(), { isEnabled });
  for (const call of CALLS) add(`insert-${call}`, INSERT[call], () => panel.insert(call), { isEnabled });
}
