// Sets the parts of a sentence between backticks as code.

import { h } from "../dom";

/** The nodes of a sentence with `code` in it. */
export function coded(said: string): (Node | string)[] {
  return said.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));
}
