#include "src/sql/exec/row_buffer.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace bennu::sql::exec {

RowBuffer::RowBuffer(std::vector<uint32_t> columns, std::vector<DataType> types)
    : columns_(std::move(columns)), types_(std::move(types)) {}

void RowBuffer::Append(const DataChunk& chunk, const uint32_t* rows, size_t count) {
  size_t done = 0;
  while (done < count) {
    const size_t at = size_ & (kBlockRows - 1);
    if (at == 0) {
      std::vector<Vector> block;
      for (const DataType& type : types_) {
        block.emplace_back(type, kBlockRows);
        memory_bytes_ += kBlockRows * 24;
      }
      blocks_.push_back(std::move(block));
    }
    const size_t step = std::min(count - done, kBlockRows - at);
    std::vector<Vector>& block = blocks_.back();
    for (size_t c = 0; c < columns_.size(); ++c) {
      const Vector& from = chunk.columns[columns_[c]];
      Vector& to = block[c];
      VisitPhysical(from.physical_type(), [&](auto sample) {
        using T = decltype(sample);
        for (size_t i = 0; i < step; ++i) {
          const size_t row = rows == nullptr ? done + i : rows[done + i];
          if (from.IsNull(row)) {
            to.Set(at + i, T());
            to.SetNull(at + i);
            continue;
          }
          to.SetValid(at + i);
          if constexpr (std::is_same_v<T, std::string_view>) {
            memory_bytes_ += from.At<T>(row).size();
            to.SetBytes(at + i, from.At<T>(row));
          } else {
            to.Set(at + i, from.At<T>(row));
          }
        }
      });
    }
    done += step;
    size_ += step;
  }
}

void RowBuffer::Gather(const uint32_t* rows, size_t count, DataChunk* chunk) const {
  for (size_t c = 0; c < columns_.size(); ++c) {
    // Below may be an operator that knows fewer slots (a join of other tables by merging).
    if (columns_[c] >= chunk->columns.size()) chunk->columns.resize(columns_[c] + 1);
    Vector& to = chunk->columns[columns_[c]];
    to.Initialize(types_[c], std::max(count, VectorSize()));
    to.Reset();
    VisitPhysical(to.physical_type(), [&](auto sample) {
      using T = decltype(sample);
      for (size_t i = 0; i < count; ++i) {
        const uint32_t row = rows[i];
        if (row == kNoRow) {
          to.SetNull(i);
          continue;
        }
        const Vector& from = blocks_[row >> kBlockShift][c];
        const size_t at = row & (kBlockRows - 1);
        if (from.IsNull(at)) {
          to.SetNull(i);
        } else {
          to.SetValid(i);
          to.Set(i, from.At<T>(at));
        }
      }
    });
  }
}

void RowBuffer::Clear() {
  blocks_.clear();
  size_ = 0;
  memory_bytes_ = 0;
}

}  // namespace bennu::sql::exec
