#include "src/check/finding.h"

#include <fmt/format.h>

namespace bennu::check {

namespace {

std::string_view LevelName(Level level) { return level == Level::kFault ? "FAULT" : "WARNING"; }

// Length of the well-formed UTF-8 character at the start of 'text', 0 when there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead >= 0x80 && (lead < 0xC2 || lead > 0xF4)) return 0;
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string FormatFinding(const Finding& finding) {
  std::string line =
      fmt::format("{}  {}", LevelName(finding.level), finding.path.empty() ? "." : finding.path);
  if (finding.offset.has_value()) line += fmt::format(":{}", *finding.offset);
  line += "  " + finding.what;
  if (!finding.remedy.empty()) line += "  → " + finding.remedy;
  return line;
}

std::string JsonText(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const auto first = static_cast<uint8_t>(text[0]);
    if (length == 0) {
      out += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first < 0x20) {
      out += fmt::format("\\u{:04x}", first);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

std::string FindingToJson(const Finding& finding) {
  std::string out = fmt::format("{{\"level\":{},\"path\":{}", JsonText(LevelName(finding.level)),
                                JsonText(finding.path));
  if (finding.offset.has_value()) out += fmt::format(",\"offset\":{}", *finding.offset);
  out += ",\"what\":" + JsonText(finding.what);
  if (!finding.remedy.empty()) out += ",\"repair\":" + JsonText(finding.remedy);
  return out + "}";
}

}  // namespace bennu::check
