// The SQL page: an editor, and below it what the statement gave: rows, a count, a plan or an error.
import { post, Refused, type ApiError, type PlanNode, type SqlAnswer } from "./api";
import { empty, h } from "./dom";
import { Editor, type Piece } from "./editor";
import { count, millis } from "./format";
import type { Page } from "./page";
import { describe, drawPlan } from "./plan";
import { Results } from "./results";

const pageRows = 1000;
const rowsMax = 200_000; // that the page keeps
const stored = "bennu.sql";
const first = "SELECT TABLE_SCHEM, TABLE_NAME, COLUMN_COUNT\nFROM SYSTEM.CATALOG\nWHERE TABLE_TYPE = 'u'\nORDER BY TABLE_NAME LIMIT 100;\n";
const explain = "EXPLAIN ANALYZE ";

export class Workbench implements Page {
  readonly name = "sql";
  readonly title = "SQL";
  readonly every = 0;
  readonly element: HTMLElement;
  private readonly place = h("div", { class: "editor" });
  private readonly runButton = h("button", { class: "primary", title: "Ctrl-Enter", onclick: () => void this.run(false) }, "Run");
  private readonly explainButton = h("button", { title: "Runs the statement and draws what it did", onclick: () => void this.run(true) }, "Explain analyze");
  private readonly cancelButton = h("button", { disabled: true, onclick: () => void this.cancel() }, "Cancel");
  private readonly csvButton = h("button", { disabled: true, onclick: () => void this.download() }, "Download CSV");
  private readonly status = h("span", { class: "muted", role: "status" }, "Ctrl-Enter runs the statement at the cursor");
  private readonly output = h("div", { class: "output" });
  private readonly results = new Results(() => void this.more());
  private editor: Editor | null = null;
  private session = "";
  private done = true;
  private running = false;
  private elapsed = 0;

  constructor() {
    this.output.append(empty("No statement was run yet."));
    this.element = h("div", { class: "workbench" }, h("h1", { class: "hidden" }, "SQL"), this.place,
        h("div", { class: "tools" }, this.runButton, this.explainButton, this.cancelButton, this.csvButton, this.status),
        this.output);
    addEventListener("pagehide", () => {
      if (this.session !== "") void post("sql/close", { session: this.session }, true).catch(() => undefined);
      this.session = "";
    });
  }

  refresh() {}
  shown() {
    if (this.editor === null) {
      this.editor = new Editor(this.place, localStorage.getItem(stored) ?? first, () => void this.run(false),
          (text) => localStorage.setItem(stored, text));
    }
    this.editor.view.focus();
  }

  private setRunning(running: boolean) {
    this.running = running;
    this.runButton.disabled = this.explainButton.disabled = running;
    this.cancelButton.disabled = !running;
    this.csvButton.disabled = running || this.results.rows.length === 0;
    if (running) this.status.textContent = "running…";
  }

  async run(analyze: boolean) {
    const editor = this.editor;
    if (this.running || editor === null) return;
    const piece = editor.piece();
    editor.unmark();
    if (piece.text === "") {
      this.status.textContent = "there is no statement at the cursor";
      return;
    }
    const wraps = analyze && !/^explain\b/i.test(piece.text);
    this.results.begin([], []);
    this.done = true;
    this.setRunning(true);
    const began = performance.now();
    const clock = setInterval(() => {
      this.status.textContent = "running for " + millis(performance.now() - began);
    }, 200);
    try {
      const answer = await this.ask((wraps ? explain : "") + piece.text);
      this.elapsed = answer.elapsed_ms;
      if (answer.error) this.fail(answer.error, piece, wraps ? explain.length : 0);
      else this.show(answer);
    } catch (error) {
      this.fail(error instanceof Refused ? error.error : { status: "Error", message: String(error) }, piece, 0);
    } finally {
      clearInterval(clock);
      this.setRunning(false);
    }
  }

