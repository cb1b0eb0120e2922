// The table of tensors: the headings sort it, a field filters it, and the arrow keys move in it.
//
// In a narrow panel each row has two lines (panel.css), and nothing is left out. Names are text nodes.
//
// Read next: lab/detail.ts.

import { h, setText, shapeText } from "../dom";
import type { Row, Table } from "./kernel";

interface Column {
  key: string;
  heading: string;
  title: string; // the tooltip of the heading
  text: (row: Row) => string;
  short?: (row: Row) => string; // in a narrow panel, which has no headings
  order?: (row: Row) => number | string; // the sort key, if it is not the text
}

const rowOf = (event: Event) => (event.target as Element).closest("tr");
const truth = (value: boolean) => (value ? "True" : "False");

const COLUMNS: readonly Column[] = [
  {
    key: "name",
    heading: "name",
    title: "the variable, or the expression for the tensor",
    text: (row) => row.name,
  },
  { key: "value", heading: "value", title: "the value, or its size", text: (row) => row.value },
  {
    key: "shape",
    heading: "shape",
    title: "the length of each dimension",
    text: (row) => shapeText(row.shape),
    order: (row) => row.shape.reduce((a, b) => a * b, 1),
  },
  { key: "dtype", heading: "dtype", title: "the type of the entries", text: (row) => row.dtype },
  {
    key: "grad_fn",
    heading: "grad_fn",
    title: "the node that made the tensor; a leaf has none",
    text: (row) => row.grad_fn ?? "None",
    short: (row) => row.grad_fn ?? "",
  },
  {
    key: "is_leaf",
    heading: "is_leaf",
    title: "whether the tensor is a leaf: no recorded operation made it",
    text: (row) => truth(row.is_leaf),
    short: (row) => (row.is_leaf ? "leaf" : ""),
  },
  {
    key: "requires_grad",
    heading: "requires_grad",
    title: "whether operations on the tensor are recorded",
    text: (row) => truth(row.requires_grad),
    short: (row) => (row.is_leaf && row.requires_grad ? "requires grad" : ""),
  },
  {
    key: "version",
    heading: "version",
    title: "how often the tensor was changed in place",
    text: (row) => (row.version === null ? "–" : String(row.version)),
    short: (row) => (row.version ? `version ${row.version}` : ""),
    order: (row) => row.version ?? -1,
  },
  {
    key: "grad",
    heading: "grad",
    title: "the gradient in .grad",
    text: (row) => row.grad ?? "None",
    short: (row) => (row.grad === null ? "" : `grad ${row.grad}`),
  },
];

type Sort = { key: string; down: boolean } | undefined;

export class TensorTable {
  readonly element: HTMLElement;
  readonly #onSelect: (row: Row) => void;
  readonly #filter: HTMLInputElement;
  readonly #count = h("span.gl-lab-count");
  readonly #body = h("tbody", { role: "rowgroup" });
  readonly #headings: readonly HTMLTableCellElement[];
  readonly #order: HTMLSelectElement; // to sort by, in a narrow panel without headings
  readonly #nothing = h("p.gl-lab-nothing", { role: "status" });
  #table: Table = { module: null, rows: [], unseen: 0, last: null };
  #before = new Map<string, string>(); // code -> its row in the last table
  #changed = new Set<string>();
  #sort: Sort;
  #selected: string | undefined; // the code of the selected tensor
  #pressed: string | undefined; // the code of the row on which the pointer went down
  #cursor: string | undefined; // the code of the row that the Tab key reaches

