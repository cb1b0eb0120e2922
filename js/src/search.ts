// Search in the graph: by variable, grad_fn, operation, scope or line of code. Enter goes to the chosen hit.
//
// Read next: dialog.ts.

import { type Dialog, makeDialog } from "./dialog";
import { h } from "./dom";
import type { Lookup } from "./lookup";
import type { Dispatch } from "./state";

const MOST = 40; // hits that are listed

interface Entry {
  id: string;
  label: string; // its name
  detail: string; // where it was made
  words: string; // the text to search in
}

export function makeSearch(lookup: Lookup, dispatch: Dispatch): Dialog {
  let entries: Entry[] | undefined;
  let hits: Entry[] = [];
  let at = 0;
  const field = h("input.gl-field", {
    type: "search",
    "aria-label": "Search",
    placeholder: "a variable, an operation, a scope, a line of code",
    autocomplete: "off",
    spellcheck: "false",
  });
  const said = h("p.gl-note", { role: "status" });
  const list = h("ul.gl-hits", { role: "listbox", "aria-label": "Found" });
  const dialog = makeDialog("search", "Search", dispatch, field, said, list);

  const show = () => {
    for (const [k, item] of [...list.children].entries()) {
      item.setAttribute("aria-selected", String(k === at));
      if (k === at) item.scrollIntoView?.({ block: "nearest" });
    }
  };
  const find = () => {
    entries ??= allEntries(lookup);
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length
      ? entries.filter((entry) => words.every((word) => entry.words.includes(word)))
      : [];
    // names that begin with the first word come first
    const starts = (entry: Entry) => entry.label.toLowerCase().startsWith(words[0] ?? "");
    hits = [...found.filter(starts), ...found.filter((entry) => !starts(entry))].slice(0, MOST);
    at = 0;
    const more = found.length > MOST ? `; these are the first ${MOST}` : "";
    said.textContent = words.length ? `${found.length} found${more}` : "";
    list.replaceChildren(
      ...hits.map((entry, k) => {
        const item = h(
          "li",
          { role: "option" },
          h("b", {}, entry.label),
          h("span.gl-note", {}, entry.detail),
        );
        item.addEventListener("click", () => go(k));
        return item;
      }),
    );
    show();
  };
  const go = (k: number) => {
    const hit = hits[k];
    if (hit) dispatch({ type: "find", id: hit.id });
  };
  field.addEventListener("input", find);
  field.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) at = Math.max(0, Math.min(hits.length - 1, at + by));
    else if (event.key === "Enter") go(at);
    if (event.key !== "Escape") event.stopPropagation(); // typed letters are not commands
    if (!by && event.key !== "Enter") return;
    event.preventDefault();
    show();
    if (by && hits[at]) said.textContent = `${at + 1} of ${hits.length}: ${hits[at]?.label}`;
  });
  const open = (on: boolean) => {
    if (on === dialog.element.open) return;
    dialog.open(on);
    if (!on) return;
    field.select();
    find();
  };
  return { element: dialog.element, open };
}

function allEntries(lookup: Lookup): Entry[] {
  const entries: Entry[] = [];
  const add = (id: string, label: string, detail: string, ...more: (string | undefined)[]) =>
    entries.push({ id, label, detail, words: [label, detail, ...more].join(" ").toLowerCase() });
  for (const tensor of lookup.tensors.values()) {
    if (!tensor.name) continue;
    const made = lookup.nodes.get(tensor.producer ?? "");
    const kind = tensor.is_leaf ? (tensor.requires_grad ? "leaf" : "no grad") : (made?.name ?? "");
    add(tensor.id, tensor.name, [kind, made?.scope].filter(Boolean).join(" · "));
  }
  for (const node of lookup.nodes.values()) {
    if (node.variable) continue; // its leaf is in the list
    const where = node.source ? `${node.source.label}, line ${node.source.line}: ${node.source.text}` : "";
    add(node.id, node.name, [node.scope, where].filter(Boolean).join(" · "), node.op);
  }
  return entries;
}
