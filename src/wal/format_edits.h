// Entries as text, one line each and one line per cell: what `bennu wal` prints.
#ifndef BENNU_SRC_WAL_FORMAT_EDITS_H_
#define BENNU_SRC_WAL_FORMAT_EDITS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/wal/wal_entry.h"

namespace bennu::wal {

// The first line, naming the columns; ends with a newline.
inline constexpr std::string_view kEditsHeader =
    "#entry\tregion\ttable\tseqId\tnonceGroup,nonce\tscopes\tclusterIds\tcells (then one line per "
    "cell: TAB row_hex family qualifier_hex ts type tags_hex value_hex)\n";

// The lines of one entry, each ending with a newline; cells of markers are followed by a line
// "TAB # message". 'number' counts entries from 0.
std::string FormatEdits(uint64_t number, const WalEntry& entry);

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_FORMAT_EDITS_H_
