// A reference: a small file in a store that stands for a half (or all) of a file of the region that
// the store's region came from by a split or a merge (hbase-hfile spec section 11).
//
// Its name is "<file>.<encoded name of the parent region>", where the file may be a link's name (a
// region of a clone that was split), its content "PBUF" and a message with
// the border, as the first key on the row, and the half. It disappears with the next compaction of
// its store. Pure functions but for the two that read and write.
// Source: HBase's Reference and StoreFileInfo.
#ifndef BENNU_SRC_ENGINE_STORE_FILE_REFERENCE_H_
#define BENNU_SRC_ENGINE_STORE_FILE_REFERENCE_H_

#include <optional>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "proto/hbase.pb.h"
#include "src/base/env.h"

namespace bennu::engine {

struct FileReference {
  enum class Half { kTop, kBottom };  // rows from the border on, or rows before it
  Bytes border;                       // a row; may be empty (a merge's first parent)
  Half half = Half::kTop;
};

struct ReferenceName {
  std::string file;    // in the parent's store of the same family; may be a link
  std::string parent;  // its encoded region name
};

// Nothing when the name is not a reference's.
std::optional<ReferenceName> ParseReferenceName(const std::string& name);
std::string MakeReferenceName(const std::string& file, const std::string& parent);

void ReferenceToPb(const FileReference& reference, pb::Reference* message);
Result<FileReference> ReferenceFromPb(const pb::Reference& message);
Bytes EncodeReference(const FileReference& reference);
// Corruption: not such a message.
Result<FileReference> DecodeReference(ByteView bytes);

Result<FileReference> ReadReference(Env* env, const std::string& path);
// Creates the file and syncs it; its directory is left to the caller.
Status WriteReference(Env* env, const std::string& path, const FileReference& reference);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_FILE_REFERENCE_H_
