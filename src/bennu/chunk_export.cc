#include "src/bennu/chunk_export.h"

#include <span>

#include "src/bennu/datum.h"
#include "src/sql/types/type.h"

namespace bennu::front {

namespace {

using sql::PhysicalType;
using sql::TypeId;
using Kind = ColumnChunk::Kind;

template <typename T>
std::span<const T> InPlace(const sql::Vector& vector, size_t begin, size_t count) {
  return {vector.data<T>() + begin, count};
}

std::string_view WithoutBlanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

ColumnChunk ChunkExport::ExportColumn(const sql::Vector& vector, size_t begin, size_t count) {
  const std::span<const uint8_t> validity(vector.validity() + begin, count);
  const TypeId type = vector.type().id;
  switch (vector.physical_type()) {
    case PhysicalType::kBool:
      return {Kind::kBool, validity, InPlace<uint8_t>(vector, begin, count)};
    case PhysicalType::kInt64:
      return {sql::IsDateTime(type) ? Kind::kMillis : Kind::kInt64, validity,
              InPlace<int64_t>(vector, begin, count)};
    case PhysicalType::kDouble:
      return {Kind::kDouble, validity, InPlace<double>(vector, begin, count)};
    case PhysicalType::kTimestamp: {
      std::vector<Datum::Moment>& moments = moments_.emplace_back(count);
      for (size_t i = 0; i < count; ++i) {
        const auto& moment = vector.At<sql::Timestamp>(begin + i);
        moments[i] = {moment.millis, moment.nanos};
      }
      return {Kind::kMoment, validity, std::span<const Datum::Moment>(moments)};
    }
    case PhysicalType::kDecimal: break;
    case PhysicalType::kBytes:
      if (type == TypeId::kChar) {
        std::vector<std::string_view>& views = views_.emplace_back(count);
        for (size_t i = 0; i < count; ++i) {
          if (validity[i] != 0) views[i] = WithoutBlanks(vector.At<ByteView>(begin + i));
        }
        return {Kind::kText, validity, std::span<const std::string_view>(views)};
      }
      if (type == TypeId::kVarchar || (sql::IsBinary(type) && type != TypeId::kBson)) {
        return {type == TypeId::kVarchar ? Kind::kText : Kind::kBytes, validity,
                InPlace<ByteView>(vector, begin, count)};
      }
      break;
  }
  std::vector<Datum>& datums = datums_.emplace_back(count);
  for (size_t i = 0; i < count; ++i) {
    if (validity[i] != 0) datums[i] = ToDatum(vector.GetValue(begin + i));
  }
  return {Kind::kDatum, validity, std::span<const Datum>(datums)};
}

const sql::Vector& ChunkExport::Repeated(const sql::Vector& constant, size_t count) {
  sql::Vector& rows = repeated_.emplace_back(constant.type(), count);
  rows.CopyRow(0, constant, 0);
  rows.set_constant(true);
  rows.Flatten(count);
  return rows;
}

const ResultChunk* ChunkExport::Export(const sql::DataChunk& chunk, size_t begin) {
  repeated_.clear();
  moments_.clear();
  views_.clear();
  datums_.clear();
  chunk_.columns.clear();
  chunk_.row_count = chunk.size - begin;
  for (const sql::Vector& vector : chunk.columns) {
    const bool constant = vector.is_constant();
    chunk_.columns.push_back(ExportColumn(constant ? Repeated(vector, chunk_.row_count) : vector,
                                          constant ? 0 : begin, chunk_.row_count));
  }
  return &chunk_;
}

}  // namespace bennu::front
