#include "src/server/console/row_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/ascii.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/types/text.h"

namespace bennu::server::console {

namespace {

using sql::KeyColumn;
using sql::KeySchema;

constexpr sql::TextStyle kPlainText = {
    .iso_dates = false, .escape_text = false, .quote_binary = false};

std::string_view OrderName(sql::SortOrder order) {
  return order == sql::SortOrder::kDesc ? "DESC" : "ASC";
}

Json Part(std::string_view kind, ByteView key, size_t from, size_t to) {
  return {
      {"kind", kind}, {"from", from}, {"to", to}, {"hex", HexEncode(key.substr(from, to - from))}};
}

}  // namespace

Json DescribeKey(const sql::catalog::TableMeta& table) {
  Json columns = Json::array();
  for (size_t i = 0; i < table.key_schema.column_count(); ++i) {
    const KeyColumn& column = table.key_schema.columns()[i];
    columns.push_back({{"name", table.key_column(i).name},
                       {"type", sql::TypeToString(column.type)},
                       {"order", OrderName(column.order)},
                       {"nullable", column.nullable}});
  }
  return {{"table", table.FullName()},
          {"salt_buckets", table.key_schema.salt_buckets()},
          {"columns", std::move(columns)}};
}

Json ExplainKey(const sql::catalog::TableMeta& table, ByteView key) {
  const KeySchema& schema = table.key_schema;
  Json parts = Json::array();
  size_t position = std::min(schema.prefix_size(), key.size());
  if (position > 0) {
    Json salt = Part("salt", key, 0, position);
    const int wanted = KeySchema::SaltByte(key.substr(position), schema.salt_buckets());
    const int found = static_cast<unsigned char>(key[0]);
    salt["value"] = fmt::format("bucket {} of {}", found, schema.salt_buckets());
    if (found != wanted) {
      salt["error"] = fmt::format("a key of these bytes belongs to bucket {}", wanted);
    }
    parts.push_back(std::move(salt));
  }
  for (size_t i = 0; i < schema.column_count(); ++i) {
    const KeyColumn& column = schema.columns()[i];
    const sql::KeyStep step = schema.StepInRow(key, i, position);
    const bool is_null = step.begin == step.end;
    Json part = Part("column", key, step.begin, step.end);
    part["name"] = table.key_column(i).name;
    part["type"] = sql::TypeToString(column.type);
    part["order"] = OrderName(column.order);
    part["value"] = nullptr;
    const auto value =
        sql::Decode(key.substr(step.begin, step.end - step.begin), column.type, column.order);
    if (!value.ok()) {
      part["error"] = value.status().message();
    } else if (!is_null) {
      part["value"] = sql::ToText(*value, kPlainText);
    }
    parts.push_back(std::move(part));
    if (step.next > step.end) {
      // A column's own end, or what stands between it and the next one.
      const bool ends = schema.IsTerminated(i) && !is_null;
      parts.push_back(Part(ends ? "terminator" : "separator", key, step.end, step.next));
    }
    position = step.next;
  }
  if (position < key.size()) parts.push_back(Part("rest", key, position, key.size()));

  Json answer = {{"hex", HexEncode(key)},
                 {"printable", ToStringBinary(key)},
                 {"bytes", key.size()},
                 {"parts", std::move(parts)}};
  std::vector<sql::KeyPart> cut(schema.column_count());
  if (const Status status = schema.Split(key, cut); !status.ok()) {
    answer["error"] = status.message();
  }
  return answer;
}

Result<Bytes> MakeKey(const sql::catalog::TableMeta& table,
                      const std::vector<std::optional<std::string>>& values) {
  const KeySchema& schema = table.key_schema;
  if (values.size() > schema.column_count()) {
    return InvalidArgument(fmt::format("there are {} values for a key of {} columns", values.size(),
                                       schema.column_count()));
  }
  std::vector<sql::Value> row;
  for (size_t i = 0; i < values.size(); ++i) {
    const KeyColumn& column = schema.columns()[i];
    if (!values[i].has_value()) {
      row.push_back(sql::Value::Null(column.type));
      continue;
    }
    auto value = sql::ParseValue(*values[i], column.type);
    if (!value.ok())
      return value.status().Annotate(fmt::format("column {}", table.key_column(i).name));
    row.push_back(std::move(value).value());
  }
  return schema.EncodeKey(row);
}

Result<std::shared_ptr<const sql::catalog::TableMeta>> FindTable(sql::catalog::Catalog* catalog,
                                                                 const std::string& name) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : name) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += quoted ? std::string(1, c) : Upper(std::string_view(&c, 1));
    }
  }
  // The table "A.B" has a schema, unless it was mapped with the dot in its name.
  const std::string table = std::move(parts.back());
  parts.pop_back();
  return catalog->GetTable(fmt::format("{}", fmt::join(parts, ".")), table);
}

}  // namespace bennu::server::console
