// The table view: every step of the backward pass as a row.
//
// Read next: timeline.ts.

import { brief, h, setText, spans } from "./dom";
import { type Lookup, part } from "./lookup";
import type { Moment } from "./moment";
import type { Dispatch } from "./state";
import type { Timeline } from "./timeline";
import type { Event, Value } from "./trace";

const MOST = 300; // rows at once: a longer pass shows those around the current step
const HEADS = ["step", "what happens", "node", "gradient in", "gradient out", "source"];
const BOTH = "value or gradient out"; // where the forward pass is walked, too

export interface TableView {
  element: HTMLElement;
  /** Show `stops`, with the one at `position` (from 1) as current. Steps after event `known` are hidden. */
  update(stops: readonly number[], position: number, known: number, moment: Moment): void;
  /** Forget the rows of the trace before. */
  renew(): void;
  focus(): void;
}

/** The gradients that came in and went out in an event. */
function flow(event: Event, lookup: Lookup): [came: string, went: string] {
  const text = (value: Value | null | undefined) => brief(value?.text ?? "–");
  switch (event.kind) {
    case "Computed":
      return ["–", event.tensors.map((id) => text(lookup.tensors.get(id)?.value)).join(", ")];
    case "Seeded":
      return ["–", text(event.value)];
    case "NodeEntered":
      return [text(event.gradient), "–"];
    case "RuleApplied":
      return [text(event.upstream), text(event.contribution)];
    case "Reduced":
    case "GradRetained":
      return ["–", text(event.value)];
    case "HookRan":
      return [text(event.before), text(event.after)];
    case "Accumulated":
    case "LeafWritten":
      return [text(event.added), text(event.after)];
    default:
      return ["–", "–"];
  }
}

export function makeTable(dispatch: Dispatch): TableView {
  const lines = h("tbody");
  const caption = h("caption");
  const heads = HEADS.map((text) => h("th", { scope: "col" }, text));
  const head = h("thead", {}, h("tr", {}, ...heads));
  const table = h("table.gl-steps", {}, caption, head, lines);
  const element = h("div.gl-table", { role: "group", "aria-label": "All steps" }, table);
  element.hidden = true;
  let drawn = "";
  let told: Timeline | undefined; // the timeline that the rows show
  let first = 0;

  const row = (k: number, position: number, secret: boolean, { timeline, lookup, was }: Moment) => {
    const [event, before] = [timeline, was?.timeline].map((of) => of?.events[k]) as [Event, Event?];
    const button = h("button.gl-jump", { type: "button", tabindex: -1 }, String(position));
    button.setAttribute("aria-label", `Go to step ${position}`);
    const [came, went] = secret ? ["?", "?"] : flow(event, lookup);
    const source = secret ? undefined : lookup.source(event);
    const node = timeline.owners[k] || part(event, "node") || "";
    return h(
      "tr",
      { "data-step": position },
      h("td", {}, button),
      h("th", { scope: "row" }, ...(secret ? ["to be predicted"] : spans(event.caption, before?.caption))),
      h("td", {}, node && !secret ? lookup.nodeLabel(node) : "–"),
      h("td", {}, came),
      h("td.gl-out", {}, went),
      h("td", {}, source ? `line ${source.line}: ` : "–", h("code", {}, source?.text ?? "")),
    );
  };

  const update: TableView["update"] = (stops, position, known, moment) => {
    if (element.hidden) return;
    const [low, high] = around(position, stops.length);
    const wanted = `${low} ${high} ${stops.length} ${known}`;
    const { timeline, lookup, root } = moment;
    if (wanted !== drawn || timeline !== told) {
      [drawn, told] = [wanted, timeline];
      first = low;
      setText(heads[4] as Element, timeline.forward ? BOTH : (HEADS[4] as string));
      const shown = stops.slice(low, high);
      lines.replaceChildren(...shown.map((k, at) => row(k, low + at + 1, k > known, moment)));
      const some = high - low < stops.length ? `Steps ${low + 1} to ${high} of` : "All";
      caption.textContent = `${some} ${stops.length} steps of the ${timeline.forward ? "forward and " : ""}backward pass of ${lookup.label(root)}`;
    }
    const current = lines.children[position - 1 - first];
    lines.querySelector("[aria-current]")?.removeAttribute("aria-current");
    lines.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    current?.setAttribute("aria-current", "step");
    current?.querySelector("button")?.setAttribute("tabindex", "0");
    if (current) reveal(element, current);
  };
  const focus = () => lines.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });

  lines.addEventListener("click", (event) => {
    const chosen = (event.target as Element).closest("tr");
    if (chosen) dispatch({ type: "goToStop", position: Number(chosen.dataset.step) });
  });
  lines.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const here = (event.target as Element).closest("tr");
    if (!by || !here) return;
    event.preventDefault();
    event.stopPropagation();
    const next = by > 0 ? here.nextElementSibling : here.previousElementSibling;
    next?.querySelector("button")?.focus();
  });
  const renew = () => {
    drawn = "";
  };
  return { element, update, renew, focus };
}

/** The rows to draw: all of them, or whole pages around the current one. */
function around(position: number, count: number): [low: number, high: number] {
  if (count <= MOST) return [0, count];
  const page = MOST / 3;
  const low = Math.max(0, Math.min(count - MOST, (Math.floor((position - 1) / page) - 1) * page));
  return [low, low + MOST];
}

/** Scroll the table to a row, without moving the page. */
function reveal(box: HTMLElement, row: Element): void {
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top + 40 || inner.bottom > outer.bottom)
    box.scrollTop += inner.top - outer.top - outer.height / 3;
}
