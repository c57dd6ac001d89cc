// Descriptors as `describe` shows them, values in the spoken forms of HBase ('65536 B (64KB)').
#ifndef BENNU_SRC_SHELL_DESCRIPTOR_TEXT_H_
#define BENNU_SRC_SHELL_DESCRIPTOR_TEXT_H_

#include <cstdint>
#include <string>

#include "bennu/descriptor.h"

namespace bennu::shell {

// "90 SECONDS (1 MINUTE 30 SECOND)", or "FOREVER".
std::string TtlText(int64_t seconds);
// "134217728 B (128MB)".
std::string ByteSizeText(int64_t bytes);

// ", {TABLE_ATTRIBUTES => {MAX_FILESIZE => '…', METADATA => {…}}}", empty when there are none.
std::string TableAttributesText(const TableDescriptor& table);
// "{NAME => 'f', INDEX_BLOCK_ENCODING => 'NONE', VERSIONS => '1', …}", defaults included.
std::string FamilyText(const ColumnFamilyDescriptor& family);

// As Java's RegionInfo describes itself: "{ENCODED => …, NAME => '…', STARTKEY => '…', ENDKEY =>
// '…'}", with OFFLINE, SPLIT and REPLICA_ID where these are not the usual ones.
std::string RegionText(const RegionInfo& region);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_DESCRIPTOR_TEXT_H_
