// Lets a person change the value of a leaf where it stands: a field opens over it, or a drag changes it.
//
// Every place that can be edited has data-edit="t3 0", the id of a tensor and the index of an entry; without
// an index, the entries are shown to choose from. What is typed goes out as an action, and nothing else.
//
// Read next: edits.ts, follow.ts.

import { type Figure, figure } from "./cards/arrays";
import { focused, h, setText } from "./dom";
import { opens, PLACES, placeAt } from "./editable";
import { type Edits, nudged, type Place, placeName, shortest, stepOf, typed } from "./edits";
import type { Moment } from "./moment";
import type { Recording } from "./recording";
import type { Dispatch, PlayerState } from "./state";

const PULL = 5; // pixels of a drag for one step
const SLACK = 3; // pixels that a click may move
const GAP = 4; // pixels

/** What the player knows of the values that can be edited. */
export interface Editing {
  why(tensor: string): string; // "" or why it cannot be edited
  recorded(tensor: string): ArrayLike<number>;
  entries(tensor: string): ArrayLike<number>; // the present entries
  sentence(edits: Edits, touched: Place | undefined, recording: Recording): string; // the sentence that describes the edits
  changes(recording: Recording): string; // what follows from them
}

export interface Editor {
  parts: readonly HTMLElement[]; // elements on top of the frame
  update(state: PlayerState, moment: Moment, moved: boolean): void;
  /** Take an event that came to `target` before the editor was there. */
  take(event: Event, target: Element): void;
}

/** A place that is being edited. */
interface Open {
  place: Place;
  before: number;
  step: number; // the change for one press of an arrow key
  dtype: string;
  anchor(): Element | undefined;
  back: HTMLElement | null; // where the focus was
}

interface Drag extends Omit<Open, "anchor" | "back"> {
  x: number;
  steps: number; // steps of the drag so far
  value: number;
  pointer: number;
  active: boolean;
}

