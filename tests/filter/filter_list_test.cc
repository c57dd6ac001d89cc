// How a list merges what its filters say.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bennu/filter.h"
#include "src/cell/flat_key.h"

namespace bennu {
namespace {

using Code = Filter::Code;

constexpr Code kAllCodes[] = {Code::kInclude,
                              Code::kIncludeAndNextColumn,
                              Code::kSkip,
                              Code::kNextColumn,
                              Code::kNextRow,
                              Code::kSeekUsingHint,
                              Code::kIncludeAndSeekNextRow};

// Says the same of every cell and counts how often it is asked.
class FixedFilter final : public Filter {
 public:
  FixedFilter(Code code, int* asked) : code_(code), asked_(asked) {}
  FilterPtr Clone() const override { return std::make_unique<FixedFilter>(code_, asked_); }
  Code FilterCell(const Cell& /*cell*/) override {
    if (asked_ != nullptr) ++*asked_;
    return code_;
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    flat_key->clear();
    cell::AppendFirstOnColumn(flat_key, current.row(), current.family(), "z");
    return true;
  }
  Bytes class_name() const override { return "Fixed"; }
  Bytes Encode() const override { return ""; }

 private:
  const Code code_;
  int* const asked_;
};

Cell MakeCell(ByteView row, ByteView qualifier, Bytes* memory, int64_t timestamp = 1) {
  memory->clear();
  cell::AppendFlatKey(memory, row, "f", qualifier, timestamp, CellType::kPut);
  Cell cell;
  cell.key = memory->data();
  cell.key_length = static_cast<uint32_t>(memory->size());
  return cell;
}

FilterPtr ListOf(FilterListOp op, Code first, Code second, int* second_asked = nullptr) {
  std::vector<FilterPtr> filters;
  filters.push_back(std::make_unique<FixedFilter>(first, nullptr));
  filters.push_back(std::make_unique<FixedFilter>(second, second_asked));
  return NewFilterList(op, std::move(filters));
}

bool Includes(Code code) {
  return code == Code::kInclude || code == Code::kIncludeAndNextColumn ||
         code == Code::kIncludeAndSeekNextRow;
}

// The table of HBase's FilterListWithAND: the longer step, included when both include.
TEST(FilterListTest, AllMustPass) {
  const struct {
    Code first, second, merged;
  } kTable[] = {
      {Code::kInclude, Code::kIncludeAndNextColumn, Code::kIncludeAndNextColumn},
      {Code::kInclude, Code::kSkip, Code::kSkip},
      {Code::kIncludeAndNextColumn, Code::kSkip, Code::kNextColumn},
      {Code::kIncludeAndNextColumn, Code::kNextColumn, Code::kNextColumn},
      {Code::kIncludeAndSeekNextRow, Code::kSkip, Code::kNextRow},
      {Code::kIncludeAndSeekNextRow, Code::kIncludeAndNextColumn, Code::kIncludeAndSeekNextRow},
      {Code::kInclude, Code::kNextRow, Code::kNextRow},
      {Code::kInclude, Code::kSeekUsingHint, Code::kSeekUsingHint},
  };
  Bytes memory;
  const Cell cell = MakeCell("r", "q", &memory);
  for (const auto& row : kTable) {
    EXPECT_EQ(ListOf(FilterListOp::kMustPassAll, row.first, row.second)->FilterCell(cell),
              row.merged);
  }
}

// The table of HBase's FilterListWithOR: the shorter step, included when one includes.
TEST(FilterListTest, OneMustPass) {
  const struct {
    Code first, second, merged;
  } kTable[] = {
      {Code::kInclude, Code::kNextRow, Code::kInclude},
      {Code::kIncludeAndNextColumn, Code::kSkip, Code::kInclude},
      {Code::kIncludeAndNextColumn, Code::kNextRow, Code::kIncludeAndNextColumn},
      {Code::kIncludeAndSeekNextRow, Code::kNextColumn, Code::kIncludeAndNextColumn},
      {Code::kIncludeAndSeekNextRow, Code::kNextRow, Code::kIncludeAndSeekNextRow},
      {Code::kIncludeAndNextColumn, Code::kSeekUsingHint, Code::kInclude},
      {Code::kNextColumn, Code::kNextRow, Code::kNextColumn},
      {Code::kNextRow, Code::kNextRow, Code::kNextRow},
      {Code::kNextRow, Code::kSeekUsingHint, Code::kSkip},
      {Code::kSeekUsingHint, Code::kSeekUsingHint, Code::kSeekUsingHint},
  };
  Bytes memory;
  const Cell cell = MakeCell("r", "q", &memory);
  for (const auto& row : kTable) {
    EXPECT_EQ(ListOf(FilterListOp::kMustPassOne, row.first, row.second)->FilterCell(cell),
              row.merged);
    EXPECT_EQ(ListOf(FilterListOp::kMustPassOne, row.second, row.first)->FilterCell(cell),
              row.merged);
  }
}

// A filter behind one that refuses a cell must not count it.
TEST(FilterListTest, AllStopsAtTheFirstRefusal) {
  Bytes memory;
  const Cell cell = MakeCell("r", "q", &memory);
  for (const Code code : kAllCodes) {
    int asked = 0;
    ListOf(FilterListOp::kMustPassAll, code, Code::kInclude, &asked)->FilterCell(cell);
    EXPECT_EQ(Includes(code) ? 1 : 0, asked);
  }
}

// In a list of alternatives a filter that wants to go on to the next column is not asked about the
// rest of this one.
TEST(FilterListTest, OneRemembersWhoIsAhead) {
  Bytes first;
  Bytes second;
  Bytes third;
  int asked = 0;
  const FilterPtr list = ListOf(FilterListOp::kMustPassOne, Code::kSkip, Code::kNextColumn, &asked);
  list->FilterCell(MakeCell("r", "a", &first, 2));
  list->FilterCell(MakeCell("r", "a", &second, 1));
  EXPECT_EQ(1, asked);
  list->FilterCell(MakeCell("r", "b", &third));
  EXPECT_EQ(2, asked);
  list->Reset();
  list->FilterCell(MakeCell("s", "b", &first));
  EXPECT_EQ(3, asked);
}

TEST(FilterListTest, EmptyListsPassEverything) {
  Bytes memory;
  const Cell cell = MakeCell("r", "q", &memory);
  for (const auto op : {FilterListOp::kMustPassAll, FilterListOp::kMustPassOne}) {
    const FilterPtr list = NewFilterList(op, {});
    EXPECT_FALSE(list->FilterRowKey("r"));
    EXPECT_FALSE(list->FilterAllRemaining());
    EXPECT_EQ(list->FilterCell(cell), Code::kInclude);
    EXPECT_FALSE(list->FilterRow());
  }
}

TEST(FilterListTest, ErrorsOfFiltersAreTheLists) {
  std::vector<FilterPtr> filters;
  filters.push_back(NewFirstKeyOnlyFilter());
  filters.push_back(NewSkipFilter(NewValueFilter(CompareOp::kEqual, NewLongComparator(1))));
  const FilterPtr list = NewFilterList(FilterListOp::kMustPassAll, std::move(filters));
  EXPECT_EQ(list->error(), nullptr);
  Bytes memory;
  list->FilterCell(MakeCell("r", "q", &memory));  // its value is empty
  ASSERT_NE(list->error(), nullptr);
  EXPECT_EQ(list->error()->code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bennu
