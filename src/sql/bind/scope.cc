#include "src/sql/bind/scope.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include "src/base/status_macros.h"
#include "src/sql/catalog/index_builder.h"
#include "src/sql/expr/function_advice.h"
#include "src/sql/parse/token.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

// Names that differ in more are others.
constexpr size_t kNearDistanceMax = 2;
// Longer names are not held against others.
constexpr size_t kNameMax = 100;

// Letters to change, add, take out, or swap with the next one (Damerau and Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b) {
  if (a.size() > kNameMax || b.size() > kNameMax) return kNameMax;
  std::vector<size_t> two_before, before(b.size() + 1), row(b.size() + 1);
  std::iota(before.begin(), before.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({before[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, before[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], two_before[j - 1] + 1);
    }
    two_before = before;
    before = row;
  }
  return before.back();
}

// Names that would not read back the same print in quotes.
std::string Quoted(const std::string& name) {
  const bool plain =
      !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
      });
  return plain ? name : "\"" + name + "\"";
}

}  // namespace

Status Scope::Add(Source source, int64_t position) {
  for (const Source& other : sources_) {
    if (!source.alias.empty() && other.alias == source.alias && other.schema == source.schema) {
      return MakeSqlError(501, fmt::format("tableName={}", source.alias), position,
                          "give one of the tables another alias");
    }
  }
  source.slot_of_column.assign(source.column_count(), -1);
  if (source.access != nullptr) {
    source.slot_of_expression.assign(source.access->key.size(), -1);
    reads_expressions_ = reads_expressions_ || source.access->has_expressions;
  }
  sources_.push_back(std::move(source));
  return Status::Ok();
}

size_t Scope::visible_count() const {
  return static_cast<size_t>(std::count_if(sources_.begin(), sources_.end(),
                                           [](const Source& source) { return !source.hidden; }));
}

std::vector<uint32_t> Scope::SourcesNamed(std::string_view schema, std::string_view name) const {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].hidden || sources_[i].alias != name) continue;
    if (!schema.empty() && sources_[i].schema != schema) continue;
    found.push_back(i);
  }
  return found;
}

Result<uint32_t> Scope::ColumnOf(const Source& source, const std::string* family,
                                 const std::string& name, int64_t position) const {
  if (source.table != nullptr) {
    if (family != nullptr) return source.table->FindColumn(*family, name, position);
    return source.table->FindColumn(name, position);
  }
  int64_t found = -1;
  if (family == nullptr) {
    for (size_t i = 0; i < source.derived.size(); ++i) {
      if (source.derived[i].name != name) continue;
      if (found >= 0) return MakeSqlError(502, fmt::format("columnName={}", name), position);
      found = static_cast<int64_t>(i);
    }
  }
  if (found < 0) {
    return MakeSqlError(
        504, fmt::format("columnName={}{}{}", source.alias, source.alias.empty() ? "" : ".", name),
        position);
  }
  return static_cast<uint32_t>(found);
}

Result<Scope::Found> Scope::FindUnqualified(const parse::Expr& column) const {
  const int64_t position = column.position;
  bool seen = false;
  Found result;
  const size_t count = visible_count();
  for (uint32_t i = 0; i < count; ++i) {
    Result<uint32_t> found = ColumnOf(sources_[i], nullptr, column.column.text, position);
    if (!found.ok()) {
      if (IsSqlError(found.status(), 504) && count > 1) continue;
      return found.status();
    }
    if (seen) {
      return MakeSqlError(502, fmt::format("columnName={}", column.column.text), position,
                          "write the table's name or alias before the column");
    }
    seen = true;
    result = {i, *found};
  }
  if (!seen) {
    return MakeSqlError(504, fmt::format("columnName={}", column.column.text), position);
  }
  return result;
}

