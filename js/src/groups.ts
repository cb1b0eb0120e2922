// Draws the state on the groups of a scene: the status of an operation, the gradient of a tensor or of an
// edge, what is still saved, how much of a scope is done.
//
// Each group looks at a few values and draws only when one of them has changed, because most of a picture
// stays the same from one step to the next.
//
// Read next: sceneview.ts.

import { brief, setText, svg } from "./dom";
import { fitted } from "./fitting";
import { heatPaths } from "./heatmap";
import { DROPPED, type Lookup, NONE, versionNow } from "./lookup";
import { finite, middle, named } from "./marks";
import type { Progress } from "./scopetree";
import type { Group, Mark, State } from "./trace";

const [LONG, LONGER] = [5, 12]; // characters that fit beside another word, and that fit at all, where labels are large

/** The moment to draw. An id is that of the group that is drawn, which may stand for others. */
export interface Now {
  state: State;
  edge: string; // on which a gradient runs
  current: string; // that runs
  k: number; // the last event that is shown
}

/** Show a moment. */
export type Draw = (now: Now) => void;

type Seen = readonly (string | number | boolean | undefined)[];

/** A place for a text that changes: its first text, and how many characters it has room for. */
export interface Slot {
  element: Element;
  initial: string;
  name: string;
  most: number;
}

/** The place of a heat map, of the values of a tensor or of its gradient. */
export interface Heat {
  element: Element;
  mark: Mark;
}

export interface Parts {
  group: Group;
  element: SVGGElement;
  slots: Slot[];
  heats: Heat[];
  bar: SVGElement | undefined; // of a scope: shows how much of it is done
  lookup: Lookup;
  progress: (scope: string, k: number) => Progress;
}

/** Call `show` with what `look` returns, if that has changed. */
function whenChanged<const What extends Seen>(look: (now: Now) => What, show: (...seen: What) => void): Draw {
  let last: What | undefined;
  return (now) => {
    const seen = look(now);
    if (last?.every((one, at) => one === seen[at])) return;
    last = seen;
    show(...seen);
  };
}

/** The function that draws a group; undefined for a group that never changes. */
export function drawing(parts: Parts): Draw | undefined {
  const { kind, members } = parts.group;
  if (kind === "op") return operation(parts);
  if (kind === "tensor") return tensor(parts);
  if (kind === "flow") return members?.length ? merged(parts, members) : flow(parts);
  if (kind === "scope") return scope(parts);
  return kind === "saved" ? saved(parts) : undefined;
}

function operation({ group, element }: Parts): Draw {
  return whenChanged(
    ({ state }) => [state.status[group.id] ?? "pending"],
    (status) => setStatus(element, status),
  );
}

function tensor({ group: { id, marks }, element, slots, heats, lookup }: Parts): Draw {
  const info = lookup.tensors.get(id);
  const kept = info?.is_leaf || info?.retains_grad;
  const caption = captionOf(element, marks);
  const own = caption?.textContent ?? "";
  const earlier = info?.grad?.text;
  return whenChanged(
    ({ state: { cleared, leaves, grads, values, versions, finished } }) => {
      // a leaf shows only what was written to its .grad, not what is on its way there
      const now = leaves?.[id]?.after ?? (cleared?.[id] || info?.is_leaf ? undefined : grads?.[id]);
      const changed = values?.[id]; // in place
      return [
        Boolean(cleared?.[id]),
        now?.text,
        changed?.text,
        versions?.[id], // the number of changes in place
        heats.length ? now?.entries : "",
        heats.length ? changed?.entries : "",
        Boolean(finished && !kept && grads?.[id]), // its gradient was passed on, and is gone
      ];
    },
    (cleared, written, value, version, gradient, entries, dropped) => {
      const before = cleared ? undefined : earlier;
      for (const { element, mark } of heats) {
        const own = mark.slot
          ? (gradient ?? (before && info?.grad?.entries))
          : (entries ?? info?.value?.entries);
        element.replaceChildren(...heatPaths(mark, info?.value ?? { shape: [] }, own));
      }
      const texts: { [slot: string]: string | undefined } = {
        grad: cleared ? NONE : (written ?? before),
        value,
        version: version && value ? `v${version}` : undefined, // without a new value, the version is left out
      };
      for (const slot of slots) fillSlot(slot, texts[slot.name]);
      if (caption) setText(caption, dropped ? DROPPED : own);
      element.classList.toggle("gl-dropped", dropped);
      named(element);
      element.classList.toggle("gl-known", written !== undefined);
      element.classList.toggle("gl-earlier", written === undefined && before !== undefined);
    },
  );
}

