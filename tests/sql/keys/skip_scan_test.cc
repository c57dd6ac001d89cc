#include "src/sql/keys/skip_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "src/base/hex.h"
#include "src/sql/keys/key_matcher.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using Random = std::mt19937_64;
using Row = std::vector<Value>;

KeyColumn RandomColumn(bool last, Random* random) {
  const TypeId types[] = {TypeId::kBigint,  TypeId::kVarchar,  TypeId::kVarbinaryEncoded,
                          TypeId::kTinyint, TypeId::kInteger,  TypeId::kDecimal,
                          TypeId::kChar,    TypeId::kVarbinary};
  KeyColumn column;
  column.name = "C";
  column.type.id = types[(*random)() % (last ? 8 : 7)];
  if (column.type.id == TypeId::kChar) column.type.max_length = 2;
  column.nullable = !IsFixedWidth(column.type.id);
  const bool may_be_desc = column.type.id != TypeId::kVarbinary;
  column.order = may_be_desc && (*random)() % 2 == 0 ? SortOrder::kDesc : SortOrder::kAsc;
  return column;
}

// Few different values, so that rows meet conditions. Never NULL.
Value RandomValue(const KeyColumn& column, Random* random) {
  switch (column.type.id) {
    case TypeId::kBigint:
    case TypeId::kTinyint:
    case TypeId::kInteger: {
      const int64_t edges[] = {-128, -1, 0, 1, 2, 126, 127};
      return Value::Int(column.type, edges[(*random)() % 7]);
    }
    case TypeId::kDecimal:
      return Value::Number(Decimal(static_cast<int>((*random)() % 8) - 4, (*random)() % 2));
    default: break;
  }
  const bool binary = IsBinary(column.type.id);
  const char alphabet[] = {'\0', '\1', '\x7f', '\xff'};
  Bytes bytes;
  const size_t length = 1 + (*random)() % (column.type.id == TypeId::kChar ? 2 : 3);
  for (size_t i = 0; i < length; ++i) {
    bytes += binary ? alphabet[(*random)() % 4] : static_cast<char>('a' + (*random)() % 2);
  }
  return Value::String(column.type, bytes);
}

// A condition on one column and the ranges for it; 'holds' never looks at key bytes.
struct Condition {
  std::vector<KeyRange> ranges;
  std::function<bool(const Value&)> holds;
};

bool Compare(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual: return order == 0;
    case CompareOp::kNotEqual: return order != 0;
    case CompareOp::kLess: return order < 0;
    case CompareOp::kLessOrEqual: return order <= 0;
    case CompareOp::kGreater: return order > 0;
    case CompareOp::kGreaterOrEqual: return order >= 0;
  }
  return false;
}

Condition OneCondition(const KeyColumn& column, Random* random) {
  if (column.nullable && (*random)() % 6 == 0) {
    const bool null = (*random)() % 2 == 0;
    return {{null ? KeyRange::IsNull() : KeyRange::IsNotNull()},
            [null](const Value& v) { return v.is_null() == null; }};
  }
  if ((*random)() % 12 == 0) return {{KeyRange::Everything()}, [](const Value&) { return true; }};
  const Value value = RandomValue(column, random);
  if (IsString(column.type.id) && (*random)() % 6 == 0) {
    const Bytes prefix = value.bytes();
    return {{LikePrefixRange(prefix, column.type, column.order)}, [prefix](const Value& v) {
              return !v.is_null() && ByteView(v.bytes()).starts_with(prefix);
            }};
  }
  const auto op = static_cast<CompareOp>((*random)() % 3 == 0 ? 0 : (*random)() % 6);
  return {*RangesFor(op, value, column.type, column.order), [op, value](const Value& v) {
            return !v.is_null() && Compare(op, *CompareValues(v, value));
          }};
}

