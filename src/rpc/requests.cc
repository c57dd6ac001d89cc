#include "src/rpc/requests.h"

#include <fmt/format.h>

#include <limits>

#include "bennu/filter.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/rpc/operation_attributes.h"

namespace bennu::rpc {

namespace {

const Bytes* FindAttribute(const google::protobuf::RepeatedPtrField<pb::NameBytesPair>& attributes,
                           std::string_view name) {
  for (const pb::NameBytesPair& attribute : attributes) {
    if (attribute.name() == name) return &attribute.value();
  }
  return nullptr;
}

bool IsTrue(const Bytes* attribute) {
  return attribute != nullptr && attribute->size() == 1 && (*attribute)[0] != 0;
}

TimeRange ReadTimeRange(const pb::TimeRange& message) {
  TimeRange range;
  if (message.has_from()) range.min = static_cast<int64_t>(message.from());
  if (message.has_to()) range.max = static_cast<int64_t>(message.to());
  return range;
}

// What Get and Scan messages have in common.
template <typename Message, typename Request>
Status ReadCommon(const Message& message, Request* request) {
  for (const pb::Column& column : message.column()) {
    auto& qualifiers = request->columns[column.family()];
    for (const Bytes& qualifier : column.qualifier()) qualifiers.insert(qualifier);
  }
  if (message.has_time_range()) request->time_range = ReadTimeRange(message.time_range());
  for (const pb::ColumnFamilyTimeRange& of_family : message.cf_time_range()) {
    request->family_time_ranges[of_family.column_family()] = ReadTimeRange(of_family.time_range());
  }
  constexpr uint32_t kMax = std::numeric_limits<int32_t>::max();
  request->max_versions = static_cast<int32_t>(std::min(message.max_versions(), kMax));
  if (message.has_store_limit()) {
    request->max_results_per_family = static_cast<int32_t>(message.store_limit());
  }
  request->row_offset_per_family = static_cast<int32_t>(std::min(message.store_offset(), kMax));
  request->cache_blocks = message.cache_blocks();
  if (message.has_filter()) {
    ASSIGN_OR_RETURN(FilterPtr filter, DecodeFilter(message.filter().SerializeAsString()));
    request->filter = std::move(filter);
  }
  return Status::Ok();
}

CellType TypeOf(pb::MutationProto::DeleteType type) {
  switch (type) {
    case pb::MutationProto::DELETE_ONE_VERSION: return CellType::kDelete;
    case pb::MutationProto::DELETE_MULTIPLE_VERSIONS: return CellType::kDeleteColumn;
    case pb::MutationProto::DELETE_FAMILY: return CellType::kDeleteFamily;
    case pb::MutationProto::DELETE_FAMILY_VERSION: return CellType::kDeleteFamilyVersion;
  }
  return CellType::kDelete;
}

Durability ReadDurability(pb::MutationProto::Durability durability) {
  switch (durability) {
    case pb::MutationProto::SKIP_WAL: return Durability::kSkipWal;
    case pb::MutationProto::ASYNC_WAL: return Durability::kAsyncWal;
    case pb::MutationProto::SYNC_WAL: return Durability::kSyncWal;
    case pb::MutationProto::FSYNC_WAL: return Durability::kFsyncWal;
    default: return Durability::kUseDefault;
  }
}

// Reads one mutation: begins it once its row is known, then adds its cells.
class MutationReader {
 public:
  MutationReader(const pb::MutationProto& message, CellBlockReader* cells, MutationBatch* batch)
      : message_(message), cells_(cells), batch_(batch) {}

  Status Read() {
    const int32_t in_block = message_.associated_cell_count();
    if (in_block < 0) return InvalidArgument("a mutation with a negative number of cells");
    Status problem;  // the rest is read nevertheless: what follows in the block is of others
    for (int32_t i = 0; i < in_block; ++i) {
      Cell cell;
      RETURN_IF_ERROR(cells_->Next(&cell));
      if (i == 0) problem = Begin(message_.has_row() ? message_.row() : cell.row());
      if (!problem.ok()) continue;
      problem = Add({row_, cell.family(), cell.qualifier(), cell.timestamp(), cell.type(),
                     cell.value_view(), cell.tags_view()});
    }
    if (in_block > 0) return problem;
    if (!message_.has_row()) return InvalidArgument("a mutation without a row");
    if (message_.mutate_type() == pb::MutationProto::DELETE && message_.column_value().empty()) {
      batch_->DeleteRow(message_.row(), DefaultTimestamp());
      return SetOptions();
    }
    RETURN_IF_ERROR(Begin(message_.row()));
    for (const auto& family : message_.column_value()) {
      for (const auto& column : family.qualifier_value()) {
        RETURN_IF_ERROR(AddColumn(family.family(), column));
      }
    }
    return Status::Ok();
  }

 private:
  int64_t DefaultTimestamp() const {
    return message_.has_timestamp() ? static_cast<int64_t>(message_.timestamp()) : kLatestTimestamp;
  }

  Status Begin(ByteView row) {
    row_ = row;
    switch (message_.mutate_type()) {
      case pb::MutationProto::INCREMENT: batch_->StartIncrement(row); break;
      case pb::MutationProto::APPEND: batch_->StartAppend(row); break;
      default: batch_->StartRow(row);
    }
    return SetOptions();
  }

