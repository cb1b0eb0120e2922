// Sentences on the page: what stands between backticks is set as code. Text nodes only.

import { h } from "../dom";

/** A sentence with `code` in it. */
export function coded(said: string): (Node | string)[] {
  return said.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));
}
