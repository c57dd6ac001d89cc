// When cells of a table expire, by its descriptor.
#ifndef BENNU_SRC_SQL_INDEX_FAMILY_TTLS_H_
#define BENNU_SRC_SQL_INDEX_FAMILY_TTLS_H_

#include <cstdint>

#include "bennu/descriptor.h"
#include "src/cell/expiry.h"

namespace bennu::sql::index {

inline int64_t TtlMillisOf(const ColumnFamilyDescriptor& family) {
  return cell::TtlMillisOf(family.ttl_seconds(), family.min_versions());
}

inline cell::FamilyTtls TtlsOf(const TableDescriptor& table) {
  cell::FamilyTtls ttls;
  for (const ColumnFamilyDescriptor& family : table.families) {
    ttls.Add(family.name, TtlMillisOf(family));
  }
  return ttls;
}

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_FAMILY_TTLS_H_
