#include "src/sql/session/row_writer.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/single_cell.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/value.h"

namespace bennu::sql::session {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;

}  // namespace

RowWriter::RowWriter(std::shared_ptr<const TableMeta> table, std::vector<uint32_t> targets,
                     std::vector<Bytes> key_defaults)
    : table_(std::move(table)),
      targets_(std::move(targets)),
      key_defaults_(std::move(key_defaults)) {
  std::vector<int32_t> value_of_column(table_->columns.size(), -1);
  for (size_t i = 0; i < targets_.size(); ++i) {
    value_of_column[targets_[i]] = static_cast<int32_t>(i);
  }
  key_defaults_.resize(table_->key_columns.size());
  for (const uint32_t column : table_->key_columns) {
    value_of_key_.push_back(value_of_column[column]);
  }
  key_parts_.resize(table_->key_columns.size());
  for (size_t i = 0; i < targets_.size(); ++i) {
    const ColumnMeta& column = table_->columns[targets_[i]];
    if (!column.view_constant.empty() && !column.hidden) checks_.push_back(i);
  }
  for (size_t i = 0; i < table_->columns.size(); ++i) {
    const ColumnMeta& column = table_->columns[i];
    if (column.is_key() || column.nullable) continue;
    if (value_of_column[i] < 0 && !column.default_text.empty()) continue;
    required_.push_back({value_of_column[i], &column, NullAction::kNothing});
  }
  if (table_->single_cell()) {
    PlanArrays(value_of_column);
  } else {
    PlanCells(value_of_column);
  }
}

void RowWriter::PlanCells(const std::vector<int32_t>& value_of_column) {
  for (size_t i = 0; i < table_->columns.size(); ++i) {
    const ColumnMeta& column = table_->columns[i];
    const bool fixed = value_of_column[i] < 0 && !column.view_constant.empty();
    if (column.is_key() || (value_of_column[i] < 0 && !fixed)) continue;
    NullAction on_null = NullAction::kDeleteColumn;
    if (!column.default_text.empty()) {
      // Without a cell the default would show.
      on_null = NullAction::kPutEmpty;
    } else if (table_->immutable_rows) {
      on_null = NullAction::kNothing;  // whatever STORE_NULLS says
    } else if (table_->store_nulls) {
      on_null = NullAction::kPutEmpty;
    }
    cells_.push_back(CellPlan{value_of_column[i], &column, on_null});
  }
  // In the order of the store, which is the quickest to write.
  const auto place = [](const ColumnMeta& column) {
    return std::pair<ByteView, ByteView>(column.family, column.qualifier);
  };
  std::sort(cells_.begin(), cells_.end(), [&](const CellPlan& left, const CellPlan& right) {
    return place(*left.column) < place(*right.column);
  });
  const std::pair<ByteView, ByteView> empty(table_->empty_family, table_->empty_qualifier);
  while (before_empty_ < cells_.size() && place(*cells_[before_empty_].column) < empty) {
    ++before_empty_;
  }
}

// Columns that only the statement knows have no place in an array and are left out, as in Phoenix.
void RowWriter::PlanArrays(const std::vector<int32_t>& value_of_column) {
  for (const std::string& family : table_->families) {
    ArrayPlan plan;
    plan.family = &family;
    for (size_t i = 0; i < table_->columns.size(); ++i) {
      const ColumnMeta& column = table_->columns[i];
      if (column.is_key() || column.dynamic || column.family != family) continue;
      const auto element = static_cast<size_t>(TableMeta::ArrayElementIndex(column));
      if (plan.elements.size() < element) plan.elements.resize(element);
      plan.elements[element - 1] =
          CellPlan{value_of_column[i], &column,
                   column.default_text.empty() ? NullAction::kNothing : NullAction::kPutEmpty};
    }
    arrays_.push_back(std::move(plan));
  }
}

Status RowWriter::CheckRequired(std::span<const ByteView> encoded) const {
  for (const CellPlan& plan : required_) {
    if (!ValueOf(plan, encoded).empty()) continue;
    return SqlConstraintViolation(table_->FullName() + "." + plan.column->name +
                                  " may not be null");
  }
  return Status::Ok();
}

