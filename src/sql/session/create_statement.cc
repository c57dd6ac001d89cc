#include "src/sql/session/create_statement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "src/sql/catalog/options.h"

namespace bennu::sql::session {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;

// Whose columns and attributes have no family in front.
constexpr std::string_view kDefaultFamily = "0";

std::string Quoted(const std::string& name) {
  for (const char c : name) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) return "\"" + name + "\"";
  }
  const bool starts_well = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  return starts_well ? name : "\"" + name + "\"";
}

std::string QuotedFullName(const TableMeta& table) {
  return table.schema.empty() ? Quoted(table.name)
                              : Quoted(table.schema) + "." + Quoted(table.name);
}

// True when the qualifiers are those that the definition would get anyway.
bool QualifiersAreConsecutive(const TableMeta& table) {
  std::map<std::string, int32_t> next;
  for (const ColumnMeta& column : table.columns) {
    if (column.is_key() || column.encoded_qualifier < 0) continue;
    const std::string& counter = table.single_cell() ? column.family : table.default_family;
    int32_t& expected = next.try_emplace(counter, catalog::kFirstEncodedQualifier).first->second;
    if (column.encoded_qualifier != expected++) return false;
  }
  for (const auto& [counter, value] : table.counters) {
    const auto it = next.find(counter);
    if ((it == next.end() ? catalog::kFirstEncodedQualifier : it->second) != value) return false;
  }
  return true;
}

std::string ColumnText(const ColumnMeta& column, bool with_qualifier) {
  std::string text;
  if (!column.is_key() && column.family != kDefaultFamily) {
    text = Quoted(column.family) + ".";
  }
  text += Quoted(column.name) + " " + TypeToString(column.type);
  if (column.array_size.has_value()) text += fmt::format("[{}]", *column.array_size);
  if (!column.nullable) text += " NOT NULL";
  if (!column.default_text.empty()) text += " DEFAULT " + column.default_text;
  if (with_qualifier && column.encoded_qualifier >= 0) {
    text += fmt::format(" ENCODED_QUALIFIER {}", column.encoded_qualifier);
  }
  return text;
}

std::string KeyModifiers(const ColumnMeta& column) {
  std::string text = column.sort_order == SortOrder::kDesc ? " DESC" : "";
  if (column.row_timestamp) text += " ROW_TIMESTAMP";
  return text;
}

// What follows the columns, in the order in which Phoenix gives it: that of a Java HashMap, whose
// size goes by all its entries, shown or not.
class OptionList {
 public:
  // 'key': by which Phoenix knows it, with the family in front of a family's own.
  void Add(const std::string& key, std::string text) { options_.push_back({key, std::move(text)}); }
  // So many entries that not every table has.
  void Count(size_t entries) { entries_ += entries; }

  std::vector<std::string> Sorted() {
    uint32_t buckets = 32;
    while (entries_ > buckets / 4 * 3) buckets *= 2;
    std::stable_sort(options_.begin(), options_.end(), [buckets](const auto& a, const auto& b) {
      return BucketOf(a.first, buckets) < BucketOf(b.first, buckets);
    });
    std::vector<std::string> texts;
    for (auto& [key, text] : options_) texts.push_back(std::move(text));
    return texts;
  }

 private:
  // What every table has; found by where the order changes.
  static constexpr size_t kUsualEntries = 20;

  static uint32_t BucketOf(const std::string& key, uint32_t buckets) {
    uint32_t hash = 0;
    for (const char c : key) hash = hash * 31 + static_cast<unsigned char>(c);
    return (hash ^ (hash >> 16)) & (buckets - 1);
  }

  std::vector<std::pair<std::string, std::string>> options_;
  size_t entries_ = kUsualEntries;
};

