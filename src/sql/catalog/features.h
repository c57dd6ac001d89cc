// Features: what a store's configuration says about definitions. Phoenix reads these from its
// client's and its servers' hbase-site.xml, which must agree; here one store has one of them.
#ifndef BENNU_SRC_SQL_CATALOG_FEATURES_H_
#define BENNU_SRC_SQL_CATALOG_FEATURES_H_

#include "src/sql/catalog/statistics_options.h"

namespace bennu::sql::catalog {

struct Features {
  // phoenix.schema.isNamespaceMappingEnabled: a schema is a namespace of HBase, which CREATE SCHEMA
  // makes, and the table S.T is HBase's S:T.
  bool map_namespaces = false;
  // phoenix.schema.mapSystemTablesToNamespace: the SYSTEM tables too. Counts with the first alone.
  bool map_system_tables = true;
  StatisticsOptions statistics;

  bool system_is_mapped() const { return map_namespaces && map_system_tables; }
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_FEATURES_H_