Result<int64_t> RowWriter::RowTimestamp(std::span<const ByteView> encoded, int64_t now_ms) {
  const ColumnMeta& column = table_->columns[table_->row_timestamp_column];
  const int32_t value_index = value_of_key_[column.key_position];
  row_timestamp_.clear();
  if (value_index < 0) {
    const Value now = PhysicalTypeOf(column.type.id) == PhysicalType::kTimestamp
                          ? Value::Time(column.type, Timestamp{now_ms, 0})
                          : Value::Int(column.type, now_ms);
    RETURN_IF_ERROR(Encode(now, column.type, column.sort_order, &row_timestamp_));
    return now_ms;
  }
  const ByteView bytes = encoded[value_index];
  if (bytes.empty()) return SqlIllegalData("ROW_TIMESTAMP column " + column.name + " is NULL");
  ASSIGN_OR_RETURN(const Value value, Decode(bytes, column.type, column.sort_order));
  const int64_t millis = PhysicalTypeOf(column.type.id) == PhysicalType::kTimestamp
                             ? value.timestamp().millis
                             : value.int64();
  if (millis < 0) {
    return SqlIllegalData("Value of a column designated as ROW_TIMESTAMP cannot be less than zero");
  }
  return millis;
}

Status RowWriter::BuildKey(std::span<const ByteView> encoded) {
  for (size_t i = 0; i < value_of_key_.size(); ++i) {
    if (value_of_key_[i] >= 0) {
      key_parts_[i] = encoded[value_of_key_[i]];
    } else if (table_->key_column(i).row_timestamp) {
      key_parts_[i] = row_timestamp_;
    } else if (!table_->key_column(i).view_constant.empty()) {
      key_parts_[i] = table_->key_column(i).view_constant;
    } else {
      key_parts_[i] = key_defaults_[i];
    }
  }
  key_.clear();
  return table_->key_schema.AppendKey(key_parts_, &key_);
}

Status RowWriter::Append(std::span<const ByteView> encoded, int64_t timestamp, int64_t now_ms,
                         TableWrites* writes) {
  if (table_->row_timestamp_column >= 0) {
    ASSIGN_OR_RETURN(timestamp, RowTimestamp(encoded, now_ms));
  }
  for (const size_t target : checks_) {
    const ColumnMeta& column = table_->columns[targets_[target]];
    if (encoded[target] != column.view_constant) {
      return MakeSqlError(1046, "columnName=" + column.name);
    }
  }
  RETURN_IF_ERROR(CheckRequired(encoded));
  RETURN_IF_ERROR(BuildKey(encoded));
  MutationBatch& batch = writes->batch;
  batch.StartRow(key_);
  writes->has_puts = true;
  const std::span<const CellPlan> cells(cells_);
  AppendCells(cells.first(before_empty_), encoded, timestamp, writes);
  batch.Put(table_->empty_family, table_->empty_qualifier, table_->empty_value, timestamp);
  AppendCells(cells.subspan(before_empty_), encoded, timestamp, writes);
  for (const ArrayPlan& plan : arrays_) AppendArray(plan, encoded, timestamp, writes);
  return Status::Ok();
}

void RowWriter::AppendCells(std::span<const CellPlan> plans, std::span<const ByteView> encoded,
                            int64_t timestamp, TableWrites* writes) {
  MutationBatch& batch = writes->batch;
  for (const CellPlan& plan : plans) {
    const ColumnMeta& column = *plan.column;
    const ByteView value = ValueOf(plan, encoded);
    if (!value.empty() || plan.on_null == NullAction::kPutEmpty) {
      batch.Put(column.family, column.qualifier, value, timestamp);
    } else if (plan.on_null == NullAction::kDeleteColumn) {
      batch.DeleteColumn(column.family, column.qualifier, timestamp);
      writes->has_deletes = true;
    }
  }
}

// Columns that the statement does not name have what the view holds them to, else nothing.
ByteView RowWriter::ValueOf(const CellPlan& plan, std::span<const ByteView> encoded) {
  if (plan.value >= 0) return encoded[plan.value];
  return plan.column == nullptr ? ByteView() : ByteView(plan.column->view_constant);
}

void RowWriter::AppendArray(const ArrayPlan& plan, std::span<const ByteView> encoded,
                            int64_t timestamp, TableWrites* writes) {
  elements_.clear();
  for (const CellPlan& element : plan.elements) {
    const ByteView value = ValueOf(element, encoded);
    const bool present =
        !value.empty() || (element.value >= 0 && element.on_null == NullAction::kPutEmpty);
    elements_.push_back(present ? std::optional(value) : std::nullopt);
  }
  array_.clear();
  AppendSingleCell(elements_, &array_);
  writes->batch.Put(*plan.family, catalog::kSingleCellQualifier, array_, timestamp);
}

}  // namespace bennu::sql::session
