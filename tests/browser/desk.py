"""What a page is asked about JupyterLab: the notebook at a path, and everything that stands open.

A notebook is found by its path. The one that JupyterLab calls current is whoever has the focus, and
may be none: after a dialog, under load, while another one closes.

Read next: tests/browser/jupyter.py.
"""

from __future__ import annotations

# Put into every page before its own scripts: `desk` finds the application when it is asked.
DESK = """
window.desk = {
    panels() {
        return [...window.jupyterapp.shell.widgets('main')].filter(one => !one.isDisposed);
    },
    panel(path) {
        return this.panels().find(one => one.context?.path === path) ?? null;
    },
    isLoaded(panel) {
        return panel.context.isReady && panel.content.model?.cells.length > 0;
    },
    isFront(panel) {
        const shell = window.jupyterapp.shell;
        if (shell.currentWidget === panel) return true;
        shell.activateById(panel.id);  // it may take until the next time
        return false;
    },
    isIdle(panel) {
        const context = panel.sessionContext;
        return context.isReady && context.session?.kernel?.status === 'idle';
    },
    async clear() {
        const { sessions, kernels } = window.jupyterapp.serviceManager;
        // First the notebooks: one that is open when its kernel goes says so in a dialog.
        for (const panel of this.panels()) {
            if (panel.context?.model) panel.context.model.dirty = false;
            panel.dispose();
        }
        await sessions.shutdownAll();
        await kernels.shutdownAll();
    },
    isClear() {
        const { sessions, kernels } = window.jupyterapp.serviceManager;
        // JupyterLab opens a launcher where nothing else is.
        return !this.panels().some(one => one.context) && ![...sessions.running()].length
            && ![...kernels.running()].length;
    },
};
"""
