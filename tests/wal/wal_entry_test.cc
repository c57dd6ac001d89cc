#include <gtest/gtest.h>

#include "proto/wal.pb.h"
#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/wal/dictionary.h"
#include "src/wal/entry_decoder.h"
#include "tests/wal/wal_test_support.h"

namespace bennu::wal {
namespace {

WalKeyFields FullKey() {
  WalKeyFields key = MakeKey(300);
  key.table = "ns:table";
  key.nonce_group = 0x9612345678901234;
  key.nonce = 77;
  key.original_sequence_id = 5;
  key.scopes = {{"cf", 1}, {"d", 2}};
  key.cluster_ids = {{1, 2}, {0xffffffffffffffff, 3}};
  key.extended_attributes = {{"name", Bytes("v\0v", 3)}};
  return key;
}

// The key that is encoded by hand is the one that protobuf would make, byte by byte.
TEST(WalEntryTest, KeyIsProtobufs) {
  const WalKeyFields key = FullKey();
  pb::WALKey message;
  message.set_encoded_region_name(key.encoded_region);
  message.set_table_name(key.table);
  message.set_log_sequence_number(key.sequence_id);
  message.set_write_time(key.write_time_ms);
  for (const FamilyScope& scope : key.scopes) {
    pb::FamilyScope* added = message.add_scopes();
    added->set_family(scope.family);
    added->set_scope_type(static_cast<pb::ScopeType>(scope.scope));
  }
  message.set_following_kv_count(1);
  for (const ClusterUuid& id : key.cluster_ids) {
    pb::UUID* added = message.add_cluster_ids();
    added->set_least_sig_bits(id.least_significant_bits);
    added->set_most_sig_bits(id.most_significant_bits);
  }
  message.set_noncegroup(key.nonce_group);
  message.set_nonce(key.nonce);
  message.set_orig_sequence_number(key.original_sequence_id);
  pb::Attribute* attribute = message.add_extended_attributes();
  attribute->set_key("name");
  attribute->set_value(key.extended_attributes[0].second);

  const MutationBatch batch = MakeBatch(1);
  message.set_bennu_checksum(Crc32c(batch.buffer() + message.SerializeAsString()));
  Bytes expected;
  AppendVarint(&expected, message.ByteSizeLong());
  expected += message.SerializeAsString();
  expected += batch.buffer();
  Bytes entry;
  AppendWalEntry(&entry, key, batch.buffer(), 1);
  EXPECT_EQ(expected, entry);

  WalKeyFields back;
  uint32_t count = 0;
  ASSERT_TRUE(DecodeWalKey(message.SerializeAsString(), &back, &count));
  EXPECT_TRUE(key == back);
  EXPECT_EQ(1u, count);
}

// The log's fast way gives the same bytes as the plain one.
TEST(WalEntryTest, PartsGiveTheSameBytes) {
  WalKeyFields key = MakeKey(12345678901);
  key.nonce_group = 1;
  key.nonce = 0xffffffffffffffff;
  key.scopes = {{"cf", 1}};
  const MutationBatch first = MakeBatch(1);
  const MutationBatch second = MakeBatch(2);
  Bytes expected;
  AppendWalEntry(&expected, key, first.buffer() + second.buffer(), 2);

  const Bytes fields = EncodeRegionFields(key.encoded_region, key.table);
  const ByteView cells[] = {first.buffer(), second.buffer()};
  EntryParts parts;
  parts.region_fields = fields;
  parts.sequence_id = key.sequence_id;
  parts.write_time_ms = key.write_time_ms;
  parts.nonce_group = key.nonce_group;
  parts.nonce = key.nonce;
  parts.scopes = key.scopes;
  parts.cells = cells;
  parts.cell_count = 2;
  parts.cells_checksum = CellsChecksum(cells);
  Bytes entry;
  AppendWalEntry(&entry, parts);
  EXPECT_EQ(expected, entry);
}

// A key without a required field, or with a field of the wrong kind, is none.
TEST(WalEntryTest, RefusesOtherMessages) {
  WalKeyFields key;
  uint32_t count = 0;
  EXPECT_FALSE(DecodeWalKey("", &key, &count));
  EXPECT_FALSE(DecodeWalKey(EncodeRegionFields("r", "t"), &key, &count));
  EXPECT_FALSE(DecodeWalKey(ByteView("\x08\x01", 2), &key, &count));
}

// When it is full the least recently used place is taken over, and a hit counts as a use.
TEST(DictionaryTest, ReplacesTheLeastRecentlyUsed) {
  Dictionary dictionary(2);
  dictionary.Add("a");
  dictionary.Add("b");
  dictionary.Add("");  // never stored
  EXPECT_EQ(nullptr, dictionary.Get(2));
  ASSERT_NE(nullptr, dictionary.Get(0));
  EXPECT_EQ("a", *dictionary.Get(0));
  dictionary.Add("c");  // over "b", at 1
  EXPECT_EQ("c", *dictionary.Get(1));
  EXPECT_EQ("a", *dictionary.Get(0));
  dictionary.Add("d");  // over "c" again
  EXPECT_EQ("d", *dictionary.Get(1));

  Dictionary one(1);
  one.Add("x");
  one.Add("y");
  EXPECT_EQ("y", *one.Get(0));
}

}  // namespace
}  // namespace bennu::wal
