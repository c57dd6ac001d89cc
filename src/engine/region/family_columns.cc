#include "src/engine/region/family_columns.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace bennu::engine {

struct FamilyColumns::Joined {
  ColumnRows rows;
  std::vector<std::shared_ptr<const ColumnRows>> parts;
};

namespace {

constexpr uint32_t kRowsAtOnce = 16;

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

bool IsWanted(const std::vector<Bytes>& qualifiers, ByteView qualifier) {
  return qualifiers.empty() ||
         std::binary_search(qualifiers.begin(), qualifiers.end(), qualifier, std::less<>());
}

bool HasCell(const ColumnRows& rows, uint32_t row) {
  return std::any_of(rows.columns.begin(), rows.columns.end(),
                     [row](const ColumnRows::Column& column) { return column.Has(row); });
}

// Whether 'count' rows from 'begin' on have the keys of those from 'other_begin' on.
bool SameKeys(const ColumnRows& rows, uint32_t begin, const ColumnRows& other, uint32_t other_begin,
              uint32_t count) {
  const uint32_t* const ends = rows.key_ends + begin;
  const uint32_t* const other_ends = other.key_ends + other_begin;
  bool same = true;
  for (uint32_t i = 1; i <= count; ++i) same &= ends[i] - ends[0] == other_ends[i] - other_ends[0];
  return same &&
         std::memcmp(rows.keys + ends[0], other.keys + other_ends[0], ends[count] - ends[0]) == 0;
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
    // Nearly always the same rows, which many at a time tell sooner.
    while (*rows - at >= kRowsAtOnce && own.end - next >= kRowsAtOnce &&
           SameKeys(*leader.slice.rows, leader.slice.begin + at, *own.rows, next, kRowsAtOnce)) {
      add(at, kRowsAtOnce);
      at += kRowsAtOnce;
    }
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
  for (const ColumnRows::Column& column : source->columns) {
    if (!IsWanted(family->scanner->qualifiers(), column.qualifier)) continue;
    joined->rows.columns.push_back(From(column, begin));
  }
  joined->parts.push_back(std::move(source));
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
