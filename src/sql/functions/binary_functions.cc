// Bytes: MD5, GET_BYTE and kin, textual codings.
#include <openssl/evp.h>

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

// Of the bytes that the value is stored as; of a VARBINARY_ENCODED, without its escapes.
Status Md5(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  DataType type = expr.children[0]->type;
  if (type.id == kVarbinaryEncoded) type.id = kVarbinary;
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    bytes.clear();
    RETURN_IF_ERROR(EncodeRow(*args[0], args[0]->IndexOf(i), type, SortOrder::kAsc, &bytes));
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_md5(), nullptr) != 1) {
      return Internal("the MD5 digest is not available");
    }
    out->SetBytes(i, ByteView(reinterpret_cast<const char*>(digest), size));
  }
  return Status::Ok();
}

Status BindMd5(BoundExpr* expr) {
  expr->type = {kBinary, 16};
  return Status::Ok();
}

Status BindSameType(BoundExpr* expr) {
  expr->type = expr->children[0]->type;
  return Status::Ok();
}

// Only the order of bytes in keys is inverted, never the value that one sees.
Status Invert(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (!out->IsNull(i)) out->CopyRow(i, *args[0], args[0]->IndexOf(i));
  }
  return Status::Ok();
}

Status OctetLength(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (!out->IsNull(i)) {
      out->Set<int64_t>(i, static_cast<int64_t>(BytesAt(*args[0], i).size()));
    }
  }
  return Status::Ok();
}

// Positions wrap around at the end, as in the original.
size_t Wrap(int64_t position, size_t size) {
  const auto n = static_cast<int64_t>(size);
  return static_cast<size_t>((position % n + n) % n);
}

Status GetByte(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const ByteView bytes = BytesAt(*args[0], i);
    if (bytes.empty()) {
      out->SetNull(i);
      continue;
    }
    out->Set<int64_t>(i, static_cast<int8_t>(bytes[Wrap(IntAt(*args[1], i), bytes.size())]));
  }
  return Status::Ok();
}

Status GetBit(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const ByteView bytes = BytesAt(*args[0], i);
    if (bytes.empty()) {
      out->SetNull(i);
      continue;
    }
    const size_t bit = Wrap(IntAt(*args[1], i), bytes.size() * 8);
    out->Set<int64_t>(i, static_cast<uint8_t>(bytes[bit / 8]) >> (bit % 8) & 1);
  }
  return Status::Ok();
}

Status SetByte(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  ProduceText(count, out, [&](size_t i, std::string* bytes) {
    *bytes = BytesAt(*args[0], i);
    if (bytes->empty()) return false;
    (*bytes)[Wrap(IntAt(*args[1], i), bytes->size())] = static_cast<char>(IntAt(*args[2], i));
    return true;
  });
  return Status::Ok();
}

Status SetBit(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  ProduceText(count, out, [&](size_t i, std::string* bytes) {
    *bytes = BytesAt(*args[0], i);
    if (bytes->empty()) return false;
    const size_t bit = Wrap(IntAt(*args[1], i), bytes->size() * 8);
    const auto mask = static_cast<uint8_t>(1u << (bit % 8));
    auto byte = static_cast<uint8_t>((*bytes)[bit / 8]);
    byte = (IntAt(*args[2], i) & 1) != 0 ? byte | mask : byte & static_cast<uint8_t>(~mask);
    (*bytes)[bit / 8] = static_cast<char>(byte);
    return true;
  });
  return Status::Ok();
}

Status Subbinary(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const bool has_length = !expr.children[2]->is_null_constant();
  ProduceText(count, out, [&](size_t i, std::string* part) {
    const ByteView bytes = BytesAt(*args[0], i);
    const auto size = static_cast<int64_t>(bytes.size());
    const int64_t start = IntAt(*args[1], i);
    const int64_t begin = start < 0 ? size + start : std::max<int64_t>(start - 1, 0);
    const int64_t length = has_length ? IntAt(*args[2], i) : size;
    if (begin < 0 || begin >= size || length <= 0) return false;
    *part = bytes.substr(static_cast<size_t>(begin), static_cast<size_t>(length));
    return true;
  });
  return Status::Ok();
}

// ---------------------------------------------------------------- codings

enum class Coding : uint8_t { kHex, kBase64, kHBase, kBase62 };
struct CodingState : FunctionState {
  Coding coding = Coding::kHex;
};

Status BindCoding(BoundExpr* expr) {
  const BoundExpr& argument = *expr->children[1];
  std::string name = argument.constant.is_null() ? "" : argument.constant.bytes();
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
  auto state = std::make_shared<CodingState>();
  const bool number = expr->function->name == "ENCODE";
  const bool old_names = number || expr->function->name == "DECODE";
  if (number && name == "BASE62") {
    state->coding = Coding::kBase62;
  } else if (!number && name == "HEX") {
    state->coding = Coding::kHex;
  } else if (!number && name == "BASE64") {
    state->coding = Coding::kBase64;
  } else if (!number && name == "HBASE") {
    state->coding = Coding::kHBase;
  } else if (old_names &&
             (name == "HEX" || name == "BASE62" || name == "BASE64" || name == "ASCII")) {
    return SqlIllegalData("Unsupported Encode Format : " + name);
  } else {
    return MakeSqlError(203, "expected: [HEX, BASE62, BASE64, ASCII" +
                                 std::string(old_names ? "" : ", HBASE") + "] but was: " + name +
                                 " at " + std::string(expr->function->name) + " argument 2");
  }
  expr->state = std::move(state);
  return Status::Ok();
}

