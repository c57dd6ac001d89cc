#include "src/wal/format_edits.h"

#include <fmt/format.h>

#include "bennu/mutation.h"
#include "src/base/hex.h"
#include "src/cell/flat_key.h"
#include "src/wal/markers.h"

namespace bennu::wal {

namespace {

// Java's UUID.toString.
std::string FormatUuid(const ClusterUuid& id) {
  const uint64_t high = id.most_significant_bits;
  const uint64_t low = id.least_significant_bits;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffff);
}

std::string FormatScopes(const std::vector<FamilyScope>& scopes) {
  std::string out;
  for (const FamilyScope& scope : scopes) {
    out +=
        fmt::format("{}{}:{}", out.empty() ? "" : ",", ToStringBinary(scope.family), scope.scope);
  }
  return out.empty() ? "-" : out;
}

std::string FormatClusterIds(const std::vector<ClusterUuid>& ids) {
  std::string out = "[";
  for (const ClusterUuid& id : ids) out += (out.size() == 1 ? "" : ", ") + FormatUuid(id);
  return out + "]";
}

}  // namespace

std::string FormatEdits(uint64_t number, const WalEntry& entry) {
  const WalKeyFields& key = entry.key;
  std::string out =
      fmt::format("{}\t{}\t{}\t{}\t{},{}\t{}\t{}\t{}\n", number, ToStringBinary(key.encoded_region),
                  ToStringBinary(key.table), key.sequence_id, static_cast<int64_t>(key.nonce_group),
                  static_cast<int64_t>(key.nonce), FormatScopes(key.scopes),
                  FormatClusterIds(key.cluster_ids), entry.cell_count);
  Cell cell;
  for (size_t at = 0; at < entry.cells.size();) {
    at = CellAt(entry.cells, at, &cell);
    out += fmt::format("\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", HexEncode(cell.row()),
                       ToStringBinary(cell.family()), HexEncode(cell.qualifier()), cell.timestamp(),
                       cell::TypeName(cell.type()), HexEncode(cell.tags_view()),
                       HexEncode(cell.value_view()));
    const std::string marker = MarkerText(cell);
    if (!marker.empty()) out += fmt::format("\t# {}\n", marker);
  }
  return out;
}

}  // namespace bennu::wal
