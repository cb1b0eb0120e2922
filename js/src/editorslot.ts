// The place of the editor, which is one of the extras: it is made when a person comes near a value that can be
// edited, so that it is there when it is needed.
//
// Read next: editor.ts.

import { opens, placeAt } from "./editable";
import type { Editing, Editor } from "./editor";
import type { Extras, PlayerOptions } from "./options";
import type { Recording } from "./recording";
import type { Dispatch } from "./state";

export function makeEditorSlot(
  root: HTMLElement,
  recording: Recording,
  editing: Editing,
  dispatch: Dispatch,
  extras: PlayerOptions["extras"],
  signal: AbortSignal,
): Pick<Editor, "update"> & { show(frame: HTMLElement): void } {
  let editor: Editor | undefined;
  let frame: HTMLElement | undefined;
  let last: Parameters<Editor["update"]> | undefined;
  let waiting: [event: Event, target: Element] | undefined; // for the editor
  let asked = false;

  const make = ({ makeEditor }: Extras) => {
    if (editor || signal.aborted || !frame) return;
    editor = makeEditor(root, recording, editing, dispatch, signal);
    frame.append(...editor.parts);
    if (last) editor.update(...last);
    if (waiting) editor.take(...waiting);
  };
  const load = () => {
    if (asked || typeof extras !== "function") return;
    asked = true;
    extras().then(make, ({ message }: Error) => {
      asked = false;
      if (waiting) dispatch({ type: "say", text: message });
      waiting = undefined;
    });
  };
  const wait = (event: Event) => {
    const target = event.target as Element;
    const key = event instanceof KeyboardEvent ? event.key : "";
    if (editor || !placeAt(target) || (event.type === "keydown" && !opens(key, target))) return;
    waiting = [event, target];
    load();
    if (!key) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  if (typeof extras === "function") {
    for (const kind of ["pointerover", "focusin"])
      root.addEventListener(kind, ({ target }) => placeAt(target as Element) && load(), { signal });
    for (const kind of ["pointerdown", "click", "keydown"]) root.addEventListener(kind, wait, { signal });
    const leave = () => {
      if (waiting?.[0].type === "pointerdown") waiting = undefined; // the click that follows opens the field
    };
    for (const kind of ["pointerup", "pointercancel"]) root.addEventListener(kind, leave, { signal });
  }
  return {
    show(element) {
      frame = element;
      if (extras && typeof extras !== "function") make(extras);
    },
    update(...now) {
      last = now;
      editor?.update(...now);
    },
  };
}
