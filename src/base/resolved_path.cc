#include "src/base/resolved_path.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace bennu {

Result<std::string> ResolvePath(const std::string& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!error) absolute = std::filesystem::weakly_canonical(absolute, error);
  if (error) return IoError(path + ": " + error.message());
  // "a/b/" is "a/b".
  return absolute.has_filename() ? absolute.string() : absolute.parent_path().string();
}

bool LiesIn(const std::string& directory, const std::string& path) {
  const std::filesystem::path whole(directory);
  const std::filesystem::path inner(path);
  return std::mismatch(whole.begin(), whole.end(), inner.begin(), inner.end()).first == whole.end();
}

}  // namespace bennu
