#include "src/wal/wal_group.h"

#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu::wal {

Bytes EncodeGroupPlace(const GroupPlace& place) {
  Bytes value;
  AppendVarint(&value, place.count);
  AppendVarint(&value, place.place);
  return value;
}

std::optional<GroupPlace> GroupPlaceOf(const WalKeyFields& key) {
  for (const auto& [name, value] : key.extended_attributes) {
    if (name != kGroupAttribute) continue;
    ByteView in = value;
    GroupPlace place;
    const bool sound = ConsumeVarint32(&in, &place.count) && ConsumeVarint32(&in, &place.place) &&
                       in.empty() && place.place < place.count;
    if (sound) return place;
  }
  return std::nullopt;
}

void WholeGroups::Hold(const WalEntry& entry) { held_.push_back({entry, Bytes(entry.cells)}); }

void WholeGroups::GiveOut(WalEntry* entry) {
  Held& next = held_[given_out_++];
  *entry = std::move(next.entry);
  entry->cells = next.cells;
}

// Holds what follows the first entry of a group. Once an entry follows that is not of the group,
// *entry is that one. False: the log ends.
Result<bool> WholeGroups::ReadRest(const GroupPlace& first, WalEntry* entry, bool* is_whole) {
  const uint64_t first_id = entry->key.sequence_id;
  held_.clear();
  given_out_ = 0;
  Hold(*entry);
  *is_whole = first.count == 1;
  while (!*is_whole) {
    ASSIGN_OR_RETURN(const bool more, reader_->Next(entry));
    const auto place = more ? GroupPlaceOf(entry->key) : std::nullopt;
    const bool follows = place.has_value() && place->count == first.count &&
                         place->place == held_.size() &&
                         entry->key.sequence_id == first_id + place->place;
    if (!follows) {
      left_out_ += held_.size();
      held_.clear();
      return more;
    }
    Hold(*entry);
    *is_whole = held_.size() == first.count;
  }
  return true;
}

Result<bool> WholeGroups::Next(WalEntry* entry) {
  if (given_out_ < held_.size()) {
    GiveOut(entry);
    return true;
  }
  ASSIGN_OR_RETURN(bool more, reader_->Next(entry));
  while (more) {
    const auto place = GroupPlaceOf(entry->key);
    if (!place.has_value()) return true;
    if (place->place > 0) {
      ++left_out_;  // the entries before it are not there
      ASSIGN_OR_RETURN(more, reader_->Next(entry));
      continue;
    }
    bool is_whole = false;
    ASSIGN_OR_RETURN(more, ReadRest(*place, entry, &is_whole));
    if (!is_whole) continue;
    GiveOut(entry);
    return true;
  }
  return false;
}

}  // namespace bennu::wal
