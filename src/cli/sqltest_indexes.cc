#include "src/cli/sqltest_indexes.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <variant>

#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/cli/index_comparison.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/parser.h"

namespace bennu::cli {

namespace {

using sql::catalog::ColumnMeta;
using sql::catalog::TableMeta;

// Before the table's name.
constexpr std::string_view kCovered = "COVERED_";
constexpr std::string_view kUncovered = "UNCOVERED_";

// The index that an error names: "index COVERED_T: row …". Empty: it names none of the mode's.
std::string_view RefusingIndex(std::string_view error) {
  constexpr std::string_view kIndex = "index ";
  const size_t begin = error.find(kIndex);
  if (begin == error.npos) return {};
  const std::string_view rest = error.substr(begin + kIndex.size());
  const std::string_view name = rest.substr(0, rest.find(": row"));
  return name.find(kCovered) == name.npos ? std::string_view() : name;
}

bool IsWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// Where the quoted text, the comment or the single character that begins at 'at' ends.
size_t EndOfPart(std::string_view sql, size_t at) {
  const char c = sql[at];
  if (c == '\'' || c == '"') return std::min(sql.find(c, at + 1), sql.size() - 1) + 1;
  const std::string_view rest = sql.substr(at);
  if (rest.starts_with("--")) return std::min(sql.find('\n', at), sql.size());
  if (rest.starts_with("/*")) return std::min(sql.find("*/", at), sql.size() - 2) + 2;
  return at + 1;
}

std::string InQuotes(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

// As statements write it.
std::string NameOf(std::string_view schema, std::string_view name) {
  return (schema.empty() ? "" : InQuotes(schema) + ".") + InQuotes(name);
}

bool IsReadable(SqlConnection* connection, const std::string& name) {
  const auto rows = connection->Execute("SELECT /*+ NO_INDEX */ * FROM " + name);
  return rows.ok() && (*rows)->Next().ok();
}

std::string JoinedNames(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

// The key of an index: every second column the other way round.
std::string KeyOf(const std::vector<std::string>& names, bool first_descending) {
  std::vector<std::string> items;
  for (const std::string& name : names) {
    const bool descending = first_descending == (items.size() % 2 == 0);
    items.push_back(name + (descending ? " DESC" : ""));
  }
  return JoinedNames(items);
}

// What statements may call the columns: with their family where another has the same name.
std::vector<SqlTestColumn> ColumnsOf(const TableMeta& table) {
  std::vector<SqlTestColumn> columns;
  for (const ColumnMeta& column : table.columns) {
    // Other rows do not have another value, and no index takes it.
    if (column.view_referenced && column.is_key()) continue;
    const bool ambiguous =
        std::count_if(table.columns.begin(), table.columns.end(),
                      [&](const ColumnMeta& other) { return other.name == column.name; }) > 1;
    SqlTestColumn one;
    one.name = (ambiguous && !column.is_key() ? InQuotes(column.family) + "." : "") +
               InQuotes(column.name);
    one.in_key = column.is_key();
    const sql::TypeId type = column.type.id;
    one.sortable = !sql::IsArray(type) && type != sql::TypeId::kJson &&
                   type != sql::TypeId::kBson && !column.view_referenced;
    columns.push_back(std::move(one));
  }
  return columns;
}

// The table or view that the statement makes; null: it makes none.
const sql::parse::QualifiedName* MadeBy(const sql::parse::Statement& statement) {
  if (const auto* table = std::get_if<sql::parse::CreateTable>(&statement.node)) {
    return &table->name;
  }
  if (const auto* view = std::get_if<sql::parse::CreateView>(&statement.node)) return &view->name;
  return nullptr;
}

}  // namespace

std::string WithoutIndexes(std::string_view sql) {
  constexpr std::string_view kSelect = "SELECT";
  constexpr std::string_view kHint = "/*+";
  std::string text;
  for (size_t at = 0; at < sql.size();) {
    const bool begins_word = at == 0 || !IsWordPart(sql[at - 1]);
    const size_t behind = at + kSelect.size();
    const bool is_select = begins_word && Upper(sql.substr(at, kSelect.size())) == kSelect &&
                           (behind >= sql.size() || !IsWordPart(sql[behind]));
    if (!is_select) {
      const size_t end = EndOfPart(sql, at);
      text += sql.substr(at, end - at);
      at = end;
      continue;
    }
    text += sql.substr(at, kSelect.size());
    at = std::min(sql.find_first_not_of(" \n\t", behind), sql.size());
    text += " /*+ NO_INDEX ";
    if (sql.substr(at).starts_with(kHint)) {
      at += kHint.size();
      const size_t end = std::min(sql.find("*/", at), sql.size());
      text += sql.substr(at, end - at);
      at = std::min(end + 2, sql.size());
    }
    text += "*/ ";
  }
  return text;
}

std::vector<std::string> IndexStatements(std::string_view schema, std::string_view name,
                                         const std::vector<SqlTestColumn>& columns) {
  std::vector<std::string> key;
  std::vector<std::string> sortable;
  std::vector<std::string> values;
  for (const SqlTestColumn& column : columns) {
    (column.in_key ? key : values).push_back(column.name);
    if (!column.in_key && column.sortable) sortable.push_back(column.name);
  }
  if (sortable.empty()) sortable.assign(key.rbegin(), key.rend());
  if (sortable.empty()) return {};
  const auto middle = sortable.begin() + static_cast<std::ptrdiff_t>((sortable.size() + 1) / 2);
  std::vector<std::string> first(sortable.begin(), middle);
  std::vector<std::string> second(middle, sortable.end());
  if (second.empty()) second = first;
  // A part of the table's key stands at another place then.
  const bool has_last =
      std::find(first.begin(), first.end(), key.empty() ? "" : key.back()) != first.end();
  if (key.size() > 1 && !has_last) first.push_back(key.back());
  std::vector<std::string> included;
  for (const std::string& value : values) {
    if (std::find(first.begin(), first.end(), value) == first.end()) included.push_back(value);
  }
  const std::string of_table = " ON " + NameOf(schema, name) + " (";
  const std::string table(name);
  std::string covered = "CREATE INDEX IF NOT EXISTS " + InQuotes(std::string(kCovered) + table) +
                        of_table + KeyOf(first, /*first_descending=*/false) + ")";
  if (!included.empty()) covered += " INCLUDE (" + JoinedNames(included) + ")";
  std::string uncovered = "CREATE UNCOVERED INDEX IF NOT EXISTS " +
                          InQuotes(std::string(kUncovered) + table) + of_table +
                          KeyOf(second, /*first_descending=*/true) + ")";
  return {std::move(covered), std::move(uncovered)};
}

Status IndexNewTable(const std::string& sql, const std::string& tenant, SqlTestStore* store) {
  ASSIGN_OR_RETURN(const sql::parse::Statement statement, sql::parse::ParseStatement(sql));
  const sql::parse::QualifiedName* const made = MadeBy(statement);
  if (made == nullptr) return Status::Ok();
  ASSIGN_OR_RETURN(const auto catalog, sql::catalog::Catalog::Open(store->connection()));
  const auto table = catalog->GetTable(made->qualifier.text, made->name.text, /*position=*/-1,
                                       kLatestTimestamp, tenant);
  if (!table.ok()) return Status::Ok();  // in the schema of USE
  ConnectOptions options;
  options.tenant = tenant;
  ASSIGN_OR_RETURN(const std::unique_ptr<SqlConnection> connection, store->Connect(options));
  // Phoenix makes views of some conditions that no query can have.
  const std::string name = NameOf((*table)->schema, (*table)->name);
  if (!IsReadable(connection.get(), name)) return Status::Ok();
  for (const std::string& create :
       IndexStatements((*table)->schema, (*table)->name, ColumnsOf(**table))) {
    const auto created = connection->Execute(create);
    // Phoenix refuses it, too.
    const SqlError* const error = created.ok() ? nullptr : created.status().sql_error();
    const bool refused = error != nullptr && error->code != 0;
    if (!created.ok() && !refused) {
      return created.status().Annotate("making an index by " + create);
    }
  }
  return Status::Ok();
}

Status DropAllIndexes(SqlTestStore* store) {
  constexpr std::string_view kAll =
      "SELECT tenant_id, table_schem, table_name, data_table_name FROM SYSTEM.CATALOG WHERE "
      "table_type = 'i' AND data_table_name IS NOT NULL AND (table_name LIKE 'COVERED_%' OR "
      "table_name LIKE 'UNCOVERED_%')";
  ASSIGN_OR_RETURN(const std::unique_ptr<SqlConnection> reader, store->Connect({}));
  ASSIGN_OR_RETURN(const std::unique_ptr<ResultSet> indexes, reader->Execute(kAll));
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, indexes->Next());
    if (!more) return Status::Ok();
    const auto text = [&](size_t column) {
      return indexes->IsNull(column) ? std::string() : indexes->GetText(column);
    };
    ConnectOptions options;
    options.tenant = text(0);
    ASSIGN_OR_RETURN(const std::unique_ptr<SqlConnection> connection, store->Connect(options));
    RETURN_IF_ERROR(
        connection->Execute("DROP INDEX " + InQuotes(text(2)) + " ON " + NameOf(text(1), text(3)))
            .status());
  }
}

bool IsRefusedByIndex(std::string_view error) {
  return error.find("cannot be indexed") != error.npos && !RefusingIndex(error).empty();
}

Status DropIndexesThatRefuse(std::string_view error, SqlTestStore* store) {
  const std::string_view full = RefusingIndex(error);  // "S.COVERED_T"
  const size_t point = full.substr(0, full.find(kCovered)).rfind('.');
  const std::string schema(point == full.npos ? "" : full.substr(0, point));
  const size_t name = full.find(kCovered) + kCovered.size();
  const std::string table(full.substr(name));
  ASSIGN_OR_RETURN(const std::unique_ptr<SqlConnection> connection, store->Connect({}));
  for (const std::string_view kind : {kCovered, kUncovered}) {
    RETURN_IF_ERROR(connection
                        ->Execute("DROP INDEX IF EXISTS " + InQuotes(std::string(kind) + table) +
                                  " ON " + NameOf(schema, table))
                        .status());
  }
  return Status::Ok();
}

Status CheckAllIndexes(SqlTestStore* store) {
  std::string differences;
  RETURN_IF_ERROR(CompareIndexes(store->connection(),
                                 [&](const std::string& /*path*/, const std::string& what) {
                                   differences += (differences.empty() ? "" : "; ") + what;
                                 }));
  return differences.empty() ? Status::Ok() : Corruption(differences);
}

}  // namespace bennu::cli
