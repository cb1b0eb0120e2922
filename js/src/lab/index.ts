// The JupyterLab extension: plays application/vnd.graphlab.v1+json, in an output and as a document.
//
// A saved notebook plays without a kernel, and in an untrusted notebook too: the renderer is safe,
// since nothing in a trace is ever read as markup or code.

import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { mountPlayer, type PlayerHandle } from "../player";
import { MIME_TYPE } from "../trace";

class TraceRenderer extends Widget implements IRenderMime.IRenderer {
  #player: PlayerHandle | undefined;

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#player?.destroy();
    this.addClass("graphlab-output");
    this.node.style.overflow = "auto"; // as a document, where the host does not scroll
    const root = document.createElement("div");
    this.node.replaceChildren(root);
    this.#player = mountPlayer(root, model.data[MIME_TYPE]);
  }

  override dispose(): void {
    this.#player?.destroy();
    this.#player = undefined;
    super.dispose();
  }
}

const extension: IRenderMime.IExtension = {
  id: "graphlab-jupyter:traces",
  description: "Plays GraphLab's traces.",
  rendererFactory: {
    safe: true,
    mimeTypes: [MIME_TYPE],
    defaultRank: 40, // before text/html, which has 50
    createRenderer: () => new TraceRenderer(),
  },
  dataType: "string", // of a document: one that is cut short is for our own sentence
  fileTypes: [
    {
      name: "graphlab",
      displayName: "GraphLab trace",
      extensions: [".graphlab.json"],
      mimeTypes: [MIME_TYPE],
      fileFormat: "text",
    },
  ],
  documentWidgetFactoryOptions: {
    name: "GraphLab",
    primaryFileType: "graphlab",
    fileTypes: ["graphlab", "json"],
    defaultFor: ["graphlab"],
  },
};

export default extension;
