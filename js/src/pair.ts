// Two graphs beside each other: two players with one set of controls, and the table of what differs.
//
// Python aligned the steps: a row holds the event of each graph that is shown at the same time. Where a row
// has an event of one graph only, the other graph waits, and a sentence says why.
//
// Read next: player.ts.

import { type Controlled, makeControls } from "./controls";
import { button, h, keepKeys, setText } from "./dom";
import { commandOf } from "./keys";
import { isObject } from "./merge";
import { levelOf } from "./nodeowner";
import { PACE } from "./play";
import { mountPlayer, type PlayerHandle, type PlayerOptions } from "./player";
import { type Action, type Dispatch, SPEEDS } from "./state";
import { style } from "./styles";
import sheet from "./styles/pair.css"; // not in the widget, which shows one trace
import table from "./styles/table.css";
import { followTheme } from "./theme";
import { countUpTo } from "./timeline";
import { decompressed, type Granularity, type Trace, TraceError } from "./trace";

const FORMAT = "graphlab.comparison";
const SIDES = ["First", "Second"];
/** Commands of one player alone, which leave its step as it is. */
const OWN = /^(pan|larger|smaller|search|inside|outside|collapse|escape)/;

type Row = readonly [first: number | null, second: number | null, why: number];

interface Comparison {
  summary: string;
  notice: string;
  names: string[];
  traces: Trace[];
  rows: Row[];
  whys: string[];
  differences: { sentence: string; values: string[]; lines: string[]; row: number }[];
}

const sheets = () => h("style", {}, style + table + sheet);

/** Show a trace, or two of them beside each other. Never throws. */
export function mountDocument(root: HTMLElement, data: unknown, options: PlayerOptions = {}): PlayerHandle {
  const head = typeof data === "string" ? data.slice(0, 80) : isObject(data) ? data.format : "";
  return String(head).includes(FORMAT) ? mountPair(root, data, options) : mountPlayer(root, data, options);
}

function mountPair(root: HTMLElement, data: unknown, options: PlayerOptions): PlayerHandle {
  root.classList.add("graphlab");
  keepKeys(root);
  const stopTheme = followTheme(root);
  let pair: PlayerHandle | undefined;
  let gone = false;
  const waiting: ((pair: PlayerHandle) => void)[] = [];
  const then = (act: (pair: PlayerHandle) => void) => {
    if (pair) act(pair);
    else waiting.push(act);
  };
  const refuse = (error: unknown) => {
    if (gone) return;
    const said =
      error instanceof TraceError
        ? error.message
        : "This GraphLab comparison is damaged. Make it again with graphlab.compare.";
    root.replaceChildren(sheets(), h("div.gl-frame.gl-broken", { role: "alert" }, said));
  };
  const show = (found: unknown) => {
    if (gone) return;
    try {
      pair = play(root, read(found), options);
      for (const act of waiting.splice(0)) act(pair);
    } catch (error) {
      refuse(error);
    }
  };
  try {
    const found = typeof data === "string" ? JSON.parse(data) : data;
    if (isObject(found) && "gzip" in found) decompressed(found).then(show).catch(refuse);
    else show(found);
  } catch (error) {
    refuse(error);
  }
  return {
    get last() {
      return pair?.last ?? -1;
    },
    destroy() {
      gone = true;
      pair?.destroy();
      stopTheme();
      root.replaceChildren();
      root.classList.remove("graphlab");
    },
    setStep: (step) => then((one) => one.setStep(step)),
    set: () => undefined,
    replace: () => undefined,
    say: (text) => then((one) => one.say(text)),
    warn: () => undefined,
  };
}

/** The parts of a document that are used here; the traces are checked by their players. */
function read(found: unknown): Comparison {
  const { rows, traces, whys, differences, names } = found as Comparison;
  for (const list of [rows, traces, whys, differences, names])
    if (!Array.isArray(list)) throw new Error("a part is missing");
  const known = (k: unknown, side: number) => (traces[side]?.events[k as number] ? (k as number) : null);
  const kept = rows.map(([one, other, why]): Row => [known(one, 0), known(other, 1), Number(why)]);
  return { ...(found as Comparison), rows: kept.filter(([one, other]) => one !== null || other !== null) };
}

