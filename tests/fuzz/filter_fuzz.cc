// Filters from bytes and from text: any input is a filter or refused, what was read can be written
// and read again, and a filter that is run over rows ends.
//
// Input: one byte (0: a filter's message, else a text of the filter language), then the rest.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bennu/filter.h"
#include "src/base/arena.h"
#include "src/base/check.h"
#include "src/cell/flat_key.h"

namespace bennu {
namespace {

class ArenaMemory final : public FilterMemory {
 public:
  char* Allocate(size_t size) override { return arena_.Allocate(size); }

 private:
  Arena arena_;
};

Cell MakeCell(ByteView row, ByteView qualifier, int64_t timestamp, Bytes* memory) {
  memory->clear();
  cell::AppendFlatKey(memory, row, "f", qualifier, timestamp, CellType::kPut);
  Cell cell;
  cell.key = memory->data();
  cell.key_length = static_cast<uint32_t>(memory->size());
  cell.value = "value 12";
  cell.value_length = 8;
  return cell;
}

void RunOver(Filter* filter, bool reversed) {
  filter->SetReversed(reversed);
  std::vector<Bytes> rows = {"a", "ab", Bytes("b\0c", 3), "row1", "zz", "\xff\xff"};
  if (reversed) rows = {rows.rbegin(), rows.rend()};
  ArenaMemory memory;
  Bytes hint;
  for (const Bytes& row : rows) {
    if (filter->FilterAllRemaining()) return;
    filter->FilterRowKey(row);
    std::vector<Bytes> keys(3);
    std::vector<Cell> cells;
    for (int i = 0; i < 3; ++i) {
      Cell cell = MakeCell(row, i < 2 ? "q" : "r", 10 - i, &keys[static_cast<size_t>(i)]);
      const Filter::Code code = filter->FilterCell(cell);
      if (code == Filter::Code::kSeekUsingHint) filter->NextCellHint(cell, &hint);
      if (code != Filter::Code::kInclude) continue;
      filter->TransformCell(&cell, &memory);
      cells.push_back(cell);
    }
    filter->FilterRowCells(&cells);
    filter->FilterRow();
    filter->Reset();
  }
}

void FuzzFilter(const Filter& filter) {
  const Bytes written = EncodeFilter(filter);
  const auto again = DecodeFilter(written);
  BENNU_CHECK(again.ok());
  BENNU_CHECK(EncodeFilter(**again) == written);
  RunOver(filter.Clone().get(), false);
  RunOver(filter.Clone().get(), true);
}

}  // namespace
}  // namespace bennu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bennu::ByteView input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto filter = data[0] == 0 ? bennu::DecodeFilter(input) : bennu::ParseFilter(input);
  if (filter.ok()) bennu::FuzzFilter(**filter);
  return 0;
}
