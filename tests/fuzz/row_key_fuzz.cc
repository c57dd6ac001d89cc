// Row keys and values: any bytes are a key or refused, no column lies outside its key, and no
// navigator seeks backwards.
//
// Input: one byte that chooses the key's columns, then the key.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/base/check.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/keys/skip_scan.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

KeyColumn ColumnOf(uint32_t choice) {
  constexpr TypeId kTypes[] = {
      TypeId::kVarchar, TypeId::kVarbinaryEncoded, TypeId::kInteger,      TypeId::kDecimal,
      TypeId::kChar,    TypeId::kTimestamp,        TypeId::kUnsignedLong, TypeId::kBoolean};
  KeyColumn column;
  column.name = "K";
  column.type.id = kTypes[choice % 8];
  if (column.type.id == TypeId::kChar) column.type.max_length = 3;
  column.nullable = !IsFixedWidth(column.type.id);
  column.order = choice / 8 % 2 == 0 ? SortOrder::kAsc : SortOrder::kDesc;
  return column;
}

std::shared_ptr<const KeySchema> SchemaOf(uint8_t choice) {
  std::vector<KeyColumn> columns;
  const size_t count = 1 + choice % 4;
  uint32_t random = choice;
  for (size_t i = 0; i < count; ++i) {
    random = random * 1664525 + 1013904223;
    columns.push_back(ColumnOf(random >> 16));
  }
  return std::make_shared<const KeySchema>(columns, choice % 3 == 0 ? 4 : 0);
}

void FuzzKey(const KeySchema& schema, ByteView key) {
  for (size_t i = 0; i < schema.column_count(); ++i) {
    const ByteView column = schema.ColumnView(key, i);
    BENNU_CHECK(column.empty() || (column.data() >= key.data() &&
                                   column.data() + column.size() <= key.data() + key.size()));
  }
  // Whatever can be read can be offered for writing: a key or an error comes back. Not always the
  // same key: readers take what Phoenix's readers take, and that is more than its writers make.
  const Result<std::vector<Value>> values = schema.DecodeKey(key);
  if (values.ok()) static_cast<void>(schema.EncodeKey(values.value()));
}

// A range around each column of the key, then the key and one after it.
void FuzzNavigator(const std::shared_ptr<const KeySchema>& schema, ByteView key) {
  std::vector<KeySlot> slots;
  for (size_t i = 0; i < schema->column_count(); ++i) {
    KeyRange range = KeyRange::AtLeast(Bytes(schema->ColumnView(key, i)), i % 2 == 0);
    range.upper = range.lower + "\x40";
    range.upper_bounded = true;
    slots.push_back({{range}, 0});
  }
  const KeyScan scan = PlanKeyScan(schema, slots);
  if (scan.navigator == nullptr) return;
  const std::unique_ptr<RowNavigator> navigator = scan.navigator->Clone();
  for (const Bytes& row : {Bytes(key), Bytes(key) + "\x20"}) {
    Bytes seek;
    if (navigator->Navigate(row, &seek) == RowNavigator::Decision::kSeek) {
      BENNU_CHECK(seek > row);
    }
  }
}

void FuzzText(ByteView text) {
  const Result<Timestamp> time = ParseDateTime(text);
  if (time.ok()) static_cast<void>(DateTimeToText(time.value()));
  const std::optional<Decimal> number = Decimal::Parse(text);
  Bytes bytes;
  if (number.has_value() && number->EncodeTo(&bytes) && bytes != "\x80") {
    const Result<Decimal> back = Decimal::Decode(bytes);
    BENNU_CHECK(back.ok() && back.value() == *number);
  }
  static_cast<void>(EscapeText(text));
}

}  // namespace
}  // namespace bennu::sql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bennu::ByteView rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto schema = bennu::sql::SchemaOf(data[0]);
  bennu::sql::FuzzKey(*schema, rest);
  bennu::sql::FuzzNavigator(schema, rest);
  bennu::sql::FuzzText(rest);
  return 0;
}
