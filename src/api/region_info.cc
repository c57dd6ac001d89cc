// Names of regions (hbase-rpc spec section 4.1).
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>

#include <array>
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

// By the plain functions, which OpenSSL would rather not have called any longer: the first
// EVP_Digest of a process reads OpenSSL's configuration and sets up all that it has, in every
// start.
std::string Md5Hex(ByteView bytes) {
  MD5_CTX context;
  std::array<char, MD5_DIGEST_LENGTH> digest;
  const bool done = MD5_Init(&context) == 1 &&
                    MD5_Update(&context, bytes.data(), bytes.size()) == 1 &&
                    MD5_Final(reinterpret_cast<unsigned char*>(digest.data()), &context) == 1;
  BENNU_CHECK(done);
  return HexEncode(ByteView(digest.data(), digest.size()));
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