export function makeEditor(
  root: HTMLElement,
  { lookup }: Recording,
  { why, recorded, entries }: Editing,
  dispatch: Dispatch,
  signal: AbortSignal,
): Editor {
  const field = h("input.gl-typed", { type: "text", autocomplete: "off", spellcheck: "false" });
  const said = h("p.gl-why-not", { role: "alert" });
  const box = h("div.gl-editor", {}, field, said);
  const list = h("div.gl-editor.gl-entries", { role: "group" });
  box.hidden = list.hidden = true;
  let open: Open | undefined;
  let anchor: (() => Element | undefined) | undefined; // what the field, or a sentence in its place, is attached to
  let listed:
    | { tensor: string; figure: Figure; anchor: () => Element | undefined; back: HTMLElement | null }
    | undefined;
  let drag: Drag | undefined;
  let dragged = false; // the click that ends a drag opens nothing
  let moment: Moment | undefined;

  const complain = (text: string) => {
    setText(said, text);
    field.setAttribute("aria-invalid", String(Boolean(text)));
  };
  const change = ([tensor, entry]: Place, value: number, now = false) =>
    dispatch({ type: "edit", tensor, entry, value, now });
  const valueAt = ([tensor, entry]: Place) => entries(tensor)[entry] ?? Number.NaN;
  const started = (place: Place) => {
    const before = valueAt(place);
    const dtype = lookup.tensors.get(place[0])?.value?.dtype ?? "";
    return { place, before, dtype, step: stepOf(before, recorded(place[0])[place[1]] ?? 0) };
  };
  const focusBack = (to: Element | null | undefined) => {
    const there = to?.isConnected && root.contains(to) ? to : root;
    (there as HTMLElement).focus({ preventScroll: true });
  };

  /** Put a box over its anchor, or with `below` under it, inside the frame. */
  const lay = (element: HTMLElement, at: Element | undefined, below = false) => {
    const frame = element.parentElement?.getBoundingClientRect();
    if (!at || !frame) return;
    const to = at.getBoundingClientRect();
    const left = below ? to.left : to.right - field.offsetWidth + GAP;
    const middle = (to.top + to.bottom - field.offsetHeight) / 2;
    const top = below ? to.bottom + GAP : middle;
    const inside = (want: number, room: number) => `${Math.max(GAP, Math.min(want, room - GAP))}px`;
    element.style.left = inside(left - frame.left, frame.width - element.offsetWidth);
    element.style.top = inside(top - frame.top, frame.height - element.offsetHeight);
  };
  const layAll = () => {
    field.style.width = `${Math.max(5, field.value.length) + 2.5}ch`; // the name stands beside the field
    if (listed) lay(list, listed.anchor(), true);
    if (anchor) lay(box, anchor(), !open);
  };

  /** The element of the same place, which another value may have drawn anew. */
  const finder = (element: Element) => {
    const key = element.getAttribute("data-edit");
    const around = element.closest(".gl-picture, .gl-entries, .gl-card") ?? root;
    return () => {
      if (element.isConnected) return element;
      if (!around.isConnected) return undefined;
      return [...around.querySelectorAll(PLACES)].find((one) => one.getAttribute("data-edit") === key);
    };
  };

  const close = (back = true) => {
    const was = open;
    open = anchor = undefined;
    box.hidden = true;
    complain("");
    root.classList.remove("gl-editing");
    if (was && back) focusBack(was.back);
  };
  const closeList = (back = true) => {
    const was = listed;
    listed = undefined;
    list.hidden = true;
    if (was && back) focusBack(was.back);
  };

  const edit = (element: Element) => {
    const [tensor = "", text] = (element.getAttribute("data-edit") ?? "").split(" ");
    const back = focused(root);
    const refused = why(tensor);
    close(false);
    complain(refused);
    if (refused || text !== undefined) {
      anchor = finder(element);
      box.hidden = false;
      field.hidden = Boolean(refused);
    }
    if (!refused && text === undefined) show(tensor, element, back);
    else if (!refused && anchor) {
      open = { ...started([tensor, Number(text)]), anchor, back };
      field.value = shortest(open.before, open.dtype);
      field.setAttribute("aria-label", `${placeName(open.place, lookup)}: a number, or Up and Down`);
      root.classList.add("gl-editing");
    }
    layAll();
    if (open) {
      field.focus({ preventScroll: true });
      field.select();
    }
  };

  /** Show the entries of an array, to choose one. */
  const show = (tensor: string, element: Element, back: HTMLElement | null) => {
    const value = lookup.tensors.get(tensor)?.value;
    if (!value) return;
    const made = figure(lookup.label(tensor), value, tensor, undefined, true);
    listed = { tensor, anchor: finder(element), back, figure: made };
    list.setAttribute("aria-label", `Entries of ${lookup.label(tensor)}: choose one to change it`);
    list.replaceChildren(listed.figure.element);
    list.hidden = false;
    redraw();
    lay(list, element, true);
    list.querySelector<HTMLElement>('td[tabindex="0"]')?.focus({ preventScroll: true });
  };
  const redraw = () => {
    if (!listed || !moment) return;
    const [now, was] = [moment, moment.was].map(
      (one) => one?.lookup.tensors.get(listed?.tensor ?? "")?.value,
    );
    if (now) listed.figure.update(now, was ?? undefined);
  };

  /** Take what was typed. Returns whether nothing stands against it. */
  const accept = (): boolean => {
    if (!open) return true;
    const { place, dtype } = open;
    const now = shortest(valueAt(place), dtype);
    complain("");
    if (field.value.trim() === now) return true;
    const found = typed(field.value, dtype, now);
    if (typeof found === "string") complain(found);
    else change(place, found, true); // a refusal arrives in `update`
    return !said.textContent;
  };

  field.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); // every other key belongs to the field
    if (!open || event.isComposing) return;
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (event.key === "Enter") {
      if (accept()) close();
    } else if (event.key === "Escape") {
      if (valueAt(open.place) !== open.before) change(open.place, open.before, true);
      close();
    } else if (by && !event.ctrlKey && !event.metaKey) {
      const { place, step, dtype } = open;
      const from = typed(field.value, dtype, "");
      const size = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
      const now = typeof from === "number" ? from : valueAt(place);
      const next = nudged(now, by * Math.max(1, size), step * Math.min(1, size));
      field.value = String(next);
      complain("");
      const found = typed(field.value, dtype, "");
      if (typeof found === "number") change(place, found);
      else complain(found);
    } else return;
    event.preventDefault();
  });
  field.addEventListener("input", layAll);
  field.addEventListener("focusout", () => {
    if (!open) return;
    if (!accept() && said.textContent) dispatch({ type: "say", text: said.textContent });
    close(false);
  });

  const on = <Kind extends keyof HTMLElementEventMap>(
    kind: Kind,
    act: (event: HTMLElementEventMap[Kind]) => void,
  ) => root.addEventListener(kind, act, { signal });

  on("click", (event) => {
    const element = (event.target as Element).closest(PLACES);
    if (element && !dragged) edit(element);
    dragged = false;
  });
  on("keydown", (event) => {
    const { key } = event;
    const target = event.target as Element;
    if (field.hidden && !box.hidden) close(); // the sentence was read
    const leaf = placeAt(target);
    const presses = opens(key, target);
    if (key === "Escape" && drag?.active) {
      change(drag.place, drag.before, true);
      end();
    } else if (key === "Escape" && listed) closeList();
    else if (presses && leaf && !event.repeat) edit(leaf);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  on("focusin", ({ target }) => {
    const inside = [root, list, box].some(
      (one) => one === target || (one !== root && one.contains(target as Node)),
    );
    if (listed && !inside) closeList(false);
  });
  const press = (event: PointerEvent, target: Element) => {
    dragged = false;
    if (!box.contains(target) && field.hidden) close(false);
    if (listed && !list.contains(target) && !box.contains(target)) closeList(false);
    const element = target.closest(PLACES);
    const [tensor = "", text] = (element?.getAttribute("data-edit") ?? "").split(" ");
    if (!element || text === undefined || event.button || why(tensor)) return;
    const start = started([tensor, Number(text)]);
    drag = {
      ...start,
      x: event.clientX,
      steps: 0,
      value: start.before,
      pointer: event.pointerId,
      active: false,
    };
  };
  on("pointerdown", (event) => press(event, event.target as Element));
  on("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    const by = event.clientX - drag.x;
    if (!drag.active && Math.abs(by) < SLACK) return;
    if (!drag.active) {
      close(false);
      root.setPointerCapture?.(drag.pointer);
      root.classList.add("gl-dragging");
    }
    drag.active = true;
    drag.x = event.clientX;
    const { before, dtype, step } = drag;
    const size = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
    drag.steps += (by / PULL) * size;
    const grid = step * Math.min(1, size);
    const value = Number((Math.round((before + drag.steps * step) / grid) * grid).toPrecision(12));
    const found = typed(String(value), dtype, "");
    if (value === drag.value || typeof found === "string") return;
    drag.value = value;
    change(drag.place, value);
  });
  const end = () => {
    dragged = Boolean(drag?.active);
    drag = undefined;
    root.classList.remove("gl-dragging");
  };
  on("pointerup", end);
  on("pointercancel", end);
  root.addEventListener("scroll", layAll, { signal, capture: true, passive: true });

  const update: Editor["update"] = (state, now, moved) => {
    moment = now;
    if (open && state.message) complain(state.message);
    else if (open && focused(root) === field && field.value === "") return;
    if ((anchor && !anchor()) || (moved && !open)) close(Boolean(open));
    if (listed && (moved || !listed.anchor())) closeList();
    redraw();
    layAll();
  };
  const take: Editor["take"] = (event, target) => {
    const leaf = placeAt(target);
    if (event.type === "pointerdown") press(event as PointerEvent, target);
    else if (leaf) edit(leaf);
  };
  return { parts: [list, box], update, take };
}
