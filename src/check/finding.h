// What a check finds, as values: each finding names the place, what is wrong there, and what a
// repair would do about it. Pure functions.
#ifndef BENNU_SRC_CHECK_FINDING_H_
#define BENNU_SRC_CHECK_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"

namespace bennu::check {

enum class Level {
  kWarning,  // nothing is lost and the store works: leftovers, what a crash leaves
  kFault,    // data is lost or cannot be reached, or the store does not open
};

// What a repair does. Nothing is ever deleted: what is taken out of use is moved below the root's
// corrupt/, under the path that it had.
enum class RepairKind {
  kNone,            // told only
  kMoveAway,        // path is moved to corrupt/
  kSalvage,         // the HFile's sound blocks are written to a new file; it is moved to corrupt/
  kSalvageLog,      // likewise the sound entries of a log
  kCutLog,          // the torn tail of a log is moved to corrupt/
  kWriteReference,  // a reference to the whole of the file that its name tells
  kRestoreFile,     // 'source' is moved back to path
  kWriteVersion,    // hbase.version
  kWriteId,         // hbase.id
  kWriteTable,      // .tabledesc, from what the table's files tell
  kWriteRegion,     // .regioninfo of 'region'
  kAddRegion,       // a row of hbase:meta for 'region', whose directory is made if it is missing
  kDropRegion,      // the row of hbase:meta of 'region' is deleted, its directory moved away
  kPutParents,      // region, which is children now, is noted in hbase:meta as such
  kPutTableState,   // enabled
  kDropTableState,
  kPutNamespace,
  kDropCell,  // of hbase:meta, that version alone
};

struct Repair {
  Repair() = default;
  explicit Repair(RepairKind kind_given) : kind(kind_given) {}
  Repair(RepairKind kind_given, RegionInfo info) : kind(kind_given), region(std::move(info)) {}
  Repair(RepairKind kind_given, const TableName& table) : kind(kind_given) { region.table = table; }

  RepairKind kind = RepairKind::kNone;
  std::string source;  // kRestoreFile: relative to the root
  RegionInfo region;   // of the kinds that name one; its table alone for those of a table
  std::vector<RegionInfo> children;  // kPutParents: two of a split, one of a merge
  std::vector<RegionInfo> parents;   // kPutParents, of a merge
  Bytes family;                      // kSalvage, kDropCell
  Bytes row;                         // kDropCell, and the two that follow
  Bytes qualifier;
  int64_t timestamp = 0;
  bool bounded = false;  // kSalvage: rows that are not the region's are left out
};

struct Finding {
  Level level = Level::kFault;
  std::string path;  // relative to the root; "" is the root itself
  std::optional<uint64_t> offset;
  std::string what;
  Repair repair;
  std::string remedy;  // what the repair does, in words; empty with kNone
};

// "FAULT  PATH:OFFSET  what is wrong  → what --repair would do", without the line's end.
std::string FormatFinding(const Finding& finding);
// One JSON object.
std::string FindingToJson(const Finding& finding);
// A JSON string with its quotes. Bytes that are no UTF-8 stand as U+FFFD.
std::string JsonText(std::string_view text);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_FINDING_H_
