// OrderedBytes (bennu/ordered_bytes.h), with decimals as BigDecimal, which the public header has no
// type for.
#ifndef BENNU_SRC_ENCODING_ORDERED_BYTES_H_
#define BENNU_SRC_ENCODING_ORDERED_BYTES_H_

#include <optional>

#include "bennu/ordered_bytes.h"
#include "src/encoding/big_decimal.h"

namespace bennu::ordered_bytes {

// Rounds to 31 significant digits, halves away from zero.
void EncodeNumeric(Bytes* out, const encoding::BigDecimal& value, Order order);

// Empty for a null. Corruption also for NaN and infinities. The result has no trailing zeros.
Result<std::optional<encoding::BigDecimal>> DecodeNumericAsBigDecimal(ByteView* in);

}  // namespace bennu::ordered_bytes

namespace bennu::encoding {
namespace ordered = ordered_bytes;
}  // namespace bennu::encoding

#endif  // BENNU_SRC_ENCODING_ORDERED_BYTES_H_
