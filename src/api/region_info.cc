// Names of regions (hbase-rpc spec section 4.1).
#include <openssl/evp.h>

#include <cstdio>

#include "bennu/descriptor.h"
#include "src/base/check.h"
#include "src/base/hex.h"

namespace bennu {

namespace {

bool IsMeta(const TableName& table) {
  return table.name_space == "hbase" && table.qualifier == "meta";
}

// All but the last dot and what follows it: "table,start,id" with "_%04X" for a replica.
Bytes NameWithoutHash(const RegionInfo& info) {
  Bytes name = info.table.ToString() + ",";
  name += info.start_key;
  name += "," + std::to_string(info.region_id);
  if (info.replica_id > 0) {
    char replica[16];
    std::snprintf(replica, sizeof(replica), "_%04X", static_cast<unsigned>(info.replica_id));
    name += replica;
  }
  return name;
}

std::string Md5Hex(ByteView bytes) {
  char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest),
                              &length, EVP_md5(), nullptr);
  // Fails only where the administrator forbids MD5 altogether; names can not be made then.
  BENNU_CHECK(done == 1);
  return HexEncode(ByteView(digest, length));
}

}  // namespace

Bytes RegionInfo::RegionName() const {
  Bytes name = NameWithoutHash(*this);
  if (IsMeta(table)) return name;
  return name + "." + Md5Hex(name) + ".";
}

std::string RegionInfo::EncodedName() const {
  if (IsMeta(table)) return "1588230740";  // HBase's hash of "hbase:meta,,1", fixed for ever
  return Md5Hex(NameWithoutHash(*this));
}

bool RegionInfo::Contains(ByteView row) const {
  return row >= ByteView(start_key) && (end_key.empty() || row < ByteView(end_key));
}

}  // namespace bennu
