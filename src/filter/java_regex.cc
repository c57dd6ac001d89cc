#include "src/filter/java_regex.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"

namespace bennu::filter {

namespace {

struct Property {
  ByteView java;
  ByteView inside_class;  // what stands for it between [ and ]
};

constexpr std::array<Property, 24> kProperties = {{
    {"Lower", "a-z"},
    {"Upper", "A-Z"},
    {"ASCII", "\\x{00}-\\x{7f}"},
    {"Alpha", "a-zA-Z"},
    {"Digit", "0-9"},
    {"Alnum", "0-9a-zA-Z"},
    {"Punct", "!-/:-@\\[-`{-~"},
    {"Graph", "!-~"},
    {"Print", "\\x{20}-~"},
    {"Blank", "\\x{20}\\t"},
    {"Cntrl", "\\x{00}-\\x{1f}\\x{7f}"},
    {"XDigit", "0-9a-fA-F"},
    {"Space", "\\x{20}\\t\\n\\x{0b}\\f\\r"},
    {"javaLowerCase", "\\p{Ll}"},
    {"javaUpperCase", "\\p{Lu}"},
    {"javaWhitespace", "\\p{Z}\\t-\\r"},
    {"javaLetter", "\\p{L}"},
    {"javaDigit", "\\p{Nd}"},
    {"javaLetterOrDigit", "\\p{L}\\p{Nd}"},
    {"IsAlphabetic", "\\p{L}\\p{Nl}"},
    {"IsLetter", "\\p{L}"},
    {"IsDigit", "\\p{Nd}"},
    {"IsUppercase", "\\p{Lu}"},
    {"IsLowercase", "\\p{Ll}"},
}};

// Flags by their letters; U brings u along.
constexpr std::pair<char, int32_t> kFlags[] = {
    {'d', 0x01}, {'i', 0x02}, {'x', 0x04}, {'m', 0x08}, {'s', 0x20}, {'u', 0x40}, {'U', 0x140},
};

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Translator {
 public:
  Translator(ByteView pattern, int32_t* flags) : in_(pattern), flags_(flags) {}

  Result<Bytes> Run() {
    while (!AtEnd()) RETURN_IF_ERROR(Element());
    return std::move(out_);
  }

 private:
  bool AtEnd() const { return at_ >= in_.size(); }
  bool LooksAt(ByteView text) const { return in_.substr(at_).starts_with(text); }
  Status Broken(ByteView what) const {
    return InvalidArgument(fmt::format("regular expression '{}': {} at {}", in_, what, at_));
  }

  Status Element() {
    if (LooksAt("\\Q")) {
      Quotation(&out_);
      return Status::Ok();
    }
    if (in_[at_] == '\\') return Escape(/*in_class=*/false, &out_);
    if (in_[at_] == '[') {
      ASSIGN_OR_RETURN(const Bytes set, Class(0));
      out_ += set;
      return Status::Ok();
    }
    if (in_[at_] == '(') ++depth_;
    if (in_[at_] == ')') --depth_;
    if (LooksAt("(?") && !LooksAt("(?<") && !LooksAt("(?>")) return Flags();
    out_ += in_[at_++];
    return Status::Ok();
  }

  // (?idmsux-idmsuxU…) or (?idmsux-…: without the flags that PCRE2 has no need of.
  Status Flags() {
    const size_t begin = at_ + 2;
    size_t end = begin;
    while (end < in_.size() && ByteView("idmsuxU-").find(in_[end]) != ByteView::npos) ++end;
    Bytes kept;
    for (const char c : in_.substr(begin, end - begin)) {
      if (ByteView("duU").find(c) == ByteView::npos) kept += c;
    }
    if (kept == "-") kept.clear();
    const bool only_flags = end < in_.size() && in_[end] == ')';
    if (!only_flags || !kept.empty()) out_ += "(?" + kept;
    at_ = end;
    if (only_flags) {
      if (!kept.empty()) out_ += ')';
      ++at_;
      if (--depth_ == 0) NoteFlags(in_.substr(begin, end - begin));
    }
    return Status::Ok();
  }

  void NoteFlags(ByteView letters) {
    bool on = true;
    for (const char letter : letters) {
      if (letter == '-') on = false;
      for (const auto& [name, flag] : kFlags) {
        if (name == letter) *flags_ = on ? *flags_ | flag : *flags_ & ~flag;
      }
    }
  }

  // \Q…\E: each character by itself.
  void Quotation(Bytes* out) {
    at_ += 2;
    size_t end = in_.find("\\E", at_);
    const bool closed = end != ByteView::npos;
    if (!closed) end = in_.size();
    for (; at_ < end; ++at_) {
      const char c = in_[at_];
      const bool word = static_cast<uint8_t>(c) >= 0x80 || HexValue(c) >= 0 || c == '_' ||
                        (c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z');
      if (!word) *out += '\\';
      *out += c;
    }
    if (closed) at_ += 2;
  }

  Status Escape(bool in_class, Bytes* out) {
    if (at_ + 1 >= in_.size()) return Broken("nothing is escaped");
    const char c = in_[at_ + 1];
    switch (c) {
      case 'u': return CharacterByNumber(4, out);
      case 'x':
        if (at_ + 2 < in_.size() && in_[at_ + 2] == '{') break;
        return CharacterByNumber(2, out);
      case '0': return OctalCharacter(out);
      case 'p':
      case 'P': return PropertyClass(in_class, out);
      // In Java's classes and outside these are whole sets; PCRE2 has the same but for \h's name.
      default: break;
    }
    *out += in_.substr(at_, 2);
    at_ += 2;
    return Status::Ok();
  }

  Status CharacterByNumber(size_t digits, Bytes* out) {
    uint32_t number = 0;
    if (!ReadHex(at_ + 2, digits, &number)) return Broken("a character's number is too short");
    at_ += 2 + digits;
    uint32_t low = 0;
    if (number >= 0xd800 && number < 0xdc00 && LooksAt("\\u") && ReadHex(at_ + 2, 4, &low) &&
        low >= 0xdc00 && low < 0xe000) {
      number = 0x10000 + ((number - 0xd800) << 10) + (low - 0xdc00);
      at_ += 6;
    }
    *out += fmt::format("\\x{{{:x}}}", number);
    return Status::Ok();
  }

  bool ReadHex(size_t from, size_t digits, uint32_t* number) const {
    if (from + digits > in_.size()) return false;
    *number = 0;
    for (const char c : in_.substr(from, digits)) {
      if (HexValue(c) < 0) return false;
      *number = *number << 4 | static_cast<uint32_t>(HexValue(c));
    }
    return true;
  }

  // \0n, \0nn, \0mnn with m at most 3.
  Status OctalCharacter(Bytes* out) {
    uint32_t number = 0;
    size_t i = at_ + 2;
    const size_t digits_max = i < in_.size() && in_[i] <= '3' ? 3 : 2;
    const size_t begin = i;
    while (i < in_.size() && i - begin < digits_max && in_[i] >= '0' && in_[i] <= '7') {
      number = number * 8 + static_cast<uint32_t>(in_[i++] - '0');
    }
    if (i == begin) return Broken("\\0 is followed by octal digits");
    at_ = i;
    *out += fmt::format("\\x{{{:x}}}", number);
    return Status::Ok();
  }

  Status PropertyClass(bool in_class, Bytes* out) {
    const bool negated = in_[at_ + 1] == 'P';
    size_t begin = at_ + 2;
    size_t end = begin + 1;
    if (begin < in_.size() && in_[begin] == '{') {
      ++begin;
      end = in_.find('}', begin);
    }
    if (end == ByteView::npos || begin >= in_.size()) return Broken("a property does not end");
    ByteView name = in_.substr(begin, end - begin);
    at_ = end + (begin == 0 || in_[begin - 1] != '{' ? 0 : 1);
    for (const Property& property : kProperties) {
      if (property.java != name) continue;
      if (in_class && negated) return Broken("a negated property in a class is not supported");
      if (in_class) {
        *out += property.inside_class;
      } else {
        *out += fmt::format("[{}{}]", negated ? "^" : "", property.inside_class);
      }
      return Status::Ok();
    }
    // General categories and scripts: PCRE2 knows them without Java's prefix.
    if (name.starts_with("Is")) name.remove_prefix(2);
    for (const ByteView prefix : {"general_category=", "gc=", "script=", "sc="}) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    if (name.starts_with("In") || name.empty()) return Broken("an unknown property");
    *out += fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', name);
    return Status::Ok();
  }

  // What stands between [ and ], as an expression that matches one character.
  //   [ab[cd]]       (?:[ab]|[cd])
  //   [ab&&[bc]]     (?:(?=[ab])[bc])
  //   [^…]           (?:(?!…)[\s\S])  when it is made of parts, else [^…]
  Result<Bytes> Class(int depth) {
    if (depth > 50) return Broken("classes are nested too deep");
    ++at_;
    const bool negated = !AtEnd() && in_[at_] == '^';
    if (negated) ++at_;
    std::vector<Bytes> intersected;
    std::vector<Bytes> united;
    Bytes items;
    bool first = true;
    for (;; first = false) {
      if (AtEnd()) return Broken("a class does not end");
      if (in_[at_] == ']' && !first) break;
      if (LooksAt("&&")) {
        at_ += 2;
        intersected.push_back(Union(std::exchange(items, Bytes()), &united));
        continue;
      }
      if (in_[at_] == '[') {
        ASSIGN_OR_RETURN(Bytes inner, Class(depth + 1));
        united.push_back(std::move(inner));
        continue;
      }
      RETURN_IF_ERROR(ClassItem(&items));
    }
    ++at_;
    if (intersected.empty() && united.empty()) {
      return fmt::format("[{}{}]", negated ? "^" : "", items);
    }
    Bytes whole;
    for (const Bytes& part : intersected) {
      if (!part.empty()) whole += fmt::format("(?={})", part);
    }
    whole += Union(std::move(items), &united);
    return negated ? fmt::format("(?:(?!{})[\\s\\S])", whole) : fmt::format("(?:{})", whole);
  }

  Status ClassItem(Bytes* items) {
    if (LooksAt("\\Q")) {
      Quotation(items);
      return Status::Ok();
    }
    if (in_[at_] == '\\') return Escape(/*in_class=*/true, items);
    if (in_[at_] == ']') *items += '\\';  // the first character of a class
    *items += in_[at_++];
    return Status::Ok();
  }

  static Bytes Union(Bytes items, std::vector<Bytes>* united) {
    Bytes all;
    if (!items.empty()) all = fmt::format("[{}]", items);
    for (const Bytes& part : *united) all += (all.empty() ? "" : "|") + part;
    const bool several = united->size() + (items.empty() ? 0 : 1) > 1;
    united->clear();
    return several ? fmt::format("(?:{})", all) : all;
  }

  const ByteView in_;
  int32_t* const flags_;
  size_t at_ = 0;
  int depth_ = 0;  // of groups
  Bytes out_;
};

}  // namespace

Result<Bytes> PcrePattern(ByteView java_pattern, int32_t* flags) {
  return Translator(java_pattern, flags).Run();
}

}  // namespace bennu::filter