// Numbers, true and false without quotes.
std::string Assignment(const std::string& name, const std::string& value) {
  const bool digits = !value.empty() && std::all_of(value.begin(), value.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
  if (value == "TRUE") return name + "=true";  // KEEP_DELETED_CELLS
  const bool bare = digits || value == "true" || value == "false";
  return bare ? name + "=" + value : name + "='" + value + "'";
}

void AddPhoenixOptions(const TableMeta& table, OptionList* options) {
  const auto add = [options](const std::string& name, const std::string& value) {
    options->Add(name, Assignment(name, value));
  };
  const auto number = [](auto value) { return std::to_string(value); };
  if (table.immutable_rows) add("IMMUTABLE_ROWS", "true");
  if (!table.single_cell()) add("IMMUTABLE_STORAGE_SCHEME", "ONE_CELL_PER_COLUMN");
  if (table.disable_wal) add("DISABLE_WAL", "true");
  if (table.multi_tenant) add("MULTI_TENANT", "true");
  if (table.update_cache_frequency_ms != catalog::kUpdateCacheAlways) {
    add("UPDATE_CACHE_FREQUENCY", number(table.update_cache_frequency_ms));
  }
  const auto kept = [&](const char* name, std::string_view shown_value) {
    const auto found = table.other_properties.find(name);
    if (found == table.other_properties.end()) return;
    if (shown_value.empty() || found->second == shown_value) add(name, found->second);
  };
  kept("USE_STATS_FOR_PARALLELIZATION", "false");
  if (table.is_salted()) add("SALT_BUCKETS", number(table.salt_buckets));
  if (table.default_family_given) add("DEFAULT_COLUMN_FAMILY", table.default_family);
  kept("EXTERNAL_SCHEMA_ID", "");
  options->Count((table.is_salted() ? 1 : 0) + (table.default_family_given ? 1 : 0) +
                 table.other_properties.count("EXTERNAL_SCHEMA_ID"));
}

// An attribute that all families have alike is the table's, others have the family in front.
void AddFamilyOptions(const TableDescriptor& descriptor, OptionList* options) {
  catalog::Attributes defaults = catalog::DefaultFamilyAttributes();
  // Servers of HBase 2.5 and later give it to every family.
  defaults.emplace("INDEX_BLOCK_ENCODING", "NONE");
  std::set<std::string> names;
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    for (const auto& [name, value] : family.attributes) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto usual = defaults.find(name);
    const std::string by_default = usual == defaults.end() ? "" : usual->second;
    const auto value_in = [&](const ColumnFamilyDescriptor& family) {
      const auto found = family.attributes.find(name);
      return found == family.attributes.end() ? by_default : found->second;
    };
    const std::string first = value_in(descriptor.families.front());
    const bool alike = std::all_of(descriptor.families.begin(), descriptor.families.end(),
                                   [&](const auto& family) { return value_in(family) == first; });
    if (usual == defaults.end()) options->Count(1);
    if (alike) {
      if (first != by_default) options->Add(name, Assignment(name, first));
      continue;
    }
    options->Count(descriptor.families.size() - 1);
    for (const ColumnFamilyDescriptor& family : descriptor.families) {
      const std::string value = value_in(family);
      if (value == by_default) continue;
      const std::string prefix = family.name == kDefaultFamily ? "" : "\"" + family.name + "\".";
      options->Add(family.name + "." + name, Assignment(prefix + name, value));
    }
  }
}

void AddTableAttributes(const TableDescriptor& descriptor, OptionList* options) {
  for (const auto& [name, value] : descriptor.attributes) {
    if (name.find("coprocessor") != std::string::npos) continue;
    options->Count(1);
    // Phoenix takes what is before a dot for a family, and "false" for the default of everything.
    if (value == "false" || name.find('.') != std::string::npos) continue;
    options->Add(name, Assignment(name, value));
  }
}

// What Phoenix leaves out, though without it the statement would make another table.
void AddLeftOut(const TableMeta& table, std::vector<std::string>* options) {
  if (table.encoding_bytes != 2) {
    options->push_back(fmt::format("COLUMN_ENCODED_BYTES={}", table.encoding_bytes));
  }
  if (table.store_nulls) options->push_back("STORE_NULLS=true");
  if (table.append_only_schema) options->push_back("APPEND_ONLY_SCHEMA=true");
  if (!table.ttl_condition.empty()) options->push_back("TTL='" + table.ttl + "'");
  for (const char* const name : {catalog::kAutoPartitionSequence, catalog::kGuidePostsWidth}) {
    const auto found = table.other_properties.find(name);
    if (found != table.other_properties.end()) options->push_back(Assignment(name, found->second));
  }
}

std::string OptionsText(const TableMeta& table, const TableDescriptor& descriptor) {
  OptionList list;
  AddPhoenixOptions(table, &list);
  AddTableAttributes(descriptor, &list);
  AddFamilyOptions(descriptor, &list);
  std::vector<std::string> options = list.Sorted();
  AddLeftOut(table, &options);
  return fmt::format("{}", fmt::join(options, ", "));
}

}  // namespace

