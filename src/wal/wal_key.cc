// Decodes the WALKey message by hand: once per entry of a replay, without allocating a message.
#include "src/base/checksum_field.h"
#include "src/base/coding.h"
#include "src/wal/entry_decoder.h"

namespace bennu::wal {

namespace {

struct Field {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  uint64_t number_value = 0;  // wire type 0
  ByteView bytes;             // wire types 2 and 5
};

// Takes one field from the front of 'in'; false when it is malformed.
bool ConsumeField(ByteView* in, Field* field) {
  uint32_t tag;
  if (!ConsumeVarint32(in, &tag)) return false;
  field->number = tag >> 3;
  field->wire_type = tag & 7;
  if (field->number == 0) return false;
  uint64_t length;
  ByteView skipped;
  switch (field->wire_type) {
    case 0: return ConsumeVarint64(in, &field->number_value);
    case 1: return ConsumeBytes(in, 8, &skipped);
    case 2: return ConsumeVarint64(in, &length) && ConsumeBytes(in, length, &field->bytes);
    case 5: return ConsumeBytes(in, 4, &field->bytes);
    default: return false;
  }
}

bool DecodeScope(ByteView message, FamilyScope* scope) {
  Field field;
  bool has_family = false;
  while (!message.empty()) {
    if (!ConsumeField(&message, &field)) return false;
    if (field.number == 1 && field.wire_type == 2) {
      scope->family.assign(field.bytes);
      has_family = true;
    } else if (field.number == 2 && field.wire_type == 0) {
      scope->scope = static_cast<int32_t>(field.number_value);
    }
  }
  return has_family;
}

bool DecodeUuid(ByteView message, ClusterUuid* id) {
  Field field;
  while (!message.empty()) {
    if (!ConsumeField(&message, &field)) return false;
    if (field.wire_type != 0) continue;
    if (field.number == 1) id->least_significant_bits = field.number_value;
    if (field.number == 2) id->most_significant_bits = field.number_value;
  }
  return true;
}

bool DecodeAttribute(ByteView message, std::pair<std::string, Bytes>* attribute) {
  Field field;
  while (!message.empty()) {
    if (!ConsumeField(&message, &field)) return false;
    if (field.wire_type != 2) continue;
    if (field.number == 1) attribute->first.assign(field.bytes);
    if (field.number == 2) attribute->second.assign(field.bytes);
  }
  return true;
}

bool ApplyBytesField(const Field& field, WalKeyFields* key) {
  switch (field.number) {
    case 1: key->encoded_region.assign(field.bytes); return true;
    case 2: key->table.assign(field.bytes); return true;
    case 5:  // the deprecated single cluster id
    case 8: return DecodeUuid(field.bytes, &key->cluster_ids.emplace_back());
    case 6: return DecodeScope(field.bytes, &key->scopes.emplace_back());
    case 12: return DecodeAttribute(field.bytes, &key->extended_attributes.emplace_back());
    default: return true;
  }
}

bool ApplyNumberField(const Field& field, WalKeyFields* key, uint32_t* cell_count) {
  switch (field.number) {
    case 3: key->sequence_id = field.number_value; break;
    case 4: key->write_time_ms = field.number_value; break;
    case 7:
      if (field.number_value > 0x7fffffff) return false;
      *cell_count = static_cast<uint32_t>(field.number_value);
      break;
    case 9: key->nonce_group = field.number_value; break;
    case 10: key->nonce = field.number_value; break;
    case 11: key->original_sequence_id = field.number_value; break;
    default: break;
  }
  return true;
}

// The wire type that HBase's own field of that number has; 0xff for numbers that it does not know.
uint32_t WireTypeOf(uint32_t number) {
  switch (number) {
    case 1:
    case 2:
    case 5:
    case 6:
    case 8:
    case 12: return 2;
    case 3:
    case 4:
    case 7:
    case 9:
    case 10:
    case 11: return 0;
    default: return 0xff;
  }
}

}  // namespace

bool DecodeWalKey(ByteView message, WalKeyFields* key, uint32_t* cell_count,
                  std::optional<uint32_t>* checksum) {
  const ByteView all = message;
  if (checksum != nullptr) checksum->reset();
  key->encoded_region.clear();
  key->table.clear();
  key->sequence_id = key->write_time_ms = 0;
  key->nonce_group = key->nonce = key->original_sequence_id = 0;
  key->scopes.clear();
  key->cluster_ids.clear();
  key->extended_attributes.clear();
  *cell_count = 0;
  uint32_t seen = 0;
  Field field;
  while (!message.empty()) {
    if (!ConsumeField(&message, &field)) return false;
    if (field.number == kChecksumField && field.wire_type == 5 && message.empty()) {
      if (checksum != nullptr) *checksum = ChecksumFieldOf(all);
      continue;
    }
    const uint32_t wire_type = WireTypeOf(field.number);
    if (wire_type == 0xff) continue;
    if (wire_type != field.wire_type) return false;
    const bool good =
        wire_type == 2 ? ApplyBytesField(field, key) : ApplyNumberField(field, key, cell_count);
    if (!good) return false;
    seen |= 1u << field.number;
  }
  constexpr uint32_t kRequired = (1u << 1) | (1u << 2) | (1u << 3) | (1u << 4);
  return (seen & kRequired) == kRequired;
}

}  // namespace bennu::wal
