#include "src/sql/types/sql_errors.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bennu::sql {
namespace {

struct ErrorInfo {
  int code;
  std::string_view sqlstate;
  std::string_view name;
  std::string_view text;
};

// Every code, ascending. Where Phoenix's text is not known the name stands for it, in words.
constexpr ErrorInfo kErrors[] = {
    {101, "08000", "IO_EXCEPTION", "Unexpected IO exception."},
    {102, "08001", "MALFORMED_CONNECTION_URL", "Malformed connection url."},
    {103, "08004", "CANNOT_ESTABLISH_CONNECTION", "Unable to establish connection."},
    {201, "22000", "ILLEGAL_DATA", "Illegal data."},
    {202, "22012", "DIVIDE_BY_ZERO", "Divide by zero."},
    {203, "22005", "TYPE_MISMATCH", "Type mismatch."},
    {204, "22008", "VALUE_IN_UPSERT_NOT_CONSTANT", "Values in UPSERT must evaluate to a constant."},
    {205, "22009", "MALFORMED_URL", "Malformed url."},
    {206, "22003", "DATA_EXCEEDS_MAX_CAPACITY",
     "The data exceeds the max capacity for the data type."},
    {207, "22004", "MISSING_MAX_LENGTH", "Max length must be specified for type."},
    {208, "22006", "NONPOSITIVE_MAX_LENGTH", "Max length must have a positive length for type."},
    {209, "22003", "DECIMAL_PRECISION_OUT_OF_RANGE",
     "Decimal precision outside of range. Should be within 1 and 38."},
    {212, "22012", "SERVER_ARITHMETIC_ERROR", "Server arithmetic error."},
    {213, "22003", "VALUE_OUTSIDE_RANGE", "Value outside range."},
    {214, "22008", "VALUE_IN_LIST_NOT_CONSTANT", "Values in IN must evaluate to a constant."},
    {215, "22015", "SINGLE_ROW_SUBQUERY_RETURNS_MULTIPLE_ROWS",
     "Single-row sub-query returns more than one row."},
    {216, "22016", "SUBQUERY_RETURNS_DIFFERENT_NUMBER_OF_FIELDS",
     "Sub-query must return the same number of fields as the left-hand-side "
     "expression of 'IN'."},
    {217, "22017", "AMBIGUOUS_JOIN_CONDITION",
     "Ambiguous or non-equi join condition specified. Consider using table list with "
     "where clause."},
    {218, "23018", "CONSTRAINT_VIOLATION", "Constraint violation."},
    {219, "23019", "SUBQUERY_SELECT_LIST_COLUMN_MUST_HAS_ALIAS",
     "Subquery select list column must has alias."},
    {220, "23020", "ROW_KEY_OUT_OF_SCAN_RANGE", "Row key out of scan range."},
    {221, "23021", "INVALID_TOTAL_SEGMENTS_VALUE", "Invalid total segments value."},
    {301, "23000", "CONCURRENT_TABLE_MUTATION", "Concurrent modification to table."},
    {302, "23100", "CANNOT_INDEX_COLUMN_ON_TYPE", "Cannot index column on type."},
    {303, "23101", "INVALID_INDEX_WHERE_WITH_SUBQUERY",
     " Index where clause cannot include a subquery."},
    {304, "23102", "CANNOT_EVALUATE_INDEX_WHERE", "Cannot evaluate index where."},
    {305, "23103", "SYSTEM_TABLE_INDEXES_NOT_ENABLED", "System table indexes not enabled."},
    {306, "23104", "CANNOT_INDEX_SYSTEM_TABLE", "Cannot index system table."},
    {401, "24015", "CURSOR_BEFORE_FIRST_ROW", "Cursor before first row."},
    {402, "24016", "CURSOR_PAST_LAST_ROW", "Cursor past last row."},
    {501, "42000", "AMBIGUOUS_TABLE", "Ambiguous table."},
    {502, "42702", "AMBIGUOUS_COLUMN", "Column reference ambiguous or duplicate names."},
    {503, "42602", "INDEX_MISSING_PK_COLUMNS", "Index missing pk columns."},
    {504, "42703", "COLUMN_NOT_FOUND", "Undefined column."},
    {505, "42000", "READ_ONLY_TABLE", "Table is read only."},
    {506, "42817", "CANNOT_DROP_PK", "Primary key column may not be dropped."},
    {509, "42888", "PRIMARY_KEY_MISSING", "The table does not have a primary key."},
    {510, "42889", "PRIMARY_KEY_ALREADY_EXISTS", "The table already has a primary key."},
    {511, "42890", "ORDER_BY_NOT_IN_SELECT_DISTINCT",
     "All ORDER BY expressions must appear in SELECT DISTINCT:"},
    {512, "42891", "INVALID_PRIMARY_KEY_CONSTRAINT",
     "Invalid column reference in primary key constraint."},
    {513, "42892", "ARRAY_NOT_ALLOWED_IN_PRIMARY_KEY", "Array not allowed in primary key."},
    {514, "42892", "COLUMN_EXIST_IN_DEF",
     "A duplicate column name was detected in the object definition or ALTER "
     "TABLE/VIEW statement."},
    {515, "42893", "ORDER_BY_ARRAY_NOT_SUPPORTED", "Order by array not supported."},
    {516, "42894", "NON_EQUALITY_ARRAY_COMPARISON", "Non equality array comparison."},
    {518, "25502", "READ_ONLY_CONNECTION",
     "Mutations are not permitted for a read-only connection."},
    {519, "42896", "VARBINARY_ARRAY_NOT_SUPPORTED", "VARBINARY ARRAY is not supported."},
    {520, "42897", "AGGREGATE_EXPRESSION_NOT_ALLOWED_IN_INDEX",
     "Aggregate expression not allowed in an index."},
    {521, "42898", "NON_DETERMINISTIC_EXPRESSION_NOT_ALLOWED_IN_INDEX",
     "Non-deterministic expression not allowed in an index."},
    {522, "42899", "STATELESS_EXPRESSION_NOT_ALLOWED_IN_INDEX",
     "Stateless expression not allowed in an index."},
    {523, "42900", "TRANSACTION_CONFLICT_EXCEPTION", "Transaction conflict exception."},
    {524, "42901", "TRANSACTION_EXCEPTION", "Transaction exception."},
    {525, "42902", "SELECT_COLUMN_NUM_IN_UNIONALL_DIFFS",
     "SELECT column number differs in a Union All query is not allowed."},
    {526, "42903", "SELECT_COLUMN_TYPE_IN_UNIONALL_DIFFS",
     "SELECT column types differ in a Union All query is not allowed."},
    {527, "42904", "ROWTIMESTAMP_ONE_PK_COL_ONLY",
     "Only one column that is part of the primary key can be declared as a "
     "ROW_TIMESTAMP."},
    {528, "42905", "ROWTIMESTAMP_PK_COL_ONLY", "Rowtimestamp pk col only."},
    {529, "42906", "ROWTIMESTAMP_CREATE_ONLY",
     "A column can be added as ROW_TIMESTAMP only in CREATE TABLE."},
    {530, "42907", "ROWTIMESTAMP_COL_INVALID_TYPE",
     "A column can be added as ROW_TIMESTAMP only if it is of type DATE, BIGINT, TIME "
     "OR TIMESTAMP."},
    {531, "42908", "ROWTIMESTAMP_NOT_ALLOWED_ON_VIEW",
     "Declaring a column as row_timestamp is not allowed for views."},
    {532, "42909", "INVALID_SCN", "Value of SCN cannot be less than zero."},
    {533, "42910", "INVALID_REPLAY_AT", "Invalid replay at."},
    {534, "42911", "UNEQUAL_SCN_AND_BUILD_INDEX_AT", "Unequal scn and build index at."},
    {535, "42912", "ONLY_INDEX_UPDATABLE_AT_SCN", "Only index updatable at scn."},
    {536, "42913", "PARENT_TABLE_NOT_FOUND", "Parent table not found."},
    {538, "42915", "CANNOT_QUERY_TABLE_WITH_SCN_OLDER_THAN_MAX_LOOKBACK_AGE",
     "Cannot use SCN to look further back in the past beyond the configured max lookback age"},
    {539, "42915", "COMPARISON_UNSUPPORTED", "Comparison not supported for the datatype."},
    {540, "42916", "INVALID_JSON_DATA", "Invalid json data."},
    {541, "42917", "JSON_FRAGMENT_NOT_ALLOWED_IN_INDEX_EXPRESSION",
     "Functions returning JSON fragments are not allowed in Index Expression."},
    {542, "42918", "AGGREGATE_EXPRESSION_NOT_ALLOWED_IN_CONDITIONAL_TTL",
     "Aggregate expression not allowed in a conditional TTL expression."},
    {543, "42919", "CANNOT_SET_CONDITIONAL_TTL_ON_TABLE_WITH_MULTIPLE_COLUMN_FAMILIES",
     "Cannot set conditional ttl on table with multiple column families."},
    {544, "42920", "CANNOT_DROP_COL_REFERENCED_IN_CONDITIONAL_TTL",
     "Cannot drop column referenced in conditional TTL expression."},
    {601, "42P00", "PARSER_ERROR", "Syntax error."},
    {602, "42P00", "MISSING_TOKEN", "Syntax error. Missing"},
    {603, "42P00", "UNWANTED_TOKEN", "Syntax error. Unexpected input."},
    {604, "42P00", "MISMATCHED_TOKEN", "Syntax error. Mismatched input."},
    {605, "42P00", "UNKNOWN_FUNCTION", "Syntax error. Unknown function:"},
    {721, "42M04", "SCHEMA_ALREADY_EXISTS", "Schema already exists."},
    {722, "43M05", "SCHEMA_NOT_FOUND", "Schema does not exist"},
    {723, "43M06", "CANNOT_MUTATE_SCHEMA", "Cannot mutate schema."},
    {724, "43M07", "SCHEMA_NOT_ALLOWED", "Schema not allowed."},
    {725, "43M08", "CREATE_SCHEMA_NOT_ALLOWED",
     "Cannot create schema because config phoenix.schema.isNamespaceMappingEnabled "
     "for enabling name space mapping isn't enabled."},
    {726, "43M10", "INCONSISTENT_NAMESPACE_MAPPING_PROPERTIES",
     "Inconsistent namespace mapping properties."},
    {727, "43M11", "ASYNC_NOT_ALLOWED", "Async not allowed."},
    {728, "410M1", "NEW_CONNECTION_THROTTLED", "New connection throttled."},
    {729, "LIM01", "MAX_MUTATION_SIZE_EXCEEDED", "Max mutation size exceeded."},
    {730, "LIM02", "MAX_MUTATION_SIZE_BYTES_EXCEEDED", "Max mutation size bytes exceeded."},
    {731, "410M1", "NEW_INTERNAL_CONNECTION_THROTTLED", "New internal connection throttled."},
    {732, "LIM03", "MAX_HBASE_CLIENT_KEYVALUE_MAXSIZE_EXCEEDED",
     "Max hbase client keyvalue maxsize exceeded."},
    {733, "LIM04", "MUTATION_LIMIT_REACHED", "Mutation limit reached."},
    {900, "HJ01", "HASH_JOIN_CACHE_NOT_FOUND", "Hash join cache not found."},
    {901, "43M12", "CANNOT_UPSERT_WITH_SCN_FOR_ROW_TIMESTAMP_COLUMN",
     "Cannot upsert with scn for row timestamp column."},
    {903, "43M14", "CANNOT_UPSERT_WITH_SCN_FOR_TABLE_WITH_INDEXES",
     "Cannot upsert with scn for table with indexes."},
    {904, "43M15", "CANNOT_PERFORM_DDL_WITH_PENDING_MUTATIONS",
     "Cannot perform ddl with pending mutations."},
    {905, "43M16", "NOT_SUPPORTED_CASCADE_FEATURE_PK", "Not supported cascade feature pk."},
    {906, "43M17", "INCORRECT_INDEX_NAME", "Incorrect index name."},
    {907, "43M18", "NOT_SUPPORTED_CASCADE_FEATURE_LOCAL_INDEX",
     "Not supported cascade feature local index."},
    {908, "43M19", "INVALID_REGION_SPLIT_POLICY", "Invalid region split policy."},
    {909, "4320", "ERROR_WRITING_TO_SCHEMA_REGISTRY", "Error writing to schema registry."},
    {910, "43M21", "CANNOT_TRANSFORM_ALREADY_TRANSFORMING_TABLE",
     "Cannot transform already transforming table."},
    {911, "43M22", "CANNOT_TRANSFORM_LOCAL_OR_VIEW_INDEX", "Cannot transform local or view index."},
    {912, "43M23", "CANNOT_TRANSFORM_TABLE_WITH_LOCAL_INDEX",
     "Cannot transform table with local index."},
    {913, "43M24", "CANNOT_TRANSFORM_TABLE_WITH_APPEND_ONLY_SCHEMA",
     "Cannot transform table with append only schema."},
    {914, "43M25", "CANNOT_TRANSFORM_TRANSACTIONAL_TABLE", "Cannot transform transactional table."},
    {915, "43M26", "STALE_METADATA_CACHE_EXCEPTION", "Stale metadata cache exception."},
    {916, "43M27", "AUTO_COMMIT_NOT_ENABLED", "Auto commit not enabled."},
    {999, "50M01", "INSUFFICIENT_MEMORY", "Insufficient memory."},
    {1000, "42I00", "SINGLE_PK_MAY_NOT_BE_NULL", "Single column primary key may not be NULL."},
    {1001, "42I01", "COLUMN_FAMILY_NOT_FOUND", "Undefined column family."},
    {1002, "42I02", "PROPERTIES_FOR_FAMILY",
     "Properties may not be defined for an unused family name."},
    {1003, "42J01", "PRIMARY_KEY_WITH_FAMILY_NAME",
     "Primary key columns must not have a family name."},
    {1004, "42J02", "PRIMARY_KEY_OUT_OF_ORDER",
     "Order of columns in primary key constraint must match the order in which "
     "they're declared."},
    {1005, "42J03", "VARBINARY_IN_ROW_KEY",
     "The VARBINARY/ARRAY type can only be used as the last part of a multi-part row "
     "key. For Binary types, you can use VARBINARY_ENCODED for early part of "
     "multi-part row key."},
    {1006, "42J04", "NOT_NULLABLE_COLUMN_IN_ROW_KEY",
     "Only nullable columns may be added to primary key."},
    {1007, "42K01", "KEY_VALUE_NOT_NULL",
     "A non primary key column may only be declared as not null on tables with "
     "immutable rows."},
    {1008, "42L01", "VIEW_WITH_TABLE_CONFIG", "View with table config."},
    {1009, "42L02", "VIEW_WITH_PROPERTIES", "View with properties."},
    {1010, "42M01", "CANNOT_MUTATE_TABLE", "Not allowed to mutate table."},
    {1011, "42M02", "UNEXPECTED_MUTATION_CODE", "Unexpected mutation code."},
    {1012, "42M03", "TABLE_UNDEFINED", "Table undefined."},
    {1013, "42M04", "TABLE_ALREADY_EXIST", "Table already exists."},
    {1014, "42Y01", "TYPE_NOT_SUPPORTED_FOR_OPERATOR", "Type not supported for operator."},
    {1015, "42J04", "VARBINARY_LAST_PK",
     "Cannot add column to table when the last PK column is of type VARBINARY or "
     "ARRAY."},
    {1016, "42Y26", "AGGREGATE_IN_GROUP_BY", "Aggregate expressions may not be used in GROUP BY."},
    {1017, "42Y26", "AGGREGATE_IN_WHERE", "Aggregate may not be used in WHERE."},
    {1018, "42Y27", "AGGREGATE_WITH_NOT_GROUP_BY_COLUMN",
     "Aggregate may not contain columns not in GROUP BY."},
    {1019, "42Y26", "ONLY_AGGREGATE_IN_HAVING_CLAUSE",
     "Only aggregate maybe used in the HAVING clause."},
    {1020, "42Y60", "UPSERT_COLUMN_NUMBERS_MISMATCH",
     "Number of columns upserting must match number of values."},
    {1021, "42Y80", "INVALID_BUCKET_NUM", "Salt bucket numbers should be with 1 and 256."},
    {1022, "42Y81", "NO_SPLITS_ON_SALTED_TABLE", "No splits on salted table."},
    {1023, "42J04", "NULLABLE_FIXED_WIDTH_LAST_PK", "Nullable fixed width last pk."},
    {1024, "42Y82", "SALT_ONLY_ON_CREATE_TABLE",
     "Salt bucket number may only be specified when creating a table."},
    {1025, "42Y83", "SET_UNSUPPORTED_PROP_ON_ALTER_TABLE", "Set unsupported prop on alter table."},
    {1026, "42Y85", "NO_MUTABLE_INDEXES", "No mutable indexes."},
    {1028, "42Y87", "INVALID_INDEX_STATE_TRANSITION", "Invalid index state transition."},
    {1029, "42Y88", "INVALID_MUTABLE_INDEX_CONFIG", "Invalid mutable index config."},
    {1030, "42Y89", "CANNOT_CREATE_TENANT_SPECIFIC_TABLE",
     "Cannot create table for tenant-specific connection."},
    {1031, "42Y90", "CANNOT_CREATE_DEFAULT", "Cannot create column with a stateful default value."},
    {1032, "42Y90", "CANNOT_CREATE_DEFAULT_ROWTIMESTAMP",
     "Cannot create ROW_TIMESTAMP column with a default value."},
    {1034, "42Y93", "DEFAULT_COLUMN_FAMILY_ONLY_ON_CREATE_TABLE",
     "Default column family may only be specified when creating a table."},
    {1036, "42J04", "CANNOT_MODIFY_VIEW_PK", "Cannot modify view pk."},
    {1037, "42J04", "BASE_TABLE_COLUMN", "Base table column."},
    {1038, "42Y84", "CANNOT_ADD_NOT_NULLABLE_COLUMN", "Cannot add not nullable column."},
    {1040, "42Y96", "INSUFFICIENT_MULTI_TENANT_COLUMNS",
     "A MULTI_TENANT table must have two or more PK columns with the first column "
     "being NOT NULL."},
    {1041, "42Y97", "TENANTID_IS_OF_WRONG_TYPE",
     "The TenantId could not be converted to correct format for this table."},
    {1042, "42M06", "INDEX_UNDEFINED", "Index undefined."},
    {1045, "43A02", "VIEW_WHERE_IS_CONSTANT",
     "WHERE clause in VIEW should not evaluate to a constant."},
    {1046, "43A03", "CANNOT_UPDATE_VIEW_COLUMN",
     "Column updated in VIEW may not differ from value specified in WHERE clause."},
    {1047, "43A04", "TOO_MANY_INDEXES", "Too many indexes."},
    {1048, "43A05", "NO_LOCAL_INDEX_ON_TABLE_WITH_IMMUTABLE_ROWS",
     "No local index on table with immutable rows."},
    {1049, "43A06", "COLUMN_FAMILY_NOT_ALLOWED_TABLE_PROPERTY",
     "Column family not allowed table property."},
    {1050, "43A07", "COLUMN_FAMILY_NOT_ALLOWED_FOR_PROPERTY",
     "Setting  or altering any of the following properties: [TTL, KEEP_DELETED_CELLS, "
     "REPLICATION_SCOPE] for a column family is not supported since they must be kept "
     "in sync. You can only set these properties for the entire table."},
    {1051, "43A08", "CANNOT_ALTER_PROPERTY", "Cannot alter property."},
    {1052, "43A09", "CANNOT_SET_PROPERTY_FOR_COLUMN_NOT_ADDED",
     "Cannot set property for column not added."},
    {1053, "43A10", "CANNOT_SET_TABLE_PROPERTY_ADD_COLUMN",
     "Cannot set table property add column."},
    {1054, "43A11", "NO_LOCAL_INDEXES", "No local indexes."},
    {1055, "43A12", "UNALLOWED_LOCAL_INDEXES", "Unallowed local indexes."},
    {1056, "43A13", "DESC_VARBINARY_NOT_SUPPORTED", "Descending VARBINARY columns not supported."},
    {1057, "42Y10", "NO_TABLE_SPECIFIED_FOR_WILDCARD_SELECT",
     "No table specified for wildcard select."},
    {1058, "43A14", "UNSUPPORTED_GROUP_BY_EXPRESSIONS",
     "Only a single VARBINARY, ARRAY, or nullable BINARY type may be referenced in a GROUP BY."},
    {1069, "43A69", "DEFAULT_COLUMN_FAMILY_ON_SHARED_TABLE",
     "Default column family on shared table."},
    {1070, "44A01", "ONLY_TABLE_MAY_BE_DECLARED_TRANSACTIONAL",
     "Only table may be declared transactional."},
    {1071, "44A02", "TX_MAY_NOT_SWITCH_TO_NON_TX", "Tx may not switch to non tx."},
    {1072, "44A03", "STORE_NULLS_MUST_BE_TRUE_FOR_TRANSACTIONAL",
     "Store nulls must be true for transactional."},
    {1073, "44A04", "CANNOT_START_TRANSACTION_WITH_SCN_SET",
     "Cannot start transaction with scn set."},
    {1074, "44A05", "TX_MAX_VERSIONS_MUST_BE_GREATER_THAN_ONE",
     "Tx max versions must be greater than one."},
    {1075, "44A06", "CANNOT_SPECIFY_SCN_FOR_TXN_TABLE", "Cannot specify scn for txn table."},
    {1076, "44A07", "NULL_TRANSACTION_CONTEXT", "Null transaction context."},
    {1077, "44A08", "TRANSACTION_FAILED", "Transaction failed."},
    {1078, "44A09", "CANNOT_CREATE_TXN_TABLE_IF_TXNS_DISABLED",
     "Cannot create a transactional table if transactions are disabled."},
    {1079, "44A10", "CANNOT_ALTER_TO_BE_TXN_IF_TXNS_DISABLED",
     "Cannot alter to be txn if txns disabled."},
    {1080, "44A11", "CANNOT_CREATE_TXN_TABLE_WITH_ROW_TIMESTAMP",
     "Cannot create txn table with row timestamp."},
    {1081, "44A12", "CANNOT_ALTER_TO_BE_TXN_WITH_ROW_TIMESTAMP",
     "Cannot alter to be txn with row timestamp."},
    {1082, "44A13", "TX_MUST_BE_ENABLED_TO_SET_TX_CONTEXT",
     "Tx must be enabled to set tx context."},
    {1083, "44A14", "TX_MUST_BE_ENABLED_TO_SET_AUTO_FLUSH",
     "Tx must be enabled to set auto flush."},
    {1084, "44A15", "TX_MUST_BE_ENABLED_TO_SET_ISOLATION_LEVEL",
     "Tx must be enabled to set isolation level."},
    {1085, "44A16", "TX_UNABLE_TO_GET_WRITE_FENCE", "Tx unable to get write fence."},
    {1086, "44A17", "SEQUENCE_NOT_CASTABLE_TO_AUTO_PARTITION_ID_COLUMN",
     "Sequence not castable to auto partition id column."},
    {1087, "44A18", "CANNOT_COERCE_AUTO_PARTITION_ID", "Cannot coerce auto partition id."},
    {1088, "44A19", "CANNOT_CREATE_INDEX_ON_MUTABLE_TABLE_WITH_ROWTIMESTAMP",
     "Cannot create an index on a mutable table that has a ROW_TIMESTAMP column."},
    {1089, "44A20", "UNKNOWN_TRANSACTION_PROVIDER", "Unknown transaction provider."},
    {1090, "42J04", "UNALLOWED_COLUMN_FAMILY", "Unallowed column family."},
    {1091, "44A22", "CANNOT_START_TXN_IF_TXN_DISABLED", "Cannot start txn if txn disabled."},
    {1092, "44A23", "CANNOT_MIX_TXN_PROVIDERS", "Cannot mix txn providers."},
    {1093, "44A24", "CANNOT_ALTER_TABLE_FROM_NON_TXN_TO_TXNL",
     "Cannot alter table from non txn to txnl."},
    {1094, "44A25", "UNSUPPORTED_COLUMN_ENCODING_FOR_TXN_PROVIDER",
     "Unsupported column encoding for txn provider."},
    {1095, "44A26", "UNSUPPORTED_STORAGE_FORMAT_FOR_TXN_PROVIDER",
     "Unsupported storage format for txn provider."},
    {1096, "44A27", "CANNOT_SWITCH_TXN_PROVIDERS", "Cannot switch txn providers."},
    {1097, "44A34", "ABOVE_INDEX_NON_ASYNC_THRESHOLD", "Above index non async threshold."},
    {1101, "XCL01", "RESULTSET_CLOSED", "Resultset closed."},
    {1102, "XCL02", "GET_TABLE_REGIONS_FAIL", "Get table regions fail."},
    {1103, "XCL03", "EXECUTE_QUERY_NOT_APPLICABLE", "Execute query not applicable."},
    {1104, "XCL04", "EXECUTE_UPDATE_NOT_APPLICABLE", "Execute update not applicable."},
    {1105, "XCL05", "SPLIT_POINT_NOT_CONSTANT", "Split point not constant."},
    {1106, "XCL06", "BATCH_EXCEPTION", "Batch exception."},
    {1107, "XCL07", "EXECUTE_UPDATE_WITH_NON_EMPTY_BATCH", "Execute update with non empty batch."},
    {1108, "XCL08", "STALE_REGION_BOUNDARY_CACHE", "Stale region boundary cache."},
    {1109, "XCL09", "CANNOT_SPLIT_LOCAL_INDEX", "Cannot split local index."},
    {1110, "XCL10", "CANNOT_SALT_LOCAL_INDEX", "Cannot salt local index."},
    {1111, "XCL11", "CONNECTION_CLOSED", "Connection closed."},
    {1120, "XCL20", "INDEX_FAILURE_BLOCK_WRITE", "Index failure block write."},
    {1121, "XCL21", "INDEX_WRITE_FAILURE", "Index write failure."},
    {1130, "XCL30", "UPDATE_CACHE_FREQUENCY_INVALID",
     "UPDATE_CACHE_FREQUENCY cannot be set to ALWAYS if APPEND_ONLY_SCHEMA is true."},
    {1131, "XCL31", "CANNOT_DROP_COL_APPEND_ONLY_SCHEMA", "Cannot drop col append only schema."},
    {1132, "XCL32", "CANNOT_DROP_VIEW_REFERENCED_COL", "Cannot drop view referenced col."},
    {1133, "XCL33", "CANNOT_ALTER_IMMUTABLE_ROWS_PROPERTY",
     "IMMUTABLE_ROWS property can be changed only if the table storage scheme is "
     "ONE_CELL_PER_KEYVALUE_COLUMN"},
    {1134, "XCL34", "CANNOT_ALTER_TABLE_PROPERTY_ON_VIEW", "Cannot alter table property on view."},
    {1135, "XCL35", "IMMUTABLE_TABLE_PROPERTY_INVALID", "Immutable table property invalid."},
    {1136, "XCL36", "MAX_COLUMNS_EXCEEDED", "Max columns exceeded."},
    {1137, "XCL37", "INVALID_IMMUTABLE_STORAGE_SCHEME_AND_COLUMN_QUALIFIER_BYTES",
     "If IMMUTABLE_STORAGE_SCHEME property is not set to ONE_CELL_PER_COLUMN "
     "COLUMN_ENCODED_BYTES cannot be 0"},
    {1138, "XCL38", "INVALID_IMMUTABLE_STORAGE_SCHEME_CHANGE",
     "Invalid immutable storage scheme change."},
    {1139, "XCL39", "CANNOT_SET_GUIDE_POST_WIDTH", "Cannot set guide post width."},
    {1140, "42M05", "TABLES_NOT_IN_SYNC", "Tables not in sync."},
    {1141, "XCL41", "CANNOT_CREATE_VIEWS_ON_SYSTEM_TABLES",
     "Cannot create views on system tables."},
    {1142, "XCL42", "UNABLE_TO_CREATE_CHILD_LINK", "Unable to create child link."},
    {1143, "XCL43", "UNABLE_TO_UPDATE_PARENT_TABLE", "Unable to update parent table."},
    {1144, "XCL44", "UNABLE_TO_DELETE_CHILD_LINK", "Unable to delete child link."},
    {1145, "XCL45", "TABLE_NOT_IN_REGION", "Table not in region."},
    {1146, "XCL46", "UNABLE_TO_UPSERT_TASK", "Unable to upsert task."},
    {1147, "42Y86", "NO_NORMALIZER_ON_SALTED_TABLE", "No normalizer on salted table."},
    {1148, "XCL48", "INVALID_CQ", "Invalid cq."},
    {1149, "XCL49", "DUPLICATE_CQ", "Duplicate cq."},
    {1150, "XCL49", "MISSING_CQ", "Missing cq."},
    {1151, "XCL51", "EXECUTE_BATCH_FOR_STMT_WITH_RESULT_SET",
     "A batch operation can't include a statement that produces result sets."},
    {1152, "XCL52", "SPLITS_AND_SPLIT_FILE_EXISTS", "Splits and split file exists."},
    {1153, "XCL53", "CANNOT_DROP_CDC_INDEX", "Cannot drop cdc index."},
    {1154, "XCL54", "SPLIT_FILE_DONT_EXIST", "Split file dont exist."},
    {1155, "XCL55", "UNABLE_TO_OPEN_SPLIT_FILE", "Unable to open split file."},
    {1156, "42J04", "BSON_LAST_PK", "Bson last pk."},
    {1157, "42J03", "BSON_IN_ROW_KEY",
     "The BSON type can only be used as the last part of a multi-part row key."},
    {1200, "42Z00", "SEQUENCE_ALREADY_EXIST", "Sequence already exists."},
    {1201, "42Z01", "SEQUENCE_UNDEFINED", "Sequence undefined."},
    {1202, "42Z02", "START_WITH_MUST_BE_CONSTANT",
     "Sequence START WITH value must be an integer or long constant."},
    {1203, "42Z03", "INCREMENT_BY_MUST_BE_CONSTANT", "Increment by must be constant."},
    {1204, "42Z04", "CACHE_MUST_BE_NON_NEGATIVE_CONSTANT", "Cache must be non negative constant."},
    {1205, "42Z05", "INVALID_USE_OF_NEXT_VALUE_FOR",
     "NEXT VALUE FOR may only be used as in a SELECT or an UPSERT VALUES expression."},
    {1206, "42Z06", "CANNOT_CALL_CURRENT_BEFORE_NEXT_VALUE",
     "NEXT VALUE FOR must be called before CURRENT VALUE FOR is called."},
    {1207, "42Z07", "EMPTY_SEQUENCE_CACHE", "Empty sequence cache."},
    {1208, "42Z08", "MINVALUE_MUST_BE_CONSTANT", "Minvalue must be constant."},
    {1209, "42Z09", "MAXVALUE_MUST_BE_CONSTANT", "Maxvalue must be constant."},
    {1210, "42Z10", "MINVALUE_MUST_BE_LESS_THAN_OR_EQUAL_TO_MAXVALUE",
     "Sequence MINVALUE must be less than or equal to MAXVALUE."},
    {1211, "42Z11", "STARTS_WITH_MUST_BE_BETWEEN_MIN_MAX_VALUE",
     "STARTS WITH value must be greater than or equal to MINVALUE and less than or "
     "equal to MAXVALUE."},
    {1212, "42Z12", "SEQUENCE_VAL_REACHED_MAX_VALUE", "Reached MAXVALUE of sequence."},
    {1213, "42Z13", "SEQUENCE_VAL_REACHED_MIN_VALUE", "Reached MINVALUE of sequence."},
    {1214, "42Z14", "INCREMENT_BY_MUST_NOT_BE_ZERO", "Sequence INCREMENT BY value cannot be zero."},
    {1215, "42Z15", "NUM_SEQ_TO_ALLOCATE_MUST_BE_CONSTANT",
     "Sequence NEXT n VALUES FOR must be a positive integer or constant."},
    {1216, "42Z16", "NUM_SEQ_TO_ALLOCATE_NOT_SUPPORTED",
     "Sequence NEXT n VALUES FOR is not supported for Sequences with the CYCLE flag."},
    {1217, "42Z17", "AUTO_PARTITION_SEQUENCE_UNDEFINED", "Auto partition sequence undefined."},
    {1218, "42Z18", "CANNOT_UPDATE_PK_ON_DUP_KEY",
     "Primary key columns may not be udpated in ON DUPLICATE KEY UPDATE clause."},
    {1219, "42Z19", "CANNOT_USE_ON_DUP_KEY_FOR_IMMUTABLE",
     "The ON DUPLICATE KEY UPDATE clause may not be used for immutable tables."},
    {1220, "42Z20", "CANNOT_USE_ON_DUP_KEY_FOR_TRANSACTIONAL",
     "Cannot use on dup key for transactional."},
    {1221, "42Z21", "DUPLICATE_COLUMN_IN_ON_DUP_KEY",
     "Duplicate column in ON DUPLICATE KEY UPDATE."},
    {1222, "42Z22", "AGGREGATION_NOT_ALLOWED_IN_ON_DUP_KEY",
     "Aggregation in ON DUPLICATE KEY UPDATE is not allowed."},
    {1223, "42Z23", "CANNOT_SET_SCN_IN_ON_DUP_KEY", "Cannot set scn in on dup key."},
    {1224, "42Z24", "CANNOT_USE_ON_DUP_KEY_WITH_GLOBAL_IDX",
     "Cannot use on dup key with global idx."},
    {1401, "STS01", "STATS_COLLECTION_DISABLED_ON_SERVER", "Stats collection disabled on server."},
    {1984, "F1Q84", "HA_CLOSED_AFTER_FAILOVER", "Ha closed after failover."},
    {1985, "F1Q85", "HA_NO_ACTIVE_CLUSTER", "Ha no active cluster."},
    {1986, "F1Q86", "HA_READ_FROM_CLUSTER_FAILED_ON_NULL", "Ha read from cluster failed on null."},
    {1987, "F1Q87", "HA_INVALID_PROPERTIES", "Ha invalid properties."},
    {1988, "F1Q88", "HA_CLUSTER_CAN_NOT_CONNECT", "Ha cluster can not connect."},
    {2001, "INT01", "CANNOT_CALL_METHOD_ON_TYPE", "Cannot call method on type."},
    {2002, "INT03", "CLASS_NOT_UNWRAPPABLE", "Class not unwrappable."},
    {2003, "INT04", "PARAM_INDEX_OUT_OF_BOUND", "Parameter position is out of range."},
    {2004, "INT05", "PARAM_VALUE_UNBOUND", "Parameter value unbound."},
    {2005, "INT07", "INTERRUPTED_EXCEPTION", "Interrupted exception."},
    {2006, "INT08", "INCOMPATIBLE_CLIENT_SERVER_JAR", "Incompatible client server jar."},
    {2007, "INT09", "OUTDATED_JARS", "Outdated jars."},
    {2008, "INT10", "INDEX_METADATA_NOT_FOUND", "Index metadata not found."},
    {2009, "INT11", "UNKNOWN_ERROR_CODE", "Unknown error code."},
    {2010, "INT12", "CONCURRENT_UPGRADE_IN_PROGRESS", "Concurrent upgrade in progress."},
    {2011, "INT13", "UPGRADE_REQUIRED", "Upgrade required."},
    {2012, "INT14", "UPGRADE_NOT_REQUIRED", "Upgrade not required."},
    {2013, "INT15", "GET_TABLE_ERROR", "Get table error."},
    {2014, "INT16", "ROW_VALUE_CONSTRUCTOR_OFFSET_NOT_COERCIBLE",
     "Row Value Constructor Offset Not Coercible to a Primary or Indexed RowKey."},
    {2015, "INT17", "ROW_VALUE_CONSTRUCTOR_OFFSET_INTERNAL_ERROR",
     "Row value constructor offset internal error."},
    {2016, "INT18", "ROW_VALUE_CONSTRUCTOR_OFFSET_NOT_ALLOWED_IN_QUERY",
     "Row value constructor offset not allowed in query."},
    {2017, "INT19", "UPGRADE_BLOCKED", "Upgrade blocked."},
    {6000, "TIM01", "OPERATION_TIMED_OUT", "Operation timed out."},
    {6001, "42F01", "FUNCTION_UNDEFINED", "Function undefined."},
    {6002, "42F02", "FUNCTION_ALREADY_EXIST", "Function already exist."},
    {6003, "42F03", "UNALLOWED_USER_DEFINED_FUNCTIONS",
     "User defined functions are configured to not be allowed. To allow configure "
     "phoenix.functions.allowUserDefinedFunctions to true."},
    {10947, "44A28", "TTL_UNSUPPORTED_FOR_TXN_TABLE", "Ttl unsupported for txn table."},
    {10948, "44A29", "CANNOT_CREATE_LOCAL_INDEX_FOR_TXN_TABLE",
     "Cannot create local index for txn table."},
    {10949, "44A30", "CANNOT_SET_OR_ALTER_PROPERTY_FOR_INDEX",
     "Cannot set or alter property for index."},
    {10950, "44A31", "CANNOT_SET_OR_ALTER_UPDATE_CACHE_FREQ_FOR_INDEX",
     "Cannot set or alter update cache freq for index."},
    {10951, "44A32", "PHOENIX_LEVEL_TTL_SUPPORTED_FOR_VIEWS_ONLY",
     "Phoenix level ttl supported for views only."},
    {10952, "44A33", "CANNOT_SET_OR_ALTER_PHOENIX_LEVEL_TTL_FOR_TABLE_WITH_TTL",
     "Cannot set or alter phoenix level ttl for table with ttl."},
    {10953, "44A35", "CANNOT_SET_OR_ALTER_TTL", "Cannot set or alter ttl."},
    {10954, "44A36", "CHANGE_DETECTION_SUPPORTED_FOR_TABLES_AND_VIEWS_ONLY",
     "Change detection supported for tables and views only."},
    {10955, "44A37", "CANNOT_CREATE_INDEX_CHILD_VIEWS_EXTEND_PK",
     "Index can be created only if none of the child views extends primary key"},
    {10956, "44A38", "VIEW_CANNOT_EXTEND_PK_WITH_PARENT_INDEXES",
     "View cannot extend pk with parent indexes."},
    {10958, "44A40", "UNKNOWN_INCLUDE_CHANGE_SCOPE", "Unknown include change scope."},
    {10959, "44A41", "TTL_SUPPORTED_FOR_TABLES_AND_VIEWS_ONLY",
     "Ttl supported for tables and views only."},
    {10960, "44A42", "TTL_ALREADY_DEFINED_IN_HIERARCHY", "Ttl already defined in hierarchy."},
    {10961, "44A43", "VIEW_TTL_NOT_ENABLED", "View ttl not enabled."},
    {10962, "44A44", "SALTING_NOT_ALLOWED_FOR_CDC", "Salting not allowed for cdc."},
    {10963, "44A45", "CDC_ALREADY_ENABLED",
     "CDC on this table is either enabled or is in the process of being enabled."},
    {10964, "44A46", "CANNOT_SET_OR_ALTER_MAX_LOOKBACK_FOR_INDEX",
     "Cannot set or alter max lookback for index."},
};

const ErrorInfo* Find(int code) {
  const auto* found =
      std::lower_bound(std::begin(kErrors), std::end(kErrors), code,
                       [](const ErrorInfo& info, int wanted) { return info.code < wanted; });
  return found != std::end(kErrors) && found->code == code ? found : nullptr;
}

}  // namespace

