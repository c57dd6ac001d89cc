// Hashes bytes for sets of strings in which views are looked up.
#ifndef BENNU_SRC_SQL_EXPR_BYTES_HASH_H_
#define BENNU_SRC_SQL_EXPR_BYTES_HASH_H_

#include <cstddef>
#include <functional>
#include <string_view>

namespace bennu::sql {

struct BytesHash {
  using is_transparent = void;
  size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>()(bytes); }
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_BYTES_HASH_H_
