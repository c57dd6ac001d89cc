#include "src/shell/value.h"

#include <fmt/format.h>

#include <cmath>

namespace bennu::shell {

namespace {

// Plain digits between 1e-4 and 1e16, else with an exponent; always a fraction, as Ruby has it.
std::string FloatText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  const double magnitude = std::fabs(value);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    std::string text = fmt::format("{}", value);
    if (const size_t exponent = text.find('e'); exponent != std::string::npos) {
      text = fmt::format("{:f}", value);
    }
    return text.find('.') == std::string::npos ? text + ".0" : text;
  }
  std::string text = fmt::format("{:e}", value);
  const std::string shortest = fmt::format("{}", value);
  text = shortest.find('e') == std::string::npos ? text : shortest;
  const size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the UTF-8 character at 'at', 1 also for a byte that begins none.
size_t CharacterLength(ByteView text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  size_t length = 1;
  if (first >= 0xc2 && first < 0xe0) length = 2;
  if (first >= 0xe0 && first < 0xf0) length = 3;
  if (first >= 0xf0 && first < 0xf5) length = 4;
  if (at + length > text.size()) return 1;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[at + i])) return 1;
  }
  return length;
}

void AppendEscaped(char c, std::string* out) {
  const auto byte = static_cast<unsigned char>(c);
  switch (c) {
    case '"': *out += "\\\""; return;
    case '\\': *out += "\\\\"; return;
    case '\n': *out += "\\n"; return;
    case '\t': *out += "\\t"; return;
    case '\r': *out += "\\r"; return;
    case '\x1b': *out += "\\e"; return;
    default: break;
  }
  if (byte >= 0x80) {
    *out += fmt::format("\\x{:02X}", byte);
  } else if (byte < 0x20 || byte == 0x7f) {
    *out += fmt::format("\\u{:04X}", byte);
  } else {
    *out += c;
  }
}

std::string Quoted(ByteView text) {
  std::string quoted = "\"";
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterLength(text, i);
    if (length > 1) {
      quoted += text.substr(i, length);
    } else if (text[i] == '#' && i + 1 < text.size() && text[i + 1] == '{') {
      quoted += "\\#";  // would be taken for an interpolation
    } else {
      AppendEscaped(text[i], &quoted);
    }
    i += length;
  }
  return quoted + "\"";
}

struct Inspector {
  std::string operator()(std::monostate) const { return "nil"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return FloatText(value); }
  std::string operator()(const Bytes& value) const { return Quoted(value); }
  std::string operator()(const Value::Symbol& value) const { return ":" + value.name; }
  std::string operator()(const Value::TableReference& value) const {
    return "Hbase::Table - " + value.name;
  }
  std::string operator()(const Value::Array& value) const {
    std::string text = "[";
    for (const Value& element : value) text += (text.size() > 1 ? ", " : "") + element.Inspect();
    return text + "]";
  }
  std::string operator()(const Value::Hash& value) const {
    std::string text = "{";
    for (const auto& [key, element] : value) {
      text += (text.size() > 1 ? ", " : "") + key.Inspect() + "=>" + element.Inspect();
    }
    return text + "}";
  }
};

}  // namespace

Value Value::Strings(const std::vector<std::string>& values) {
  Array array;
  for (const std::string& value : values) array.push_back(String(value));
  return Value(Variant(std::move(array)));
}

std::string_view Value::TypeName() const {
  static constexpr std::string_view kNames[] = {"NilClass", "Boolean", "Integer", "Float", "String",
                                                "Symbol",   "Table",   "Array",   "Hash"};
  return kNames[variant_.index()];
}

Bytes Value::ToText() const {
  if (is_nil()) return "";
  if (const auto* text = As<Bytes>()) return *text;
  if (const auto* symbol = As<Symbol>()) return symbol->name;
  return Inspect();
}

std::string Value::Inspect() const { return std::visit(Inspector(), variant_); }

}  // namespace bennu::shell
