// The player: one element with the narration, the graph, the cards and the controls over one trace.
//
// It holds the place (the index of the event shown) and the granularity; all else is drawn from the
// trace. Nothing plays by itself.
//
// Read next: view.ts (the graph), panels.ts (the cards), widget.ts and lab/index.ts (who mounts it).

import { type Controls, makeControls, SPEEDS } from "./controls";
import { h, marked, plain, setText, spans } from "./dom";
import { equationPanel } from "./equation";
import { gradientsPanel } from "./gradients";
import { makeHelp } from "./help";
import { type Command, commandOf } from "./keys";
import { Lookup } from "./lookup";
import { nowPanel } from "./now";
import type { Moment, Panel } from "./panels";
import { queuePanel } from "./queue";
import { makeSegments, type Segments } from "./segments";
import { Stage } from "./stage";
import style from "./style.css";
import { followTheme } from "./theme";
import { Timeline } from "./timeline";
import { type Granularity, readTrace, type Trace, TraceError } from "./trace";

const PACE = 1400; // milliseconds per step at speed x1

export interface PlayerOptions {
  step?: number; // index of the event shown first
  granularity?: Granularity;
  /** A person, or playing, moved to event `step`. */
  onStep?: (step: number) => void;
  onPlaying?: (playing: boolean) => void;
}

export interface PlayerHandle {
  destroy(): void;
  /** Show event `step`, held inside the timeline. Does not call onStep. */
  setStep(step: number): void;
  setPlaying(playing: boolean): void;
}

/** Show `data` (a trace) inside `root`. A document that is no trace shows a sentence, and never throws. */
export function mountPlayer(root: HTMLElement, data: unknown, options: PlayerOptions = {}): PlayerHandle {
  root.classList.add("graphlab");
  root.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab's own keys stay away
  const stopTheme = followTheme(root);
  let player: Player | undefined;
  try {
    const trace = readTrace(data);
    player = new Player(root, trace, options);
  } catch (error) {
    const said =
      error instanceof TraceError ? error.message : "This GraphLab trace is damaged: it cannot be drawn.";
    root.replaceChildren(
      h("style", {}, style),
      h("div", { class: "gl-frame gl-broken", role: "alert" }, said),
    );
    if (!(error instanceof TraceError)) console.error(error);
  }
  return {
    destroy() {
      player?.destroy();
      stopTheme();
      root.replaceChildren();
      root.classList.remove("graphlab");
    },
    setStep: (step) => player?.setStep(step),
    setPlaying: (playing) => player?.setPlaying(playing),
  };
}

class Player {
  readonly #root: HTMLElement;
  readonly #options: PlayerOptions;
  readonly #timeline: Timeline;
  readonly #lookup: Lookup;
  readonly #stage: Stage;
  readonly #panels: readonly Panel[];
  readonly #controls: Controls;
  readonly #segments: Segments;
  readonly #help: ReturnType<typeof makeHelp>;
  readonly #narration = h("div", { class: "gl-narration", "aria-live": "polite", "aria-atomic": "true" });
  readonly #place = h("span", { class: "gl-place" });
  readonly #code = h("code", { class: "gl-code" });
  readonly #gone = new AbortController();
  #step: number;
  #granularity: Granularity;
  #speed = 1;
  #playing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, trace: Trace, options: PlayerOptions) {
    this.#root = root;
    this.#options = options;
    this.#timeline = new Timeline(trace);
    this.#lookup = new Lookup(trace);
    this.#granularity = options.granularity ?? "node";
    this.#step = this.#held(options.step ?? 0);
    this.#stage = new Stage(trace, this.#lookup, (k) => this.#go(k));
    const [equation, now, gradients] = [equationPanel(), nowPanel(), gradientsPanel(trace, this.#lookup)];
    const queue = queuePanel();
    this.#panels = [equation, now, gradients, queue];
    const toStop = (position: number) =>
      this.#go(this.#timeline.stops(this.#granularity)[position - 1] ?? this.#step);
    this.#segments = makeSegments(this.#timeline, toStop);
    this.#controls = makeControls({
      first: () => this.#run("first"),
      back: () => this.#run("back"),
      toggle: () => this.#run("toggle"),
      forward: () => this.#run("forward"),
      last: () => this.#run("last"),
      help: () => this.#run("help"),
      toStop,
      setSpeed: (speed) => this.#setSpeed(speed),
      setGranularity: (granularity) => this.#setGranularity(granularity),
    });
    this.#help = makeHelp(() => this.#toggleHelp());