// Its own columns, whose qualifiers are the table's matter, and all of the condition.
std::string CreateStatementOfView(const TableMeta& view) {
  std::vector<const ColumnMeta*> keys;
  std::string columns;
  for (const ColumnMeta& column : view.columns) {
    if (column.is_key() && !column.derived) keys.push_back(&column);
  }
  for (const ColumnMeta& column : view.columns) {
    if (column.derived) continue;
    if (!columns.empty()) columns += ", ";
    columns += ColumnText(column, /*with_qualifier=*/false);
    if (keys.size() == 1 && column.is_key()) columns += " PRIMARY KEY" + KeyModifiers(column);
  }
  if (keys.size() > 1) {
    std::string names;
    for (const ColumnMeta* key : keys) {
      if (!names.empty()) names += ", ";
      names += Quoted(key->name) + KeyModifiers(*key);
    }
    columns += fmt::format(" CONSTRAINT {} PRIMARY KEY ({})",
                           view.pk_name.empty() ? "PK" : Quoted(view.pk_name), names);
  }
  std::string text = "CREATE VIEW " + QuotedFullName(view);
  if (!columns.empty()) text += "(" + columns + ")";
  if (view.parent.name.empty()) return text;
  text += " AS SELECT * FROM ";
  if (!view.parent.schema.empty()) text += Quoted(view.parent.schema) + ".";
  text += Quoted(view.parent.name);
  if (!view.view_condition.empty()) text += " WHERE " + view.view_condition;
  return text;
}

// With the whole of its key, which is the same index: the rest of the table's key is added where it
// is missing.
std::string CreateStatementOfIndex(const TableMeta& index, const TableMeta& table) {
  // Names are "FAMILY:COLUMN"; of an expression they are no more than its text.
  const auto in_table = [](const ColumnMeta& column) {
    return Quoted(column.name.substr(column.name.find(':') + 1));
  };
  std::vector<std::string> keys;
  std::vector<std::string> included;
  for (const ColumnMeta& column : index.columns) {
    if (!column.is_key()) {
      included.push_back(in_table(column));
      continue;
    }
    const bool is_of_key = column.index_expression.starts_with('"') && column.name.starts_with(':');
    const bool is_expression = column.name.starts_with(':') && !is_of_key;
    keys.push_back((is_expression ? column.index_expression : in_table(column)) +
                   KeyModifiers(column));
  }
  std::string text = "CREATE ";
  if (index.index_type == catalog::IndexType::kLocal) text += "LOCAL ";
  if (index.index_type == catalog::IndexType::kUncovered) text += "UNCOVERED ";
  text += "INDEX " + Quoted(index.name) + " ON ";
  if (!index.schema.empty()) text += Quoted(index.schema) + ".";
  text += fmt::format("{}({})", Quoted(index.data_table_name), fmt::join(keys, ", "));
  if (!included.empty()) text += fmt::format(" INCLUDE ({})", fmt::join(included, ", "));
  if (!index.index_where.empty()) text += " WHERE " + index.index_where;
  // That of its table is taken over where nothing is said. One that shares its table has none.
  const bool has_own_salt = !index.shares_its_table() && index.salt_buckets != table.salt_buckets;
  if (has_own_salt) text += fmt::format(" SALT_BUCKETS={}", index.salt_buckets);
  return text;
}

std::string CreateStatementOf(const TableMeta& table, const TableDescriptor& descriptor) {
  const bool with_qualifiers = !QualifiersAreConsecutive(table);
  const bool inline_key = table.key_columns.size() == 1 && table.pk_name.empty();
  std::string columns;
  for (const ColumnMeta& column : table.columns) {
    if (!columns.empty()) columns += ", ";
    columns += ColumnText(column, with_qualifiers);
    if (inline_key && column.is_key()) columns += " PRIMARY KEY" + KeyModifiers(column);
  }
  if (!inline_key) {
    std::string keys;
    for (size_t i = 0; i < table.key_columns.size(); ++i) {
      if (i > 0) keys += ", ";
      keys += Quoted(table.key_column(i).name) + KeyModifiers(table.key_column(i));
    }
    columns += fmt::format(" CONSTRAINT {} PRIMARY KEY ({})",
                           table.pk_name.empty() ? "PK" : Quoted(table.pk_name), keys);
  }
  std::string text = fmt::format("CREATE TABLE {}({}) {}", QuotedFullName(table), columns,
                                 OptionsText(table, descriptor));
  if (with_qualifiers) {
    std::vector<std::string> counters;
    for (const auto& [family, next] : table.counters) {
      counters.push_back(fmt::format("'{}'={}", family, next));
    }
    if (counters.empty()) {
      counters.push_back(
          fmt::format("'{}'={}", table.default_family, catalog::kFirstEncodedQualifier));
    }
    text += fmt::format(" COLUMN_QUALIFIER_COUNTER ({})", fmt::join(counters, ", "));
  }
  return text;
}

}  // namespace bennu::sql::session
