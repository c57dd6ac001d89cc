// What is not compared when recorded dialogues with Phoenix's query server are played, and why.
// Reasons that name no other place stand in docs/phoenix-clients.md, "What differs".
#ifndef BENNU_TESTS_GOLDEN_AVATICA_LEFT_OUT_H_
#define BENNU_TESTS_GOLDEN_AVATICA_LEFT_OUT_H_

namespace bennu::golden {

// A call, by its "about", whose answer is not compared.
struct UncomparedAnswer {
  const char* about;
  const char* reason;
};

// Members whose values are not compared, by the end of their path. The test fails when an entry
// does not occur.
struct UncomparedMember {
  const char* path;
  const char* recorded;  // only where this was recorded, as JSON; null: whatever was recorded
  const char* reason;
};

inline constexpr UncomparedAnswer kUncomparedAnswers[] = {
    {"a fetch past the end", "an empty frame rather than an error"},
    {"a fetch where no result is", "the result is missing, rather than empty"},
    {"a row is asked for again", "the result is missing, and no row is skipped"},
    {"a first frame of more than 100 rows", "as many rows as are asked for"},
    {"a DATE before 1970 with a time", "the day that it lies in"},
    {"a TIME before 1970", "the time of the day, not a negative one"},
    {"a statement runs on a closed connection", "the connection is missing, not the statement"},
    {"primary keys of a tenant's view", "without the column of the tenant"},
    {"columns of: SHOW TABLES", "Phoenix's server has an error of Java there"},
    {"columns of: SHOW CREATE TABLE D_COLUMNS", "Phoenix's server has an error of Java there"},
    {"columns of: SHOW SCHEMAS", "Phoenix's server has an error of Java there"},
    {"no parameter is given", "Phoenix's server has an error of Java there"},
    {"parameters that are not given", "the words for a parameter that is missing"},
    {"a parameter of another type", "a text is called VARCHAR, not CHAR"},
    {"fails: SELECT TO_DATE('no date') FROM D_ERRORS", "the text also says how a date is written"},
    {"fails: UPSERT INTO D_ERRORS VALUES ('text', 'x', 1)",
     "names the column's type, not one that Phoenix tries on the way"},
};

inline constexpr UncomparedMember kUncomparedMembers[] = {
    // ---- errors
    {".errorCode", "4294967295", "Phoenix's server always has -1 there"},
    {".errorCode", "-1", "Phoenix's server always has -1 there"},
    {".sqlState", "\"00000\"", "Phoenix's server always has 00000 there"},
    {".exceptions", nullptr, "stacks of Java's"},
    {".errorMessage", "null", "Phoenix's server has no text for a missing connection"},
    {".detail", "null", "Bennu's own field, for its own clients"},
    // ---- versions: the recorded server is older than what Bennu calls itself
    {".GET_DATABASE_PRODUCT_VERSION.value.stringValue", "\"5.2\"", "another version of Phoenix"},
    {".GET_DATABASE_MINOR_VERSION.value.numberValue", "\"2\"", "another version of Phoenix"},
    {".GET_DRIVER_VERSION.value.stringValue", "\"5.2\"", "another version of Phoenix"},
    {".GET_DRIVER_MINOR_VERSION.value.numberValue", "\"2\"", "another version of Phoenix"},
    {".map.GET_DATABASE_PRODUCT_VERSION", "\"5.2\"", "another version of Phoenix"},
    {".map.GET_DATABASE_MINOR_VERSION", "2", "another version of Phoenix"},
    {".map.GET_DRIVER_VERSION", "\"5.2\"", "another version of Phoenix"},
    {".map.GET_DRIVER_MINOR_VERSION", "2", "another version of Phoenix"},
    // ---- columns and parameters
    {".columns.tableName", "\"SYSTEM.TABLE\"", "columns of metadata are of no table"},
    {".columns.tableName", "\"SYSTEM.\\\"CATALOG\\\"\"", "columns of metadata are of no table"},
    {".columns.tableName", "\"unionSchemaName.unionTableName\"", "a union's are of no table"},
    {".columns.tableName", "\"D_COLUMNS_INDEX\"", "the table that the query names, not its index"},
    {".columns.nullable", "null", "some expressions and metadata may be NULL"},
    {".columns.nullable", "0", "some expressions and metadata may be NULL"},
    {".columns.displaySize", nullptr, "Phoenix derives a size for some expressions"},
    {".columns.precision", nullptr, "Phoenix derives a size for some expressions"},
    {".columns.scale", "4", "Phoenix derives a scale for AVG"},
    {".component.id", "2000", "an array's elements are always described"},
    {".component.name", nullptr, "an array's elements are always described"},
    {".component.rep", "\"OBJECT\"", "an array's elements are always described"},
    {".parameters.precision", nullptr, "parameters have the size of their column"},
    {".parameters.scale", nullptr, "parameters have the scale of their column"},
    {".parameters.className", "\"java.lang.Integer\"", "the parameter of LIMIT is a BIGINT"},
    {".parameters.parameterType", "4", "the parameter of LIMIT is a BIGINT"},
    {".parameters.typeName", "\"INTEGER\"", "the parameter of LIMIT is a BIGINT"},
    {".results.signature.parameters", nullptr, "executions tell the columns only"},
    {".results.signature.sql", nullptr, "executions tell the columns only"},
    {".results.signature.statementType", "\"SELECT\"", "executions tell the columns only"},
    // ---- values
    {".scalarValue.stringValue", "\"eXk=\"", "bytes are not told in Base64, too"},
    {".scalarValue.stringValue", "\"eno=\"", "bytes are not told in Base64, too"},
    {".scalarValue.stringValue", "\"AQI=\"", "bytes are not told in Base64, too"},
    {".scalarValue.stringValue", "\"AP8=\"", "bytes are not told in Base64, too"},
    {".arrayValue.type", "\"JAVA_SQL_DATE\"", "a DATE in an array is a day, as elsewhere"},
    {".arrayValue.numberValue", "\"1580688000000\"", "a DATE in an array is a day, as elsewhere"},
    {".rows", "1580688000000", "a DATE in an array is a day, as elsewhere"},
    {".scalarValue.stringValue", "\"\\u0000\\u0000\\u0000A\"", "no zero bytes before the A"},
    {".scalarValue.stringValue", "\"\\u0000\\u0000\\u0000D\"", "no zero bytes before the D"},
    {".rows", "\"\\u0000\\u0000\\u0000A\"", "no zero bytes before the A"},
    {".rows", "\"\\u0000\\u0000\\u0000D\"", "no zero bytes before the D"},
    {".results.firstFrame.rows", "[]", "rows of a first frame of 0 rows are not lost in JSON"},
    // ---- batches
    {".missingStatement", "null",
     "Phoenix's server does not tell in protobuf that the statement of a batch is missing"},
};

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_AVATICA_LEFT_OUT_H_
