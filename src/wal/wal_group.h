// Groups: entries of several regions that are one unit. They are in the log all or not at all.
//
// The entries of a group stand next to each other, with consecutive sequence ids. Each has an
// attribute in its key, by HBase's field for attributes, so that HBase's tools still read the log:
//
//   name    "bennu.group"
//   value   varint count of entries | varint place of this one, from 0 on
//
// A crash may leave the first entries of a group at the end of a log. They were not acknowledged,
// and whoever applies a log leaves them out (WholeGroups).
#ifndef BENNU_SRC_WAL_WAL_GROUP_H_
#define BENNU_SRC_WAL_WAL_GROUP_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/wal/wal_entry.h"
#include "src/wal/wal_reader.h"

namespace bennu::wal {

inline constexpr std::string_view kGroupAttribute = "bennu.group";

struct GroupPlace {
  uint32_t count = 0;  // of entries
  uint32_t place = 0;  // less than 'count'
};

// The value of the attribute.
Bytes EncodeGroupPlace(const GroupPlace& place);
// Nothing: the entry stands for itself. A value that is none counts as none.
std::optional<GroupPlace> GroupPlaceOf(const WalKeyFields& key);

// Reads a log as WalReader does, but without the entries of groups that are not whole. A group is
// held in memory until its last entry was read. One thread at a time.
class WholeGroups {
 public:
  explicit WholeGroups(WalReader* reader) : reader_(reader) {}  // must outlive this

  // As WalReader::Next. The entry's cells are valid until the next call.
  Result<bool> Next(WalEntry* entry);
  // Entries that were left out so far.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Held {
    WalEntry entry;
    Bytes cells;
  };
  void Hold(const WalEntry& entry);
  void GiveOut(WalEntry* entry);
  Result<bool> ReadRest(const GroupPlace& first, WalEntry* entry, bool* is_whole);

  WalReader* const reader_;
  std::vector<Held> held_;
  size_t given_out_ = 0;  // of held_
  uint64_t left_out_ = 0;
};

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_WAL_GROUP_H_
