#include "src/sql/types/vector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bennu::sql {
namespace {

TEST(Vector, HoldsValuesAndNulls) {
  Vector vector({TypeId::kInteger}, 4);
  vector.SetValue(0, Value::Integer(7));
  vector.SetNull(1);
  EXPECT_EQ(vector.GetValue(0), Value::Integer(7));
  EXPECT_TRUE(vector.IsNull(1));
  EXPECT_TRUE(vector.GetValue(1).is_null());
  EXPECT_TRUE(vector.has_nulls());
  vector.Reset();
  EXPECT_FALSE(vector.IsNull(1));
  EXPECT_FALSE(vector.has_nulls());
}

TEST(Vector, ResetKeepsTheMemory) {
  Vector vector({TypeId::kVarchar}, 8);
  vector.SetBytes(0, "hello");
  const void* data = vector.data<std::string_view>();
  const char* bytes = vector.At<std::string_view>(0).data();
  vector.Reset();
  EXPECT_EQ(vector.data<std::string_view>(), data);
  vector.SetBytes(0, "world");
  EXPECT_EQ(vector.At<std::string_view>(0).data(), bytes);
}

TEST(StringHeap, BytesStayWhileItGrowsAndItsMemoryIsUsedAgain) {
  StringHeap heap;
  std::vector<std::string_view> views;
  for (size_t size = 0; size < 40000; size = size * 2 + 1) {
    views.push_back(heap.Add(std::string(size, static_cast<char>('a' + views.size()))));
  }
  for (size_t i = 0; i < views.size(); ++i) {
    const size_t size = (size_t{1} << i) - 1;
    EXPECT_EQ(views[i], std::string(size, static_cast<char>('a' + i)));
  }
  heap.Clear();
  EXPECT_EQ(heap.bytes_used(), 0u);
  const std::string_view again = heap.Add(std::string(1000, 'z'));
  EXPECT_EQ(again.data(), views.back().data());
  EXPECT_EQ(heap.bytes_used(), 1000u);
}

TEST(Vector, ReferencesKeepWhatTheyName) {
  Vector a({TypeId::kVarchar}, 4);
  a.SetBytes(0, "first");
  Vector b;
  b.Reference(a);
  a.Reset();
  a.SetBytes(0, "second");
  EXPECT_EQ(b.At<std::string_view>(0), "first");
  EXPECT_EQ(a.At<std::string_view>(0), "second");
}

TEST(Vector, ConstantsStandForAllRows) {
  Vector vector({TypeId::kVarchar}, 4);
  vector.SetConstant(Value::Varchar("x"));
  EXPECT_EQ(vector.At<std::string_view>(3), "x");
  vector.Flatten(4);
  EXPECT_FALSE(vector.is_constant());
  EXPECT_EQ(vector.At<std::string_view>(3), "x");
  vector.SetConstant(Value::Null({TypeId::kVarchar}));
  EXPECT_TRUE(vector.IsNull(3));
  vector.Flatten(4);
  EXPECT_TRUE(vector.IsNull(3));
}

TEST(Vector, GatherTakesChosenRows) {
  Vector source({TypeId::kVarchar}, 4);
  Vector target({TypeId::kVarchar}, 4);
  {
    source.SetBytes(0, "zero");
    source.SetNull(1);
    source.SetBytes(2, "two");
    source.SetBytes(3, "three");
  }
  target.Gather(source, SelectionVector{{1, 3}});
  source = Vector();  // the bytes live on
  EXPECT_TRUE(target.IsNull(0));
  EXPECT_EQ(target.At<std::string_view>(1), "three");

  Vector numbers({TypeId::kDouble}, 3);
  for (int i = 0; i < 3; ++i) numbers.Set<double>(i, i * 0.5);
  Vector picked({TypeId::kDouble}, 3);
  picked.Gather(numbers, SelectionVector{{2}});
  EXPECT_EQ(picked.At<double>(0), 1.0);
  EXPECT_FALSE(picked.has_nulls());
}

TEST(Vector, OwnBytesCutsTheTieToForeignMemory) {
  Vector vector({TypeId::kVarchar}, 2);
  {
    std::string foreign(100, 'q');
    vector.SetView(0, foreign);
    vector.SetNull(1);
    vector.OwnBytes(2);
    foreign.assign(100, 'z');
  }
  EXPECT_EQ(vector.At<std::string_view>(0), std::string(100, 'q'));
}

TEST(Vector, InitializeChangesTheType) {
  Vector vector({TypeId::kDecimal}, 16);
  vector.Set<Decimal>(3, Decimal(5, 1));
  vector.SetNull(2);
  vector.Initialize({TypeId::kBoolean}, 16);
  EXPECT_EQ(vector.physical_type(), PhysicalType::kBool);
  EXPECT_FALSE(vector.IsNull(2));
  EXPECT_EQ(vector.At<uint8_t>(3), 0);
}

TEST(Vector, CharIsReadWithoutItsPadding) {
  Vector vector({TypeId::kChar, 4}, 1);
  vector.SetView(0, "ab  ");
  EXPECT_EQ(vector.At<std::string_view>(0), "ab  ");
  EXPECT_EQ(vector.GetValue(0).bytes(), "ab");
}

TEST(StringHeap, ViewsStayWhereTheyAre) {
  StringHeap heap;
  std::vector<std::string_view> views;
  for (int i = 0; i < 2000; ++i) views.push_back(heap.Add(std::string(i % 97, 'a' + i % 26)));
  const std::string_view big = heap.Add(std::string(100'000, 'B'));
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(views[i], std::string(i % 97, 'a' + i % 26));
  EXPECT_EQ(big, std::string(100'000, 'B'));
}

TEST(DataChunk, InitializesAllColumns) {
  DataChunk chunk;
  chunk.Initialize({{TypeId::kBigint}, {TypeId::kVarchar}}, 8);
  chunk.columns[0].Set<int64_t>(0, 1);
  chunk.size = 1;
  chunk.Reset();
  EXPECT_EQ(chunk.size, 0u);
  EXPECT_EQ(chunk.columns[1].type().id, TypeId::kVarchar);
}

}  // namespace
}  // namespace bennu::sql
