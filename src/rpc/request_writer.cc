#include "src/rpc/request_writer.h"

#include <limits>

#include "bennu/filter.h"
#include "src/base/status_macros.h"
#include "src/rpc/operation_attributes.h"

namespace bennu::rpc {

namespace {

constexpr char kBinaryComparatorClass[] = "org.apache.hadoop.hbase.filter.BinaryComparator";

void AddAttribute(google::protobuf::RepeatedPtrField<pb::NameBytesPair>* attributes,
                  const std::string& name, Bytes value) {
  pb::NameBytesPair* const attribute = attributes->Add();
  attribute->set_name(name);
  attribute->set_value(std::move(value));
}

Status WriteTimeRange(const TimeRange& range, pb::TimeRange* message) {
  if (range.markers_max != std::numeric_limits<int64_t>::max()) {
    return NotSupported(
        "a read of the past whose delete markers count up to another time than "
        "its cells cannot be asked of a server");
  }
  message->set_from(static_cast<uint64_t>(range.min));
  message->set_to(static_cast<uint64_t>(range.max));
  return Status::Ok();
}

// What Get and Scan have in common.
template <typename Request, typename Message>
Status WriteCommon(const Request& request, Message* message) {
  for (const auto& [family, qualifiers] : request.columns) {
    pb::Column* const column = message->add_column();
    column->set_family(family);
    for (const Bytes& qualifier : qualifiers) column->add_qualifier(qualifier);
  }
  if (!request.time_range.all()) {
    RETURN_IF_ERROR(WriteTimeRange(request.time_range, message->mutable_time_range()));
  }
  for (const auto& [family, range] : request.family_time_ranges) {
    pb::ColumnFamilyTimeRange* const of_family = message->add_cf_time_range();
    of_family->set_column_family(family);
    RETURN_IF_ERROR(WriteTimeRange(range, of_family->mutable_time_range()));
  }
  message->set_max_versions(static_cast<uint32_t>(request.max_versions));
  message->set_cache_blocks(request.cache_blocks);
  if (request.consistency == Consistency::kTimeline) message->set_consistency(pb::TIMELINE);
  if (request.max_results_per_family >= 0) {
    message->set_store_limit(static_cast<uint32_t>(request.max_results_per_family));
  }
  if (request.row_offset_per_family > 0) {
    message->set_store_offset(static_cast<uint32_t>(request.row_offset_per_family));
  }
  if (request.filter != nullptr) {
    message->mutable_filter()->ParsePartialFromString(EncodeFilter(*request.filter));
  }
  return Status::Ok();
}

pb::MutationProto::Durability DurabilityOf(Durability durability) {
  switch (durability) {
    case Durability::kUseDefault: return pb::MutationProto::USE_DEFAULT;
    case Durability::kSkipWal: return pb::MutationProto::SKIP_WAL;
    case Durability::kAsyncWal: return pb::MutationProto::ASYNC_WAL;
    case Durability::kSyncWal: return pb::MutationProto::SYNC_WAL;
    case Durability::kFsyncWal: return pb::MutationProto::FSYNC_WAL;
  }
  return pb::MutationProto::USE_DEFAULT;
}

// The wire's numbers against the data API's.
pb::CompareType CompareTypeOf(CompareOperator op) {
  switch (op) {
    case CompareOperator::kLess: return pb::LESS;
    case CompareOperator::kLessOrEqual: return pb::LESS_OR_EQUAL;
    case CompareOperator::kEqual: return pb::EQUAL;
    case CompareOperator::kNotEqual: return pb::NOT_EQUAL;
    case CompareOperator::kGreaterOrEqual: return pb::GREATER_OR_EQUAL;
    case CompareOperator::kGreater: return pb::GREATER;
  }
  return pb::EQUAL;
}

pb::MutationProto::MutationType TypeOf(MutationKind kind, const Cell* first) {
  switch (kind) {
    case MutationKind::kIncrement: return pb::MutationProto::INCREMENT;
    case MutationKind::kAppend: return pb::MutationProto::APPEND;
    case MutationKind::kDeleteRow: return pb::MutationProto::DELETE;
    case MutationKind::kPutDelete: break;
  }
  const bool deletes = first != nullptr && IsDelete(first->type());
  return deletes ? pb::MutationProto::DELETE : pb::MutationProto::PUT;
}

void WriteOptions(const MutationBatch::RowOptions& options, MutationKind kind,
                  pb::MutationProto* message) {
  for (const auto& [name, value] : options.attributes) {
    AddAttribute(message->mutable_attribute(), name, value);
  }
  if (kind != MutationKind::kIncrement && kind != MutationKind::kAppend) return;
  if (!options.return_results) {
    AddAttribute(message->mutable_attribute(), kReturnResultsAttribute, Bytes(1, '\0'));
  }
  const TimeRange range = {options.read_time_min, options.read_time_max};
  if (!range.all()) {
    message->mutable_time_range()->set_from(static_cast<uint64_t>(range.min));
    message->mutable_time_range()->set_to(static_cast<uint64_t>(range.max));
  }
}

}  // namespace

Status WriteGet(const Get& get, pb::Get* message) {
  message->set_row(get.row);
  return WriteCommon(get, message);
}

Status WriteScan(const Scan& scan, pb::Scan* message) {
  RETURN_IF_ERROR(WriteCommon(scan, message));
  const RowRange& range = scan.range;
  if (!range.start.empty()) message->set_start_row(range.start);
  if (!range.stop.empty()) message->set_stop_row(range.stop);
  message->set_include_start_row(range.start_inclusive);
  message->set_include_stop_row(range.stop_inclusive);
  message->set_reversed(scan.reversed);
  if (scan.batch > 0) message->set_batch_size(static_cast<uint32_t>(scan.batch));
  message->set_load_column_families_on_demand(scan.load_families_on_demand);
  if (scan.raw) AddAttribute(message->mutable_attribute(), kRawAttribute, Bytes(1, '\xff'));
  if (scan.read_uncommitted) {
    AddAttribute(message->mutable_attribute(), kIsolationAttribute, Bytes(1, kReadUncommitted));
  }
  return Status::Ok();
}

void WriteCondition(const Table::Condition& condition, pb::Condition* message) {
  message->set_row(condition.row);
  if (!condition.time_range.all()) {
    message->mutable_time_range()->set_from(static_cast<uint64_t>(condition.time_range.min));
    message->mutable_time_range()->set_to(static_cast<uint64_t>(condition.time_range.max));
  }
  if (condition.filter != nullptr) {
    message->mutable_filter()->ParsePartialFromString(EncodeFilter(*condition.filter));
    return;
  }
  message->set_family(condition.family);
  message->set_qualifier(condition.qualifier);
  message->set_compare_type(CompareTypeOf(condition.op));
  // An empty value stands for an absent one.
  pb::BinaryComparator comparator;
  comparator.mutable_comparable()->set_value(condition.expect_absent ? Bytes() : condition.value);
  message->mutable_comparator()->set_name(kBinaryComparatorClass);
  message->mutable_comparator()->set_serialized_comparator(comparator.SerializeAsString());
}

void WriteRun(const MutationBatch& batch, size_t index, uint64_t* begin, CellCodec codec,
              Bytes* cells, pb::MutationProto* message) {
  const MutationBatch::Row& row = batch.rows()[index];
  const MutationBatch::RowOptions& options = batch.options(index);
  message->set_row(Bytes(batch.row_key(row)));
  const Durability durability =
      options.durability == Durability::kUseDefault ? batch.durability : options.durability;
  message->set_durability(DurabilityOf(durability));
  WriteOptions(options, row.kind, message);
  if (row.kind == MutationKind::kDeleteRow) {
    message->set_mutate_type(pb::MutationProto::DELETE);
    if (options.delete_row_timestamp != kLatestTimestamp) {
      message->set_timestamp(static_cast<uint64_t>(options.delete_row_timestamp));
    }
    *begin = row.cells_end;
    return;
  }
  int32_t count = 0;
  Cell cell;
  while (*begin < row.cells_end) {
    const size_t next = CellAt(batch.buffer(), *begin, &cell);
    if (count == 0) {
      message->set_mutate_type(TypeOf(row.kind, &cell));
    } else if (TypeOf(row.kind, &cell) != message->mutate_type()) {
      break;
    }
    AppendCell(codec, cell, cells);
    ++count;
    *begin = next;
  }
  if (count == 0) message->set_mutate_type(TypeOf(row.kind, nullptr));
  message->set_associated_cell_count(count);
}

}  // namespace bennu::rpc
