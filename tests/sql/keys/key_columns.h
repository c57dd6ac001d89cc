// Key columns for tests.
#ifndef BENNU_TESTS_SQL_KEYS_KEY_COLUMNS_H_
#define BENNU_TESTS_SQL_KEYS_KEY_COLUMNS_H_

#include <cstdint>
#include <optional>

#include "src/sql/keys/key_schema.h"
#include "src/sql/types/type.h"

namespace bennu::sql {

inline constexpr SortOrder kAsc = SortOrder::kAsc;
inline constexpr SortOrder kDesc = SortOrder::kDesc;

// Nullable where the type has no fixed width.
inline KeyColumn Col(TypeId id, SortOrder order = kAsc,
                     std::optional<int32_t> length = std::nullopt) {
  const DataType type = {id, length};
  return {"T.C", type, order, !FixedWidth(type).has_value(), false};
}

}  // namespace bennu::sql

#endif  // BENNU_TESTS_SQL_KEYS_KEY_COLUMNS_H_