// One to three conditions, joined by OR or AND.
Condition RandomCondition(const KeyColumn& column, Random* random) {
  Condition result = OneCondition(column, random);
  result.ranges = Coalesce(result.ranges);
  for (size_t i = 0; i < (*random)() % 3; ++i) {
    const Condition more = OneCondition(column, random);
    const bool either = (*random)() % 3 != 0;
    const auto a = result.holds;
    const auto b = more.holds;
    if (either) {
      result.ranges = UnionAll(result.ranges, more.ranges);
      result.holds = [a, b](const Value& v) { return a(v) || b(v); };
    } else {
      result.ranges = IntersectAll(result.ranges, Coalesce(more.ranges));
      result.holds = [a, b](const Value& v) { return a(v) && b(v); };
    }
  }
  return result;
}

// The NULL of a descending VARBINARY_ENCODED cannot be told from a value that begins with ff fe
// when its terminator can follow.
bool TellsNull(const std::vector<KeyColumn>& columns, size_t column) {
  if (columns[column].type.id != TypeId::kVarbinaryEncoded) return true;
  if (columns[column].order == SortOrder::kAsc) return true;
  return std::all_of(columns.begin() + static_cast<std::ptrdiff_t>(column) + 1, columns.end(),
                     [](const KeyColumn& later) {
                       return IsString(later.type.id) && later.order == SortOrder::kAsc;
                     });
}

struct Table {
  std::shared_ptr<const KeySchema> schema;
  std::map<Bytes, Row> rows;
};

Table RandomTable(Random* random) {
  Table table;
  std::vector<KeyColumn> columns;
  const size_t count = 1 + (*random)() % 4;
  for (size_t i = 0; i < count; ++i) columns.push_back(RandomColumn(i + 1 == count, random));
  const int32_t buckets = (*random)() % 3 == 0 ? 3 : 0;
  table.schema = std::make_shared<const KeySchema>(columns, buckets);
  for (int i = 0; i < 150; ++i) {
    Row row;
    for (size_t c = 0; c < columns.size(); ++c) {
      const KeyColumn& column = columns[c];
      const bool null = column.nullable && TellsNull(columns, c) && (*random)() % 4 == 0;
      row.push_back(null ? Value::Null(column.type) : RandomValue(column, random));
    }
    const Result<Bytes> key = table.schema->EncodeKey(row);
    if (key.ok()) table.rows.emplace(*key, row);
  }
  return table;
}

struct Query {
  std::vector<KeySlot> slots;
  std::function<bool(const Row&)> holds = [](const Row&) { return true; };
};

Bytes Joined(const KeySchema& schema, const Row& row, size_t first, size_t count) {
  std::vector<Bytes> encoded(count);
  std::vector<ByteView> views;
  for (size_t i = 0; i < count; ++i) {
    const KeyColumn& column = schema.columns()[first + i];
    EXPECT_TRUE(Encode(row[first + i], column.type, column.order, &encoded[i]).ok());
    views.push_back(encoded[i]);
  }
  return JoinComponents(schema, first, views);
}

// A range over several columns between the values of two rows.
void AddSpan(const Table& table, size_t first, size_t count, Query* query, Random* random) {
  const auto any_row = [&]() -> const Row& {
    auto it = table.rows.begin();
    std::advance(it, (*random)() % table.rows.size());
    return it->second;
  };
  KeyRange range =
      KeyRange::AtLeast(Joined(*table.schema, any_row(), first, count), (*random)() % 2 == 0);
  if ((*random)() % 2 == 0) {
    range.upper = Joined(*table.schema, any_row(), first, count);
    range.upper_bounded = true;
    range.upper_inclusive = (*random)() % 2 == 0;
  }
  if ((*random)() % 3 == 0) range = KeyRange::Point(range.lower);
  query->slots.push_back({Coalesce({range}), static_cast<uint32_t>(count - 1)});
  const auto before = query->holds;
  const auto schema = table.schema;
  query->holds = [before, schema, range, first, count](const Row& row) {
    return before(row) && range.Contains(Joined(*schema, row, first, count));
  };
}

