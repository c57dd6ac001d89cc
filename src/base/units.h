// Sizes and times with units, as HBase's shell prints and takes them (PrettyPrinter). Pure
// functions.
#ifndef BENNU_SRC_BASE_UNITS_H_
#define BENNU_SRC_BASE_UNITS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace bennu {

// Bytes: "131072", "128 KB", "1 GB 512 MB", "131072 B (128KB)"; units are powers of 1024. Nothing
// for other texts, for what 64 bits do not hold, and when both sides of the brackets differ.
std::optional<int64_t> ParseByteSize(std::string_view text);

// Seconds: "1 DAY 2 HOURS", "93600 SECONDS (1 DAY 2 HOURS)"; nothing likewise.
std::optional<int64_t> ParseInterval(std::string_view text);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_UNITS_H_
