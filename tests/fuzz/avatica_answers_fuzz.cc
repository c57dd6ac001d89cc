// Answers of a query server that is hostile to its client: messages, columns and rows.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/avatica/messages.h"
#include "src/avatica/row_reader.h"
#include "src/avatica/running_statement.h"
#include "src/sql/types/vector.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace avatica = bennu::avatica;
  namespace sql = bennu::sql;
  std::optional<avatica::RunningStatement> running;
  (void)avatica::ParseRunning({reinterpret_cast<const char*>(data), size}, &running);
  avatica::pb::ExecuteResponse response;
  if (!response.ParseFromArray(data, static_cast<int>(size))) return 0;
  for (const avatica::pb::ResultSetResponse& result : response.results()) {
    std::vector<sql::DataType> types;
    for (const avatica::pb::ColumnMetaData& column : result.signature().columns()) {
      const auto type = avatica::TypeOf(column);
      if (!type.ok()) return 0;
      types.push_back(*type);
    }
    sql::DataChunk chunk;
    chunk.Initialize(types);
    for (const std::string& row : result.first_frame().rows()) {
      if (chunk.size == sql::VectorSize() || !avatica::ReadRow(row, &chunk).ok()) break;
    }
  }
  return 0;
}