// The table's name qualifies beside its alias. The name alone does so only without a schema: that
// of a table in a schema would be a family.
Result<Scope::Found> Scope::FindInTable(const Source& source, const parse::Expr& column) const {
  const catalog::TableMeta& table = *source.table;
  const std::string& name = column.column.text;
  const std::string& schema = column.schema.text;
  const std::string& qualifier = column.table.text;
  const bool names_table = table.name == qualifier && table.schema == schema;
  const std::string* family = &qualifier;
  if (schema.empty()) {
    if (names_table || (source.has_alias && source.alias == qualifier)) family = nullptr;
  } else if (names_table) {
    family = nullptr;
  } else if (!source.has_alias || source.alias != schema) {  // not ALIAS.FAMILY.COLUMN either
    return MakeSqlError(504, fmt::format("columnName={}.{}.{}", schema, qualifier, name),
                        column.position);
  }
  ASSIGN_OR_RETURN(const uint32_t found, ColumnOf(source, family, name, column.position));
  return Found{0, found};
}

Result<Scope::Found> Scope::Find(const parse::Expr& column) const {
  const int64_t position = column.position;
  if (only_source_ >= 0) {
    const auto source = static_cast<uint32_t>(only_source_);
    const std::string* const family = column.table.empty() ? nullptr : &column.table.text;
    ASSIGN_OR_RETURN(const uint32_t found,
                     ColumnOf(sources_[source], family, column.column.text, position));
    return Found{source, found};
  }
  if (column.table.empty()) return FindUnqualified(column);
  if (sources_.size() == 1 && sources_[0].table != nullptr) return FindInTable(sources_[0], column);
  const std::string& name = column.column.text;
  const std::string& qualifier = column.table.text;
  if (const auto named = SourcesNamed(column.schema.text, qualifier); !named.empty()) {
    ASSIGN_OR_RETURN(const uint32_t found, ColumnOf(sources_[named[0]], nullptr, name, position));
    return Found{named[0], found};
  }
  // ALIAS.FAMILY.COLUMN
  if (!column.schema.empty()) {
    for (uint32_t i : SourcesNamed("", column.schema.text)) {
      ASSIGN_OR_RETURN(const uint32_t found, ColumnOf(sources_[i], &qualifier, name, position));
      return Found{i, found};
    }
    return MakeSqlError(1012, fmt::format("tableName={}.{}", column.schema.text, qualifier),
                        position);
  }
  // FAMILY.COLUMN
  bool seen = false;
  Found result;
  const size_t count = visible_count();
  for (uint32_t i = 0; i < count; ++i) {
    if (sources_[i].table == nullptr || !sources_[i].table->HasFamily(qualifier)) continue;
    Result<uint32_t> found = ColumnOf(sources_[i], &qualifier, name, position);
    if (!found.ok()) {
      if (count > 1) continue;
      return found.status();
    }
    if (seen) {
      return MakeSqlError(502, fmt::format("columnName={}.{}", qualifier, name), position);
    }
    seen = true;
    result = {i, *found};
  }
  if (seen) return result;
  if (count == 1) {
    return MakeSqlError(1001, fmt::format("familyName={}", qualifier), position);
  }
  return MakeSqlError(1012, fmt::format("tableName={}", qualifier), position);
}

// For a column that is not there: what was meant.
std::string Scope::AdviceFor(const parse::Expr& column) const {
  const std::string& name = column.column.text;
  std::string nearest;
  size_t distance = kNearDistanceMax + 1;
  const auto look_at = [&](const std::string& other) {
    if (other == name) return;
    const size_t away =
        parse::UpperCaseName(other) == parse::UpperCaseName(name) ? 0 : EditDistance(name, other);
    if (away >= distance || away * 2 >= name.size()) return;
    nearest = other;
    distance = away;
  };
  for (size_t i = 0; i < visible_count(); ++i) {
    const Source& source = sources_[i];
    if (source.table != nullptr) {
      for (const auto& known : source.table->columns) {
        if (!known.hidden) look_at(known.name);
      }
    }
    for (const auto& known : source.derived) look_at(known.name);
  }
  if (!nearest.empty()) return fmt::format("there is {}", Quoted(nearest));
  if (column.column.quoted && column.table.text.empty()) {
    return fmt::format("a text is written in single quotes: '{}'", name);
  }
  return BareFunctionAdvice(name);
}