/** The text below the card of a tensor, which may be empty; undefined without a card. */
function captionOf(element: Element, marks: readonly Mark[]): Element | undefined {
  const card = marks.find(({ c }) => c === "card");
  const found = element.querySelector(":scope > .gl-caption");
  if (found || !card) return found ?? undefined;
  const { x, y } = middle(card);
  const made = svg("text.gl-caption", { x, y: y + finite(card.h) / 2 + 12, "text-anchor": "middle" });
  element.append(made);
  return made;
}

/** The line of a gradient: on an edge ("n2.0"), or from a tensor into the node that made it ("n2<t5"). */
function flow({ group: { id }, element, slots, lookup }: Parts): Draw {
  const [node = "", output] = id.split("<");
  const into = output !== undefined;
  const enters = into ? output || (lookup.nodes.get(node)?.outputs[0] ?? "") : "";
  return whenChanged(
    ({ state, edge }) => {
      const { status, grads, edges } = state;
      const begun = !into || ["current", "done", "failed"].includes(status[node] ?? "");
      const text = (into ? grads?.[enters] : edges?.[id])?.text;
      return [text, begun && text !== undefined, id === edge];
    },
    (text, visible, now) => {
      element.classList.toggle("gl-shown", visible);
      element.classList.toggle("gl-now", visible && now);
      for (const slot of slots) fillSlot(slot, text);
    },
  );
}

/** A line that several edges share: it says on how many of them a gradient has run. */
function merged({ group: { id }, element, slots }: Parts, members: readonly string[]): Draw {
  return whenChanged(
    ({ state, edge }) => [members.filter((one) => state.edges?.[one]).length, id === edge],
    (gone, now) => {
      element.classList.toggle("gl-shown", gone > 0);
      element.classList.toggle("gl-now", now && gone > 0);
      const [long, short] = [`${gone} of ${members.length}`, `${gone}/${members.length}`];
      for (const slot of slots) fillSlot(slot, gone ? (long.length > slot.most ? short : long) : undefined);
    },
  );
}

function scope({ group: { id }, element, slots, bar, progress }: Parts): Draw {
  const whole = finite(bar?.previousElementSibling?.getAttribute("width"));
  return whenChanged(
    ({ current, k }) => {
      const { done, total } = progress(id.slice(1), k);
      return [done, total, id === current];
    },
    (done, total, now) => {
      setStatus(element, now ? "current" : !done ? "pending" : done < total ? "running" : "done");
      for (const slot of slots) fillSlot(slot, done ? `${done} of ${total}` : undefined);
      bar?.setAttribute("width", String((total ? done / total : 0) * whole));
    },
  );
}

/** The chip of a saved tensor, "s:n2.other": whether it is freed, and whether it was changed since. */
function saved({ group: { id }, element, lookup }: Parts): Draw {
  const node = savedBy(id);
  const what = lookup.saved(node).find(({ name }) => id === `s:${node}.${name}`);
  return whenChanged(
    ({ state }) => [
      Boolean(state.freed?.[node]),
      what !== undefined && versionNow(what, state) !== (what.version_saved ?? 0),
    ],
    (freed, stale) => {
      element.classList.toggle("gl-freed", freed);
      element.classList.toggle("gl-stale", stale);
    },
  );
}

/** The node "n2" of the chip "s:n2.other". */
export function savedBy(id: string): string {
  return id.slice(2).split(".")[0] ?? "";
}

function setStatus(element: Element, status: string): void {
  element.setAttribute("data-status", status);
  named(element);
}

/** Set the text of a slot. */
function fillSlot({ element, initial, most }: Slot, text: string | undefined): void {
  const shown = text === undefined ? initial : fitted(brief(text), most); // the first text has its room
  const size = text === undefined ? 0 : shown.length;
  element.classList.toggle("gl-filled", size > 0 && text !== NONE);
  if (element.textContent === shown) return;
  element.textContent = shown;
  element.classList.toggle("gl-long", size > LONG);
  element.classList.toggle("gl-longer", size > LONGER);
}
