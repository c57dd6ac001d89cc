// The tables with their sizes and rates; one of them with its regions and families.
import { get, Refused, type TableRow } from "./api";
import { DataTable, empty, h } from "./dom";
import { bytes, count, moment, rate } from "./format";
import type { Page } from "./page";

// Without numbers: one that no server of the cluster has.
interface Region {
  region: string; server?: string; start_key: string; end_key: string; open: boolean; store_files?: number; file_bytes?: number;
  memstore_bytes?: number; compaction?: string; last_major_compaction_ms?: number; reads?: number; writes?: number;
}
interface Family { name: string; file_bytes?: number; attributes: Record<string, string> }

const known = (value: number | undefined, show: (value: number) => string) => value === undefined ? "–" : show(value);

// Rates of what is counted per table: from one poll to the next.
class Rates {
  private before = new Map<string, [number, number]>();
  private at = 0;
  private rates = new Map<string, [number, number]>();

  note(now: number, rows: TableRow[]) {
    const seconds = (now - this.at) / 1000;
    if (this.at > 0 && seconds > 0) {
      this.rates = new Map(rows.map((row) => {
        const [reads, writes] = this.before.get(row.name) ?? [row.reads, row.writes];
        return [row.name, [Math.max(0, row.reads - reads) / seconds, Math.max(0, row.writes - writes) / seconds]];
      }));
    }
    this.before = new Map(rows.map((row) => [row.name, [row.reads, row.writes]]));
    this.at = now;
  }
  of(name: string): [number, number] { return this.rates.get(name) ?? [0, 0]; }
}

export class Tables implements Page {
  readonly name = "tables";
  readonly title = "Tables";
  readonly every = 2000;
  readonly element = h("div");
  private readonly rates = new Rates();
  private readonly filter = h("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter by name",
    oninput: () => this.fill() });
  private readonly system = h("input", { type: "checkbox", onchange: () => this.fill() });
  private rows: TableRow[] = [];
  private open = "";

  private readonly list = new DataTable<TableRow>("Tables", [
    { title: "SQL name", show: (row) => row.sql_name ?? h("span", { class: "muted" }, "–"), sort: (row) => row.sql_name ?? "" },
    { title: "HBase table", show: (row) => h("a", { href: "#tables/" + encodeURIComponent(row.name) }, row.name), sort: (row) => row.name },
    { title: "Kind", show: (row) => row.enabled ? row.sql_type ?? "HBase" : "disabled", sort: (row) => row.sql_type ?? "" },
    { title: "Families", show: (row) => row.families.join(", ") },
    { title: "Regions", number: true, show: (row) => count(row.regions), sort: (row) => row.regions },
    { title: "Files", number: true, show: (row) => count(row.store_files), sort: (row) => row.store_files },
    { title: "On disk", number: true, show: (row) => bytes(row.file_bytes), sort: (row) => row.file_bytes },
    { title: "In memory", number: true, show: (row) => bytes(row.memstore_bytes), sort: (row) => row.memstore_bytes },
    { title: "Reads", number: true, show: (row) => rate(this.rates.of(row.name)[0]), sort: (row) => this.rates.of(row.name)[0] },
    { title: "Writes", number: true, show: (row) => rate(this.rates.of(row.name)[1]), sort: (row) => this.rates.of(row.name)[1] },
  ], "There are no tables yet. CREATE TABLE in the SQL page makes one.", (row) => row.name);

  private readonly regions = new DataTable<Region>("Regions", [
    { title: "Region", show: (row) => h("span", {}, h("code", { title: row.region }, row.region.slice(0, 12)),
        row.server === undefined ? "" : h("span", { class: "muted", title: row.server }, " on " + row.server.split(",")[0]),
        row.open || row.store_files !== undefined ? "" : h("span", { class: "bad" }, " not served")) },
    { title: "First row", show: (row) => h("code", { class: "clip", title: row.start_key }, row.start_key || "–") },
    { title: "Files", number: true, show: (row) => known(row.store_files, count), sort: (row) => row.store_files ?? 0 },
    { title: "On disk", number: true, show: (row) => known(row.file_bytes, bytes), sort: (row) => row.file_bytes ?? 0 },
    { title: "In memory", number: true, show: (row) => known(row.memstore_bytes, bytes), sort: (row) => row.memstore_bytes ?? 0 },
    { title: "Reads", number: true, show: (row) => known(row.reads, count), sort: (row) => row.reads ?? 0 },
    { title: "Writes", number: true, show: (row) => known(row.writes, count), sort: (row) => row.writes ?? 0 },
    { title: "Compaction", show: (row) => (row.compaction ?? "none") === "none" ? "–" : row.compaction },
    { title: "Last major compaction", show: (row) => moment(row.last_major_compaction_ms ?? 0), sort: (row) => row.last_major_compaction_ms ?? 0 },
  ], "The table has no regions.", (row) => row.region);

  private readonly families = new DataTable<Family>("Families", [
    { title: "Family", show: (row) => h("code", {}, row.name) },
    { title: "On disk", number: true, show: (row) => known(row.file_bytes, bytes), sort: (row) => row.file_bytes ?? 0 },
    { title: "Attributes", show: (row) => h("span", { class: "muted" },
        Object.entries(row.attributes).map(([name, value]) => `${name} ${value}`).join(", ") || "–") },
  ], "The table has no families.");

  shown(rest: string) {
    this.open = decodeURIComponent(rest);
    this.element.replaceChildren(...(this.open === "" ? this.all() : this.one()));
  }

  private all(): HTMLElement[] {
    return [h("div", { class: "head" }, h("h1", {}, "Tables"), this.filter,
        h("label", {}, this.system, " with SYSTEM tables")), this.list.element];
  }
  private one(): HTMLElement[] {
    return [h("div", { class: "head" }, h("a", { href: "#tables" }, "← Tables"), h("h1", {}, this.open)),
      h("h2", {}, "Families"), this.families.element, h("h2", {}, "Regions"), this.regions.element];
  }

  async refresh() {
    if (this.open === "") {
      const { tables, now_ms: now } = await get("tables");
      this.rates.note(now, tables);
      this.rows = tables;
      this.fill();
      return;
    }
    try {
      const table = await get("tables/" + encodeURIComponent(this.open));
      this.families.fill(table.families);
      this.regions.fill(table.regions);
    } catch (error) {
      if (!(error instanceof Refused) || error.error.status === "Unreachable") throw error;
      this.element.replaceChildren(h("a", { href: "#tables" }, "← Tables"), empty(error.message));
    }
  }

  private fill() {
    const wanted = this.filter.value.toLowerCase();
    this.list.fill(this.rows.filter((row) => (this.system.checked || row.sql_type !== "system") &&
        (row.name + " " + (row.sql_name ?? "")).toLowerCase().includes(wanted)));
  }
}