  constructor(onSelect: (row: Row) => void) {
    this.#onSelect = onSelect;
    this.#filter = h("input.gl-lab-filter", {
      type: "search",
      placeholder: "Filter",
      "aria-label": "Filter the tensors",
      spellcheck: "false",
    });
    this.#filter.addEventListener("input", () => this.#draw());
    this.#filter.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#filter.value) {
        this.#filter.value = "";
        this.#draw();
      } else if (event.key === "ArrowDown") this.#rows()[0]?.focus();
      else return;
      event.preventDefault();
    });
    const orders = COLUMNS.map(({ key, heading }) => h("option", { value: key }, `by ${heading}`));
    this.#order = h("select.gl-lab-order", { "aria-label": "Order of the tensors" });
    this.#order.append(h("option", { value: "" }, "in order"), ...orders);
    this.#order.addEventListener("change", () => {
      this.#sort = this.#order.value ? { key: this.#order.value, down: false } : undefined;
      this.#draw();
    });
    this.#headings = COLUMNS.map((column) => this.#heading(column));
    const head = h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...this.#headings));
    const table = h("table", { role: "grid", "aria-label": "Tensors" }, head, this.#body);
    this.#body.addEventListener("pointerdown", (event) => {
      this.#pressed = event.button ? undefined : rowOf(event)?.dataset.code;
    });
    this.#body.addEventListener("pointerup", (event) => this.#onRelease(event));
    this.#body.addEventListener("click", (event) => this.#onClick(event));
    this.#body.addEventListener("keydown", (event) => this.#onKey(event));
    this.element = h(
      "div.gl-lab-table",
      {},
      h("div.gl-lab-bar", {}, this.#filter, this.#count, this.#order),
      h("div.gl-lab-scroll", {}, table, this.#nothing),
    );
  }

  /** Show a new table. `fresh`: it comes from another kernel, so no row counts as changed. */
  update(table: Table, fresh: boolean): void {
    const said = new Map(table.rows.map((row) => [row.code, JSON.stringify(row)]));
    if (fresh || !this.#before.size) this.#changed.clear();
    else if ([...said].some(([code, row]) => this.#before.get(code) !== row))
      this.#changed = new Set(
        [...said].filter(([code, row]) => this.#before.get(code) !== row).map(([code]) => code),
      );
    this.#before = said;
    this.#table = table;
    this.#draw();
  }

  select(code: string | undefined): void {
    this.#selected = code;
    for (const row of this.#rows()) row.setAttribute("aria-selected", String(row.dataset.code === code));
  }

  /** Scroll the selected row into sight. */
  reveal(): void {
    const row = this.#rows().find(({ dataset }) => dataset.code === this.#selected);
    row?.scrollIntoView?.({ block: "nearest" });
  }

  /** Put the focus in the table. */
  focus(): void {
    (this.#rows().find((row) => row.tabIndex === 0) ?? this.#filter).focus();
  }

  #heading(column: Column): HTMLTableCellElement {
    const button = h("button.gl-lab-long", { type: "button", title: column.title }, column.heading);
    button.addEventListener("click", () => {
      const { key } = column;
      if (this.#sort?.key !== key) this.#sort = { key, down: false };
      else this.#sort = this.#sort.down ? undefined : { key, down: true };
      this.#draw();
    });
    const text = h("span.gl-lab-short", {}, column.heading); // out of sight, so it must not take the focus
    return h("th", { role: "columnheader", scope: "col", class: `gl-c-${column.key}` }, button, text);
  }

  #draw(): void {
    const { rows, unseen } = this.#table;
    const words = this.#filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (row: Row) =>
      COLUMNS.map((column) => column.text(row))
        .join(" ")
        .toLowerCase();
    const shown = this.#sorted(rows.filter((row) => words.every((word) => text(row).includes(word))));
    const had = this.#body.contains(document.activeElement);
    this.#body.replaceChildren(...shown.map((row) => this.#row(row)));
    const first = shown.find((row) => row.code === (this.#cursor ?? this.#selected)) ?? shown[0];
    for (const row of this.#rows()) row.tabIndex = row.dataset.code === first?.code ? 0 : -1;
    if (had) (this.#rows().find((row) => row.tabIndex === 0) ?? this.#filter).focus();
    for (const [at, column] of COLUMNS.entries()) {
      const sorted = this.#sort?.key === column.key ? (this.#sort.down ? "descending" : "ascending") : "none";
      this.#headings[at]?.setAttribute("aria-sort", sorted);
    }
    this.#order.value = this.#sort?.key ?? "";
    const all = rows.length + unseen;
    const tensors = all === 1 ? "1 tensor" : `${all} tensors`;
    setText(this.#count, shown.length === all ? tensors : `${shown.length} of ${tensors}`);
    setText(this.#nothing, shown.length || !rows.length ? "" : "No tensor matches the filter.");
    this.#nothing.hidden = shown.length > 0 || !rows.length;
  }

  #sorted(rows: Row[]): Row[] {
    const sort = this.#sort;
    const column = COLUMNS.find(({ key }) => key === sort?.key);
    if (!sort || !column) return rows;
    const order = column.order ?? column.text;
    const compare = (a: Row, b: Row) => {
      const [x, y] = [order(a), order(b)];
      return typeof x === "number" && typeof y === "number"
        ? x - y
        : String(x).localeCompare(String(y), "en", { numeric: true });
    };
    return [...rows].sort((a, b) => (sort.down ? compare(b, a) : compare(a, b)));
  }

  #row(row: Row): HTMLTableRowElement {
    const changed = this.#changed.has(row.code);
    const cells = COLUMNS.map((column) => {
      const text = column.text(row);
      const short = column.short?.(row) ?? text;
      const shown =
        short === text ? [text] : [h("span.gl-lab-long", {}, text), h("span.gl-lab-short", {}, short)];
      const cell = h(
        column.key === "name" ? "th" : "td",
        {
          role: column.key === "name" ? "rowheader" : "gridcell",
          class: `gl-c-${column.key}${text === "None" ? " gl-lab-none" : ""}`,
          title: text,
        },
        ...shown,
      );
      if (column.key === "name" && changed) cell.append(h("span.gl-lab-hidden", {}, ", changed"));
      return cell;
    });
    const kind = row.is_leaf ? (row.requires_grad ? "leaf" : "constant") : "result";
    return h(
      "tr",
      {
        role: "row",
        class: `gl-lab-row gl-k-${kind}${changed ? " gl-lab-changed" : ""}`,
        "data-code": row.code,
        "aria-selected": String(row.code === this.#selected),
      },
      ...cells,
    );
  }

  #rows(): HTMLTableRowElement[] {
    return [...this.#body.querySelectorAll("tr")];
  }

  #choose(row: HTMLTableRowElement): void {
    const found = this.#table.rows.find(({ code }) => code === row.dataset.code);
    if (!found) return;
    this.#move(row);
    this.select(found.code);
    this.#onSelect(found);
  }

  #move(to: HTMLTableRowElement | undefined): void {
    if (!to) return;
    this.#cursor = to.dataset.code;
    for (const row of this.#rows()) row.tabIndex = row === to ? 0 : -1;
    to.focus();
  }

  /** Choose the row that was pressed. The kernel may have sent new rows since, which ends the browser's own click. */
  #onRelease(event: PointerEvent): void {
    const row = rowOf(event);
    if (row && row.dataset.code === this.#pressed) this.#choose(row);
    this.#pressed = undefined;
  }

  /** A click without a pointer, as of a screen reader. */
  #onClick(event: MouseEvent): void {
    const row = rowOf(event);
    if (row && !event.detail) this.#choose(row);
  }

  #onKey(event: KeyboardEvent): void {
    const rows = this.#rows();
    const row = rowOf(event);
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = rows.indexOf(row);
    const { key } = event;
    if (key === "ArrowDown") this.#move(rows[at + 1]);
    else if (key === "ArrowUp" && at === 0) this.#filter.focus();
    else if (key === "ArrowUp") this.#move(rows[at - 1]);
    else if (key === "Home") this.#move(rows[0]);
    else if (key === "End") this.#move(rows.at(-1));
    else if (key === "Enter" || key === " ") this.#choose(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
