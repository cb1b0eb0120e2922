// The JupyterLab extension: the side panel with its commands and settings. Outputs are played by lab/mime.ts.
//
// Read next: lab/panel.ts.

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, MainAreaWidget } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { LabIcon } from "@jupyterlab/ui-components";
import { addCommands } from "./commands";
import { ICON } from "./icon";
import { addLeading } from "./leading";
import { showTraces } from "./livewidget";
import { TensorPanel } from "./panel";
import { saveTrace } from "./save";
import { choose } from "./settings";
import { TraceView } from "./traceview";

const ID = "graphlab-jupyter:panel"; // also the name of its settings: schema/panel.json
let tabs = 0;

const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description:
    "Shows the tensors of the active notebook and their graphs, and steps through backward passes.",
  autoStart: true,
  optional: [INotebookTracker, ICommandPalette, ISettingRegistry, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null,
    restorer: ILayoutRestorer | null,
  ) => {
    if (!tracker) return; // a page without notebooks
    app.docRegistry.addWidgetExtension("Notebook", { createNew: showTraces });
    const panel = new TensorPanel(tracker, {
      open: (name, document) => openTab(app, name, document),
      save: (name, folder, document) => saveTrace(app, name, folder, document),
      changed: () => app.commands.notifyCommandChanged(),
    });
    panel.id = "graphlab-panel";
    panel.title.icon = new LabIcon(ICON);
    panel.title.caption = "GraphLab: the tensors of this notebook";
    restorer?.add(panel, panel.id);
    addCommands(app, panel, palette);
    addLeading(app, tracker, palette);
    app.shell.add(panel, "right", { rank: 700 });
    if (registry) void follow(app, registry, panel);
  },
};

/** Apply the settings now and whenever they change. */
async function follow(app: JupyterFrontEnd, registry: ISettingRegistry, panel: TensorPanel): Promise<void> {
  const found = await registry.load(ID);
  const { openAtStart } = choose(found.composite);
  found.changed.connect(({ composite }) => {
    choose(composite);
    panel.refresh();
  });
  if (!openAtStart) return;
  await app.restored;
  app.shell.activateById(panel.id);
}

/** Open a recording in a tab beside the notebook. Returns false where there are no tabs. */
function openTab(app: JupyterFrontEnd, name: string, document: unknown): boolean {
  const content = new TraceView();
  void content.play(document);
  const tab = new MainAreaWidget({ content });
  tabs += 1;
  tab.id = `graphlab-walk-${tabs}`;
  tab.title.label = `Walk ${name}`;
  tab.title.icon = new LabIcon(ICON);
  tab.title.closable = true;
  app.shell.add(tab, "main", { mode: "split-right" });
  if (!tab.isAttached) {
    tab.dispose();
    return false;
  }
  app.shell.activateById(tab.id);
  return true;
}

export default [plugin];
