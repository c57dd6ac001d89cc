// The editor of SQL: CodeMirror with colours, the server's completion and marks at errors.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap,
  type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { sql, SQLDialect } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { nonce, post, type Place } from "./api";

const phoenix = SQLDialect.define({
  keywords: "add all alter analyze and any array as asc async between by case cast column constraint create cross " +
    "cursor declare default delete desc distinct drop duplicate else end exists explain false fetch first for from full " +
    "group having if ilike immutable in include index inner into is join key last left like limit local next not null " +
    "nulls offset on open or order outer primary returning right row_timestamp rows salt_buckets schema select sequence " +
    "set show split statistics table tables then true union update upsert use value values view when where with",
  types: "bigint binary boolean char date decimal double float integer smallint time timestamp tinyint unsigned_double " +
    "unsigned_float unsigned_int unsigned_long unsigned_smallint unsigned_tinyint varbinary varbinary_encoded varchar " +
    "json bson",
  builtin: "avg count max min sum to_char to_date to_number trunc substr coalesce upper lower",
  doubleQuotedStrings: false, slashComments: true,
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "tok-string" },
  { tag: [tags.number, tags.bool, tags.null], class: "tok-number" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.typeName, tags.standard(tags.name)], class: "tok-type" },
]);

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\w."]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const statement = statementAt(context.state, word.from);
  try {
    const answer = await post("sql/complete", {
      before: context.state.sliceDoc(statement.from, word.from), word: word.text,
      // Where the select list is written last, the tables stand behind it.
      after: context.state.sliceDoc(context.pos, Math.max(statement.to, context.pos)),
    });
    return { from: word.from, options: answer.words.map((label: string) => ({ label })), validFor: /^[\w]*$/ };
  } catch {
    return null;
  }
}

// The statement that the place is in, or behind.
function statementAt(state: EditorState, place: number): { from: number; to: number } {
  let found = { from: 0, to: state.doc.length };
  let any = false;
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name !== "Statement") continue;
    if (node.from <= place || !any) found = { from: node.from, to: node.to };
    any = true;
  }
  return found;
}

export interface Piece { text: string; from: number }

export class Editor {
  readonly view: EditorView;

  constructor(parent: HTMLElement, text: string, run: () => void, changed: (text: string) => void) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), closeBrackets(),
          sql({ dialect: phoenix, upperCaseKeywords: true }), syntaxHighlighting(colours),
          EditorState.languageData.of(() => [{ autocomplete: complete }]),
          autocompletion({ override: [complete], activateOnTypingDelay: 150 }),
          placeholder("SELECT …"),
          EditorView.contentAttributes.of({ "aria-label": "SQL statement" }),
          EditorView.lineWrapping,
          Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; } }])),
          keymap.of([{ key: "Tab", run: acceptCompletion }, ...closeBracketsKeymap, ...completionKeymap,
            ...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            changed(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  // What is selected, or else the statement at the cursor, without the semicolon.
  piece(): Piece {
    const { from, to, empty } = this.view.state.selection.main;
    const range = empty ? statementAt(this.view.state, from) : { from, to };
    const text = this.view.state.sliceDoc(range.from, range.to);
    const trimmed = text.replace(/[;\s]+$/, "");
    const start = trimmed.length - trimmed.trimStart().length;
    return { text: trimmed.trimStart(), from: range.from + start };
  }

  setText(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.view.focus();
  }

  // 'place' is in the text of the piece; null: the whole piece is meant.
  mark(piece: Piece, place: Place | null, message: string) {
    const from = place === null ? piece.from : piece.from + offsetOf(piece.text, place);
    const rest = this.view.state.sliceDoc(from, piece.from + piece.text.length);
    const word = place === null ? rest : /^(\w+|"[^"]*"|'[^']*'|.)/s.exec(rest)?.[0] ?? "";
    const end = Math.min(from + Math.max(1, word.length), this.view.state.doc.length);
    this.view.dispatch(setDiagnostics(this.view.state,
        [{ from: Math.min(from, end), to: end, severity: "error", message }]));
    if (place !== null) this.view.dispatch({ selection: { anchor: Math.min(from, end) }, scrollIntoView: true });
  }
  unmark() { this.view.dispatch(setDiagnostics(this.view.state, [])); }
}

// Lines and characters as the server counts them, in the units of JavaScript's strings.
export function offsetOf(text: string, place: Place): number {
  const lines = text.split("\n");
  const before = lines.slice(0, place.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
  return before + [...(lines[place.line - 1] ?? "")].slice(0, place.column - 1).join("").length;
}
