// The rows of a result. Only the lines that can be seen are in the document, so that a hundred
// thousand rows scroll as ten do.
import type { ResultColumn, ResultRow } from "./api";
import { h } from "./dom";

const lineHeight = 26;
const margin = 20; // lines above and below what can be seen

export class Results {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly head = h("tr");
  private readonly table = h("table", { class: "results" }, h("caption", { class: "hidden" }, "Result"), h("thead", {}, this.head), this.body);
  private columns: ResultColumn[] = [];
  rows: ResultRow[] = [];

  // 'more': the last line came near what can be seen.
  constructor(private readonly more: () => void) {
    this.element = h("div", { class: "scroll grid", tabindex: "0", role: "region", "aria-label": "Result",
      onscroll: () => this.draw() }, this.table);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  begin(columns: ResultColumn[], rows: ResultRow[]) {
    this.columns = columns;
    this.rows = rows;
    this.head.replaceChildren(h("th", { scope: "col", class: "number line" }, "#"), ...columns.map((column) =>
        h("th", { scope: "col", class: column.number ? "number" : "" }, column.name, " ", h("small", {}, column.type))));
    this.element.scrollTop = 0;
    this.draw();
  }
  add(rows: ResultRow[]) {
    this.rows.push(...rows);
    this.draw();
  }

  private draw() {
    const seen = Math.ceil(this.element.clientHeight / lineHeight);
    const top = Math.floor(this.element.scrollTop / lineHeight);
    const first = Math.max(0, Math.min(top, this.rows.length - seen) - margin);
    const last = Math.min(this.rows.length, top + seen + margin);
    const filler = (lines: number) => {
      const cell = h("td", { colspan: this.columns.length + 1, class: "filler" });
      cell.style.height = lines * lineHeight + "px";
      return h("tr", { "aria-hidden": "true" }, cell);
    };
    this.body.replaceChildren(...(first > 0 ? [filler(first)] : []),
        ...this.rows.slice(first, last).map((row, i) => h("tr", {},
            h("td", { class: "number line" }, (first + i + 1).toLocaleString("en")),
            ...row.map((value, column) => value === null
                ? h("td", { class: "null" }, "NULL")
                : h("td", { class: this.columns[column].number ? "number" : "",
                  title: value.length > 60 ? value : undefined }, value.length > 500 ? value.slice(0, 500) + "…" : value)))),
        ...(last < this.rows.length ? [filler(this.rows.length - last)] : []));
    if (this.rows.length > 0 && last >= this.rows.length && this.element.scrollTop > 0) this.more();
  }

  // As RFC 4180 has it; NULL is nothing, and a text that is empty stands in quotes.
  csv(): string {
    const quote = (text: string) => text === "" || /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    const lines = [this.columns.map((column) => quote(column.name)),
      ...this.rows.map((row) => row.map((value) => value === null ? "" : quote(value)))];
    return lines.map((line) => line.join(",")).join("\r\n") + "\r\n";
  }
}
