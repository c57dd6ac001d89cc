// Makes elements. Text is always text: nothing of the server's is ever read as HTML.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

// h("td", { class: "number", title: "…" }, "12"): a function is a listener, a boolean an attribute
// that is there or not.
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name.replace(/^on/, ""), value as EventListener);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  for (const child of children) {
    if (child) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export function empty(text: string): HTMLElement {
  return h("p", { class: "empty" }, text);
}

export interface Column<Row> {
  title: string;
  number?: boolean;
  show: (row: Row) => Child;
  sort?: (row: Row) => number | string;
}

// A table of rows whose columns sort at a click. 'fill' may be called as often as there is news; the
// order that was chosen stays.
export class DataTable<Row> {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly head = h("tr");
  private rows: Row[] = [];
  private sorted: { column: Column<Row>; down: boolean } | null = null;

  constructor(caption: string, private readonly columns: Column<Row>[],
              private readonly none: string, private readonly key?: (row: Row) => string) {
    for (const column of columns) {
      const cell = h("th", { scope: "col", class: column.number ? "number" : "" });
      cell.append(column.sort === undefined
          ? column.title
          : h("button", { class: "sort", onclick: () => this.sortBy(column) }, column.title));
      this.head.append(cell);
    }
    this.element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h("table", {}, h("caption", { class: "hidden" }, caption), h("thead", {}, this.head), this.body));
  }

  fill(rows: Row[]) {
    this.rows = rows;
    this.draw();
  }

  private sortBy(column: Column<Row>) {
    const down = this.sorted?.column === column ? !this.sorted.down : column.number === true;
    this.sorted = { column, down };
    this.draw();
  }

  private draw() {
    const rows = [...this.rows];
    const { column, down } = this.sorted ?? {};
    if (column?.sort) {
      const value = column.sort;
      rows.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (down ? -1 : 1));
    }
    [...this.head.children].forEach((cell, i) => {
      if (this.columns[i] === column) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    // Cells that say the same stay the elements that they are, so that whoever is about to click one,
    // or has the keyboard in it, is not disturbed by news of others.
    const old = new Map([...this.body.children].map((line) => [(line as HTMLElement).dataset.key, line]));
    const lines = rows.map((row, i) => {
      const key = this.key ? this.key(row) : String(i);
      const cells = this.columns.map((shown) => h("td", { class: shown.number ? "number" : "" }, shown.show(row)));
      const line = old.get(key);
      old.delete(key);
      if (line === undefined || line.childElementCount !== cells.length) return h("tr", { "data-key": key }, ...cells);
      cells.forEach((cell, place) => {
        const before = line.children[place];
        if (!before.isEqualNode(cell)) before.replaceWith(cell);
      });
      return line;
    });
    if (lines.length === 0) {
      lines.push(h("tr", {}, h("td", { colspan: this.columns.length, class: "empty" }, this.none)));
    }
    lines.forEach((line, i) => {
      if (this.body.children[i] !== line) this.body.insertBefore(line, this.body.children[i] ?? null);
    });
    while (this.body.children.length > lines.length) this.body.lastElementChild?.remove();
  }
}
