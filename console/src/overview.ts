// The first page: how the server is, in numbers, and how it was in the last minutes, in charts.
import { get } from "./api";
import { Chart } from "./chart";
import { h } from "./dom";
import { bytes, count, duration, millis, percent, rate } from "./format";
import type { History, Percentiles, Point } from "./history";
import type { Page } from "./page";

class Card {
  readonly element: HTMLElement;
  private readonly value = h("div", { class: "value" }, "–");
  private readonly note = h("div", { class: "muted" });
  private readonly meter: HTMLMeterElement | null;

  constructor(title: string, metered = false) {
    this.meter = metered ? h("meter", { min: "0", max: "1", "aria-label": title }) : null;
    this.element = h("section", { class: "card" }, h("h3", {}, title), this.value, this.meter, this.note);
  }
  set(value: string, note: string, share?: number) {
    this.value.textContent = value;
    this.note.textContent = note;
    if (this.meter && share !== undefined) this.meter.value = Math.min(1, share);
  }
}

function times(label: string, of: (point: Point) => Percentiles): Chart {
  return new Chart(label, [
    { label: "p50", colour: "c1", value: (point) => of(point).p50 },
    { label: "p95", colour: "c2", value: (point) => of(point).p95 },
    { label: "p99", colour: "c3", value: (point) => of(point).p99 },
  ], millis, true);
}

const statementRows = () => new Chart("Rows of SQL", [
  { label: "read from tables", colour: "c1", value: (point) => point.sqlRead, fill: true },
  { label: "given to clients", colour: "c2", value: (point) => point.sqlReturned },
], rate);
const statementTimes = () => times("Time of SQL statements", (point) => point.statementTimes);

function chartsOfServer(): Chart[] {
  return [
    new Chart("Throughput", [
      { label: "HBase calls", colour: "c1", value: (point) => point.calls, fill: true },
      { label: "SQL statements", colour: "c2", value: (point) => point.statements },
      { label: "failures", colour: "c3", value: (point) => point.failures },
    ], rate),
    statementTimes(),
    times("Time of HBase calls", (point) => point.callTimes),
    statementRows(),
    new Chart("Rows for HBase's clients", [
      { label: "read", colour: "c1", value: (point) => point.reads, fill: true },
      { label: "written", colour: "c2", value: (point) => point.writes },
    ], rate),
    new Chart("Memory", [
      { label: "process", colour: "c1", value: (point) => point.residentBytes, fill: true },
      { label: "block cache", colour: "c2", value: (point) => point.cacheBytes },
      { label: "memstores", colour: "c3", value: (point) => point.memstoreBytes },
    ], bytes),
    new Chart("Block cache", [
      { label: "hits", colour: "c1", value: (point) => point.hits, fill: true },
      { label: "misses", colour: "c3", value: (point) => point.misses },
    ], rate),
  ];
}

function chartsOfGateway(): Chart[] {
  return [
    new Chart("Throughput", [
      { label: "SQL statements", colour: "c2", value: (point) => point.statements, fill: true },
    ], rate),
    statementTimes(),
    statementRows(),
    new Chart("Memory", [
      { label: "process", colour: "c1", value: (point) => point.residentBytes, fill: true },
    ], bytes),
  ];
}

export class Overview implements Page {
  readonly name = "overview";
  readonly title = "Overview";
  readonly every = 1000;
  readonly element: HTMLElement;

  private readonly cards = {
    uptime: new Card("Uptime"), tables: new Card("Tables"), data: new Card("Data on disk"),
    memory: new Card("Memory of the process", true), cache: new Card("Block cache", true),
    memstores: new Card("Memstores", true), log: new Card("Write-ahead log"), servers: new Card("Servers"),
    clients: new Card("Clients"),
  };
  // Those of a server, or of a gateway, once it is known which it is.
  private charts: Chart[] = [];
  private readonly chartArea = h("div", { class: "charts" });
  private readonly beans = h("span", {}, ", ", h("a", { href: "jmx" }, "jmx"));
  private readonly warning = h("p", { class: "warning", role: "alert", hidden: true });
  private readonly facts = h("dl", { class: "facts" });

