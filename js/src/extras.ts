// The parts that are needed only when a person edits a value, predicts what memory holds, or opens the Slope card,
// the table or a dialog. The player holds them; the widget does not, and asks Python for the player.
//
// Read next: seldomdialog.ts, editor.ts, foresight.ts, replay/index.ts, cards/slope.ts.

import "./memoryquestions"; // adds them to those that the player can ask

export { makeBreakpointList } from "./breakpointlist";
export { slopeCard } from "./cards/slope";
export { makeEditor } from "./editor";
export { changes, named, sentence, unnamed, withEntry } from "./edits";
export { makeFollower } from "./foresight";
export { makeHealthDialog } from "./healthdialog";
export { makeHelp } from "./help";
export { replayOf } from "./replay";
export { makeSaveMenu } from "./savemenu";
export { makeSearch } from "./search";
export { seldom as style } from "./styles/seldom";
export { makeTable } from "./tableview";
