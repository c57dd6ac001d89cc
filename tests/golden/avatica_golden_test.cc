// Recorded dialogues with Phoenix's query server, played in their order against ours over a new
// store in memory: our answers are compared with the recorded ones, member by member. The
// recordings are made by tests/peers/thin/record_dialogues.py, which says how they are laid out.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "src/bennu/opened_store.h"
#include "src/server/phoenix/avatica_service.h"
#include "tests/golden/avatica_left_out.h"
#include "tests/golden/avatica_messages.h"
#include "tests/golden/golden_tsv.h"

namespace bennu::golden {
namespace {

using nlohmann::json;

constexpr char kAddress[] = "server:8765";  // what recordings call the server

// The recordings of one form; those of this folder when $BENNU_GOLDEN has none.
std::vector<std::filesystem::path> ListDialogues(const std::string& form) {
  const std::filesystem::path relative = std::filesystem::path("avatica") / form;
  std::filesystem::path directory = Directory() / relative;
  if (!std::filesystem::is_directory(directory)) {
    directory = std::filesystem::path(BENNU_GOLDEN_SOURCE_DIR) / relative;
  }
  return ListFiles(directory, ".json");
}

constexpr char kDigitsBegin[] = "\"number ";

// Numbers with a point or an exponent become texts, so that every digit of a DECIMAL is compared.
std::string WithDigitsAsText(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
      i = std::min(i + 1, text.size());
      out += text.substr(begin, i - begin);
      continue;
    }
    while (i < text.size() &&
           std::string_view("+-.0123456789eE").find(text[i]) != std::string::npos)
      ++i;
    const std::string number = text.substr(begin, i - begin);
    if (number.empty()) {
      out += text[i++];
    } else if (number[0] != 'e' && number.find_first_of(".eE") != std::string::npos) {
      out += kDigitsBegin + number + '"';
    } else {
      out += number;
    }
  }
  return out;
}

// The reverse of WithDigitsAsText.
std::string WithTextAsDigits(std::string text) {
  for (size_t begin = 0; (begin = text.find(kDigitsBegin, begin)) != std::string::npos;) {
    text.erase(begin, std::size(kDigitsBegin) - 1);
    text.erase(text.find('"', begin), 1);
  }
  return text;
}

class AvaticaReplay : public testing::Test {
 protected:
  bool protobuf() const { return form_ == "protobuf"; }

  // ---- numbers of statements: ours for recorded ones

  static bool IsStatement(const std::string& path) {
    return path.ends_with(".statementId") || path.ends_with(".statement.id") ||
           path.ends_with(".statementHandle.id");
  }
  void TranslateStatements(const std::string& path, json* value) const {
    if (value->is_object()) {
      for (auto& [name, part] : value->items()) TranslateStatements(path + "." + name, &part);
    } else if (value->is_number() && IsStatement(path)) {
      const auto known = statements_.find(value->get<uint64_t>());
      if (known != statements_.end()) *value = known->second;
    }
  }
  // A number that is told for the first time is taken as the name of the same statement.
  bool IsSameStatement(const json& recorded, const json& ours) {
    if (!recorded.is_number() || !ours.is_number()) return false;
    const auto [at, is_new] = statements_.try_emplace(recorded.get<uint64_t>(), ours);
    return at->second == ours && (!is_new || our_statements_.insert(ours.get<uint64_t>()).second);
  }

  // ---- comparing

  bool IsUncompared(const std::string& path, const json& recorded) {
    for (const UncomparedMember& member : kUncomparedMembers) {
      if (!path.ends_with(member.path)) continue;
      if (member.recorded != nullptr && recorded.dump() != member.recorded) continue;
      seen_.insert(&member);
      return true;
    }
    return false;
  }
  bool IsUncompared(const std::string& about) {
    for (const UncomparedAnswer& answer : kUncomparedAnswers) {
      if (about != answer.about) continue;
      seen_.insert(&answer);
      return true;
    }
    return false;
  }

  // Properties of the database, which Java lists in the order of a hash map.
  static json ByName(const json& properties) {
    json named = json::object();
    for (const json& property : properties) {
      named[property.at("key").at("name").get<std::string>()] = property;
    }
    EXPECT_EQ(named.size(), properties.size());
    return named;
  }

