// Which key does what. Keys count only while the focus is inside the player.

export type Command =
  | "back"
  | "forward"
  | "nodeBack"
  | "nodeForward"
  | "first"
  | "last"
  | "toggle"
  | "slower"
  | "faster"
  | "larger"
  | "smaller"
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
  "?": "help",
  Escape: "escape",
};

const SHIFTED: { [key: string]: Command } = { ArrowLeft: "nodeBack", ArrowRight: "nodeForward" };

/** The command of a key press; undefined when the press belongs to the element or to the browser. */
export function commandOf(event: KeyboardEvent): Command | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return undefined;
  const command = (event.shiftKey ? SHIFTED[event.key] : undefined) ?? PLAIN[event.key];
  const tag = (event.target as Element | null)?.tagName;
  if (tag === "SELECT" && command !== "help" && command !== "escape") return undefined;
  if (tag === "BUTTON" && command === "toggle") return undefined; // Space presses the button
  return command;
}
