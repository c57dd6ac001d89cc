#include "tests/client/dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

constexpr std::string_view kFirstLine = "bennu dialogue 1";
constexpr std::string_view kExplanation =
    "# A dialogue of Bennu's client with a real HBase, recorded by tests/peers/dialogues.sh.\n"
    "# call SERVER SERVICE METHOD; then lines with the bytes of: > the parameter, + cells behind "
    "it,\n"
    "# * more of the request's header, < the answer's header behind the call id, = what follows "
    "it.\n"
    "# Lines of a kind belong together. \\0 to \\9 are the bytes 0 to 9, \\f is FF; other bytes "
    "that are\n"
    "# not printable, and backslashes, are \\xHH.\n";
constexpr size_t kLineMax = 98;
constexpr size_t kEscapeSize = 4;  // \xHH
constexpr size_t kExcerptMax = 200;

std::string Escape(char byte) {
  if (byte >= 0 && byte <= 9) return {'\\', static_cast<char>('0' + byte)};
  if (byte == '\xff') return "\\f";
  return ToStringBinary({&byte, 1});
}

void AppendBytes(char mark, ByteView bytes, std::string* text) {
  const std::string begin = fmt::format("{} ", mark);
  std::string line = begin;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string escaped = Escape(bytes[i]);
    const bool last =
        i + 1 == bytes.size() || line.size() + escaped.size() + kEscapeSize > kLineMax;
    // A blank at the end of a line is easily lost.
    if (last && bytes[i] == ' ') escaped = "\\x20";
    line += escaped;
    if (!last) continue;
    *text += line + "\n";
    line = begin;
  }
}

// Adds the bytes that 'text' stands for.
Status Unescape(std::string_view text, Bytes* bytes) {
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte < 0x20 || byte > 0x7e) return Corruption("a character that is not printable");
    if (byte != '\\') {
      bytes->push_back(text[0]);
      text.remove_prefix(1);
      continue;
    }
    if (text.size() >= 2 && text[1] != 'x') {
      const bool digit = text[1] >= '0' && text[1] <= '9';
      if (!digit && text[1] != 'f') return Corruption("a backslash before something else");
      bytes->push_back(digit ? static_cast<char>(text[1] - '0') : '\xff');
      text.remove_prefix(2);
      continue;
    }
    const auto decoded =
        text.size() < kEscapeSize ? Result<Bytes>(Bytes()) : HexDecode(text.substr(2, 2));
    if (!decoded.ok() || decoded->empty()) return Corruption("a backslash without its digits");
    *bytes += *decoded;
    text.remove_prefix(kEscapeSize);
  }
  return Status::Ok();
}

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

class Reader {
 public:
  Status Take(std::string_view line) {
    if (line.empty() || line[0] == '#') return Status::Ok();
    if (line.size() >= 2 && line[1] == ' ') return TakeBytes(line[0], line.substr(2));
    const std::vector<std::string> words = Words(line);
    if (words[0] == "registry" && words.size() == 2) {
      dialogue_.registry = words[1];
      greeting_ = nullptr;
      return Status::Ok();
    }
    if (words[0] == "greeting" && words.size() == 2) {
      greeting_ = &dialogue_.greetings[words[1]];
      return Status::Ok();
    }
    if (words[0] == "call" && words.size() == 4) {
      greeting_ = nullptr;
      dialogue_.exchanges.emplace_back();
      Question& question = dialogue_.exchanges.back().question;
      question.server = words[1];
      question.service = words[2];
      question.method = words[3];
      return Status::Ok();
    }
    return Corruption(
        "expected 'registry ADDRESS', 'greeting SERVICE', 'call SERVER SERVICE METHOD' or bytes");
  }
  Result<Dialogue> End() {
    if (dialogue_.exchanges.empty()) return Corruption("there is no call");
    for (const Exchange& exchange : dialogue_.exchanges) {
      if (!exchange.body.empty() || !exchange.header.empty()) continue;
      return Corruption(fmt::format("a call of {} has no answer", exchange.question.method));
    }
    return std::move(dialogue_);
  }

 private:
  Status TakeBytes(char mark, std::string_view text) {
    if (greeting_ != nullptr && mark == '>') return Unescape(text, greeting_);
    if (greeting_ != nullptr || dialogue_.exchanges.empty()) {
      return Corruption("these bytes belong to no call");
    }
    Exchange& exchange = dialogue_.exchanges.back();
    switch (mark) {
      case '>': return Unescape(text, &exchange.question.parameter);
      case '+': return Unescape(text, &exchange.question.cells);
      case '*': return Unescape(text, &exchange.question.more);
      case '<': return Unescape(text, &exchange.header);
      case '=': return Unescape(text, &exchange.body);
      default: return Corruption("expected one of > + * < = in front of bytes");
    }
  }

  Dialogue dialogue_;
  Bytes* greeting_ = nullptr;  // that is being read
};

}  // namespace

std::string DialogueToText(const Dialogue& dialogue) {
  std::string text =
      fmt::format("{}\n{}registry {}\n", kFirstLine, kExplanation, dialogue.registry);
  for (const auto& [service, bytes] : dialogue.greetings) {
    text += fmt::format("greeting {}\n", service);
    AppendBytes('>', bytes, &text);
  }
  for (const Exchange& exchange : dialogue.exchanges) {
    const Question& question = exchange.question;
    text += fmt::format("call {} {} {}\n", question.server, question.service, question.method);
    AppendBytes('>', question.parameter, &text);
    AppendBytes('+', question.cells, &text);
    AppendBytes('*', question.more, &text);
    AppendBytes('<', exchange.header, &text);
    AppendBytes('=', exchange.body, &text);
  }
  return text;
}

Result<Dialogue> DialogueFromText(std::string_view text) {
  Reader reader;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (end == text.size()) return Corruption("the last line does not end: a part is missing");
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (line == kFirstLine) continue;
      return Corruption(fmt::format("line 1: expected '{}'", kFirstLine));
    }
    RETURN_IF_ERROR(reader.Take(line).Annotate(fmt::format("line {}", number)));
  }
  return reader.End();
}

std::string Excerpt(ByteView bytes, size_t begin) {
  const ByteView part = bytes.substr(std::min(begin, bytes.size()), kExcerptMax);
  return fmt::format("{}{}{}", begin > 0 ? "… " : "", ToStringBinary(part),
                     begin + part.size() < bytes.size() ? " …" : "");
}

}  // namespace bennu::client
