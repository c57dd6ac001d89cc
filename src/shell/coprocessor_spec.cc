#include "src/shell/coprocessor_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace bennu::shell {

namespace {

constexpr std::string_view kPrefix = "coprocessor$";
constexpr int32_t kUserPriority = 0x3fffffff;  // Coprocessor.PRIORITY_USER

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// At most four parts; the last one may have more bars.
std::vector<std::string_view> Parts(std::string_view spec) {
  std::vector<std::string_view> parts;
  while (parts.size() < 3 && spec.find('|') != std::string_view::npos) {
    parts.push_back(Trimmed(spec.substr(0, spec.find('|'))));
    spec.remove_prefix(spec.find('|') + 1);
  }
  parts.push_back(Trimmed(spec));
  return parts;
}

bool IsOf(const std::pair<const std::string, std::string>& attribute, std::string_view class_name) {
  if (!attribute.first.starts_with(kPrefix)) return false;
  const auto parts = Parts(attribute.second);
  return parts.size() > 1 && parts[1] == class_name;
}

}  // namespace

Status AddCoprocessor(std::string_view spec, std::map<std::string, std::string>* attributes) {
  const std::vector<std::string_view> parts = Parts(spec);
  int32_t priority = kUserPriority;
  bool good = parts.size() >= 2 && !parts[1].empty();
  if (good && parts.size() > 2 && !parts[2].empty()) {
    const char* const end = parts[2].data() + parts[2].size();
    const auto read = std::from_chars(parts[2].data(), end, priority);
    good = read.ec == std::errc() && read.ptr == end && priority >= 0;
  }
  if (!good) {
    return InvalidArgument(
        fmt::format("coprocessor: '{}' is not path|class|priority|arguments, like "
                    "'|org.apache.hadoop.hbase.coprocessor.AggregateImplementation||'",
                    spec));
  }
  int64_t last = 0;
  for (const auto& attribute : *attributes) {
    if (IsOf(attribute, parts[1])) {
      return AlreadyExists(fmt::format("Coprocessor {} already exists.", parts[1]));
    }
    if (!attribute.first.starts_with(kPrefix)) continue;
    int64_t number = 0;
    const std::string_view digits = std::string_view(attribute.first).substr(kPrefix.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    last = std::max(last, number);
  }
  const std::string_view arguments = parts.size() > 3 ? parts[3] : std::string_view();
  (*attributes)[fmt::format("{}{}", kPrefix, last + 1)] =
      fmt::format("{}|{}|{}|{}", parts[0], parts[1], priority, arguments);
  return Status::Ok();
}

Status RemoveCoprocessor(std::string_view class_name,
                         std::map<std::string, std::string>* attributes) {
  const size_t removed = std::erase_if(
      *attributes, [&](const auto& attribute) { return IsOf(attribute, class_name); });
  if (removed > 0) return Status::Ok();
  return NotFound(fmt::format("Coprocessor {} is not one of the table's", class_name));
}

}  // namespace bennu::shell