Result<uint32_t> Scope::Resolve(const parse::Expr& column) {
  // The condition on the rows of a view's index names what the view does not have.
  if (only_source_ >= 0 && column.column.text == catalog::kIndexIdColumn) {
    const auto source = static_cast<uint32_t>(only_source_);
    const auto& access = sources_[source].access;
    if (access != nullptr && access->index->is_view_index()) return SlotOfIndexKey(source, 0);
  }
  const Result<Found> result = Find(column);
  if (!result.ok()) {
    if (!IsSqlError(result.status(), 504)) return result.status();
    return WithHint(result.status(), AdviceFor(column));
  }
  const Found found = *result;
  const Source& source = sources_[found.source];
  // A tenant does not see the tenants' column; the condition that keeps it to its rows does.
  if (only_source_ < 0 && source.table != nullptr && source.table->columns[found.column].hidden) {
    return MakeSqlError(
        504, fmt::format("columnName={}.{}", source.table->FullName(), column.column.text),
        column.position);
  }
  return SlotOf(found.source, found.column);
}

void Scope::ReadFromIndex(const Source& source, uint32_t column, Slot* slot) {
  const int32_t of_index = source.access->columns[column];
  if (of_index < 0) {
    if (!source.access->held.empty() && source.access->held[column].has_value()) {
      slot->column = kHeldColumn;
      slot->held = source.access->held[column];
      slot->order = SortOrder::kAsc;
    } else {
      slot->column = kMissingColumn;
      slot->table_column = column;
    }
    return;
  }
  slot->column = static_cast<uint32_t>(of_index);
  slot->order = source.access->index->columns[slot->column].sort_order;
  // The original names columns of an index in quotes.
  if (slot->text.front() != '"') slot->text = "\"" + slot->text + "\"";
  if (source.access->index->columns[slot->column].type.id != slot->type.id) {
    slot->text = std::string("TO_") + std::string(TypeName(slot->type.id)) + "(" + slot->text + ")";
  }
}

std::optional<uint32_t> Scope::IndexedExpression(const parse::Expr& expr) {
  for (uint32_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].access == nullptr || !sources_[i].access->has_expressions) continue;
    if (only_source_ >= 0 && static_cast<uint32_t>(only_source_) != i) continue;
    const IndexAccess& access = *sources_[i].access;
    const std::string text = catalog::IndexExpressionText(*access.table, expr, sources_[i].alias);
    for (uint32_t key = 0; key < access.key.size(); ++key) {
      const IndexAccess::KeyPart& part = access.key[key];
      if (part.expression.empty() || part.expression != text) continue;
      return SlotOfIndexKey(i, key);
    }
  }
  return std::nullopt;
}

uint32_t Scope::SlotOfIndexKey(uint32_t source, uint32_t key) {
  int32_t& known = sources_[source].slot_of_expression[key];
  if (known >= 0) return static_cast<uint32_t>(known);
  known = static_cast<int32_t>(slots_.size());
  const IndexAccess& access = *sources_[source].access;
  const IndexAccess::KeyPart& part = access.key[key];
  Slot slot;
  slot.source = source;
  slot.column = access.index->key_columns[key];
  slot.type = part.type;
  slot.order = access.index->key_column(key).sort_order;
  slot.nullable = part.nullable;
  slot.text = slot.name = part.text;
  slots_.push_back(std::move(slot));
  return static_cast<uint32_t>(known);
}

