#include "src/sql/plan/scan_planner.h"

#include <string>
#include <utility>

#include "src/api/known_tables.h"
#include "src/base/status_macros.h"
#include "src/sql/bind/column_default.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/plan/index_definition.h"
#include "src/sql/plan/plan_parts.h"

namespace bennu::sql::plan {
namespace {

// Those of the family that conditions are about, if they are about one other than the first.
std::shared_ptr<catalog::LazyGuidePosts> GuidePostsOf(const ScanNode& scan,
                                                      const PlanContext& context) {
  const catalog::TableMeta& table = *scan.table;
  const auto use = table.other_properties.find("USE_STATS_FOR_PARALLELIZATION");
  // Keys of a local index say nothing of where its table may be cut.
  if (table.is_system() || table.is_local_index() ||
      (use != table.other_properties.end() && use->second == "false")) {
    return nullptr;
  }
  std::string family;
  for (const bind::Conjunct* condition : scan.conditions) {
    std::vector<size_t> slots;
    CollectSlots(*condition->expr, &slots);
    for (size_t number : slots) {
      const bind::Slot& slot = scan.select->slots[number];
      if (slot.source != scan.source || bind::Scope::IsPseudoColumn(slot.column)) continue;
      const std::string& read = table.columns[slot.column].family;
      if (!read.empty() && (family.empty() || read == table.empty_family)) family = read;
    }
  }
  if (family.empty()) family = table.empty_family;
  return std::make_shared<catalog::LazyGuidePosts>(context.connection, table.physical, family);
}

Result<std::shared_ptr<const IndexedTable>> PlanIndexed(const bind::BoundSelect& select,
                                                        size_t source, const PlanContext& context) {
  const bind::IndexAccess& access = *select.sources[source].access;
  auto indexed = std::make_shared<IndexedTable>();
  indexed->table = access.table;
  indexed->owner = access.owner;
  ASSIGN_OR_RETURN(indexed->data, api::OpenKnownTable(context.connection, access.table->physical));
  indexed->table_key = access.table_key;
  for (uint32_t number = 0; number < select.slots.size(); ++number) {
    bind::Slot slot = select.slots[number];
    if (slot.source == source && slot.column == bind::Scope::kRowKeyColumn) {
      indexed->key_slot = static_cast<int32_t>(number);
    }
    if (slot.source != source || slot.column != bind::Scope::kMissingColumn) continue;
    slot.column = slot.table_column;
    ASSIGN_OR_RETURN(ScanColumn column,
                     ColumnOfSlot(*access.table, slot, number, context.now_millis));
    indexed->columns.push_back(std::move(column));
  }
  // Phoenix's servers, which write local indexes over a cluster, leave no marks in them.
  const bool is_marked_local =
      access.index->is_local_index() && !context.connection->capabilities().remote;
  indexed->has_marks = access.index->index_type == catalog::IndexType::kGlobal || is_marked_local;
  const bool uncovered = access.index->index_type == catalog::IndexType::kUncovered;
  if (uncovered || !indexed->columns.empty()) {
    ASSIGN_OR_RETURN(auto definition, DefineIndex(access.owner, access.index));
    AddReadColumns(*definition, &indexed->index_columns);
    if (uncovered) indexed->definition = std::move(definition);
  }
  return std::shared_ptr<const IndexedTable>(std::move(indexed));
}

}  // namespace

Result<ScanColumn> ColumnOfSlot(const catalog::TableMeta& table, const bind::Slot& slot,
                                uint32_t output, int64_t now_millis) {
  ScanColumn result;
  result.output = output;
  result.type = slot.type;
  switch (slot.column) {
    case bind::Scope::kRowTimestampColumn:
      result.source = ScanColumn::Source::kTimestamp;
      result.family = table.empty_family;
      result.qualifier = table.empty_qualifier;
      return result;
    case bind::Scope::kRowKeyColumn: result.source = ScanColumn::Source::kRowKey; return result;
    case bind::Scope::kRowSizeColumn: result.source = ScanColumn::Source::kRowSize; return result;
    case bind::Scope::kRawRowSizeColumn:
      result.source = ScanColumn::Source::kRowSize;
      result.raw = true;
      return result;
    case bind::Scope::kHeldColumn:
      // A cell that no row has.
      result.source = ScanColumn::Source::kCell;
      result.family = table.empty_family;
      result.default_value = slot.held;
      return result;
    default: break;
  }
  const catalog::ColumnMeta& column = table.columns[slot.column];
  if (column.is_key()) {
    result.source = ScanColumn::Source::kKey;
    result.key_column = static_cast<uint32_t>(column.key_position);
    result.order = column.sort_order;
    result.converts = slot.type.id != column.type.id;
    return result;
  }
  result.family = column.family;
  if (table.single_cell() && !column.dynamic) {
    result.source = ScanColumn::Source::kElement;
    result.qualifier = Bytes(catalog::kSingleCellQualifier);
    result.element = catalog::TableMeta::ArrayElementIndex(column);
  } else {
    result.source = ScanColumn::Source::kCell;
    result.qualifier = column.qualifier;
    result.may_be_short = table.is_system() && column.name == "VIEW_INDEX_ID";
  }
  if (!column.default_text.empty()) {
    ASSIGN_OR_RETURN(Value value, bind::DefaultOf(column, now_millis));
    if (!value.is_null()) result.default_value = std::move(value);
  }
  return result;
}

Result<std::unique_ptr<ScanNode>> PlanScan(const bind::BoundSelect& select, size_t source,
                                           const PlanContext& context) {
  const bind::Source& bound = select.sources[source];
  auto scan = std::make_unique<ScanNode>();
  scan->select = &select;
  scan->source = source;
  scan->table = bound.table;
  // Shares the table's life: the schema is a part of it.
  scan->schema = std::shared_ptr<const KeySchema>(bound.table, &bound.table->key_schema);
  ASSIGN_OR_RETURN(scan->data, catalog::OpenRows(context.connection, *bound.table));
  for (uint32_t slot = 0; slot < select.slots.size(); ++slot) {
    if (select.slots[slot].source != source) continue;
    if (select.slots[slot].column == bind::Scope::kMissingColumn) continue;
    ASSIGN_OR_RETURN(ScanColumn column,
                     ColumnOfSlot(*bound.table, select.slots[slot], slot, context.now_millis));
    scan->columns.push_back(std::move(column));
  }
  scan->conditions = ConditionsOn(select, static_cast<int32_t>(source));
  scan->key_options.skip_scan_hint = HasHint(select, "SKIP_SCAN");
  scan->key_options.range_scan_hint = HasHint(select, "RANGE_SCAN");
  const Capabilities store = context.connection->capabilities();
  scan->key_options.may_skip = store.navigators || store.remote;
  if (bound.access != nullptr) {
    for (const bind::IndexAccess::KeyPart& part : bound.access->key) {
      scan->key_options.value_types.push_back(part.type);
    }
    ASSIGN_OR_RETURN(scan->indexed, PlanIndexed(select, source, context));
  }
  scan->cache_blocks = !HasHint(select, "NO_CACHE");
  scan->is_segment =
      source == 0 && (select.segment_start != nullptr || select.segment_stop != nullptr);
  scan->skips_offset = !select.offset_key.empty();
  scan->guide_posts = GuidePostsOf(*scan, context);
  return scan;
}

}  // namespace bennu::sql::plan
