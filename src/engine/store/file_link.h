// A link: an empty file in a store that stands for a file of another table or region, or of this
// one at an earlier time. Clones and restores of snapshots are made of links; HBase also makes them
// when a region is split beside a file's end (hbase-hfile spec section 11).
//
//   <root>/data/<ns>/<table>/<region>/<family>/[<ns'>=]<table'>=<region'>-<file>      the link
//   <root>/archive/data/<ns'>/<table'>/<region'>/<family>/.links-<file>/
//                                                <region>.[<ns>=]<table>     its back reference
//
// The back reference, empty too, keeps the file in the archive: it is written before the link and
// is removed, by the cleaner of the archive, when the link is gone. Pure functions.
// Source: HBase's HFileLink.
#ifndef BENNU_SRC_ENGINE_STORE_FILE_LINK_H_
#define BENNU_SRC_ENGINE_STORE_FILE_LINK_H_

#include <array>
#include <optional>
#include <string>

#include "bennu/descriptor.h"

namespace bennu::engine {

struct FileLink {
  TableName table;
  std::string region;  // encoded
  std::string file;

  friend bool operator==(const FileLink&, const FileLink&) = default;
};

// Nothing when the name is not a link's.
std::optional<FileLink> ParseLinkName(const std::string& name);
std::string MakeLinkName(const FileLink& link);

// Where the linked file may be, in the order in which HBase looks: the table, the table while it
// is made, the archive. Files move in this order only, so one that exists is found.
std::array<std::string, 3> LinkedPlaces(const std::string& root, const FileLink& link,
                                        const std::string& family);

// The directory of a file's back references, below the store's directory in the archive.
inline constexpr std::string_view kBackReferencesPrefix = ".links-";

struct BackReference {
  TableName table;
  std::string region;  // encoded; the link is in its store of the same family
};

std::string MakeBackReferenceName(const BackReference& back_reference);
std::optional<BackReference> ParseBackReferenceName(const std::string& name);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_FILE_LINK_H_
