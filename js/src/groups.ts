// Draws the state on the groups of a scene: the status of an operation, the gradient of a tensor or of an
// edge, what is still saved, how much of a scope is done.
//
// Each group looks at a few values and draws only when one of them has changed, because most of a picture
// stays the same from one step to the next.
//
// Read next: sceneview.ts.

import { brief, differs, setText, svg } from "./dom";
import { fitted } from "./fitting";
import { heatPaths } from "./heatmap";
import { DROPPED, gradText, type Lookup, NONE, UNKNOWN, valueNow, versionNow } from "./lookup";
import { finite, middle, named } from "./marks";
import type { Moment } from "./moment";
import type { Progress } from "./scopetree";
import type { Group, Mark, Saved, State } from "./trace";

const LEAST = 6; // characters, of any number: "-1e-05"
const [LONG, LONGER] = [5, 12]; // characters that fit beside another word, and that fit at all, where labels are large

/** The moment to draw. An id is that of the group that is drawn, which may stand for others. */
export interface Now {
  state: State;
  lookup: Lookup;
  was: Moment | undefined; // the recorded moment, if a value is edited
  edge: string; // the edge on which a gradient is sent
  current: string; // the node that runs
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
  bar: SVGElement | undefined; // for a scope: how much of it is done
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

function tensor({ group, element, slots, heats, lookup }: Parts): Draw {
  const { id, marks } = group;
  const info = lookup.tensors.get(id);
  const kept = info?.is_leaf || info?.retains_grad;
  const caption = captionOf(element, marks);
  const own = marks.find(({ c }) => c === "caption")?.t ?? "";
  const earlier = info?.grad?.text;
  const title = element.querySelector(":scope > title");
  // a leaf shows only what was written to its .grad or is returned, not what is on its way there
  const gradOf = ({ cleared, leaves, grads, returned }: State) =>
    returned?.[id]
      ? grads?.[id]
      : (leaves?.[id]?.after ?? (cleared?.[id] || info?.is_leaf ? undefined : grads?.[id]));
  const textOf = (state: State) => gradText(gradOf(state), state, id);
  const held = (state: State, { tensors }: Lookup) => state.values?.[id] ?? tensors.get(id)?.value;
  return whenChanged(
    ({ state, lookup, was }) => {
      const { cleared, computed, grads, versions, finished } = state;
      const returned = state.returned?.[id];
      const now = gradOf(state);
      const value = held(state, lookup); // changed in place, or edited
      const text = state.values?.[id] || value?.text !== info?.value?.text ? value?.text : undefined;
      return [
        Boolean(cleared?.[id]),
        textOf(state),
        text,
        versions?.[id], // the number of changes in place
        heats.length ? now?.entries : "",
        heats.length ? value?.entries : "",
        finished, // from now on, nothing arrives
        Boolean(finished && !kept && !returned && grads?.[id]), // its gradient was passed on, and is gone
        was && textOf(was.state),
        was && held(was.state, was.lookup)?.text,
        was && info?.is_leaf && held(was.state, was.lookup)?.entries !== value?.entries,
        Boolean(computed && !computed[id]), // the forward pass has not come here
      ];
    },
    (
      cleared,
      written,
      value,
      version,
      gradient,
      entries,
      over,
      dropped,
      oldGrad,
      oldValue,
      touched,
      pending,
    ) => {
      const before = cleared ? undefined : earlier;
      for (const { element, mark } of heats) {
        const own = mark.slot ? (gradient ?? (before && info?.grad?.entries)) : entries;
        element.replaceChildren(...heatPaths(mark, info?.value ?? { shape: [] }, own));
      }
      const texts: { [slot: string]: string | undefined } = {
        grad: cleared ? NONE : (written ?? before ?? (over ? NONE : undefined)),
        value: pending ? "not yet" : value,
        version: version && value ? `v${version}` : undefined, // without a new value, the version is left out
      };
      const was: { [slot: string]: string | undefined } = { grad: oldGrad, value: oldValue };
      for (const slot of slots) {
        const text = texts[slot.name];
        fillSlot(slot, text);
        differs(
          slot.element,
          text ?? info?.value?.text,
          text === undefined || pending ? undefined : was[slot.name],
        );
      }
      const edited =
        touched || (info?.is_leaf && oldValue !== undefined && value !== undefined && value !== oldValue);
      const recorded = heats.length || /^\[/.test(oldValue ?? "") ? "changed" : `was ${oldValue}`;
      if (caption) setText(caption, edited ? recorded : dropped ? DROPPED : own);
      const unknown = `${info?.name ?? "a tensor"}; ${UNKNOWN}`; // the title holds the value
      if (title) setText(title, pending ? unknown : retitled(group.title, oldValue, value));
      element.classList.toggle("gl-dropped", dropped);
      element.classList.toggle("gl-pending", pending);
      named(element);
      element.classList.toggle("gl-known", written !== undefined);
      element.classList.toggle("gl-earlier", written === undefined && before !== undefined);
    },
  );
}

/** A title with another value in place of the recorded one. */
function retitled(title: string, was: string | undefined, now: string | undefined): string {
  return was && now !== undefined && now !== was
    ? title.replace(was, () => `${now} (recorded ${was})`)
    : title;
}

/** The text below the card of a tensor, which may be empty; undefined without a card. */
function captionOf(element: Element, marks: readonly Mark[]): Element | undefined {
  const card = marks.find(({ c }) => c === "card");
  const found = element.querySelector(":scope > .gl-caption");
  if (found || !card) return found ?? undefined;
  const { x, y } = middle(card);
  const about = { x, y: y + finite(card.h) / 2 + 12, "text-anchor": "middle", "aria-hidden": "true" };
  const made = svg("text.gl-caption", about);
  element.append(made);
  return made;
}

/** The line of a gradient: on an edge ("n2.0"), or from a tensor into the node that made it ("n2<t5"). */
function flow({ group: { id }, element, slots, lookup }: Parts): Draw {
  const [node = "", output] = id.split("<");
  const into = output !== undefined;
  const enters = into ? output || (lookup.nodes.get(node)?.outputs[0] ?? "") : "";
  return whenChanged(
    ({ state, edge, was }) => {
      const begun = !into || ["current", "done", "failed"].includes(state.status[node] ?? "");
      const textOf = ({ grads, edges }: State) => (into ? grads?.[enters] : edges?.[id])?.text;
      const text = textOf(state);
      return [text, begun && text !== undefined, id === edge, was && textOf(was.state)];
    },
    (text, visible, now, old) => {
      element.classList.toggle("gl-shown", visible);
      element.classList.toggle("gl-now", visible && now);
      for (const slot of slots) {
        // the layout has counted on the recorded number; for so many characters there is room anywhere
        fillSlot(old === undefined ? slot : { ...slot, most: Math.max(slot.most, LEAST) }, text);
        differs(slot.element, text, old);
      }
    },
  );
}

/** A line that several edges share: it says on how many of them a gradient has run. */
function merged({ group: { id }, element, slots }: Parts, members: readonly string[]): Draw {
  element.classList.add("gl-several");
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
function saved({ group: { id, title }, element, slots, lookup }: Parts): Draw {
  const node = savedBy(id);
  const find = (lookup: Lookup) => lookup.saved(node).find(({ name }) => id === `s:${node}.${name}`);
  const what = find(lookup);
  const textOf = (saved: Saved | undefined, state: State) => saved && valueNow(saved, state)?.text;
  const own = element.querySelector(":scope > title");
  return whenChanged(
    ({ state, lookup, was }) => [
      Boolean(state.freed?.[node] && (what?.value || what?.freed)), // options, such as an exponent, are kept
      Boolean(state.kept && !state.kept[id.slice(2)]), // the forward pass has not saved it yet
      what !== undefined && versionNow(what, state) !== (what.version_saved ?? 0),
      was && textOf(find(lookup), state),
      was && textOf(what, was.state),
    ],
    (freed, pending, stale, text, old) => {
      element.classList.toggle("gl-pending", pending);
      const other = text === old ? undefined : text;
      for (const slot of slots) {
        fillSlot(slot, other);
        differs(slot.element, text, old);
      }
      if (own) setText(own, retitled(title, old, other));
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

/** `text` in the room for `most` characters, or a little more: part of a number would say nothing. */
export function squeezed(text: string, most: number): string {
  for (let room = most; ; room += 1) {
    const shown = fitted(text, room);
    if (!shown.endsWith("…") || room >= LEAST) return shown;
  }
}

/** Set the text of a slot. */
function fillSlot({ element, initial, most }: Slot, text: string | undefined): void {
  const shown = text === undefined ? initial : squeezed(brief(text), most); // the first text has its room
  const size = text === undefined ? 0 : shown.length;
  element.classList.toggle("gl-filled", size > 0 && text !== NONE);
  if (element.textContent === shown) return;
  element.textContent = shown;
  element.classList.toggle("gl-long", size > (element.matches(".gl-grad") ? LONG + 1 : LONG));
  element.classList.toggle("gl-longer", size > Math.max(LONG, Math.min(most, LONGER)));
}
