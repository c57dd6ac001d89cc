// A cell for a test.
#ifndef BENNU_TESTS_CLIENT_TEST_CELL_H_
#define BENNU_TESTS_CLIENT_TEST_CELL_H_

#include "bennu/cell.h"
#include "src/base/check.h"
#include "src/rpc/cell_codec.h"

namespace bennu::client {

// A Put at timestamp 1, which 'memory' holds.
inline Cell TestCell(ByteView row, ByteView family, ByteView qualifier, ByteView value,
                     Bytes* memory) {
  rpc::CellParts parts;
  parts.row = row;
  parts.family = family;
  parts.qualifier = qualifier;
  parts.timestamp = 1;
  parts.value = value;
  Cell cell;
  BENNU_CHECK(rpc::MakeCell(parts, memory, &cell).ok());
  return cell;
}

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_TEST_CELL_H_
