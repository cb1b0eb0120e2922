// What each command does, wherever it comes from: a key, a button, a remote control.
//
// Read next: keys.ts (which key), play.ts (what it acts on).

import type { Command } from "./keys";
import type { Stage } from "./stage";
import type { Walk } from "./walk";

/** What can be asked of a picture that tells no story. */
const LOOKING = new Set<Command>([
  ...(["panUp", "panDown", "panLeft", "panRight", "larger", "smaller"] as const),
  ...(["search", "inside", "outside", "collapse", "escape"] as const),
]);

/** What the commands act on. */
export interface Parts {
  walk: Walk;
  stage: Stage;
  /** Whether a question hides what comes; going on reveals it. */
  asked(): boolean;
  reveal(): void;
  /** What opens and closes, and what begins and ends. */
  toggle: Record<"help" | "breakpoints" | "search" | "table" | "predict" | "present", () => void>;
  breakHere(): void;
  reset(): void;
  escape(): void;
}

/** Does a command; before it, what was said over the picture is taken back. */
export function makeCommands({
  walk,
  stage,
  asked,
  reveal,
  toggle,
  ...rest
}: Parts): (what: Command) => void {
  const ahead = (how: "forward" | "nodeForward") => () => (asked() ? reveal() : walk.move(how));
  const chapter = (forward: boolean) => () => {
    if (!walk.turn(forward))
      stage.say(forward ? "There is no pass after this one." : "There is no pass before this one.");
  };
  const does: Record<Command, () => void> = {
    first: () => walk.move("first"),
    back: () => walk.move("back"),
    forward: ahead("forward"),
    last: () => walk.move("last"),
    nodeBack: () => walk.move("nodeBack"),
    nodeForward: ahead("nodeForward"),
    passBack: chapter(false),
    passForward: chapter(true),
    toggle: () => walk.setPlaying(!walk.playing && !asked()),
    slower: () => walk.changeSpeed(-1),
    faster: () => walk.changeSpeed(1),
    larger: () => stage.zoom(1.2),
    smaller: () => stage.zoom(1 / 1.2),
    breakpoint: rest.breakHere,
    breakpoints: toggle.breakpoints,
    predict: toggle.predict,
    present: toggle.present,
    table: toggle.table,
    reset: rest.reset,
    search: toggle.search,
    inside: () => stage.say(stage.enterCurrent()),
    outside: () => stage.say(stage.leave()),
    collapse: () => stage.say(stage.collapse()),
    panUp: () => stage.pan(0, -1),
    panDown: () => stage.pan(0, 1),
    panLeft: () => stage.pan(-1, 0),
    panRight: () => stage.pan(1, 0),
    help: toggle.help,
    escape: rest.escape,
  };
  return (what) => {
    stage.say("");
    does[what]();
  };
}

/** Whether a command means something: in a picture without a story there is nothing to walk. */
export const applies = (command: Command, still: boolean): boolean => !still || LOOKING.has(command);
