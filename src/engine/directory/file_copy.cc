#include "src/engine/directory/file_copy.h"

#include <algorithm>

#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

Status CopyOpenFile(const RandomAccessFile& source, Env* env, const std::string& to,
                    uint64_t size) {
  constexpr size_t kPieceBytes = 1 << 20;
  ASSIGN_OR_RETURN(const auto target, env->CreateFile(to));
  Bytes piece;
  for (uint64_t offset = 0; offset < size; offset += piece.size()) {
    piece.resize(std::min<uint64_t>(kPieceBytes, size - offset));
    RETURN_IF_ERROR(source.ReadExact(offset, piece.size(), piece.data()));
    RETURN_IF_ERROR(target->Append(piece));
  }
  RETURN_IF_ERROR(target->Sync());
  return target->Close();
}

}  // namespace

Status CopyFile(Env* env, const std::string& from, const std::string& to, uint64_t size) {
  ASSIGN_OR_RETURN(const auto source, env->OpenForRead(from));
  return CopyOpenFile(*source, env, to, size);
}

Status ShareOrCopyFile(Env* env, std::span<const std::string> places, const std::string& to) {
  Status missing;
  for (const std::string& place : places) {
    Status status = env->LinkFile(place, to);
    if (status.code() == StatusCode::kNotSupported) {
      // Open before it can move on to the next place.
      const auto source = env->OpenForRead(place);
      status = source.ok() ? CopyOpenFile(**source, env, to, (*source)->size()) : source.status();
    }
    if (status.code() != StatusCode::kNotFound) return status;
    if (missing.ok()) missing = status;
  }
  return missing;
}

}  // namespace bennu::engine
