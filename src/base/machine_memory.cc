#include "src/base/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace bennu {

namespace {

constexpr uint64_t kUnknown = 1ull << 30;

// Nothing for "max", for a missing file, and for what is no number.
std::optional<uint64_t> ReadNumber(Env* env, const std::string& path) {
  const Result<Bytes> text = env->ReadFile(path);
  if (!text.ok()) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end == text->data()) return std::nullopt;
  return value;
}

// The path behind "0::" or "N:memory:" in the list of the process's groups; "/" when it says
// nothing.
std::string GroupPath(const Bytes& groups, bool version_2) {
  size_t begin = 0;
  while (begin < groups.size()) {
    const size_t end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool fits = version_2 ? controllers.empty()
                                : ("," + controllers + ",").find(",memory,") != std::string::npos;
    if (fits) return line.substr(second + 1);
  }
  return "/";
}

// The smallest limit of the group and those around it.
void Bound(Env* env, const std::string& mount, std::string group, const std::string& file,
           uint64_t* bytes) {
  while (true) {
    const std::string directory = group == "/" ? mount : mount + group;
    if (const auto limit = ReadNumber(env, JoinPath(directory, file)); limit && *limit > 0) {
      *bytes = std::min(*bytes, *limit);
    }
    const size_t slash = group.rfind('/');
    if (group == "/" || slash == std::string::npos) return;
    group = slash == 0 ? "/" : group.substr(0, slash);
  }
}

}  // namespace

uint64_t UsableMemoryBytes(Env* env) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_size = ::sysconf(_SC_PAGESIZE);
  uint64_t bytes = pages > 0 && page_size > 0
                       ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_size)
                       : kUnknown;
  const Result<Bytes> read = env->ReadFile("/proc/self/cgroup");
  const Bytes groups = read.ok() ? *read : Bytes();
  Bound(env, "/sys/fs/cgroup", GroupPath(groups, true), "memory.max", &bytes);
  Bound(env, "/sys/fs/cgroup/memory", GroupPath(groups, false), "memory.limit_in_bytes", &bytes);
  return bytes;
}

uint64_t ResidentMemoryBytes(Env* env) {
  // Pages: all of the program's, those in memory, and others.
  const Result<Bytes> read = env->ReadFile("/proc/self/statm");
  if (!read.ok()) return 0;
  const size_t space = read->find(' ');
  if (space == Bytes::npos) return 0;
  uint64_t pages = 0;
  std::from_chars(read->data() + space + 1, read->data() + read->size(), pages);
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace bennu
