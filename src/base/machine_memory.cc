#include "src/base/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <array>
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

struct Resident {
  uint64_t all = 0;
  uint64_t of_files = 0;
};

Resident ReadResident(Env* env) {
  const Result<Bytes> read = env->ReadFile("/proc/self/statm");
  if (!read.ok()) return {};
  // Pages: all of the program's, those in memory, those of them that are files', and others.
  std::array<uint64_t, 3> pages{};
  const char* at = read->data();
  const char* const end = at + read->size();
  for (uint64_t& count : pages) {
    while (at < end && *at == ' ') ++at;
    at = std::from_chars(at, end, count).ptr;
  }
  const auto page_size = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return {pages[1] * page_size, pages[2] * page_size};
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

uint64_t ResidentMemoryBytes(Env* env) { return ReadResident(env).all; }

uint64_t ResidentAnonymousBytes(Env* env) {
  const Resident resident = ReadResident(env);
  return resident.all - std::min(resident.of_files, resident.all);
}

}  // namespace bennu
