// What runs now, and what took long: statements, flushes, compactions, slow calls.
import { get, post } from "./api";
import { DataTable, h } from "./dom";
import { bytes, count, millis, moment } from "./format";
import type { Page } from "./page";

interface Statement {
  id: number; text: string; tenant?: string; start_ms: number; ms: number; rows_read: number; rows_returned: number;
  parts: number; parts_done: number; memory_bytes: number;
}
interface Work { kind: string; table: string; region: string; family?: string; start_ms: number; ms: number; error?: string }
interface SlowStatement { text: string; start_ms: number; ms: number; rows_read: number; rows_returned: number }
interface SlowCall { method: string; table: string; rows: string; client: string; start_ms: number; ms: number; queue_ms: number; response_bytes: number }

const sqlText = (text: string) => h("code", { class: "clip", title: text }, text);

export class Activity implements Page {
  readonly name = "activity";
  readonly title = "Activity";
  readonly every = 1000;
  readonly element: HTMLElement;
  private readonly waiting = h("p", { class: "muted" });
  private readonly slowNote = h("p", { class: "muted" });

  private readonly statements = new DataTable<Statement>("Running statements", [
    { title: "No.", number: true, show: (row) => row.id },
    { title: "Statement", show: (row) => sqlText(row.text) },
    { title: "For", number: true, show: (row) => millis(row.ms), sort: (row) => row.ms },
    { title: "Progress", show: (row) => row.parts === 0 ? "–" : h("span", { class: "progress" },
        h("progress", { max: row.parts, value: row.parts_done, "aria-label": "Progress" }), ` ${row.parts_done} of ${row.parts}`) },
    { title: "Rows read", number: true, show: (row) => count(row.rows_read), sort: (row) => row.rows_read },
    { title: "Rows given", number: true, show: (row) => count(row.rows_returned) },
    { title: "Memory", number: true, show: (row) => bytes(row.memory_bytes), sort: (row) => row.memory_bytes },
    { title: "", show: (row) => h("button", { "aria-label": "Cancel statement " + row.id, onclick: () => {
      void post("statements/cancel", { id: row.id }).catch(() => undefined);
    } }, "Cancel") },
  ], "Nothing runs.", (row) => String(row.id));

  private readonly work = new DataTable<Work & { runs: boolean }>("Flushes and compactions", [
    { title: "At", show: (row) => moment(row.start_ms), sort: (row) => row.start_ms },
    { title: "Work", show: (row) => row.kind },
    { title: "State", show: (row) => row.error ? h("span", { class: "bad", title: row.error }, "failed") : row.runs ? h("b", {}, "runs") : "done" },
    { title: "Table", show: (row) => row.table, sort: (row) => row.table },
    { title: "Region", show: (row) => h("code", { title: row.region }, row.region.slice(0, 12)) },
    { title: "Family", show: (row) => row.family ?? "all" },
    { title: "Took", number: true, show: (row) => millis(row.ms), sort: (row) => row.ms },
  ], "There was none since the start.", (row) => row.kind + row.region + row.start_ms);

  private readonly slowStatements = new DataTable<SlowStatement>("Slow statements", [
    { title: "At", show: (row) => moment(row.start_ms) },
    { title: "Statement", show: (row) => sqlText(row.text) },
    { title: "Took", number: true, show: (row) => millis(row.ms), sort: (row) => row.ms },
    { title: "Rows read", number: true, show: (row) => count(row.rows_read), sort: (row) => row.rows_read },
    { title: "Rows given", number: true, show: (row) => count(row.rows_returned), sort: (row) => row.rows_returned },
  ], "No statement was slow.");
  private readonly slowCalls = new DataTable<SlowCall>("Slow calls", [
    { title: "At", show: (row) => moment(row.start_ms) },
    { title: "Call", show: (row) => row.method },
    { title: "Table", show: (row) => row.table || "–" },
    { title: "Rows", show: (row) => h("code", { class: "clip", title: row.rows }, row.rows) },
    { title: "Client", show: (row) => row.client },
    { title: "Waited", number: true, show: (row) => millis(row.queue_ms) },
    { title: "Took", number: true, show: (row) => millis(row.ms), sort: (row) => row.ms },
    { title: "Answer", number: true, show: (row) => bytes(row.response_bytes), sort: (row) => row.response_bytes },
  ], "No call is kept. HBase's property hbase.regionserver.slowlog.buffer.enabled keeps the slow ones.");

  // A gateway has neither: they are the cluster's.
  private readonly background = h("div", { hidden: true }, h("h2", {}, "Flushes and compactions"), this.waiting, this.work.element);
  private readonly calls = h("div", { hidden: true }, h("h2", {}, "Slow calls of HBase's clients"), this.slowCalls.element);

  constructor() {
    this.element = h("div", {}, h("h1", {}, "Activity"),
        h("h2", {}, "Running statements"), this.statements.element,
        this.background,
        h("h2", {}, "Slow statements"), this.slowNote, this.slowStatements.element,
        this.calls);
  }

  async refresh() {
    const [statements, maintenance, slow] = await Promise.all([get("statements"), get("maintenance"), get("slow")]);
    this.statements.fill(statements.statements);
    this.background.hidden = maintenance.running === undefined;
    if (!this.background.hidden) this.showMaintenance(maintenance);
    this.slowNote.textContent = `The last ones that ran for ${millis(slow.statement_ms_min)} or longer.`;
    this.slowStatements.fill(slow.statements);
    this.calls.hidden = slow.calls === undefined;
    this.slowCalls.fill(slow.calls ?? []);
  }

  private showMaintenance(maintenance: any) {
    this.work.fill([...maintenance.running.map((each: Work) => ({ ...each, runs: true })),
      ...maintenance.ended.map((each: Work) => ({ ...each, runs: false }))]);
    const some = (number: number) => number === 0 ? "none" : count(number);
    const waiting = maintenance.flushes_waiting + maintenance.compactions_waiting;
    this.waiting.textContent = `${count(maintenance.flushes)} flushes and ${count(maintenance.compactions)} compactions since the start: ` +
      `${some(maintenance.failures)} failed, ${some(waiting)} ${waiting > 1 ? "wait" : "waits"} for a thread` +
      (maintenance.compactions_on ? "." : "; compactions are switched off.");
  }
}
