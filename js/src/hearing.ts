// Lets a widget hear Python again after anywidget has given up.
//
// anywidget passes no message on before its runtime is ready, and none at all if that took more than two seconds:
// a slow machine needs as long for several players. The player is shown and used all the same, so it has to hear.
//
// Read next: widget.ts.

import type { Linked } from "./connection";

/** The part of ipywidgets' model that is used here, which anywidget wraps. */
interface Hearer {
  readonly comm?: {
    on_msg(callback: (message: object) => unknown): void;
    send(data: object, callbacks: object): unknown;
  };
  _handle_comm_msg(message: object): Promise<unknown>;
}

/** Hear Python directly if anywidget does not pass its messages on, and ask for what was missed. */
export async function hear(model: Linked): Promise<void> {
  if (!model.widget_manager?.kernel) return; // no ipywidgets
  const wrapper = model as { set?(values: object): Hearer | undefined };
  const whole = wrapper.set?.({}); // changes nothing, and returns what anywidget wraps
  if (!whole?.comm) return;
  const passedOn = whole._handle_comm_msg({ content: { data: {} } }); // a message without a meaning
  await passedOn.catch(() => {
    const ipywidgets = Object.getPrototypeOf(Object.getPrototypeOf(whole)) as Hearer;
    whole.comm?.on_msg(ipywidgets._handle_comm_msg.bind(whole));
    whole.comm?.send({ method: "request_state" }, {});
  });
}