Query RandomQuery(const Table& table, Random* random) {
  Query query;
  const size_t columns = 1 + (*random)() % table.schema->column_count();
  for (size_t column = 0; column < columns; ++column) {
    const size_t left = columns - column;
    if (left >= 2 && (*random)() % 4 == 0) {
      const size_t count = 2 + (*random)() % (left - 1);
      AddSpan(table, column, count, &query, random);
      column += count - 1;
      continue;
    }
    const Condition condition = RandomCondition(table.schema->columns()[column], random);
    query.slots.push_back({condition.ranges, 0});
    const auto before = query.holds;
    const auto holds = condition.holds;
    query.holds = [before, holds, column](const Row& row) {
      return before(row) && holds(row[column]);
    };
  }
  return query;
}

// What a scanner does with a navigator. Counts the rows looked at.
std::set<Bytes> RunScan(const Table& table, const RowRange& range, RowNavigator* navigator,
                        size_t* looked) {
  std::set<Bytes> found;
  auto it = table.rows.lower_bound(range.start);
  while (it != table.rows.end() && (range.stop.empty() || it->first < range.stop)) {
    if (navigator == nullptr) {
      found.insert(it++->first);
      continue;
    }
    Bytes seek;
    ++*looked;
    const RowNavigator::Decision decision = navigator->Navigate(it->first, &seek);
    if (decision == RowNavigator::Decision::kDone) break;
    if (decision == RowNavigator::Decision::kInclude) {
      const Bytes end(navigator->IncludedUpTo());
      do {
        found.insert(it++->first);
      } while (it != table.rows.end() && it->first < end &&
               (range.stop.empty() || it->first < range.stop));
      continue;
    }
    EXPECT_GT(seek, it->first);
    it = table.rows.lower_bound(seek);
  }
  return found;
}

std::string Describe(const Table& table, const Query& query) {
  std::string text;
  for (const KeyColumn& column : table.schema->columns()) {
    text += TypeToString(column.type) + (column.order == SortOrder::kDesc ? " DESC, " : ", ");
  }
  for (const KeySlot& slot : query.slots) {
    text += "\nslot +" + std::to_string(slot.span) + ":";
    for (const KeyRange& range : slot.ranges) text += " " + ToString(range);
  }
  return text;
}

std::vector<KeySlot> Coalesced(std::vector<KeySlot> slots) {
  for (KeySlot& slot : slots) slot.ranges = Coalesce(std::move(slot.ranges));
  return slots;
}

// Row by row, and many at a time.
void CheckSelect(const Table& table, const KeyMatcher& matcher) {
  Bytes keys;
  std::vector<uint32_t> ends = {0};
  std::vector<uint32_t> allowed;
  for (const auto& [key, row] : table.rows) {
    if (matcher.Allows(key)) allowed.push_back(static_cast<uint32_t>(ends.size()) - 1);
    keys += key;
    ends.push_back(static_cast<uint32_t>(keys.size()));
  }
  ColumnRows rows;
  rows.row_count = static_cast<uint32_t>(table.rows.size());
  rows.keys = keys.data();
  rows.key_ends = ends.data();
  std::vector<uint32_t> found;
  matcher.Select(rows, 0, rows.row_count, &found);
  ASSERT_EQ(found, allowed);
}

