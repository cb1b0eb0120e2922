// The keys and the commands that they give. Keys work only while the focus is inside the player.
//
// Read next: reducer.ts, which does what a command asks for.

export type Command =
  | "back"
  | "forward"
  | "nodeBack"
  | "nodeForward"
  | "passBack"
  | "passForward"
  | "first"
  | "last"
  | "toggle"
  | "slower"
  | "faster"
  | "larger"
  | "smaller"
  | "breakpoint"
  | "breakpoints"
  | "predict"
  | "present"
  | "showForward"
  | "table"
  | "slope"
  | "reset"
  | "resetEdits"
  | "search"
  | "health"
  | "inside"
  | "outside"
  | "collapse"
  | "panUp"
  | "panDown"
  | "panLeft"
  | "panRight"
  | "help"
  | "escape";

const PLAIN: { [key: string]: Command } = {
  ArrowLeft: "back",
  ArrowRight: "forward",
  Home: "first",
  End: "last",
  " ": "toggle",
  "[": "slower",
  "]": "faster",
  "+": "larger",
  "=": "larger",
  "-": "smaller",
  n: "passForward",
  N: "passBack",
  b: "breakpoint",
  B: "breakpoints",
  p: "predict",
  f: "present",
  F: "showForward",
  t: "table",
  s: "slope",
  "0": "reset",
  r: "resetEdits",
  PageUp: "back", // PageUp and PageDown come from a remote control for presentations
  PageDown: "forward",
  "/": "search",
  h: "health",
  Enter: "inside",
  Backspace: "outside",
  c: "collapse",
  ArrowUp: "panUp",
  ArrowDown: "panDown",
  "?": "help",
  Escape: "escape",
};

const SHIFTED: { [key: string]: Command } = {
  ArrowLeft: "nodeBack",
  ArrowRight: "nodeForward",
  ArrowUp: "panLeft",
  ArrowDown: "panRight",
};

/** The command of a key; undefined when the key belongs to the element or to the browser. */
export function commandOf(event: KeyboardEvent): Command | undefined {
  const typed = event.getModifierState?.("AltGraph"); // "[" is a key with AltGr on many keyboards
  if ((!typed && (event.ctrlKey || event.altKey)) || event.metaKey || event.isComposing) return undefined;
  const command = (event.shiftKey ? SHIFTED[event.key] : undefined) ?? PLAIN[event.key];
  const target = event.target as Element | null;
  const tag = target?.tagName;
  if (tag === "INPUT" && !countsIn(target as HTMLInputElement, command)) return undefined;
  if (tag === "SELECT" && command !== "help" && command !== "escape") return undefined;
  if (tag === "BUTTON" && (command === "toggle" || command === "inside")) return undefined; // these keys press the button
  return command;
}

/** Whether a command works in a field. On the scrubber all do; in a text field, those without a letter. */
function countsIn({ type, value }: HTMLInputElement, command: Command | undefined): boolean {
  if (type === "range" || command === "escape") return true;
  if (type === "checkbox") return command !== "toggle"; // Space ticks it
  return value === "" && (command === "forward" || command === "back");
}

/** Commands for a picture without steps. */
const LOOKING = new Set<Command>([
  ...(["panUp", "panDown", "panLeft", "panRight", "larger", "smaller"] as const),
  ...(["search", "inside", "outside", "collapse", "escape"] as const),
]);

/** Whether a command has a meaning. `still`: in a picture without steps. */
export const applies = (command: Command, still: boolean): boolean => !still || LOOKING.has(command);
