// JSON and BSON: any bytes are a document or refused; what is a document is written and read back
// as itself, and as text reads back as a document; paths, conditions and updates of any text do no
// harm.
//
// Input: one byte that chooses, then bytes of a document, or a text, a 00 and a document's JSON.
#include <cstddef>
#include <cstdint>

#include "src/base/check.h"
#include "src/sql/functions/bson_condition.h"
#include "src/sql/functions/bson_path.h"
#include "src/sql/functions/bson_update.h"
#include "src/sql/types/bson.h"

namespace bennu::sql {
namespace {

void CheckRoundTrip(const BsonValue& document) {
  Bytes bytes;
  EncodeBson(document, &bytes);
  const Result<BsonValue> again = DecodeBson(bytes);
  BENNU_CHECK(again.ok());
  Bytes twice;
  EncodeBson(*again, &twice);
  BENNU_CHECK(bytes == twice);
  std::string json;
  AppendBsonJson(document, &json);
}

void FuzzBytes(ByteView bytes) {
  const Result<BsonValue> document = DecodeBson(bytes);
  if (document.ok()) CheckRoundTrip(*document);
  static_cast<void>(BsonToJson(bytes));
}

void FuzzJson(ByteView text) {
  const Result<BsonValue> value = ParseBsonJson(text);
  if (!value.ok() || !value->is_document()) return;
  CheckRoundTrip(*value);
  // The text of what was read as text is JSON too.
  std::string json;
  AppendBsonJson(*value, &json);
  static_cast<void>(ParseBsonJson(json));
}

void FuzzExpression(uint8_t choice, ByteView expression, ByteView json) {
  Result<BsonValue> document = ParseBsonJson(json);
  if (!document.ok() || !document->is_document()) return;
  if (choice % 3 == 0) {
    for (const Result<BsonPath>& path : {ParseFieldPath(expression), ParseJsonPath(expression)}) {
      if (!path.ok()) continue;
      static_cast<void>(FindAt(*document, *path));
      static_cast<void>(CollectAt(*document, *path));
    }
    return;
  }
  Result<BsonValue> given = ParseBsonJson(expression);
  if (!given.ok()) return;
  if (choice % 3 == 1) {
    const Result<BsonCondition> condition = BsonCondition::Make(*std::move(given));
    if (condition.ok()) static_cast<void>(condition->Holds(*document));
  } else if (UpdateBson(*given, &*document).ok()) {
    CheckRoundTrip(*document);
  }
}

}  // namespace
}  // namespace bennu::sql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bennu::ByteView;
  if (size == 0) return 0;
  const ByteView rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const uint8_t choice = data[0];
  if (choice % 8 < 2) {
    bennu::sql::FuzzBytes(rest);
  } else if (choice % 8 < 4) {
    bennu::sql::FuzzJson(rest);
  } else {
    const size_t end = rest.find('\0');
    if (end == ByteView::npos) return 0;
    bennu::sql::FuzzExpression(choice, rest.substr(0, end), rest.substr(end + 1));
  }
  return 0;
}
