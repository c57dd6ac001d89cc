#include "src/engine/region/family_columns.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/status_macros.h"

namespace bennu::engine {

struct FamilyColumns::Joined {
  ColumnRows rows;
  std::vector<std::shared_ptr<const ColumnRows>> parts;
};

namespace {

// Room for so many, so that few columns do not make the list grow step by step.
constexpr size_t kFirstColumns = 8;

// The same column, row 'begin' of which is row 0.
ColumnRows::Column From(const ColumnRows::Column& column, uint32_t begin) {
  ColumnRows::Column shifted = column;
  if (shifted.ends != nullptr) {
    shifted.ends += begin;
  } else {
    shifted.values += size_t{begin} * shifted.stride;
  }
  if (shifted.present != nullptr) shifted.present += begin;
  return shifted;
}

bool HasCell(const ColumnRows& rows, uint32_t row) {
  return std::any_of(rows.columns.begin(), rows.columns.end(),
                     [row](const ColumnRows::Column& column) { return column.Has(row); });
}

// The length of what 'left' and 'right' begin with in common, of 'size' bytes; a whole number of
// eight bytes, or all.
size_t CommonBytes(const char* left, const char* right, size_t size) {
  constexpr size_t kStep = 128;
  size_t same = 0;
  while (same + kStep <= size && std::memcmp(left + same, right + same, kStep) == 0) same += kStep;
  for (; same + sizeof(uint64_t) <= size; same += sizeof(uint64_t)) {
    if (std::memcmp(left + same, right + same, sizeof(uint64_t)) != 0) return same;
  }
  return std::memcmp(left + same, right + same, size - same) == 0 ? size : same;
}

// As CountSame, of few rows: key 'i' of each ends at ends[i + 1].
uint32_t CountSameOfFew(const char* keys, const uint32_t* ends, const char* other_keys,
                        const uint32_t* other_ends, uint32_t count) {
  const uint32_t shift = other_ends[0] - ends[0];
  uint32_t differ = 0;
  for (uint32_t i = 1; i <= count; ++i) differ |= (other_ends[i] - ends[i]) ^ shift;
  for (uint32_t i = 1; differ != 0 && i <= count; ++i) {
    if (other_ends[i] - ends[i] != shift) count = i - 1;
  }
  const size_t size = ends[count] - ends[0];
  const size_t same = CommonBytes(keys + ends[0], other_keys + other_ends[0], size);
  if (same == size) return count;
  const auto end = ends[0] + static_cast<uint32_t>(same);
  return static_cast<uint32_t>(std::upper_bound(ends + 1, ends + count, end) - (ends + 1));
}

// How many of 'count' rows from 'begin' on have the keys of those from 'other_begin' on, all up to
// the first that differs.
uint32_t CountSame(const ColumnRows& rows, uint32_t begin, const ColumnRows& other,
                   uint32_t other_begin, uint32_t count) {
  constexpr uint32_t kFew = 32;
  uint32_t same = 0;
  while (same < count) {
    const uint32_t few = std::min(kFew, count - same);
    const uint32_t found = CountSameOfFew(rows.keys, rows.key_ends + begin + same, other.keys,
                                          other.key_ends + other_begin + same, few);
    same += found;
    if (found < few) break;
  }
  return same;
}

using Columns = std::vector<ColumnRows::Column>;

// Where the column stands among 'columns', which are in order, or would.
size_t PlaceOf(ByteView qualifier, const Columns& columns) {
  const auto found = std::partition_point(
      columns.begin(), columns.end(),
      [&](const ColumnRows::Column& column) { return column.qualifier < qualifier; });
  return static_cast<size_t>(found - columns.begin());
}

bool IsPlaceOf(ByteView qualifier, const Columns& columns, size_t place) {
  return place <= columns.size() && (place == 0 || columns[place - 1].qualifier < qualifier) &&
         (place == columns.size() || columns[place].qualifier >= qualifier);
}

// How many of the first rows all have a cell ('seen'), or all have none.
uint32_t CountAlike(const ColumnRows& rows, bool seen) {
  uint32_t count = 0;
  while (count < rows.row_count && HasCell(rows, count) == seen) ++count;
  return count;
}

}  // namespace

FamilyColumns::FamilyColumns(const std::vector<std::unique_ptr<StoreScanner>>& scanners)
    : families_(scanners.size()) {
  for (size_t i = 0; i < scanners.size(); ++i) families_[i].scanner = scanners[i].get();
}

Status FamilyColumns::SkipTo(ByteView row) {
  for (Family& family : families_) {
    ColumnSlice& slice = family.slice;
    if (slice.rows != nullptr) slice.begin = slice.rows->LowerBound(row, slice.begin, slice.end);
    if (slice.size() == 0 && !family.done) RETURN_IF_ERROR(family.scanner->SeekToRow(row));
  }
  return Status::Ok();
}

Status FamilyColumns::Refill(size_t row_limit) {
  for (Family& family : families_) {
    while (family.slice.size() == 0 && !family.done) {
      RETURN_IF_ERROR(family.scanner->NextSlice(row_limit, &family.slice, &family.done));
    }
  }
  return Status::Ok();
}

FamilyColumns::Family* FamilyColumns::Leader() {
  Family* leader = nullptr;
  for (Family& family : families_) {
    if (family.slice.size() == 0) continue;
    if (leader == nullptr || family.key() < leader->key()) leader = &family;
  }
  return leader;
}

void FamilyColumns::Align(const Family& leader, Family* family, uint32_t* rows) {
  family->runs.clear();
  const ColumnSlice& own = family->slice;
  uint32_t next = own.begin;
  const auto add = [&](uint32_t at, uint32_t count) {
    if (!family->runs.empty() && family->runs.back().at + family->runs.back().count == at) {
      family->runs.back().count += count;
    } else {
      family->runs.push_back({at, next, count});
    }
    next += count;
  };
  for (uint32_t at = 0; at < *rows && own.rows != nullptr; ++at) {
    // Nearly always the same rows.
    const uint32_t same = CountSame(*leader.slice.rows, leader.slice.begin + at, *own.rows, next,
                                    std::min(*rows - at, own.end - next));
    if (same > 0) add(at, same);
    at += same;
    if (at == *rows) return;
    if (next == own.end) {
      if (!family->done) *rows = at;  // what follows is not known yet
      return;
    }
    const int order =
        leader.slice.rows->KeyAt(leader.slice.begin + at).compare(own.rows->KeyAt(next));
    if (order > 0) {
      *rows = at;
      return;
    }
    if (order < 0) continue;
    add(at, 1);
  }
}

void FamilyColumns::AddColumns(Family* family, uint32_t rows, Joined* joined) {
  std::vector<Run>& runs = family->runs;
  while (!runs.empty() && runs.back().at >= rows) runs.pop_back();
  if (runs.empty()) return;
  runs.back().count = std::min(runs.back().count, rows - runs.back().at);
  std::shared_ptr<const ColumnRows> source = family->slice.rows;
  uint32_t begin = runs.front().begin;
  if (runs.front().count < rows) {
    if (!family->merger.has_value()) {
      family->merger.emplace(&family->scanner->family().name, &family->scanner->qualifiers());
    }
    uint32_t at = 0;
    for (const Run& run : runs) {
      if (run.at > at) family->merger->AddGap(run.at - at);
      family->merger->AddRun(source, run.begin, run.begin + run.count);
      at = run.at + run.count;
    }
    if (at < rows) family->merger->AddGap(rows - at);
    source = family->merger->Finish(/*with_keys=*/false);
    begin = 0;
  }
  AddWanted(family, *source, begin, joined);
  joined->parts.push_back(std::move(source));
}

void FamilyColumns::AddWanted(Family* family, const ColumnRows& source, uint32_t begin,
                              Joined* joined) {
  const std::vector<Bytes>& wanted = family->scanner->qualifiers();
  const Columns& columns = source.columns;
  if (wanted.empty()) {
    for (const auto& column : columns) joined->rows.columns.push_back(From(column, begin));
    return;
  }
  family->places.resize(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    // Nearly always where it was in the slice before, or not there again.
    size_t& place = family->places[i];
    if (!IsPlaceOf(wanted[i], columns, place)) place = PlaceOf(wanted[i], columns);
    if (place == columns.size() || columns[place].qualifier != wanted[i]) continue;
    joined->rows.columns.push_back(From(columns[place], begin));
  }
}

void FamilyColumns::Advance(Family* leader, uint32_t rows, std::vector<Family>* families) {
  for (Family& family : *families) {
    if (&family == leader) {
      family.slice.begin += rows;
      continue;
    }
    for (const Run& run : family.runs) {
      if (run.at < rows) family.slice.begin += std::min(run.count, rows - run.at);
    }
  }
}

Status FamilyColumns::Next(size_t row_limit, ColumnSlice* slice, bool* done) {
  *done = false;
  while (true) {
    RETURN_IF_ERROR(Refill(row_limit));
    Family* const leader = Leader();
    if (leader == nullptr) {
      *done = true;
      return Status::Ok();
    }
    uint32_t rows = static_cast<uint32_t>(std::min<size_t>(row_limit, leader->slice.size()));
    for (Family& family : families_) {
      if (&family != leader) Align(*leader, &family, &rows);
    }
    leader->runs.assign(1, {0, leader->slice.begin, rows});
    auto joined = std::make_shared<Joined>();
    joined->rows.row_count = rows;
    joined->rows.keys = leader->slice.rows->keys;
    joined->rows.key_ends = leader->slice.rows->key_ends + leader->slice.begin;
    joined->parts.push_back(leader->slice.rows);
    joined->parts.reserve(families_.size() + 1);
    joined->rows.columns.reserve(kFirstColumns);
    for (Family& family : families_) AddColumns(&family, rows, joined.get());
    const auto& columns = joined->rows.columns;
    const bool all_seen =
        std::any_of(columns.begin(), columns.end(),
                    [rows](const ColumnRows::Column& column) { return column.HasAll(0, rows); });
    if (!all_seen) {
      // Rows that have nothing of what is asked for are not seen.
      const uint32_t unseen = CountAlike(joined->rows, /*seen=*/false);
      if (unseen > 0) {
        Advance(leader, unseen, &families_);
        continue;
      }
      rows = CountAlike(joined->rows, /*seen=*/true);
    }
    Advance(leader, rows, &families_);
    const ColumnRows* const result = &joined->rows;
    slice->rows = std::shared_ptr<const ColumnRows>(std::move(joined), result);
    slice->begin = 0;
    slice->end = rows;
    return Status::Ok();
  }
}

}  // namespace bennu::engine
