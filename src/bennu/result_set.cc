#include "src/bennu/result_set.h"

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

bool ChunkResultSet::IsNull(size_t column) const { return chunk_.columns[column].IsNull(row_); }

Datum ChunkResultSet::Get(size_t column) const {
  return ToDatum(chunk_.columns[column].GetValue(row_));
}

int64_t ChunkResultSet::GetInt64(size_t column) const {
  const sql::Vector& vector = chunk_.columns[column];
  if (vector.IsNull(row_)) return 0;
  switch (vector.physical_type()) {
    case PhysicalType::kBool: return vector.At<uint8_t>(row_);
    case PhysicalType::kInt64: return vector.At<int64_t>(row_);
    case PhysicalType::kDouble: return static_cast<int64_t>(vector.At<double>(row_));
    case PhysicalType::kDecimal: {
      const auto whole = vector.At<sql::Decimal>(row_).SetScale(0, sql::Rounding::kDown);
      return whole.has_value() ? static_cast<int64_t>(whole->unscaled()) : 0;
    }
    case PhysicalType::kTimestamp: return vector.At<sql::Timestamp>(row_).millis;
    case PhysicalType::kBytes: return 0;
  }
  return 0;
}

double ChunkResultSet::GetDouble(size_t column) const {
  const sql::Vector& vector = chunk_.columns[column];
  if (vector.IsNull(row_)) return 0;
  switch (vector.physical_type()) {
    case PhysicalType::kDouble: return vector.At<double>(row_);
    case PhysicalType::kDecimal: return vector.At<sql::Decimal>(row_).ToDouble();
    default: return static_cast<double>(GetInt64(column));
  }
}

std::string ChunkResultSet::GetText(size_t column) const {
  std::string text;
  sql::TextStyle style;
  style.iso_dates = false;
  style.escape_text = false;
  sql::AppendText(chunk_.columns[column], row_, style, &text);
  return text;
}

}  // namespace bennu::front