    const still = this.#timeline.length === 0;
    const frame = h("div", { class: still ? "gl-frame gl-still" : "gl-frame" });
    if (still) {
      frame.append(this.#stage.tabs, this.#stage.element);
    } else {
      const source = h("div", { class: "gl-source" }, this.#place, this.#code, this.#stage.tabs);
      const head = h("div", { class: "gl-head" }, this.#narration, source, this.#segments.element);
      const side = h("div", { class: "gl-side" }, equation.element, now.element, gradients.element);
      frame.append(
        head,
        this.#stage.element,
        queue.element,
        side,
        this.#controls.element,
        this.#help.element,
      );
      this.#listen();
    }
    const what = trace.title
      ? `The backward pass of ${trace.title}, step by step`
      : "A backward pass, step by step";
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", still ? "A graph" : what);
    root.replaceChildren(h("style", {}, style), frame);
    this.#segments.rebuild(this.#timeline.stops(this.#granularity));
    this.#show(false);
  }

  setStep(step: number): void {
    const next = this.#held(step);
    if (next === this.#step) return;
    this.#step = next;
    this.#show(true);
    // Another view of the same widget, or Python, moved: the next step of playing is a whole beat away.
    if (this.#playing) this.#schedule();
  }

  setPlaying(playing: boolean): void {
    if (playing === this.#playing || this.#timeline.length === 0) return;
    this.#playing = playing;
    clearTimeout(this.#timer);
    if (playing && this.#atEnd()) this.#go(0);
    if (playing) this.#schedule();
    this.#updateControls();
    this.#options.onPlaying?.(playing);
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#gone.abort();
    this.#stage.destroy();
  }

  #held(step: number): number {
    const whole = Number.isFinite(step) ? Math.trunc(step) : 0;
    return Math.max(0, Math.min(this.#timeline.length - 1, whole));
  }

  #listen(): void {
    const { signal } = this.#gone;
    this.#root.tabIndex = 0; // a click anywhere inside brings the keys here
    this.#root.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    if (typeof ResizeObserver === "undefined") return;
    const watcher = new ResizeObserver(() => this.#reserve());
    watcher.observe(this.#narration);
    signal.addEventListener("abort", () => watcher.disconnect());
  }

  /** Keep room for the longest sentence, so that the graph below never moves from step to step. */
  #reserve(): void {
    const stops = this.#timeline.stops(this.#granularity);
    const captions = stops.map((k) => this.#timeline.events[k]?.caption ?? []);
    const longest = captions.reduce((a, b) => (plain(b).length > plain(a).length ? b : a), []);
    const probe = h("div", { class: "gl-narration gl-probe", "aria-hidden": "true" }, ...spans(longest));
    this.#narration.after(probe);
    this.#narration.style.setProperty("--gl-lines", `${probe.offsetHeight}px`);
    probe.remove();
  }

  #onKey(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (!command) return;
    event.preventDefault();
    event.stopPropagation();
    this.#run(command);
  }

  #run(command: Command): void {
    const [k, grain] = [this.#step, this.#granularity];
    const moves: { [name in Command]?: () => number } = {
      first: () => this.#timeline.stops(grain)[0] ?? 0,
      back: () => this.#timeline.move(k, -1, grain),
      forward: () => this.#timeline.move(k, 1, grain),
      last: () => this.#timeline.stops(grain).at(-1) ?? k,
      nodeBack: () => this.#timeline.moveNode(k, false, grain),
      nodeForward: () => this.#timeline.moveNode(k, true, grain),
    };
    const move = moves[command];
    if (move) {
      this.setPlaying(false); // a person took over
      this.#go(move());
    } else if (command === "toggle") this.setPlaying(!this.#playing);
    else if (command === "slower" || command === "faster") this.#changeSpeed(command === "faster" ? 1 : -1);
    else if (command === "larger" || command === "smaller")
      this.#stage.zoom(command === "larger" ? 1.2 : 1 / 1.2);
    else if (command === "help") this.#toggleHelp();
    else this.#escape();
  }

  #go(step: number): void {
    const next = this.#held(step);
    if (next === this.#step) return;
    const forward = next > this.#step;
    this.#step = next;
    this.#show(forward);
    this.#options.onStep?.(next);
  }

  #atEnd(): boolean {
    return this.#step >= (this.#timeline.stops(this.#granularity).at(-1) ?? 0);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#go(this.#timeline.move(this.#step, 1, this.#granularity));
      if (this.#atEnd()) this.setPlaying(false);
      else if (this.#playing) this.#schedule();
    }, PACE / this.#speed);
  }

  #setSpeed(speed: number): void {
    this.#speed = speed;
    if (this.#playing) this.#schedule();
    this.#updateControls();
  }

  #changeSpeed(by: number): void {
    const at = (SPEEDS as readonly number[]).indexOf(this.#speed);
    this.#setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))] ?? 1);
  }

  #setGranularity(granularity: Granularity): void {
    this.#granularity = granularity; // the place is kept
    this.#segments.rebuild(this.#timeline.stops(granularity));
    this.#reserve();
    this.#show(false);
  }

  #toggleHelp(): void {
    const { element } = this.#help;
    element.hidden = !element.hidden;
    if (element.hidden) this.#root.focus({ preventScroll: true });
    else this.#help.focus();
  }

  #escape(): void {
    if (!this.#help.element.hidden) this.#toggleHelp();
    else ((this.#root.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null)?.blur();
  }

  /** Draw the present moment. `move`: it follows from the one before, so a token may run. */
  #show(move: boolean): void {
    const k = this.#step;
    const event = this.#timeline.events[k];
    if (!event) {
      this.#stage.update(this.#timeline.stateAt(0), undefined, new Set(), false);
      return;
    }
    const settled = this.#timeline.settled(k, this.#granularity);
    const state = this.#timeline.stateAt(settled);
    const focus = this.#timeline.focus(k);
    const moment: Moment = {
      k,
      settled,
      event,
      state,
      focus,
      timeline: this.#timeline,
      lookup: this.#lookup,
    };
    this.#narrate(moment);
    this.#stage.update(state, event, focus, move);
    for (const panel of this.#panels) panel.update(moment);
    this.#updateControls();
  }

  #narrate({ event, state, lookup }: Moment): void {
    this.#narration.replaceChildren(...spans(event.caption));
    this.#narration.classList.toggle("gl-failed", event.kind === "Failed");
    const source = lookup.source(event) ?? lookup.nodes.get(state.current ?? "")?.source;
    setText(this.#place, source ? `${source.label}, line ${source.line}` : "");
    this.#code.replaceChildren(
      ...(source?.text ? marked(source.text, source.start ?? 0, source.end ?? 0) : []),
    );
  }

  #updateControls(): void {
    const position = this.#timeline.position(this.#step, this.#granularity);
    this.#segments.update(position);
    this.#controls.update({
      position,
      count: this.#timeline.stops(this.#granularity).length,
      caption: plain(this.#timeline.events[this.#step]?.caption ?? []),
      playing: this.#playing,
      speed: this.#speed,
      granularity: this.#granularity,
    });
  }
}
