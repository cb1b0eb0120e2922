// The parts of the player together, over one trace: it draws the present moment in all of them.
//
// Where that moment is, walk.ts knows; what is hidden of it, predict.ts; what a key does, commands.ts.
// Nothing plays by itself.
//
// Read next: walk.ts (the place), stage.ts (the graph), panels.ts (the cards).

import { makeBreaklist } from "./breaklist";
import { Breakpoints } from "./breakpoints";
import { applies, makeCommands } from "./commands";
import { makeControls } from "./controls";
import { focused, h, plain } from "./dom";
import { equationPanel } from "./equation";
import { makeFrame, stillFrame } from "./frame";
import { gradientsPanel } from "./gradients";
import { makeHelp } from "./help";
import { commandOf } from "./keys";
import { Lookup } from "./lookup";
import { makeNarration } from "./narration";
import { nowPanel } from "./now";
import type { Overlay } from "./overlay";
import type { Moment } from "./panels";
import type { PlayerOptions, Shared } from "./player";
import { Predict } from "./predict";
import { Presenter } from "./presenter";
import { type Question, Questions } from "./questions";
import { queuePanel } from "./queue";
import { makeSearch } from "./search";
import { makeSegments } from "./segments";
import { makeStage } from "./stage";
import { style } from "./styles";
import { makeTable } from "./tableview";
import { Timeline } from "./timeline";
import type { Granularity, State, Trace } from "./trace";
import { Walk } from "./walk";

export interface Play {
  last: number; // the index of the last event; -1 where there is none
  set<Name extends keyof Shared>(name: Name, value: Shared[Name]): void;
  say(sentence: string): void;
  warn(word: string, said: string): void;
  destroy(): void;
}