  Status SetOptions() {
    if (message_.durability() != pb::MutationProto::USE_DEFAULT) {
      batch_->SetDurability(ReadDurability(message_.durability()));
    }
    const auto& attributes = message_.attribute();
    if (const Bytes* ttl = FindAttribute(attributes, kTtlAttribute); ttl != nullptr) {
      if (ttl->size() != sizeof(int64_t)) return InvalidArgument("a TTL that is not 8 bytes long");
      batch_->SetTtlMillis(static_cast<int64_t>(LoadBE64(ttl->data())));
    }
    const bool reads = message_.mutate_type() == pb::MutationProto::INCREMENT ||
                       message_.mutate_type() == pb::MutationProto::APPEND;
    if (!reads) return Status::Ok();
    if (const Bytes* wanted = FindAttribute(attributes, kReturnResultsAttribute);
        wanted != nullptr && !IsTrue(wanted)) {
      batch_->SetReturnResults(false);
    }
    if (const TimeRange range = ReadTimeRange(message_.time_range()); !range.all()) {
      batch_->SetReadTimeRange(range.min, range.max);
    }
    return Status::Ok();
  }

  Status AddColumn(ByteView family, const pb::MutationProto::ColumnValue::QualifierValue& column) {
    CellParts cell;
    cell.family = family;
    cell.qualifier = column.qualifier();
    cell.timestamp =
        column.has_timestamp() ? static_cast<int64_t>(column.timestamp()) : DefaultTimestamp();
    cell.value = column.value();
    cell.tags = column.tags();
    if (message_.mutate_type() == pb::MutationProto::DELETE || column.has_delete_type()) {
      cell.type = TypeOf(column.delete_type());
    } else if (!column.has_value()) {
      return InvalidArgument("Missing required field: qualifier value");
    }
    return Add(cell);
  }

  Status Add(const CellParts& cell) {
    if (message_.mutate_type() == pb::MutationProto::INCREMENT) {
      if (cell.value.size() != sizeof(int64_t)) {
        return InvalidArgument(
            fmt::format("Field is not a long, it's {} bytes wide", cell.value.size()));
      }
      batch_->Increment(cell.family, cell.qualifier,
                        static_cast<int64_t>(LoadBE64(cell.value.data())), cell.timestamp);
    } else {
      batch_->AddCell(cell.family, cell.qualifier, cell.timestamp, cell.type, cell.value,
                      cell.tags);
    }
    return Status::Ok();
  }

  const pb::MutationProto& message_;
  CellBlockReader* const cells_;
  MutationBatch* const batch_;
  ByteView row_;
};

// The wire's numbers against the data API's.
CompareOperator ReadOperator(pb::CompareType type) {
  switch (type) {
    case pb::LESS: return CompareOperator::kLess;
    case pb::LESS_OR_EQUAL: return CompareOperator::kLessOrEqual;
    case pb::NOT_EQUAL: return CompareOperator::kNotEqual;
    case pb::GREATER_OR_EQUAL: return CompareOperator::kGreaterOrEqual;
    case pb::GREATER: return CompareOperator::kGreater;
    default: return CompareOperator::kEqual;
  }
}

}  // namespace

Status ReadGet(const pb::Get& message, Get* get) {
  get->row = message.row();
  return ReadCommon(message, get);
}

Status ReadScan(const pb::Scan& message, Scan* scan) {
  RowRange& range = scan->range;
  range.start = message.start_row();
  range.stop = message.stop_row();
  range.start_inclusive = message.include_start_row();
  range.stop_inclusive = message.has_include_stop_row()
                             ? message.include_stop_row()
                             : !range.start.empty() && range.start == range.stop;
  scan->reversed = message.reversed();
  if (message.batch_size() > 0) scan->batch = static_cast<int32_t>(message.batch_size());
  scan->raw = IsTrue(FindAttribute(message.attribute(), kRawAttribute));
  const Bytes* isolation = FindAttribute(message.attribute(), kIsolationAttribute);
  scan->read_uncommitted =
      isolation != nullptr && isolation->size() == 1 && (*isolation)[0] == kReadUncommitted;
  if (message.has_load_column_families_on_demand()) {
    scan->load_families_on_demand = message.load_column_families_on_demand();
  }
  return ReadCommon(message, scan);
}

Status ReadMutation(const pb::MutationProto& message, CellBlockReader* cells,
                    MutationBatch* batch) {
  return MutationReader(message, cells, batch).Read();
}

Status ReadCondition(const pb::Condition& message, Table::Condition* condition) {
  condition->row = message.row();
  if (message.has_time_range()) condition->time_range = ReadTimeRange(message.time_range());
  if (message.has_filter()) {
    ASSIGN_OR_RETURN(FilterPtr filter, DecodeFilter(message.filter().SerializeAsString()));
    condition->filter = std::move(filter);
    return Status::Ok();
  }
  condition->family = message.family();
  condition->qualifier = message.qualifier();
  condition->op = ReadOperator(message.compare_type());
  // Of the comparator only the value counts. Those that compare by value carry it as their first
  // field, a message whose first field it is.
  pb::BinaryComparator comparator;
  if (!comparator.ParseFromString(message.comparator().serialized_comparator())) {
    return InvalidArgument("a condition whose comparator is none");
  }
  condition->value = comparator.comparable().value();
  return Status::Ok();
}

}  // namespace bennu::rpc
