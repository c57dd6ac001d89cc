// Rows of a result, column by column.
//
//   while (true) {
//     BENNU_ASSIGN_OR_RETURN(const bennu::ResultChunk* chunk, rows->NextChunk());
//     if (chunk == nullptr) break;
//     const bennu::ColumnChunk& amounts = chunk->columns[1];
//     const std::span<const int64_t> values = amounts.int64s();
//     for (size_t row = 0; row < chunk->row_count; ++row) {
//       if (!amounts.IsNull(row)) sum += values[row];
//     }
//   }
#ifndef BENNU_RESULT_CHUNK_H_
#define BENNU_RESULT_CHUNK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "bennu/datum.h"

namespace bennu {

// The values of one column in the rows of a chunk, which owns them. Each kind of values has its
// call; the calls of other kinds return an empty span. What stands in a span for NULL means
// nothing.
class ColumnChunk {
 public:
  enum class Kind : uint8_t {
    kBool,    // BOOLEAN: bools
    kInt64,   // integers of all types: int64s
    kDouble,  // FLOAT, DOUBLE and their unsigned ones: doubles
    kMillis,  // DATE and TIME: int64s, milliseconds since 1970
    kMoment,  // TIMESTAMP: moments
    kText,    // VARCHAR and CHAR: views, UTF-8
    kBytes,   // BINARY, VARBINARY, VARBINARY_ENCODED: views
    kDatum,   // DECIMAL, arrays, JSON and BSON: datums
  };

  Kind kind() const { return kind_; }
  // A byte for each row: 0 for NULL, else 1.
  std::span<const uint8_t> validity() const { return validity_; }
  bool IsNull(size_t row) const { return validity_[row] == 0; }

  std::span<const uint8_t> bools() const { return Values<uint8_t>(); }  // 0 or 1
  std::span<const int64_t> int64s() const { return Values<int64_t>(); }
  std::span<const double> doubles() const { return Values<double>(); }
  std::span<const Datum::Moment> moments() const { return Values<Datum::Moment>(); }
  std::span<const std::string_view> views() const { return Values<std::string_view>(); }
  std::span<const Datum> datums() const { return Values<Datum>(); }

  using Spans = std::variant<std::span<const uint8_t>, std::span<const int64_t>,
                             std::span<const double>, std::span<const Datum::Moment>,
                             std::span<const std::string_view>, std::span<const Datum>>;
  // For who makes chunks.
  ColumnChunk(Kind kind, std::span<const uint8_t> validity, Spans values)
      : kind_(kind), validity_(validity), values_(values) {}

 private:
  template <typename T>
  std::span<const T> Values() const {
    const auto* const values = std::get_if<std::span<const T>>(&values_);
    return values != nullptr ? *values : std::span<const T>();
  }

  Kind kind_;
  std::span<const uint8_t> validity_;
  Spans values_;
};

// Some rows; what a ResultSet returns has one at least.
struct ResultChunk {
  size_t row_count = 0;
  std::vector<ColumnChunk> columns;  // of ResultSet::columns()
};

}  // namespace bennu

#endif  // BENNU_RESULT_CHUNK_H_