  constructor() {
    this.element = h("div", {},
        h("h1", { class: "hidden" }, this.title), this.warning,
        h("div", { class: "cards" }, ...Object.values(this.cards).map((card) => card.element)),
        this.chartArea,
        h("section", {}, h("h2", {}, "Server"), this.facts),
        h("p", { class: "foot" }, "For programs: ", h("a", { href: "metrics" }, "metrics"), this.beans,
          ", ", h("a", { href: "healthz" }, "healthz"), ". ", h("a", { href: "console/licenses.txt" }, "Licences"), " of what this page is made of."));
  }

  async refresh(history: History) {
    const now = await get("overview");
    const gateway = now.cluster !== undefined;
    if (this.charts.length === 0) {
      this.charts = gateway ? chartsOfGateway() : chartsOfServer();
      this.chartArea.replaceChildren(...this.charts.map((chart) => chart.element));
      this.beans.hidden = gateway;
    }
    for (const chart of this.charts) chart.show(history.points);
    const { cards } = this;
    cards.uptime.set(duration(now.now_ms - now.start_ms), "version " + now.version);
    const { memory } = now;
    cards.memory.set(bytes(memory.resident_bytes), `of ${bytes(memory.max_bytes)} usable`,
        memory.resident_bytes / memory.max_bytes);
    cards.servers.element.hidden = !gateway;
    for (const card of [cards.cache, cards.memstores, cards.log]) card.element.hidden = gateway;
    if (gateway) this.showCluster(now);
    else this.showStore(now);
  }

  private showStore(now: any) {
    const { cards } = this;
    cards.tables.set(count(now.tables), `${count(now.regions.all)} regions, ${count(now.regions.open)} open`);
    cards.data.set(bytes(now.store_files.bytes), `${count(now.store_files.count)} files`);
    const { block_cache: cache, memstores } = now;
    cards.cache.set(bytes(cache.bytes),
        `of ${bytes(cache.max_bytes)}, ${percent(cache.hits, cache.hits + cache.misses)} hits`,
        cache.bytes / cache.max_bytes);
    cards.memstores.set(bytes(memstores.bytes), `of ${bytes(memstores.max_bytes)}`,
        memstores.bytes / memstores.max_bytes);
    cards.log.set(count(now.log.files), now.log.files === 1 ? "file" : "files");
    const { hbase, phoenix, console } = now.connections;
    cards.clients.set(count(hbase + phoenix), `${hbase} sockets, ${phoenix} of Phoenix, ${console} of pages`);
    this.warn(now.read_only ? "The store is read-only: " + now.read_only_reason : now.last_background_error);
    this.tell([["Store", now.directory], ["Serves", now.endpoints], ["Server name", now.server_name],
      ["Cluster id", now.cluster_id]]);
  }

  // Without an answer of the cluster, only what the gateway knows of itself.
  private showCluster(now: any) {
    const { cards } = this;
    const known = now.cluster_error === undefined;
    if (known) {
      cards.tables.set(count(now.tables), `${count(now.regions.open)} regions, ${count(now.regions.in_transition)} in transition`);
      cards.data.set(bytes(now.store_files.bytes), `${count(now.store_files.count)} files, ${bytes(now.memstores.bytes)} in memory`);
      cards.servers.set(count(now.servers.live), now.servers.dead === 0 ? "none dead" : `${count(now.servers.dead)} dead`);
    } else {
      for (const card of [cards.tables, cards.data, cards.servers]) card.set("–", "not known");
    }
    const { phoenix, console } = now.connections;
    cards.clients.set(count(phoenix), `of Phoenix, ${console} of pages`);
    this.warn(known ? "" : "The cluster does not answer: " + now.cluster_error);
    this.tell([["Cluster", now.cluster], ["HBase", now.hbase_version ?? "–"], ["Master", now.master ?? "–"],
      ["Serves", now.endpoints]]);
  }

  private warn(trouble: string) {
    this.warning.hidden = !trouble;
    this.warning.textContent = trouble;
  }
  private tell(facts: [string, string][]) {
    this.facts.replaceChildren(...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }
}