TEST(SkipScan, FindsExactlyTheRowsThatTheConditionsAllow) {
  Random random(1);
  std::map<KeyScan::Kind, int> kinds;
  int ruled_out = 0;
  for (int round = 0; round < 4000; ++round) {
    const Table table = RandomTable(&random);
    if (table.rows.empty()) continue;
    const Query query = RandomQuery(table, &random);
    std::set<Bytes> expected;
    for (const auto& [key, row] : table.rows) {
      if (query.holds(row)) expected.insert(key);
    }
    const KeyScan scan = PlanKeyScan(table.schema, query.slots);
    ++kinds[scan.kind];
    if (const auto matcher = KeyMatcher::Make(*table.schema, Coalesced(query.slots))) {
      CheckSelect(table, *matcher);
      for (const auto& [key, row] : table.rows) {
        if (expected.contains(key)) {
          ASSERT_TRUE(matcher->Allows(key)) << Describe(table, query);
        } else {
          ruled_out += !matcher->Allows(key);
        }
      }
    }
    std::set<Bytes> found;
    size_t looked = 0;
    for (const RowRange& range : scan.ranges) {
      const auto navigator = scan.navigator == nullptr ? nullptr : scan.navigator->Clone();
      found.merge(RunScan(table, range, navigator.get(), &looked));
    }
    for (const Bytes& point : scan.points) {
      if (table.rows.contains(point)) found.insert(point);
    }
    ASSERT_TRUE(scan.exact);
    ASSERT_EQ(found, expected) << Describe(table, query);
    if (scan.navigator == nullptr) continue;
    // One navigator over all buckets.
    const auto navigator = scan.navigator->Clone();
    ASSERT_EQ(RunScan(table, RowRange(), navigator.get(), &looked), expected)
        << Describe(table, query);
    // Without it the ranges alone must leave out nothing.
    std::set<Bytes> unfiltered;
    for (const RowRange& range : scan.ranges) {
      unfiltered.merge(RunScan(table, range, nullptr, &looked));
    }
    ASSERT_TRUE(
        std::includes(unfiltered.begin(), unfiltered.end(), expected.begin(), expected.end()))
        << Describe(table, query);
  }
  EXPECT_GT(ruled_out, 1000);
  for (const KeyScan::Kind kind :
       {KeyScan::Kind::kDegenerate, KeyScan::Kind::kPoints, KeyScan::Kind::kRange,
        KeyScan::Kind::kSkip, KeyScan::Kind::kFull}) {
    EXPECT_GT(kinds[kind], 20) << static_cast<int>(kind);
  }
}

TEST(SkipScan, SeeksInsteadOfReading) {
  const DataType integer = {TypeId::kInteger};
  const auto schema = std::make_shared<const KeySchema>(std::vector<KeyColumn>{
      {"A", integer, SortOrder::kAsc, false}, {"B", integer, SortOrder::kAsc, false}});
  Table table{schema, {}};
  for (int a = 0; a < 100; ++a) {
    for (int b = 0; b < 100; ++b) {
      const Row row = {Value::Integer(a), Value::Integer(b)};
      table.rows.emplace(*schema->EncodeKey(row), row);
    }
  }
  const auto range = [&](CompareOp op, int value) {
    return *RangesFor(op, Value::Integer(value), integer, SortOrder::kAsc);
  };
  // a between 10 and 19, b = 7: one look at the row, one past it, for each a.
  const std::vector<KeySlot> slots = {
      {IntersectAll(range(CompareOp::kGreaterOrEqual, 10), range(CompareOp::kLess, 20)), 0},
      {range(CompareOp::kEqual, 7), 0}};
  const KeyScan scan = PlanKeyScan(schema, slots);
  size_t looked = 0;
  const auto navigator = scan.navigator->Clone();
  EXPECT_EQ(RunScan(table, scan.ranges[0], navigator.get(), &looked).size(), 10u);
  EXPECT_LE(looked, 21u);
}

TEST(SkipScan, MalformedRowsNeverSeekBackwards) {
  Random random(9);
  for (int round = 0; round < 2000; ++round) {
    const Table table = RandomTable(&random);
    if (table.rows.empty()) continue;
    const KeyScan scan = PlanKeyScan(table.schema, RandomQuery(table, &random).slots);
    if (scan.navigator == nullptr) continue;
    const auto navigator = scan.navigator->Clone();
    std::set<Bytes> rows;
    for (int i = 0; i < 40; ++i) {
      Bytes row;
      const char alphabet[] = {'\0', '\1', '\xfe', '\xff', 'a'};
      for (size_t n = 0; n < random() % 8; ++n) row += alphabet[random() % 5];
      rows.insert(row);
    }
    for (const Bytes& row : rows) {
      Bytes seek;
      if (navigator->Navigate(row, &seek) == RowNavigator::Decision::kSeek) {
        ASSERT_GT(seek, row);
      }
    }
  }
}

}  // namespace
}  // namespace bennu::sql
