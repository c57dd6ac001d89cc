// Which signs the names of tables, namespaces and snapshots may have.
#ifndef BENNU_SRC_API_NAME_CHARACTERS_H_
#define BENNU_SRC_API_NAME_CHARACTERS_H_

#include <string_view>

namespace bennu::api {

// Whether the text is UTF-8 of letters and digits of any language, of '_', and of what is in
// 'others', which is ASCII. As in HBase only characters of the basic plane count, which are one
// char of Java's. Which are letters the C library says, whose Unicode is that of Java 17 or later.
// Pure function. Source: TableName.isLegalTableQualifierName of HBase 2.5.
bool IsNameText(std::string_view text, std::string_view others);

// ZooKeeper has a node of that name, so HBase refuses it for all of them.
inline constexpr std::string_view kForbiddenName = "zookeeper";

}  // namespace bennu::api

#endif  // BENNU_SRC_API_NAME_CHARACTERS_H_
