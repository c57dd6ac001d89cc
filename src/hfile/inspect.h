// An HFile as text, for `bennu hfile` and for the tests against recorded files.
#ifndef BENNU_SRC_HFILE_INSPECT_H_
#define BENNU_SRC_HFILE_INSPECT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/hfile/reader.h"

namespace bennu::hfile {

using LineSink = std::function<void(std::string_view line)>;  // without the line's end

// A tab-separated header line, then a line per cell in file order: row, family, qualifier,
// timestamp, type, sequence id, tags, value; byte strings in hex but for the family.
Status FormatCells(const std::shared_ptr<const Reader>& reader, const LineSink& sink);

// `key=value` lines: trailer, file info, keys, every block, indexes, meta blocks, bloom filters.
Status FormatMeta(const Reader& reader, const LineSink& sink);

// "Put", "DeleteColumn" …
std::string CellTypeText(CellType type);

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_INSPECT_H_
