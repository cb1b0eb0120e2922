// The live widget: anywidget calls render() for each view of the model.
//
// The model holds the place, so two views of it walk together, and Python can move both.

import { mountPlayer, type PlayerHandle } from "./player";

/** What anywidget's model offers, as far as it is used here. */
export interface Model {
  get(name: "trace"): unknown;
  get(name: "step"): number;
  get(name: "playing"): boolean;
  set(name: "step" | "playing", value: number | boolean): void;
  save_changes(): void;
  on(name: string, callback: () => void): void;
  off(name: string, callback: () => void): void;
}

export function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const root = document.createElement("div");
  el.append(root);
  let player: PlayerHandle;

  const save = (name: "step" | "playing", value: number | boolean) => {
    if ((name === "step" ? model.get("step") : model.get("playing")) === value) return;
    model.set(name, value);
    model.save_changes();
  };
  const mount = () => {
    player = mountPlayer(root, model.get("trace"), {
      step: model.get("step"),
      onStep: (step) => save("step", step),
      onPlaying: (playing) => save("playing", playing),
    });
    player.setPlaying(model.get("playing"));
  };
  const listeners: { [event: string]: () => void } = {
    "change:trace": () => {
      player.destroy();
      mount();
    },
    "change:step": () => player.setStep(model.get("step")),
    "change:playing": () => player.setPlaying(model.get("playing")),
  };

  mount();
  for (const [event, listener] of Object.entries(listeners)) model.on(event, listener);
  return () => {
    for (const [event, listener] of Object.entries(listeners)) model.off(event, listener);
    player.destroy();
    root.remove();
  };
}

export default { render };
