#include "src/base/site_file.h"

#include <expat.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "src/base/env.h"
#include "src/base/status_macros.h"

namespace bennu {

namespace {

// A file of settings is small; a larger one is something else.
constexpr size_t kFileBytesMax = 16u << 20;
// As in Hadoop: values that name each other in a circle end somewhere.
constexpr int kExpansionsMax = 20;

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
}

// What expat calls back with.
class Reader {
 public:
  Reader(std::string_view path, XML_Parser parser) : path_(path), parser_(parser) {
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, &Reader::OnBegin, &Reader::OnEnd);
    XML_SetCharacterDataHandler(parser, &Reader::OnText);
  }

  Status Parse(std::string_view text) {
    const XML_Status done =
        XML_Parse(parser_, text.data(), static_cast<int>(text.size()), /*isFinal=*/1);
    if (!error_.ok()) return error_;
    if (done == XML_STATUS_OK) return Status::Ok();
    return InvalidArgument(
        fmt::format("{}:{}: {}", path_, Line(), XML_ErrorString(XML_GetErrorCode(parser_))));
  }
  SiteProperties TakeProperties() { return std::move(properties_); }

 private:
  static void OnBegin(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Reader*>(self)->Begin(name, attributes);
  }
  static void OnEnd(void* self, const XML_Char* /*name*/) { static_cast<Reader*>(self)->End(); }
  static void OnText(void* self, const XML_Char* text, int size) {
    static_cast<Reader*>(self)->text_.append(text, static_cast<size_t>(size));
  }

  unsigned Line() const { return static_cast<unsigned>(XML_GetCurrentLineNumber(parser_)); }

  void Refuse(const std::string& message) {
    if (error_.ok()) error_ = InvalidArgument(fmt::format("{}:{}: {}", path_, Line(), message));
    XML_StopParser(parser_, /*resumable=*/XML_FALSE);
  }

  void Begin(std::string_view name, const XML_Char** attributes) {
    text_.clear();
    open_.emplace_back(name);
    const size_t depth = open_.size();
    if (depth == 1 && name != "configuration") {
      return Refuse(fmt::format("the file begins with <{}>, not with <configuration>", name));
    }
    if (name == "xi:include" || name == "include") {
      return Refuse("includes are not followed; put the properties into this file");
    }
    if (depth != 2) return;
    if (name != "property") {
      return Refuse(fmt::format("<{}> is none of the elements of <configuration>", name));
    }
    name_.reset();
    value_.reset();
    final_ = false;
    line_ = Line();
    for (const XML_Char** pair = attributes; *pair != nullptr; pair += 2) Set(pair[0], pair[1]);
  }

  void Set(std::string_view what, std::string_view text) {
    if (what == "name") name_ = Trimmed(text);
    if (what == "value") value_ = Trimmed(text);
    if (what == "final") final_ = Trimmed(text) == "true";
  }

  void End() {
    if (open_.size() == 3 && open_[1] == "property") Set(open_[2], text_);
    const bool property = open_.size() == 2;
    open_.pop_back();
    if (property) AddProperty();
  }

  void AddProperty() {
    if (!name_.has_value() || name_->empty()) return Refuse("a property without a name");
    if (!value_.has_value()) {
      return Refuse(fmt::format("the property {} has no value", *name_));
    }
    if (finals_.contains(*name_)) return;
    if (final_) finals_.insert(*name_);
    properties_[*name_] = {*value_, line_};
  }

  const std::string_view path_;
  XML_ParserStruct* const parser_;
  Status error_;
  std::vector<std::string> open_;  // elements, the outermost first
  std::string text_;               // of the innermost
  std::optional<std::string> name_, value_;
  bool final_ = false;
  unsigned line_ = 0;
  std::set<std::string> finals_;
  SiteProperties properties_;
};

std::optional<std::string> Lookup(const SiteProperties& properties, std::string_view name) {
  constexpr std::string_view kEnvironment = "env.";
  if (name.starts_with(kEnvironment)) {
    name.remove_prefix(kEnvironment.size());
    const size_t missing = name.find(":-");
    const char* const value = std::getenv(std::string(name.substr(0, missing)).c_str());
    if (value != nullptr && *value != '\0') return value;
    if (missing == std::string_view::npos) return std::nullopt;
    return std::string(name.substr(missing + 2));
  }
  const auto found = properties.find(std::string(name));
  if (found == properties.end()) return std::nullopt;
  return found->second.value;
}

// 'text' with what its ${…} stand for.
std::string Expand(const SiteProperties& properties, std::string text) {
  size_t from = 0;
  for (int i = 0; i < kExpansionsMax; ++i) {
    const size_t begin = text.find("${", from);
    if (begin == std::string::npos) break;
    const size_t end = text.find('}', begin);
    if (end == std::string::npos) break;
    const auto value =
        Lookup(properties, std::string_view(text).substr(begin + 2, end - begin - 2));
    if (!value.has_value()) {
      from = end;
      continue;
    }
    text.replace(begin, end - begin + 1, *value);
    from = begin;
  }
  return text;
}

}  // namespace

Result<SiteProperties> ParseSiteFile(std::string_view path, std::string_view text) {
  if (text.size() > kFileBytesMax) {
    return InvalidArgument(fmt::format("{}: {} bytes are no file of properties (at most {})", path,
                                       text.size(), kFileBytesMax));
  }
  const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr),
                                                                       &XML_ParserFree);
  if (parser == nullptr) return ResourceExhausted("no memory for reading a file of properties");
  Reader reader(path, parser.get());
  RETURN_IF_ERROR(reader.Parse(text));
  const SiteProperties properties = reader.TakeProperties();
  SiteProperties expanded;
  for (const auto& [name, property] : properties) {
    expanded[name] = {Expand(properties, property.value), property.line};
  }
  return expanded;
}

Result<SiteProperties> ReadSiteFile(const std::string& path) {
  ASSIGN_OR_RETURN(const Bytes text, Env::Default()->ReadFile(path));
  return ParseSiteFile(path, text);
}

}  // namespace bennu
