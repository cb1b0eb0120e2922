// The style sheet of what is seldom needed. It stands before the player's own, whose rules may override it.

import dialogs from "./dialogs.css";
import editor from "./editor.css";
import slope from "./slope.css";
import table from "./table.css";

export const seldom = [dialogs, editor, slope, table].join("");
