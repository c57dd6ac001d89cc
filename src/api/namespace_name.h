// Names of namespaces.
#ifndef BENNU_SRC_API_NAMESPACE_NAME_H_
#define BENNU_SRC_API_NAMESPACE_NAME_H_

#include <string_view>

#include "bennu/status.h"

namespace bennu::api {

// Of HBase's own tables.
inline constexpr char kSystemNamespace[] = "hbase";

// InvalidArgument: empty, too long for a directory's name, or with other signs than letters, digits
// and '_'. Pure function. Source: TableName.isLegalNamespaceName of HBase 2.5, but for the length.
Status CheckNamespaceName(std::string_view name);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_NAMESPACE_NAME_H_
