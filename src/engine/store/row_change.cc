#include "src/engine/store/row_change.h"

#include <algorithm>
#include <limits>

#include "src/base/status_macros.h"
#include "src/engine/store/row_reader.h"

namespace bennu::engine {

namespace {

// Which cells a Get asks for. Those of one family come together.
class Asked {
 public:
  explicit Asked(const Get& get) : columns_(get.columns), family_(columns_.end()) {}

  bool Has(const Cell& cell) {
    if (columns_.empty()) return true;
    if (family_ == columns_.end() || family_->first != cell.family()) {
      family_ = columns_.find(Bytes(cell.family()));
      if (family_ == columns_.end()) return false;
    }
    return family_->second.empty() || family_->second.contains(Bytes(cell.qualifier()));
  }

 private:
  const std::map<Bytes, std::set<Bytes>>& columns_;
  std::map<Bytes, std::set<Bytes>>::const_iterator family_;
};

bool IsMarker(const WrittenCell& written) { return written.cell.type() != CellType::kPut; }

int CompareColumns(const Cell& left, const Cell& right) {
  const int families = left.family().compare(right.family());
  return families != 0 ? families : left.qualifier().compare(right.qualifier());
}

// Each is of another column than the one before, and sorts behind it.
bool IsAscending(std::span<const Cell> cells) {
  for (size_t i = 1; i < cells.size(); ++i) {
    if (CompareColumns(cells[i - 1], cells[i]) >= 0) return false;
  }
  return true;
}

// Whether one of the markers hides the cell, which is no later than they are.
bool IsHidden(const Cell& cell, std::span<const WrittenCell> cells) {
  return std::any_of(cells.begin(), cells.end(), [&](const WrittenCell& other) {
    if (other.cell.type() == CellType::kDeleteFamily) return other.cell.family() == cell.family();
    return other.cell.type() == CellType::kDeleteColumn && CompareColumns(other.cell, cell) == 0;
  });
}

}  // namespace

std::vector<std::shared_ptr<MemStore>> MakeOverlays(std::span<const WrittenCell> cells,
                                                    size_t store_count) {
  std::vector<std::shared_ptr<MemStore>> overlays(store_count);
  std::vector<MemStore::InsertHint> hints(store_count);
  // The first insert of a key wins, so back to front.
  for (auto written = cells.rbegin(); written != cells.rend(); ++written) {
    std::shared_ptr<MemStore>& overlay = overlays[written->store];
    if (overlay == nullptr) overlay = std::make_shared<MemStore>();
    overlay->Add(written->cell, kOverlaySequenceId, &hints[written->store]);
  }
  return overlays;
}

Status ReadNewestRow(std::span<const std::shared_ptr<Store>> stores, const Get& get,
                     int64_t now_millis, std::span<const std::shared_ptr<MemStore>> overlays,
                     std::vector<Cell>* cells, std::vector<std::shared_ptr<const void>>* pins) {
  RowReader::Lease reader;
  reader->Ask(get);
  for (size_t i = 0; i < stores.size(); ++i) {
    if (!get.columns.empty() && !get.columns.contains(stores[i]->name())) continue;
    RETURN_IF_ERROR(reader->Read(*stores[i], std::numeric_limits<uint64_t>::max(), now_millis,
                                 overlays.empty() ? nullptr : overlays[i]));
  }
  cells->insert(cells->end(), reader->cells().begin(), reader->cells().end());
  reader->MovePins(pins);
  return Status::Ok();
}

bool MayAddNewest(std::span<const WrittenCell> cells, std::span<const FamilyRules* const> families,
                  int64_t now_millis) {
  const int64_t timestamp = cells.front().cell.timestamp();
  return std::all_of(cells.begin(), cells.end(), [&](const WrittenCell& written) {
    const Cell& cell = written.cell;
    const FamilyRules& family = *families[written.store];
    if (cell.timestamp() != timestamp || cell.tags_length > 0) return false;
    if (family.new_version_behavior) return false;
    switch (cell.type()) {
      // One that is old may have expired by now.
      case CellType::kPut: return family.ttl_seconds == kTtlForever || timestamp >= now_millis;
      case CellType::kDeleteColumn:
      case CellType::kDeleteFamily: return true;
      default: return false;
    }
  });
}

void AddNewest(std::span<const Cell> before, std::span<const WrittenCell> cells, const Get& get,
               std::vector<Cell>* after) {
  Asked asked(get);
  const bool hides = std::ranges::any_of(cells, IsMarker);
  std::vector<Cell> puts;
  puts.reserve(cells.size());
  for (const WrittenCell& written : cells) {
    const Cell& cell = written.cell;
    if (IsMarker(written) || !asked.Has(cell) || (hides && IsHidden(cell, cells))) continue;
    puts.push_back(cell);
  }
  if (!IsAscending(puts)) {
    // The later of several puts of a column counts, so it comes first.
    std::reverse(puts.begin(), puts.end());
    std::stable_sort(puts.begin(), puts.end(), [](const Cell& left, const Cell& right) {
      return CompareColumns(left, right) < 0;
    });
  }
  after->reserve(before.size() + puts.size());
  size_t next = 0;
  const auto add_puts_before = [&](const Cell* end) {
    for (; next < puts.size(); ++next) {
      const Cell& put = puts[next];
      if (end != nullptr && CompareColumns(put, *end) >= 0) return;
      if (next == 0 || CompareColumns(puts[next - 1], put) != 0) {
        after->push_back(put);
      }
    }
  };
  for (const Cell& cell : before) {
    add_puts_before(&cell);
    const bool is_replaced = next < puts.size() && CompareColumns(puts[next], cell) == 0;
    if (!is_replaced && !(hides && IsHidden(cell, cells))) after->push_back(cell);
  }
  add_puts_before(nullptr);
}

}  // namespace bennu::engine
