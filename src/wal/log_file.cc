#include "src/wal/log_file.h"

#include <charconv>

#include "src/base/status_macros.h"
#include "src/wal/wal_format.h"

namespace bennu::wal {

std::optional<int64_t> LogCreationTime(std::string_view name) {
  for (const std::string_view suffix : {".meta", ".syncrep"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const char* const end = name.data() + name.size();
  int64_t time = 0;
  const auto [last, error] = std::from_chars(name.data() + dot + 1, end, time);
  if (error != std::errc() || last != end || time < 0) return std::nullopt;
  return time;
}

Result<bool> IsLogFile(Env* env, const std::string& path) {
  if (LogCreationTime(std::string_view(path).substr(path.rfind('/') + 1)).has_value()) return true;
  ASSIGN_OR_RETURN(const PathShape shape, env->Shape(path));
  if (shape.kind != PathShape::Kind::kFile) return false;
  ASSIGN_OR_RETURN(const auto file, env->OpenForRead(path));
  if (file->size() < kMagic.size()) return false;
  Bytes begin(kMagic.size(), '\0');
  RETURN_IF_ERROR(file->ReadExact(0, begin.size(), begin.data()));
  return begin == kMagic;
}

}  // namespace bennu::wal