std::string Base62(int64_t value) {
  constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  auto magnitude = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  std::string digits;
  do {
    digits += kDigits[magnitude % 62];
    magnitude /= 62;
  } while (magnitude > 0);
  if (value < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string Base64(ByteView bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

bool IsPlainHBaseByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view(" `~!@#$%^&*()-_=+[]{}|;:'\",.<>/?").find(c) != std::string_view::npos;
}

std::string HBaseText(ByteView bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string text;
  for (char c : bytes) {
    if (IsPlainHBaseByte(c)) {
      text += c;
    } else {
      const auto b = static_cast<uint8_t>(c);
      text += "\\x";
      text += kHex[b >> 4];
      text += kHex[b & 15];
    }
  }
  return text;
}

Status Encode(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const Coding coding = static_cast<const CodingState&>(*expr.state).coding;
  ProduceText(count, out, [&](size_t i, std::string* text) {
    switch (coding) {
      case Coding::kBase62: *text = Base62(IntAt(*args[0], i)); break;
      case Coding::kHex: AppendHex(BytesAt(*args[0], i), text); break;
      case Coding::kBase64: *text = Base64(BytesAt(*args[0], i)); break;
      case Coding::kHBase: *text = HBaseText(BytesAt(*args[0], i)); break;
    }
    return true;
  });
  return Status::Ok();
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<Bytes> FromHex(ByteView text) {
  if (text.size() % 2 != 0) {
    return SqlIllegalData("Invalid value length, cannot cast to hex number (" + std::string(text) +
                          ")");
  }
  Bytes bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexDigit(text[i]);
    const int low = HexDigit(text[i + 1]);
    if (high < 0 || low < 0) {
      return SqlIllegalData("Value " + std::string(text.substr(i, 2)) +
                            " cannot be cast to hex number");
    }
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

// Padding may be missing.
Result<Bytes> FromBase64(ByteView text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Bytes bytes;
  uint32_t bits = 0;
  int held = 0;
  for (char c : text) {
    if (c == '=') break;
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) {
      return MakeUncodedSqlError(std::string("Illegal base64 character '") + c + "'");
    }
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>(bits >> held));
    }
  }
  return bytes;
}

Bytes FromHBaseText(ByteView text) {
  Bytes bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x' &&
                        HexDigit(text[i + 2]) >= 0 && HexDigit(text[i + 3]) >= 0;
    if (!escape) {
      bytes.push_back(text[i]);
      continue;
    }
    bytes.push_back(static_cast<char>(HexDigit(text[i + 2]) << 4 | HexDigit(text[i + 3])));
    i += 3;
  }
  return bytes;
}

Result<Bytes> DecodeText(Coding coding, ByteView text) {
  switch (coding) {
    case Coding::kBase64: return FromBase64(text);
    case Coding::kHBase: return FromHBaseText(text);
    default: return FromHex(text);
  }
}

Status Decode(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const Coding coding = static_cast<const CodingState&>(*expr.state).coding;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const Bytes bytes, DecodeText(coding, BytesAt(*args[0], i)));
    if (bytes.empty()) {
      out->SetNull(i);
    } else {
      out->SetBytes(i, bytes);
    }
  }
  return Status::Ok();
}

FunctionDef Coder(std::string_view name, TypeId argument, TypeId result,
                  FunctionEvaluate evaluate) {
  return {.name = name,
          .arguments = {{{argument}}, {{kVarchar}, false, true, {}}},
          .result = result,
          .evaluate = evaluate,
          .bind = BindCoding,
          .can_fail = true};
}

}  // namespace

std::vector<FunctionDef> BinaryFunctions() {
  const ArgumentSpec bytes{{kBinary, kVarbinary, kVarbinaryEncoded}};
  const ArgumentSpec integer{{kInteger}};
  return {
      {.name = "MD5",
       .arguments = {{}},
       .result = kNull,
       .evaluate = Md5,
       .bind = BindMd5,
       .can_fail = true},
      {"INVERT", {{}}, kNull, Invert, BindSameType},
      {"OCTET_LENGTH", {bytes}, kInteger, OctetLength},
      {"GET_BYTE", {bytes, integer}, kInteger, GetByte},
      {"GET_BIT", {bytes, integer}, kInteger, GetBit},
      {"SET_BYTE", {bytes, integer, integer}, kNull, SetByte, BindSameType},
      {"SET_BIT", {bytes, integer, integer}, kNull, SetBit, BindSameType},
      {"SUBBINARY",
       {{{kBinary, kVarbinary}}, {{kBigint}}, {{kBigint}, true}},
       kNull,
       Subbinary,
       BindSameType},
      Coder("ENCODE_BINARY", kVarbinary, kVarchar, Encode),
      Coder("DECODE_BINARY", kVarchar, kVarbinary, Decode),
      Coder("ENCODE", kBigint, kVarchar, Encode),
      Coder("DECODE", kVarchar, kVarbinary, Decode),
  };
}

}  // namespace bennu::sql