uint32_t Scope::SlotOf(uint32_t source_index, uint32_t column_index) {
  Source& source = sources_[source_index];
  int32_t& known = source.slot_of_column[column_index];
  if (known >= 0) return static_cast<uint32_t>(known);
  Slot slot;
  slot.source = source_index;
  slot.column = column_index;
  if (source.table != nullptr) {
    const catalog::ColumnMeta& column = source.table->columns[column_index];
    slot.type = column.type;
    slot.order = column.sort_order;
    slot.nullable = column.nullable || !column.is_key();
    slot.name = column.name;
    slot.text = Quoted(column.name);
    // A family prints unless it is the one that columns have by themselves.
    if (!column.family.empty() && column.family != source.table->default_family) {
      slot.text = Quoted(column.family) + "." + slot.text;
    }
    if (source.access != nullptr) ReadFromIndex(source, column_index, &slot);
  } else {
    const DerivedColumn& column = source.derived[column_index];
    slot.type = column.type;
    slot.nullable = column.nullable;
    slot.name = column.label;
    slot.text = column.label;
  }
  if ((qualified() || force_qualified_) && !source.alias.empty()) {
    slot.text = source.alias + "." +
                (source.table != nullptr ? slot.text : Quoted(source.derived[column_index].name));
  }
  known = static_cast<int32_t>(slots_.size());
  slots_.push_back(std::move(slot));
  return static_cast<uint32_t>(known);
}

bool Scope::IsNeverNull(uint32_t number) const {
  const Slot& slot = slots_[number];
  if (sources_.size() != 1 || sources_[0].table == nullptr) return false;
  if (IsPseudoColumn(slot.column)) return false;
  const catalog::ColumnMeta& column = sources_[0].read().columns[slot.column];
  return column.is_key() && !column.nullable;
}

Result<uint32_t> Scope::RowTimestampSlot() {
  if (visible_count() != 1 || sources_[0].table == nullptr) {
    return MakeUncodedSqlError("PHOENIX_ROW_TIMESTAMP() needs a query over a single table");
  }
  if (row_timestamp_slot_ < 0) {
    row_timestamp_slot_ = static_cast<int32_t>(slots_.size());
    // It prints with the column whose timestamp it is, down to the bytes of an encoded qualifier.
    const catalog::TableMeta& table = *sources_[0].table;
    const std::string text =
        "PHOENIX_ROW_TIMESTAMP(" + table.empty_family + "." + table.empty_qualifier + ")";
    slots_.push_back(
        Slot{0, kRowTimestampColumn, {TypeId::kDate}, SortOrder::kAsc, true, text, text});
  }
  return static_cast<uint32_t>(row_timestamp_slot_);
}

Result<uint32_t> Scope::PseudoSlot(uint32_t column, const DataType& type, std::string text) {
  if (visible_count() != 1 || sources_[0].table == nullptr) {
    return MakeUncodedSqlError(text + " needs a query over a single table");
  }
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].column == column && slots_[i].source == 0) return i;
  }
  slots_.push_back(Slot{0, column, type, SortOrder::kAsc, false, text, text});
  return static_cast<uint32_t>(slots_.size() - 1);
}

Result<std::vector<std::pair<uint32_t, uint32_t>>> Scope::Expand(const parse::Expr& star) const {
  std::vector<std::pair<uint32_t, uint32_t>> columns;
  auto add_all = [&](uint32_t i) {
    for (uint32_t c = 0; c < sources_[i].column_count(); ++c) {
      const bool hidden = sources_[i].table != nullptr && sources_[i].table->columns[c].hidden;
      if (!hidden) columns.emplace_back(i, c);
    }
  };
  if (star.table.empty()) {
    if (sources_.empty()) return MakeSqlError(1057, "", star.position);
    for (uint32_t i = 0; i < visible_count(); ++i) add_all(i);
    return columns;
  }
  const std::string& qualifier = star.table.text;
  // Phoenix knows T.* only among several tables; with one it is a family.
  if (sources_.size() > 1) {
    if (const auto named = SourcesNamed(star.schema.text, qualifier); !named.empty()) {
      add_all(named[0]);
      return columns;
    }
    return MakeSqlError(1012, fmt::format("tableName={}", qualifier), star.position);
  }
  if (sources_.empty() || sources_[0].table == nullptr ||
      !sources_[0].table->HasFamily(qualifier)) {
    return MakeSqlError(1001, fmt::format("familyName={}", qualifier), star.position,
                        "with a single table the name before .* is a column family; write *");
  }
  for (uint32_t c = 0; c < sources_[0].column_count(); ++c) {
    if (sources_[0].table->columns[c].family == qualifier) columns.emplace_back(0, c);
  }
  return columns;
}

}  // namespace bennu::sql::bind