  // A session that the server closed meanwhile is opened anew.
  private async ask(sql: string): Promise<SqlAnswer> {
    let answer: SqlAnswer;
    try {
      answer = await post("sql", { sql, rows: pageRows, ...(this.session ? { session: this.session } : {}) });
    } catch (error) {
      if (!(error instanceof Refused) || error.error.status !== "NotFound" || this.session === "") throw error;
      answer = await post("sql", { sql, rows: pageRows });
    }
    this.session = answer.session ?? this.session;
    return answer;
  }

  private show(answer: SqlAnswer) {
    if (answer.plan) {
      const notes = h("div", {}, h("p", { class: "muted" }, "Choose an operator to see what it read."));
      const choose = (node: PlanNode) => notes.replaceChildren(describe(node));
      const lines = (answer.rows ?? []).map((row) => row[0] ?? "");
      this.output.replaceChildren(h("div", { class: "analysis" }, drawPlan(answer.plan, choose), notes),
          h("details", {}, h("summary", {}, "In Phoenix's words"), h("pre", {}, lines.join("\n"))));
      this.status.textContent = "took " + millis(answer.elapsed_ms);
      return;
    }
    if (!answer.columns) {
      const changed = answer.update_count ?? -1;
      this.output.replaceChildren(empty(changed < 0 ? "Done." : `${count(changed)} ${changed === 1 ? "row" : "rows"} changed.`));
      this.status.textContent = "took " + millis(answer.elapsed_ms);
      return;
    }
    this.done = answer.done ?? true;
    this.output.replaceChildren(this.results.element);
    this.results.begin(answer.columns, answer.rows ?? []);
    this.tell();
  }

  private tell() {
    const rows = this.results.rows.length;
    this.status.textContent = `${count(rows)} ${rows === 1 ? "row" : "rows"}${this.done ? "" : " so far; scroll for more"}, ${millis(this.elapsed)}`;
  }

  private async more(): Promise<void> {
    if (this.done || this.running) return;
    if (this.results.rows.length >= rowsMax) {
      this.status.textContent = `${count(rowsMax)} rows are shown, as many as the page keeps; LIMIT and OFFSET, or the client, give the rest`;
      return;
    }
    this.setRunning(true);
    try {
      const answer: SqlAnswer = await post("sql/next", { session: this.session, rows: pageRows });
      this.elapsed += answer.elapsed_ms;
      this.done = answer.error !== undefined || (answer.done ?? true);
      if (answer.error) this.output.prepend(this.errorBox(answer.error));
      else this.results.add(answer.rows ?? []);
    } catch (error) {
      this.done = true;
      this.output.prepend(this.errorBox(error instanceof Refused ? error.error : { status: "Error", message: String(error) }));
    } finally {
      this.setRunning(false);
      this.tell();
    }
  }

  private async cancel() {
    this.status.textContent = "cancelling…";
    if (this.session === "") return;
    await post("sql/cancel", { session: this.session }).catch(() => undefined);
  }

  // All rows of the result, as many as the page keeps.
  private async download() {
    while (!this.done && this.results.rows.length < rowsMax) await this.more();
    const link = h("a", { href: URL.createObjectURL(new Blob([this.results.csv()], { type: "text/csv" })), download: "result.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  private fail(error: ApiError, piece: Piece, before: number) {
    this.output.replaceChildren(this.errorBox(error));
    this.status.textContent = "failed";
    const position = error.position;
    const place = position && (position.line > 1 || position.column > before)
        ? { ...position, column: position.line === 1 ? position.column - before : position.column } : null;
    this.editor?.mark(piece, place, error.message);
  }

  private errorBox(error: ApiError): HTMLElement {
    const code = error.code === undefined ? error.status : `ERROR ${error.code} (${error.sqlstate})`;
    const at = error.position ? ` at line ${error.position.line}, column ${error.position.column}` : "";
    return h("div", { class: "error", role: "alert" }, h("strong", {}, code + at), h("p", {}, error.message),
        error.hint ? h("p", { class: "muted" }, "Hint: " + error.hint) : null);
  }
}