  // "Undefined column. …" of "RuntimeException: java.sql.SQLException: ERROR 504 (42703): Undefined
  // column. … -> SQLException: …", with its code: which classes of Java's wrapped it is left out.
  static std::string ErrorText(const std::string& message) {
    const size_t coded = message.find("ERROR ");
    if (coded != std::string::npos) {
      return message.substr(coded, message.find(" ->", coded) - coded);
    }
    const size_t inner = message.rfind("-> ");
    const size_t name_end = message.find(": ", inner == std::string::npos ? 0 : inner);
    return name_end == std::string::npos ? message : message.substr(name_end + 2);
  }

  static json Member(const json& object, const std::string& name) {
    const auto found = object.find(name);
    return found == object.end() ? json() : *found;
  }

  void Compare(const std::string& path, json recorded, json ours) {
    if (path == ".props" && recorded.is_array() && ours.is_array()) {
      recorded = ByName(recorded);
      ours = ByName(ours);
    }
    if (path == ".errorMessage" && recorded.is_string() && ours.is_string()) {
      recorded = ErrorText(recorded);
      ours = ErrorText(ours);
    }
    if (recorded == ours && !IsStatement(path)) return;
    if (IsStatement(path) && IsSameStatement(recorded, ours)) return;
    if (recorded.is_object() && ours.is_object()) {
      std::set<std::string> names;
      for (const auto& [name, part] : recorded.items()) names.insert(name);
      for (const auto& [name, part] : ours.items()) names.insert(name);
      for (const std::string& name : names) {
        Compare(path + "." + name, Member(recorded, name), Member(ours, name));
      }
    } else if (recorded.is_array() && ours.is_array() && recorded.size() == ours.size()) {
      for (size_t i = 0; i < recorded.size(); ++i) {
        SCOPED_TRACE("element " + std::to_string(i));
        Compare(path, recorded[i], ours[i]);
      }
    } else if (!IsUncompared(path, recorded)) {
      EXPECT_EQ(recorded.dump(), ours.dump()) << "at " << path;
    }
  }

  // ---- playing

  void Play(const json& call) {
    const std::string about = call.value("about", "");
    json request = call.at("send");
    TranslateStatements("", &request);
    const server::phoenix::Answer answer = service_->Handle(
        protobuf() ? messages_.ToBody(call.at("request").get<std::string>(), request)
                   : WithTextAsDigits(request.dump()),
        "");
    std::string name;
    const json ours = protobuf() ? messages_.FromBody(answer.body, &name)
                                 : json::parse(WithDigitsAsText(answer.body));
    if (IsUncompared(about)) return;
    SCOPED_TRACE(about);
    EXPECT_EQ(call.at("status").get<unsigned>(), answer.http_status);
    if (protobuf()) {
      EXPECT_EQ(call.at("response").get<std::string>(), name);
    }
    Compare("", call.at("receive"), ours);
  }

  void PlayDialogue(const std::filesystem::path& path) {
    DatabaseOptions options;
    options.memory_bytes = 128u << 20;
    const auto store = front::OpenedStore::Open(std::string(engine::kMemoryStore), options).value();
    service_ = std::make_unique<server::phoenix::AvaticaService>(
        store->sql_host(), kAddress, server::phoenix::ConnectionBounds{});
    statements_.clear();
    our_statements_.clear();
    const std::string text = ReadWhole(path);
    const json calls = json::parse(protobuf() ? text : WithDigitsAsText(text));
    for (size_t i = 0; i < calls.size(); ++i) {
      SCOPED_TRACE("call " + std::to_string(i + 1) + ": " + calls[i]["send"].dump().substr(0, 200));
      Play(calls[i]);
    }
    service_.reset();
  }

  const AvaticaMessages messages_;
  std::unique_ptr<server::phoenix::AvaticaService> service_;
  std::map<uint64_t, json> statements_;  // ours by recorded ones
  std::set<uint64_t> our_statements_;
  std::set<const void*> seen_;  // entries of what is not compared
  std::string form_;
};

TEST_F(AvaticaReplay, AnswersAsTheRealServerDid) {
  for (const char* form : {"protobuf", "json"}) {
    form_ = form;
    for (const std::filesystem::path& path : ListDialogues(form)) {
      SCOPED_TRACE(path);
      PlayDialogue(path);
    }
  }
  for (const UncomparedAnswer& answer : kUncomparedAnswers) {
    EXPECT_TRUE(seen_.contains(&answer)) << answer.about << " is left out for nothing";
  }
  for (const UncomparedMember& member : kUncomparedMembers) {
    EXPECT_TRUE(seen_.contains(&member))
        << member.path << " " << (member.recorded == nullptr ? "" : member.recorded)
        << " is left out for nothing";
  }
}

}  // namespace
}  // namespace bennu::golden