function play(root: HTMLElement, about: Comparison, options: PlayerOptions): PlayerHandle {
  const { rows, traces, whys, differences } = about;
  const end = new AbortController();
  const state: Controlled & { at: number } = {
    at: 0, // the row that is shown
    playing: false,
    speed: 1,
    granularity: "node",
    predicting: false,
    table: false,
    slope: false,
    breakpoints: [],
    presenting: false,
  };
  let stops: number[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const places = [0, 1].map((side) => new Map(rows.map((row, k) => [row[side as 0 | 1], k])));

  const level = (side: 0 | 1, k: number | null) =>
    k === null ? Number.POSITIVE_INFINITY : levelOf((traces[side] as Trace).events[k]?.level ?? "micro");
  const isStop = (row: Row, granularity: Granularity) =>
    Math.min(level(0, row[0]), level(1, row[1])) <= levelOf(granularity);

  const position = () => countUpTo(state.at, stops);
  const goTo = (at: number | undefined) => {
    if (at === undefined || !rows.length) return;
    const before = state.at;
    state.at = Math.max(0, Math.min(rows.length - 1, Math.trunc(at) || 0));
    draw();
    if (state.at !== before) options.onChange?.("step", state.at);
  };
  const move = (by: number) => goTo(stops[Math.max(0, Math.min(stops.length - 1, position() - 1 + by))]);
  /** The next step at which only one graph goes on. */
  const part = (by: number) => {
    const parted = stops.filter((k) => rows[k]?.includes(null));
    goTo(by > 0 ? parted.find((k) => k > state.at) : parted.findLast((k) => k < state.at));
  };

  const dispatch: Dispatch = (action: Action) => {
    const { type } = action;
    if (type !== "tick") state.playing = type === "toggle" && !state.playing;
    if (type === "first" || type === "reset") goTo(stops[0]);
    else if (type === "last") goTo(stops.at(-1));
    else if (type === "back") move(-1);
    else if (type === "forward" || type === "tick") move(1);
    else if (type === "nodeBack") part(-1);
    else if (type === "nodeForward") part(1);
    else if (type === "goToStop") goTo(stops[action.position - 1]);
    else if (type === "setSpeed") state.speed = action.speed;
    else if (type === "slower" || type === "faster") {
      const at = (SPEEDS as readonly number[]).indexOf(state.speed) + (type === "faster" ? 1 : -1);
      state.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))] ?? 1;
    } else if (type === "setGranularity") refine(action.granularity);
    if (position() >= stops.length) state.playing = false;
    clearTimeout(timer);
    if (state.playing) timer = setTimeout(() => dispatch({ type: "tick" }), PACE / state.speed);
    draw();
  };

  const controls = makeControls(dispatch);
  for (const extra of [...controls.options.children].slice(1)) extra.remove();
  const notes = SIDES.map(() => h("span.gl-pause", { role: "status" }));
  const boxes = SIDES.map(() => h("div"));
  const sections = SIDES.map((side, k) => {
    const name = String(about.names[k] ?? "");
    const head = h("p.gl-which", {}, h("b", {}, `${side} graph: `), h("i", {}, name), notes[k] ?? "");
    return h("section.gl-one", { "aria-label": `${side} graph: ${name}` }, head, boxes[k] ?? "");
  });
  const lines = differences.map(({ sentence, lines: [mine, theirs], row }, k) => {
    const jump = button(
      "button.gl-jump",
      () => goTo(row),
      { "aria-label": `Difference ${k + 1}: go to its step` },
      `${k + 1}`,
    );
    const code = [mine, theirs].map((line) => h("td", {}, h("code", {}, String(line ?? ""))));
    const made = h("tr", {}, h("td", {}, jump), h("th", { scope: "row" }, String(sentence)), ...code);
    made.addEventListener("click", ({ target }) => {
      if (!(target as Element).closest("button")) goTo(row);
    });
    return made;
  });
  const heads = ["no.", "what differs", "first graph", "second graph"].map((text) =>
    h("th", { scope: "col" }, text),
  );
  const table = h(
    "div.gl-differences",
    { role: "region", "aria-label": "Differences", tabindex: 0 },
    h("table.gl-steps", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...lines)),
  );
  table.hidden = !lines.length;

  const refine = (granularity: Granularity) => {
    state.granularity = granularity;
    stops = rows.flatMap((row, k) => (isStop(row, granularity) ? [k] : []));
    const share = 100 / Math.max(1, stops.length - 1);
    const parts = stops.map((k, at) => {
      const colour = rows[k]?.includes(null) ? "var(--gl-differs)" : "var(--gl-phase-engine)";
      return `${colour} ${share * (at - 0.5)}% ${share * (at + 0.5)}%`;
    });
    controls.colour(`linear-gradient(to right,${parts.join()})`);
    for (const player of players) player.set("granularity", granularity);
  };

  /** The event that a graph shows at a row: its own, or while it waits that of the last step it took. */
  const shownAt = (side: 0 | 1): number => {
    const own = rows[state.at]?.[side];
    if (own !== null && own !== undefined) return own;
    for (let at = position() - 1; at >= 0; at -= 1) {
      const k = rows[stops[at] as number]?.[side];
      if (k !== null && k !== undefined) return k;
    }
    return 0;
  };

  const draw = () => {
    const row = rows[state.at];
    for (const side of [0, 1] as const) {
      const waits = row?.[side] === null;
      players[side]?.setStep(shownAt(side));
      sections[side]?.classList.toggle("gl-halted", waits);
      setText(notes[side] as HTMLElement, waits ? (whys[row[2]] ?? "") : "");
    }
    for (const [k, line] of lines.entries())
      if (differences[k]?.row === state.at) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    controls.update(state, position(), stops.length, notes.map(({ textContent }) => textContent).join(""));
  };

  root.setAttribute("role", "group");
  root.setAttribute("aria-label", `${about.summary} Step by step`);
  const notice = about.notice ? [h("p.gl-notice", { role: "note" }, about.notice)] : [];
  root.replaceChildren(
    sheets(),
    h(
      "div.gl-pair",
      {},
      h("p.gl-summary", {}, String(about.summary ?? "")),
      ...notice,
      table,
      h("div.gl-two", {}, ...sections),
      controls.element,
    ),
  );
  root.tabIndex = 0;
  const players = boxes.map((box, side) =>
    mountPlayer(box, traces[side], {
      onChange(name, value) {
        if (name === "step") goTo(places[side]?.get(value as number));
      },
    }),
  );
  for (const [side, box] of boxes.entries())
    for (const part of [box, ...box.querySelectorAll("[role=group][aria-label]")])
      part.setAttribute("aria-label", `${SIDES[side]} graph: ${part.getAttribute("aria-label")}`);
  const around: EventTarget = options.everywhere ? document : root;
  /** Leave for the notebook's cell, unless a player had something else to leave. */
  const leave = () => {
    if (!boxes.some((box) => box.matches(":focus-within")))
      root.parentElement?.closest<HTMLElement>("[tabindex]")?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const type = commandOf(event);
    if (type === "escape") setTimeout(leave); // after the players
    if (!type || OWN.test(type)) return;
    event.preventDefault();
    event.stopPropagation();
    dispatch({ type });
  };
  // before the players, which would step alone
  around.addEventListener("keydown", (event) => onKey(event as KeyboardEvent), {
    capture: true,
    signal: end.signal,
  });
  refine(state.granularity);
  state.at = Math.max(0, Math.min(rows.length - 1, options.step ?? 0));
  draw();

  return {
    last: rows.length - 1,
    destroy() {
      clearTimeout(timer);
      end.abort();
      for (const player of players) player.destroy();
    },
    setStep: (step) => {
      state.at = Math.max(0, Math.min(rows.length - 1, step));
      draw();
    },
    set: () => undefined,
    replace: () => undefined,
    say: (text) => players[0]?.say(text),
    warn: () => undefined,
  };
}
