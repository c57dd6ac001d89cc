#include "src/bennu/result_set.h"

#include "src/base/check.h"
#include "src/base/status_macros.h"
#include "src/bennu/datum.h"
#include "src/sql/types/text.h"

namespace bennu::front {

namespace {

using sql::PhysicalType;

}  // namespace

std::shared_ptr<const std::vector<ColumnInfo>> ColumnInfosOf(
    const sql::exec::SharedColumns& columns) {
  auto infos = std::make_shared<std::vector<ColumnInfo>>();
  if (columns == nullptr) return infos;
  for (const sql::exec::ResultColumn& column : *columns) {
    infos->push_back({column.label, sql::TypeToString(column.type), column.nullable});
  }
  return infos;
}

ChunkResultSet::ChunkResultSet(sql::session::StatementResult result,
                               std::shared_ptr<const std::vector<ColumnInfo>> columns)
    : result_(std::move(result)), columns_(std::move(columns)), at_end_(result_.rows == nullptr) {}

const std::vector<ColumnInfo>& ChunkResultSet::columns() const {
  if (columns_ == nullptr) columns_ = ColumnInfosOf(result_.columns);
  return *columns_;
}

Result<bool> ChunkResultSet::Next() {
  if (at_end_) return false;
  if (++row_ < chunk_.size) return true;
  RETURN_IF_ERROR(result_.rows->Next(&chunk_));
  row_ = 0;
  at_end_ = chunk_.size == 0;
  return !at_end_;
}

Result<const ResultChunk*> ChunkResultSet::NextChunk() {
  ASSIGN_OR_RETURN(const bool more, Next());
  if (!more) return nullptr;
  if (export_ == nullptr) export_ = std::make_unique<ChunkExport>();
  const ResultChunk* const chunk = export_->Export(chunk_, row_);
  row_ = chunk_.size;
  return chunk;
}

const sql::Vector& ChunkResultSet::Column(size_t column) const {
  BENNU_CHECK(HasRow() && column < chunk_.columns.size());
  return chunk_.columns[column];
}

bool ChunkResultSet::IsNull(size_t column) const { return Column(column).IsNull(row_); }

Datum ChunkResultSet::Get(size_t column) const { return ToDatum(Column(column).GetValue(row_)); }

bool ChunkResultSet::IsPlain(size_t column, PhysicalType type) const {
  if (!HasRow() || column >= chunk_.columns.size()) return false;
  const sql::Vector& vector = chunk_.columns[column];
  return vector.physical_type() == type && !vector.IsNull(row_);
}

Result<int64_t> ChunkResultSet::GetInt64(size_t column) const {
  if (!IsPlain(column, PhysicalType::kInt64) || sql::IsDateTime(chunk_.columns[column].type().id)) {
    return ResultSet::GetInt64(column);
  }
  return chunk_.columns[column].At<int64_t>(row_);
}

Result<double> ChunkResultSet::GetDouble(size_t column) const {
  if (!IsPlain(column, PhysicalType::kDouble)) return ResultSet::GetDouble(column);
  return chunk_.columns[column].At<double>(row_);
}

std::string ChunkResultSet::GetText(size_t column) const {
  std::string text;
  sql::TextStyle style;
  style.iso_dates = false;
  style.escape_text = false;
  sql::AppendText(Column(column), row_, style, &text);
  return text;
}

}  // namespace bennu::front