/** `refuse`: what to do with a trace that turns out, in the middle of it, to be none. */
export function play(
  root: HTMLElement,
  trace: Trace,
  options: PlayerOptions,
  refuse: (error: unknown) => void,
): Play {
  const gone = new AbortController();
  const { signal } = gone;
  const timeline = new Timeline(trace);
  const lookup = new Lookup(trace);
  const still = timeline.length === 0;
  const tell = <Name extends keyof Shared>(name: Name, value: Shared[Name]) =>
    options.onChange?.(name, value);
  const comeBack = () => root.focus({ preventScroll: true });

  const breakpoints = new Breakpoints(timeline, lookup);
  breakpoints.set(options.breakpoints ?? []);
  const listener = {
    /** A person, or playing, moved the place. */
    moved(ahead: boolean) {
      stage.say("");
      show(ahead);
      if (predict.open && root.contains(focused(root))) predict.focus();
      tell("step", walk.step);
    },
    changed() {
      updateControls();
      tell("playing", walk.playing);
    },
    mayPlay: () => !predict.open,
  };
  const walk = new Walk(timeline, breakpoints, listener, options);
  const predict = new Predict(new Questions(timeline, lookup), lookup, {
    changed: () => show(false),
    scored: (score) => tell("score", score),
    leave: comeBack,
  });
  if (options.score) predict.setScore(options.score);
  const presenter = new Presenter(root, signal, () => {
    stage.present(presenter.on);
    narration.reserve(walk.stops);
    updateControls();
  });

  const stage = makeStage(trace, lookup, (k) => walk.go(k), options.view);
  const narration = makeNarration(timeline, (command) => run(command));
  const panels = [equationPanel(), nowPanel(options.fetch), gradientsPanel(trace, lookup)] as const;
  const queue = queuePanel();
  const toStop = (position: number) => walk.go(walk.stops[position - 1] ?? walk.step);
  const segments = makeSegments(timeline, toStop);
  const table = makeTable(timeline, lookup, toStop);
  const controls = makeControls({
    run: (command) => run(command),
    toStop,
    setSpeed: (speed) => walk.setSpeed(speed),
    setGranularity(granularity) {
      setGranularity(granularity);
      tell("granularity", granularity);
    },
  });
  const help: Overlay = makeHelp(() => toggle(help));
  const breaklist: ReturnType<typeof makeBreaklist> = makeBreaklist(
    breakpoints,
    lookup,
    breakpointsChanged,
    () => toggle(breaklist),
  );
  const search: Overlay = makeSearch(lookup, found, () => toggle(search));
  const warning = h("p", { class: "gl-stale", role: "status" });

  const run = makeCommands({
    walk,
    stage,
    asked: () => Boolean(predict.open),
    reveal: () => predict.reveal(),
    toggle: {
      help: () => toggle(help),
      breakpoints: () => toggle(breaklist),
      search: () => toggle(search),
      table: toggleTable,
      present: () => presenter.set(!presenter.on),
      predict() {
        setPredicting(!predict.on);
        tell("predicting", predict.on);
      },
    },
    breakHere() {
      const node = breakpoints.nodeAt(walk.step);
      if (node) breakpoints.toggle(node);
      if (node) breakpointsChanged();
    },
    reset,
    escape: leave,
  });

  function listen(): void {
    root.tabIndex = 0; // a click anywhere inside brings the keys here
    const around: EventTarget = options.everywhere ? document : root;
    around.addEventListener("keydown", (event) => onKey(event as KeyboardEvent), { signal });
    if (typeof ResizeObserver === "undefined") return;
    const { element } = narration;
    let width = element.clientWidth;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth !== width) narration.reserve(walk.stops);
      width = element.clientWidth;
    });
    watcher.observe(element);
    signal.addEventListener("abort", () => watcher.disconnect());
  }

  function onKey(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (!command || !applies(command, still)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!(event.repeat && predict.open)) run(command);
  }

  /** A person searched, and chose what was found. */
  function found(id: string): void {
    const k = lookup.stepOf(id);
    if (k !== undefined) walk.go(k);
    stage.find(id);
  }

  function setGranularity(granularity: Granularity): void {
    walk.granularity = granularity; // the place is kept
    mark();
    narration.reserve(walk.stops);
    show(false);
  }

  function warn(word: string, said: string): void {
    warning.replaceChildren(h("b", {}, word), said);
    warning.hidden = !said;
  }

  function setPredicting(on: boolean): void {
    if (on === predict.on) return;
    walk.setPlaying(false);
    predict.setOn(on, walk.step);
    show(false);
    narration.reserve(walk.stops);
  }

  function breakpointsChanged(): void {
    mark();
    tell("breakpoints", breakpoints.list);
  }

  /** Draw the stops and the breakpoints among them anew. */
  function mark(): void {
    const { stops, granularity } = walk;
    const halts = breakpoints.halts(granularity);
    const at = new Set(halts.map((k) => timeline.position(k, granularity)));
    controls.colour(segments.rebuild(stops, at));
    stage.mark((node) => breakpoints.at(node));
    breaklist.update();
    updateControls();
  }

  function reset(): void {
    walk.setPlaying(false);
    walk.setSpeed(1);
    stage.zoom(0);
    breakpoints.set([]);
    breakpointsChanged();
    predict.setScore({ right: 0, asked: 0 });
    tell("score", predict.score);
    predict.reached = 0;
    walk.move("first");
    show(false);
  }

  function toggle(overlay: Overlay): void {
    if (!overlay.toggle()) comeBack();
  }

  function toggleTable(): void {
    const { element } = table;
    const inside = element.contains(focused(root));
    element.hidden = !element.hidden;
    element.parentElement?.classList.toggle("gl-tabled", !element.hidden);
    updateControls();
    if (!element.hidden) table.focus();
    else if (inside) comeBack();
  }

  /** Leave the innermost thing that can be left. */
  function leave(): void {
    const active = focused(root);
    const open = [help, breaklist, search].find(({ element }) => !element.hidden);
    if (open) toggle(open);
    else if (active?.classList.contains("gl-answer")) comeBack();
    else if (presenter.on) presenter.set(false);
    else if (!table.element.hidden) toggleTable();
    else if (predict.on) run("predict");
    else active?.blur();
  }

  /** Draw the present moment, whoever moved there; a trace in which that cannot be drawn is refused. */
  function show(move: boolean): void {
    try {
      draw(move);
    } catch (error) {
      refuse(error);
    }
  }

  /** `move`: it follows from the moment before, so a token may run. */
  function draw(move: boolean): void {
    const { step, granularity } = walk;
    if (still) {
      const state = timeline.stateAt(0);
      stage.update({ state, event: undefined, focus: new Set(), k: -1 }, 0, false);
      stage.settle();
      return;
    }
    predict.look(step, granularity);
    lookup.enter(timeline.chapterAt(step));
    const moment = momentNow();
    narration.update(moment, predict.open);
    const picture = { ...moment, k: moment.settled };
    stage.update(picture, timeline.chapterAt(moment.k), move && !predict.open);
    for (const panel of [...panels, queue]) panel.update(moment);
    updateControls();
    for (const part of [narration, ...panels, stage]) part.settle?.(); // a token runs when all else is measured
  }

  /** What may be seen now: the present step and its outcome; of one that is asked for, what came before. */
  function momentNow(): Moment {
    const { step, granularity } = walk;
    const question = predict.open;
    const k = question?.shown ?? step;
    const settled = question?.shown ?? timeline.settled(step, granularity);
    const state = timeline.stateAt(settled);
    return {
      k,
      settled,
      event: timeline.events[k] as Moment["event"],
      state: question ? asking(state, question) : state,
      focus: question?.focus ?? timeline.focus(step),
      root: lookup.root,
      timeline,
      lookup,
    };
  }

  function updateControls(): void {
    const { position, stops, step, playing, speed, granularity } = walk;
    const { open, on, reached } = predict;
    const known = on ? (open ? open.k - 1 : Math.max(step, reached)) : timeline.length;
    segments.update(position, known);
    table.update(stops, position, known);
    controls.update({
      position,
      count: stops.length,
      caption: plain(open?.prompt ?? timeline.events[step]?.caption ?? []),
      playing,
      speed,
      granularity,
      on: {
        predict: on,
        table: !table.element.hidden,
        breakpoints: breakpoints.list.length > 0,
        present: presenter.on,
      },
    });
  }

  const below = [table, controls, help, breaklist];
  const parts = { stage, narration, predict, segments, side: panels, queue, below, search };
  const frame = still ? stillFrame(parts) : makeFrame({ ...parts, notice: trace.notice ?? "" });
  const title = trace.title ? `The backward pass of ${trace.title}` : "A backward pass";
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", still ? "A graph" : `${title}, step by step`);
  root.replaceChildren(h("style", {}, style), warning, frame);
  if (!still || stage.scoped) listen();
  if (!still) narration.reserve(walk.stops); // before the picture takes what room is left
  warn("stale", options.stale ?? "");
  predict.setOn(Boolean(options.predicting), walk.step);
  mark();
  draw(false);
  walk.setPlaying(Boolean(options.playing));

  return {
    last: timeline.length - 1,
    say: stage.say,
    warn,
    set(name, value) {
      if (name === "step") {
        if (walk.place(value as number)) show(true);
      } else if (name === "playing") walk.setPlaying(value as boolean);
      else if (name === "granularity") setGranularity(value as Granularity);
      else if (name === "score") predict.setScore(value as Shared["score"]);
      else if (name === "predicting") setPredicting(value as boolean);
      else if (name === "stale") warn("stale", value as string);
      else {
        breakpoints.set(value as string[]);
        mark();
      }
    },
    destroy() {
      walk.stop();
      presenter.set(false);
      gone.abort();
      stage.destroy();
    },
  };
}

/** The state with a question mark on its way along the edge in question, and a queue that tells no order. */
function asking(state: State, { edge, answer }: Question): State {
  const edges = edge ? { ...state.edges, [edge]: { shape: [], dtype: "", text: "?" } } : state.edges;
  return { ...state, edges, queue: answer.kind === "node" ? [...answer.choices] : state.queue };
}
