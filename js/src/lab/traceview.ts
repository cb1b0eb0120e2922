// A player in a JupyterLab widget: an output, a document, or a tab of its own.
//
// Read next: lab/core.ts, pair.ts.

import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { h } from "../dom";
import type { PlayerHandle, PlayerOptions } from "../player";
import { MIME_TYPE } from "../trace";
import { FOLLOWED, type Member } from "./classroom";
import { classroomBar } from "./classroombar";
import type { Room } from "./classrooms";
import { core } from "./core";
import { pageOf } from "./pagefile";
import { playerOptions } from "./settings";

export class TraceView extends Widget implements IRenderMime.IRenderer {
  readonly #room: Room | undefined;
  #player: PlayerHandle | undefined;
  #leave: (() => void) | undefined;
  #parts: TraceView[] = []; // players beside each other

  /** `room`: of the notebook that this output is in. */
  constructor(room?: Room) {
    super();
    this.#room = room;
  }

  /** Show `trace`, as text or as data. Any other document shows a sentence that says why. */
  async play(trace: unknown): Promise<void> {
    this.#end();
    this.addClass("graphlab-output");
    const beside = (trace as { beside?: unknown } | null)?.beside;
    if (Array.isArray(beside)) return this.#playBeside(beside);
    const root = document.createElement("div");
    const bar = classroomBar();
    this.node.replaceChildren(bar.element, root);
    const now: { [name: string]: unknown } = {};
    let changed: (name: (typeof FOLLOWED)[number]) => void = () => undefined;
    const onChange: PlayerOptions["onChange"] = (name, value) => {
      if (!isFollowed(name)) return;
      now[name] = value;
      changed(name);
    };
    const found = await core().catch(({ message }: Error) => {
      root.replaceChildren(h("p", { role: "alert" }, `${message} Reload the page to try again.`));
    });
    if (!found || root.parentNode !== this.node || this.isDisposed) return; // or it shows another trace by now
    const player = found.mountDocument(root, trace, {
      otherwise: playerOptions(),
      tools: (frame, about) =>
        found.saveMenu((step, picture) => pageOf(about.trace, step, picture))(frame, about),
      onChange,
    });
    this.#player = player;
    void this.#room?.classroom.then((classroom) => {
      if (!classroom || this.#player !== player) return;
      const member: Member = {
        place: () => this.#room?.placeOf(this.node) ?? "",
        set(name, value) {
          now[name] = value;
          player.set(name, value);
        },
        show: bar.show,
      };
      changed = (name) => classroom.changed(member, now, name);
      this.#leave = () => classroom.leave(member);
      classroom.join(member);
    });
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    await this.play(model.data[MIME_TYPE]);
  }

  /** Show the players of a box, each in its part of the width. */
  async #playBeside(traces: readonly unknown[]): Promise<void> {
    this.#parts = traces.map(() => new TraceView(this.#room));
    const row = h("div", { style: "display:flex;flex-wrap:wrap;gap:8px" });
    for (const { node } of this.#parts) {
      node.style.flex = "1 1 320px";
      node.style.minWidth = "0";
      row.append(node);
    }
    this.node.replaceChildren(row);
    await Promise.all(this.#parts.map((part, at) => part.play(traces[at])));
  }

  override dispose(): void {
    this.#end();
    super.dispose();
  }

  #end(): void {
    this.#leave?.();
    this.#player?.destroy();
    for (const part of this.#parts.splice(0)) part.dispose();
    this.#leave = this.#player = undefined;
  }
}

const isFollowed = (name: string): name is (typeof FOLLOWED)[number] =>
  (FOLLOWED as readonly string[]).includes(name);
