// The row-key explorer: a key of a table cut into its parts, from values or from bytes.
import { get, post, Refused, type ApiError, type TableRow } from "./api";
import { DataTable, empty, h } from "./dom";
import { count } from "./format";
import type { Page } from "./page";

interface Part {
  kind: string; from: number; to: number; hex: string; name?: string; type?: string; order?: string;
  value?: string | null; error?: string;
}
interface Key { hex: string; printable: string; bytes: number; parts: Part[]; error?: string }
interface KeyColumn { name: string; type: string; order: string; nullable: boolean }
interface Description { table: string; salt_buckets: number; columns: KeyColumn[]; key?: Key; error?: ApiError }

// Columns take the colours in turn, so that neighbours differ.
const colours = 5;

export class RowKeys implements Page {
  readonly name = "keys";
  readonly title = "Row keys";
  readonly every = 5000;
  readonly element: HTMLElement;
  private readonly names = h("datalist", { id: "key-tables" });
  private readonly table = h("input", { list: "key-tables", id: "key-table", autocomplete: "off", spellcheck: "false",
    placeholder: "SCHEMA.TABLE", onchange: () => void this.choose() });
  private readonly values = h("div", { class: "fields" });
  private readonly hex = h("textarea", { id: "key-hex", rows: "2", spellcheck: "false", placeholder: "03806d65…",
    oninput: () => void this.decode() });
  private readonly picture = h("div", { class: "bytes", "aria-hidden": "true" });
  private readonly message = h("div", { role: "status" });
  private readonly output = h("div");
  private inputs: { text: HTMLInputElement; isNull: HTMLInputElement }[] = [];
  private asked = 0;

  private readonly parts = new DataTable<Part>("Parts of the key", [
    { title: "Bytes", number: true, show: (part) => part.from === part.to ? "–" : part.to - part.from === 1 ? part.from : `${part.from}–${part.to - 1}` },
    { title: "Part", show: (part) => part.kind === "column" ? h("b", {}, part.name) : h("span", { class: "muted" }, part.kind) },
    { title: "Type", show: (part) => part.kind === "column" ? part.type + (part.order === "DESC" ? " DESC" : "") : "" },
    { title: "Value", show: (part) => part.error ? h("span", { class: "bad" }, part.value ? `${part.value}: ${part.error}` : part.error)
        : part.kind === "column" ? (part.value === null ? h("span", { class: "null" }, "NULL") : part.value) : part.value },
    { title: "Stored as", show: (part) => h("code", {}, part.hex || "no bytes") },
  ], "The key has no parts.");

  constructor() {
    this.element = h("div", {},
        h("h1", {}, "Row keys"),
        h("p", { class: "muted" }, "A row's key is its primary key as bytes: the salt, the columns in order, and what separates them. " +
          "Values give the key, and a key gives its values."),
        h("div", { class: "keys" },
          h("section", { class: "panel" }, h("label", { for: "key-table" }, "Table"), this.table, this.names, this.values),
          h("section", { class: "panel" }, h("label", { for: "key-hex" }, "Key, in hexadecimal digits"), this.hex, this.message)),
        this.output);
    this.output.append(empty("Choose a table of SQL to see how its keys are made."));
  }

  async refresh() {
    const { tables } = await get("tables");
    const names = (tables as TableRow[]).filter((row) => row.sql_name).map((row) => row.sql_name as string);
    if (names.length !== this.names.childElementCount) {
      this.names.replaceChildren(...names.map((name) => h("option", { value: name })));
    }
  }

  private async ask(body: object): Promise<Description | null> {
    const number = ++this.asked;
    try {
      const answer: Description = await post("rowkey", { table: quoted(this.table.value), ...body });
      if (number !== this.asked) return null; // a later question is on its way
      this.message.replaceChildren(...(answer.error ? [h("p", { class: "bad" }, answer.error.message)] : []));
      return answer.columns === undefined ? null : answer;
    } catch (error) {
      if (number === this.asked) {
        this.message.replaceChildren(h("p", { class: "bad" }, error instanceof Refused ? error.message : String(error)));
      }
      return null;
    }
  }

  private async choose() {
    this.hex.value = "";
    this.values.replaceChildren();
    this.inputs = [];
    const answer = await this.ask({});
    if (answer === null) return;
    this.output.replaceChildren(empty(answer.salt_buckets > 0
        ? `Keys of ${answer.table} begin with the salt, one of ${count(answer.salt_buckets)} buckets.`
        : `Keys of ${answer.table} have ${count(answer.columns.length)} ${answer.columns.length === 1 ? "column" : "columns"} and no salt.`));
    answer.columns.forEach((column, i) => {
      const id = `key-value-${i}`;
      const text = h("input", { id, spellcheck: "false", oninput: () => {
        isNull.checked = false;
        void this.encode();
      } });
      const isNull = h("input", { type: "checkbox", "aria-label": column.name + " is NULL", onchange: () => void this.encode() });
      this.inputs.push({ text, isNull });
      this.values.append(h("label", { for: id }, column.name, " ", h("small", {}, column.type + (column.order === "DESC" ? " DESC" : ""))), text,
          h("label", { class: "null-box" }, isNull, " NULL"));
    });
  }

  private async encode() {
    const values = this.inputs.map(({ text, isNull }) => isNull.checked ? null : text.value);
    const answer = await this.ask({ values });
    if (!answer?.key) return;
    this.hex.value = answer.key.hex;
    this.show(answer.key);
  }

  private async decode() {
    const answer = await this.ask({ hex: this.hex.value.replace(/[^0-9a-fA-F]/g, "") });
    if (!answer?.key) return;
    const columns = answer.key.parts.filter((part) => part.kind === "column");
    columns.forEach((part, i) => {
      this.inputs[i].text.value = part.value ?? "";
      this.inputs[i].isNull.checked = part.value === null && !part.error;
    });
    this.show(answer.key);
  }

  private show(key: Key) {
    let column = 0;
    this.picture.replaceChildren(...key.parts.filter((part) => part.hex !== "").map((part) => {
      const colour = part.kind === "column" ? `k${column++ % colours}` : part.kind;
      const pairs = part.hex.match(/../g) ?? [];
      return h("span", { class: `part ${colour}`, title: part.name ?? part.kind },
          h("span", { class: "digits" }, ...pairs.map((pair) => h("code", {}, pair))),
          h("small", {}, part.name ?? part.kind));
    }));
    this.parts.fill(key.parts);
    this.output.replaceChildren(
        ...(key.error ? [h("p", { class: "warning" }, key.error)] : []),
        h("h2", {}, `Key of ${key.bytes} ${key.bytes === 1 ? "byte" : "bytes"}`), this.picture,
        h("p", {}, h("small", { class: "muted" }, "As HBase's shell shows it: "), h("code", {}, key.printable)),
        this.parts.element);
  }
}

// A name as the catalog has it, for a call that takes names as SQL does.
function quoted(name: string): string {
  if (name.includes('"')) return name;
  return name.split(".").map((part) => /[a-z]/.test(part) && part !== part.toLowerCase() ? `"${part}"` : part).join(".");
}
