// ResultSet over the chunks of a running query.
#ifndef BENNU_SRC_BENNU_RESULT_SET_H_
#define BENNU_SRC_BENNU_RESULT_SET_H_

#include <memory>
#include <vector>

#include "bennu/database.h"
#include "src/bennu/chunk_export.h"
#include "src/sql/session/session.h"
#include "src/sql/types/vector.h"

namespace bennu::front {

// What callers are told of columns. Null: there are none.
std::shared_ptr<const std::vector<ColumnInfo>> ColumnInfosOf(
    const sql::exec::SharedColumns& columns);

// ResultSet has the rules of what fits into which C++ type; GetInt64 and GetDouble here are the
// same for the values that need no rule, without a Datum between.
class ChunkResultSet : public ResultSet {
 public:
  // 'columns': those of 'result', made before; null: they are made when first asked for.
  explicit ChunkResultSet(sql::session::StatementResult result,
                          std::shared_ptr<const std::vector<ColumnInfo>> columns = nullptr);

  const std::vector<ColumnInfo>& columns() const override;
  int64_t update_count() const override { return result_.update_count; }
  Result<bool> Next() override;
  Result<const ResultChunk*> NextChunk() override;
  bool HasRow() const override { return row_ < chunk_.size; }
  bool IsNull(size_t column) const override;
  Datum Get(size_t column) const override;
  std::string GetText(size_t column) const override;
  Result<int64_t> GetInt64(size_t column) const override;
  Result<double> GetDouble(size_t column) const override;

 private:
  const sql::Vector& Column(size_t column) const;
  // Whether the value is there, not NULL, and kept as 'type'.
  bool IsPlain(size_t column, sql::PhysicalType type) const;

  sql::session::StatementResult result_;
  mutable std::shared_ptr<const std::vector<ColumnInfo>> columns_;  // null: not made yet
  sql::DataChunk chunk_;
  size_t row_ = 0;
  bool at_end_;
  std::unique_ptr<ChunkExport> export_;  // null: nobody asked for chunks
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_RESULT_SET_H_
