// Integers as tables of SQL store them, for tests that write rows by the data API.
#ifndef BENNU_TESTS_BENNU_STORED_INTEGERS_H_
#define BENNU_TESTS_BENNU_STORED_INTEGERS_H_

#include <cstdint>

#include "bennu/bytes.h"
#include "src/base/coding.h"

namespace bennu {

// The key of a row whose key is one INTEGER, not below zero.
inline Bytes KeyOf(uint32_t k) {
  Bytes key;
  AppendBE32(&key, k ^ 0x80000000U);
  return key;
}
// A BIGINT.
inline Bytes Number(int64_t value) {
  Bytes bytes;
  AppendBE64(&bytes, static_cast<uint64_t>(value) ^ (uint64_t{1} << 63));
  return bytes;
}

}  // namespace bennu

#endif  // BENNU_TESTS_BENNU_STORED_INTEGERS_H_
