// The .test format of the recorded corpus: a file to its records. Knows nothing of how they are
// run. Format: README of the conformance corpus, "The .test format".
#ifndef BENNU_TESTS_SUPPORT_SQLTEST_FILE_H_
#define BENNU_TESTS_SUPPORT_SQLTEST_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"

namespace bennu::testing {

// One '?' of a statement: "DATE 2020-01-01T00:00:00Z", "VARCHAR 'it''s'", "INTEGER[] [1,NULL]".
struct BindValue {
  std::string type;  // Phoenix's name, of the elements for an array
  bool is_array = false;
  bool is_null = false;
  std::string text;                 // number, instant, text (escapes resolved), or bytes of x'…'
  std::vector<BindValue> elements;  // of an array
};

enum class RecordKind {
  kStatement,  // statement ok|count|error
  kQuery,
  kConnection,
  kAutocommit,
  kCommit,
  kRollback,
  kCells,
  kRawCells,
  kDescriptor,
};

struct TestRecord {
  RecordKind kind = RecordKind::kStatement;
  int line = 0;  // of its first line in the file, from 1
  // What must hold. expected_error: "ERROR 504 (42703)" or "UNCODED", empty when it must succeed.
  std::string expected_error;
  std::optional<int64_t> expected_count;  // of a statement; of a query that changes rows
  // kStatement, kQuery
  std::string sql;
  std::vector<BindValue> binds;
  // kQuery
  std::string type_letters;
  bool sort_rows = false;
  std::optional<std::string> columns;  // LABEL=TYPE<TAB>LABEL=TYPE, when the file says
  std::vector<std::string> rows;
  // kConnection
  std::string name;
  std::map<std::string, std::string> properties;
  // kAutocommit
  bool on = false;
  // kCells, kRawCells, kDescriptor: the HBase table and the lines
  std::string table;
  std::vector<std::string> lines;
  bool no_such_table = false;
  // "# deviation: reason"
  std::string deviation;
};

// InvalidArgument, with the line: an unknown directive or a malformed record.
Result<std::vector<TestRecord>> ParseTestFile(std::string_view content);

// True for records that accept any failure or a sensible success.
bool AcceptsAnyFailure(const TestRecord& record);

// One value of a 'bind' line; moves *text behind it.
Result<BindValue> ParseBindValue(std::string_view* text);

}  // namespace bennu::testing

#endif  // BENNU_TESTS_SUPPORT_SQLTEST_FILE_H_
