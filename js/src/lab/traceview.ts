// A player in a JupyterLab widget: an output, a document, or a tab of its own.
//
// Read next: pair.ts, player.ts.

import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { mountDocument } from "../pair";
import type { PlayerHandle } from "../player";
import { saveMenu } from "../savemenu";
import type { Tools } from "../state";
import { MIME_TYPE } from "../trace";
import { pageOf } from "./pagefile";
import { playerOptions } from "./settings";

const tools: Tools = (root, about) =>
  saveMenu((step, picture) => pageOf(about.trace, step, picture))(root, about);

export class TraceView extends Widget implements IRenderMime.IRenderer {
  #player: PlayerHandle | undefined;

  /** Show `trace`, as text or as data. Any other document shows a sentence that says why. */
  play(trace: unknown): void {
    this.#player?.destroy();
    this.addClass("graphlab-output");
    this.node.style.overflow = "auto"; // for a document, whose container does not scroll
    const root = document.createElement("div");
    this.node.replaceChildren(root);
    this.#player = mountDocument(root, trace, { otherwise: playerOptions(), tools });
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.play(model.data[MIME_TYPE]);
  }

  override dispose(): void {
    this.#player?.destroy();
    this.#player = undefined;
    super.dispose();
  }
}