Status MakeSqlError(int code, std::string detail, int64_t position, std::string hint) {
  const ErrorInfo* info = Find(code);
  if (info == nullptr) return Internal("no such Phoenix error code: " + std::to_string(code));
  std::string message(info->text);
  if (!detail.empty()) message += ' ' + detail;
  SqlError error;
  error.code = code;
  error.sqlstate = info->sqlstate;
  error.position = position;
  error.hint = std::move(hint);
  return Status::Sql(std::move(error), std::move(message));
}

Status MakeUncodedSqlError(std::string message, int64_t position, std::string hint) {
  SqlError error;
  error.position = position;
  error.hint = std::move(hint);
  return Status::Sql(std::move(error), std::move(message));
}

std::string_view SqlStateOf(int code) {
  const ErrorInfo* info = Find(code);
  return info == nullptr ? std::string_view() : info->sqlstate;
}

std::string_view SqlErrorNameOf(int code) {
  const ErrorInfo* info = Find(code);
  return info == nullptr ? std::string_view() : info->name;
}

std::string_view SqlErrorTextOf(int code) {
  const ErrorInfo* info = Find(code);
  return info == nullptr ? std::string_view() : info->text;
}

Status WithHint(const Status& error, std::string hint) {
  if (error.sql_error() == nullptr) return error;
  SqlError sql_error = *error.sql_error();
  sql_error.hint = std::move(hint);
  return Status::Sql(std::move(sql_error), error.message());
}

