// GroupTable against std::map: equal keys get equal numbers, NULL is a key, keys come back.
#include "src/sql/exec/group_table.h"

#include <map>
#include <optional>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace bennu::sql::exec {
namespace {

using Key = std::optional<Value>;

// Rows of a few distinct values, some NULL.
Vector RandomVector(const DataType& type, size_t count, std::mt19937* random) {
  Vector vector(type, count);
  for (size_t i = 0; i < count; ++i) {
    const auto number = static_cast<int64_t>((*random)() % 200) - 100;
    if (number == 7) {
      vector.SetNull(i);
      continue;
    }
    switch (PhysicalTypeOf(type.id)) {
      case PhysicalType::kInt64: vector.Set<int64_t>(i, number); break;
      case PhysicalType::kDouble: vector.Set<double>(i, static_cast<double>(number) / 4); break;
      case PhysicalType::kDecimal: vector.Set(i, Decimal(number * 10, 1)); break;
      default:
        vector.SetBytes(
            i, std::string(static_cast<size_t>(number + 100) % 23, 'x') + std::to_string(number));
        break;
    }
  }
  return vector;
}

class GroupTableTest : public ::testing::TestWithParam<std::vector<TypeId>> {};

TEST_P(GroupTableTest, NumbersDistinctKeysAndGivesThemBack) {
  std::vector<DataType> types;
  for (TypeId id : GetParam()) types.push_back({id});
  GroupTable table(types);
  std::mt19937 random(17);
  std::map<std::string, uint32_t> model;
  constexpr size_t kRows = 3000;
  for (int round = 0; round < 5; ++round) {
    std::vector<Vector> columns;
    std::vector<const Vector*> views;
    for (const DataType& type : types) columns.push_back(RandomVector(type, kRows, &random));
    for (const Vector& column : columns) views.push_back(&column);
    std::vector<uint32_t> ids(kRows);
    table.Insert(views, kRows, ids.data());
    std::vector<uint32_t> found(kRows);
    GroupTable::Scratch scratch;
    table.Find(views, kRows, found.data(), &scratch);
    EXPECT_EQ(ids, found);

    DataChunk out;
    out.Initialize(types, kRows);
    std::vector<Vector*> out_views;
    for (Vector& column : out.columns) out_views.push_back(&column);
    table.Emit(ids.data(), kRows, out_views);
    for (size_t row = 0; row < kRows; ++row) {
      std::string key;
      for (size_t c = 0; c < types.size(); ++c) {
        const Value value = columns[c].GetValue(row);
        ASSERT_EQ(value.is_null(), out.columns[c].IsNull(row));
        Vector one(types[c], 1);
        if (value.is_null()) {
          key += "|null";
          continue;
        }
        one.SetValue(0, value);
        switch (one.physical_type()) {
          case PhysicalType::kInt64:
            ASSERT_EQ(one.At<int64_t>(0), out.columns[c].At<int64_t>(row));
            key += "|" + std::to_string(one.At<int64_t>(0));
            break;
          case PhysicalType::kDouble:
            ASSERT_EQ(one.At<double>(0), out.columns[c].At<double>(row));
            key += "|" + std::to_string(one.At<double>(0));
            break;
          case PhysicalType::kDecimal:
            ASSERT_EQ(one.At<Decimal>(0), out.columns[c].At<Decimal>(row));
            key += "|" + one.At<Decimal>(0).StripTrailingZeros().ToString();
            break;
          default:
            ASSERT_EQ(one.At<std::string_view>(0), out.columns[c].At<std::string_view>(row));
            key += "|" + std::string(one.At<std::string_view>(0));
        }
      }
      const auto [at, added] = model.emplace(key, static_cast<uint32_t>(model.size()));
      ASSERT_EQ(at->second, ids[row]) << key;
    }
    EXPECT_EQ(model.size(), table.size());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types, GroupTableTest,
    ::testing::Values(std::vector<TypeId>{TypeId::kBigint}, std::vector<TypeId>{TypeId::kVarchar},
                      std::vector<TypeId>{TypeId::kDecimal}, std::vector<TypeId>{TypeId::kDouble},
                      std::vector<TypeId>{TypeId::kVarchar, TypeId::kInteger},
                      std::vector<TypeId>{TypeId::kDecimal, TypeId::kVarchar, TypeId::kDouble}));

// Looking up what is not there says so and adds nothing.
TEST(GroupTable, FindOfAbsentKeys) {
  GroupTable table({{TypeId::kVarchar}});
  Vector key({TypeId::kVarchar}, 2);
  key.SetBytes(0, "a");
  key.SetNull(1);
  const Vector* view = &key;
  uint32_t ids[2];
  GroupTable::Scratch scratch;
  table.Find({&view, 1}, 2, ids, &scratch);
  EXPECT_EQ(ids[0], GroupTable::kNone);
  EXPECT_EQ(ids[1], GroupTable::kNone);
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace bennu::sql::exec
