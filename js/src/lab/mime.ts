// Shows application/vnd.graphlab.v1+json in JupyterLab: as an output, and as a .graphlab.json document.
//
// A saved notebook plays without a kernel, even if the notebook is not trusted. The renderer is safe,
// because nothing in a trace is read as markup or code.
//
// Read next: lab/traceview.ts.

import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { MIME_TYPE } from "../trace";
import { ICON } from "./icon";
import { TraceView } from "./traceview";

const extension: IRenderMime.IExtension = {
  id: "graphlab-jupyter:traces",
  description: "Plays GraphLab's traces.",
  rendererFactory: {
    safe: true,
    mimeTypes: [MIME_TYPE],
    defaultRank: 40, // before text/html, which has 50
    createRenderer: () => new TraceView(),
  },
  dataType: "string", // documents arrive as text, so that the player can report an incomplete one
  fileTypes: [
    {
      name: "graphlab",
      displayName: "GraphLab trace",
      extensions: [".graphlab.json"],
      mimeTypes: [MIME_TYPE],
      fileFormat: "text",
      icon: ICON,
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