Status WithPosition(const Status& error, int64_t position) {
  if (error.sql_error() == nullptr || error.sql_error()->position >= 0) return error;
  SqlError sql_error = *error.sql_error();
  sql_error.position = position;
  return Status::Sql(std::move(sql_error), error.message());
}

Status SqlIllegalData(std::string detail) { return MakeSqlError(201, std::move(detail)); }

Status SqlDivideByZero() { return MakeSqlError(202, ""); }

Status SqlTypeMismatch(std::string detail) { return MakeSqlError(203, std::move(detail)); }

Status SqlTypeMismatch(TypeId from, TypeId to, std::string_view of) {
  std::string detail(TypeName(from));
  detail.append(" and ").append(TypeName(to));
  if (!of.empty()) detail.append(" for ").append(of);
  return MakeSqlError(203, std::move(detail));
}

Status SqlDataExceedsMaxCapacity(std::string detail) {
  return MakeSqlError(206, std::move(detail));
}

Status SqlValueOutsideRange(std::string detail) { return MakeSqlError(213, std::move(detail)); }

Status SqlConstraintViolation(std::string detail) { return MakeSqlError(218, std::move(detail)); }

bool IsSqlError(const Status& status, int code) {
  return status.sql_error() != nullptr && status.sql_error()->code == code;
}

}  // namespace bennu::sql
