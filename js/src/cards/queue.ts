// The Ready queue card: the node that runs, those that are ready, those that wait, why the node runs now,
// and how much memory the saved tensors hold.
//
// Read next: cards/gradients.ts.

import { breakable, h, setText } from "../dom";
import type { Moment } from "../moment";
import { bytes, card, type Panel } from "./card";

const MOST_WAITING = 2;
const MOST_READY = 4;

export function queuePanel(): Panel {
  const { element, body, head } = card("queue", "Ready queue");
  const list = h("ol.gl-queue");
  const why = h("div.gl-why");
  const held = h("span");
  const fill = h("div.gl-fill");
  const bar = h("div.gl-bar", { "aria-hidden": "true" }, fill);
  const memory = h("div.gl-memory", {}, held, bar);
  body.append(list, why, memory);

  const update = (moment: Moment) => {
    const { state, lookup } = moment;
    const { computed } = state;
    setText(head, computed ? "Operations" : "Ready queue");
    const chips = state.queue.slice(0, MOST_READY).map((id) => chip("", lookup.nodeLabel(id)));
    const more = state.queue.length - MOST_READY;
    if (more > 0) chips.push(h("li.gl-none", {}, `and ${more} more`));
    if (state.current) chips.unshift(chip("gl-now", lookup.nodeLabel(state.current)));
    if (computed) chips.push(h("li.gl-none", {}, progress(moment)));
    if (!chips.length) chips.push(h("li.gl-none", {}, "empty"));
    list.replaceChildren(...chips, ...(computed ? [] : waiting(moment)));
    const told = reason(moment);
    why.replaceChildren(...(told ? [h("b", {}, "Why now: "), ...breakable(told)] : []));

    const { held: now = 0, total = 0 } = state;
    memory.hidden = total === 0;
    setText(held, `saved tensors: ${bytes(now)} of ${bytes(total)} held`);
    fill.style.scale = `${total ? Math.min(1, now / total) : 0} 1`;
  };

  /** Beside the graph there is one line for the queue: the chips that do not fit in it become "+3". */
  const settle = () => {
    const folded: string[] = [];
    while (list.children.length > 2 && list.scrollHeight > list.clientHeight + 1) {
      if (folded.length) list.lastElementChild?.remove();
      folded.unshift(list.lastElementChild?.textContent ?? "");
      list.lastElementChild?.replaceWith(h("li.gl-none", { title: folded.join(", ") }, `+${folded.length}`));
    }
  };
  return { element, update, settle };
}

const chip = (role: string, text: string) =>
  h("li", { class: role || undefined, title: text }, ...breakable(text));

/** How far the forward pass is. */
function progress({ k, timeline }: Moment): string {
  let done = 0;
  let event = timeline.events[k];
  for (let at = k; event && event.kind !== "ForwardBegan"; event = timeline.events[--at])
    if (event.kind === "Computed") done += 1;
  return `${done} of ${event?.operations ?? done} have run`;
}

/** Why the current node runs now, in the words of the recording. */
function reason({ k, state, timeline }: Moment): string {
  for (let at = k; at >= 0; at -= 1) {
    const event = timeline.events[at];
    if (event?.kind === "NodeEntered" || event?.kind === "Computed" || event?.kind === "LeafWritten")
      return (event.node === state.current && event.why) || "";
  }
  return "";
}

/** The nodes that wait, and for how many gradients: operations first, then leaves. */
function waiting({ state, lookup }: Moment): HTMLElement[] {
  const leaf = (id: string) => (lookup.nodes.get(id)?.variable ? 1 : 0);
  const waits = Object.entries(state.deps ?? {})
    .filter(([id, count]) => count > 0 && !state.status[id])
    .sort(([a], [b]) => leaf(a) - leaf(b));
  const chips = waits
    .slice(0, MOST_WAITING)
    .map(([id, count]) => chip("gl-waits", `${lookup.nodeLabel(id)} waits for ${count}`));
  const more = waits.length - chips.length;
  return more > 0 ? [...chips, h("li.gl-none", {}, `${more} more wait`)] : chips;
}
