// CREATE VIEW, and the links between views and what they are made over.
//
// A view's rows hold a link up to its parent; SYSTEM.CHILD_LINK holds the ways down. The way down
// is written first and removed last, so that a crash leaves a way to nowhere, which is passed over,
// and never a view that its parent does not know of.
#include <algorithm>
#include <utility>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/removal.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/catalog/undefined.h"
#include "src/sql/catalog/view.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

constexpr int64_t kTaskDropChildViews = 1;

}  // namespace

Status Catalog::CreateView(const parse::CreateView& statement, const DdlContext& context) {
  TablePtr parent;
  TableMeta base;
  std::optional<TableDescriptor> mapped;
  const std::string& name_schema =
      statement.name.qualifier.empty() ? context.default_schema : statement.name.qualifier.text;
  RETURN_IF_ERROR(CheckSchema(name_schema, statement.name.position()));
  const TableKey key{context.tenant, name_schema, statement.name.name.text};
  const auto find_parent = [&]() -> Status {
    const std::string& schema =
        statement.base.qualifier.empty() ? context.default_schema : statement.base.qualifier.text;
    ASSIGN_OR_RETURN(parent, GetTable(schema, statement.base.name.text, statement.base.position(),
                                      context.timestamp, context.tenant));
    return CheckIsNoIndex(*parent, statement.base.position());
  };
  std::string partition;
  if (!statement.base.name.empty()) {
    RETURN_IF_ERROR(find_parent());
    ASSIGN_OR_RETURN(partition, PartitionCondition(*parent, key, context));
  }
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto held, LockDefinition(key, parent == nullptr ? key : parent->key()));
  // Others may have changed or dropped it before the lock; those of SYSTEM nobody does.
  if (parent != nullptr && parent->schema != kSystemSchema) RETURN_IF_ERROR(find_parent());
  if (parent == nullptr) {
    const TableName name =
        PhysicalTableName(name_schema, statement.name.name.text, features_.map_namespaces);
    auto table = connection_->OpenTable(name);
    if (!table.ok()) {
      if (table.status().code() != StatusCode::kNotFound) return table.status();
      return MakeSqlError(1012, "tableName=" + FullTableName(name_schema, statement.name.name.text),
                          statement.name.position());
    }
    mapped = (*table)->descriptor();
  } else {
    ASSIGN_OR_RETURN(const TablePtr table, parent->is_view() && !parent->base.name.empty()
                                               ? FindTable(parent->base, context.timestamp)
                                               : Result<TablePtr>(parent));
    if (table != nullptr) base = *table;
  }
  const QualifierCounters counters_before = base.counters;
  ASSIGN_OR_RETURN(TableMeta view,
                   BuildView(statement, context, parent.get(),
                             mapped.has_value() ? &*mapped : nullptr, partition, &base));
  if (parent != nullptr && view.key_columns.size() > parent->key_columns.size()) {
    RETURN_IF_ERROR(CheckIndexesHoldKey(view, base));
  }
  if (context.read_only) return MakeSqlError(518, "");
  ASSIGN_OR_RETURN(const bool taken, IsTaken(view.key(), context.timestamp));
  if (taken) {
    if (!statement.if_not_exists) {
      return MakeSqlError(1013, "tableName=" + view.FullName(), statement.name.position());
    }
    if (parent == nullptr || !parent->append_only_schema) return Status::Ok();
    ASSIGN_OR_RETURN(const TablePtr existing, FindTable(view.key(), context.timestamp));
    if (existing == nullptr || !existing->is_view()) return Status::Ok();
    ASSIGN_OR_RETURN(const parse::AlterTable missing,
                     AddMissingColumns(statement.name, statement.columns, statement.key));
    const Status added = AddColumns(*existing, missing, context);
    Forget(existing->key());
    Forget(existing->base);
    return added;
  }
  const int64_t timestamp = NextTimestamp(context);
  RETURN_IF_ERROR(SweepOrphans(view.key(), timestamp));
  // What is left of an older view of that name, which is older than any new definition.
  RETURN_IF_ERROR(EraseRows(view.key(), timestamp - 1));
  view.last_ddl_timestamp = timestamp;
  if (view.view_type != ViewType::kMapped) {
    RETURN_IF_ERROR(AddFamiliesOfView(view, base));
    MutationBatch links;
    RETURN_IF_ERROR(AppendChildLink(view.parent, view.key(), timestamp, &links));
    ASSIGN_OR_RETURN(const auto table, OpenChildLinks());
    RETURN_IF_ERROR(table->Write(&links));
  }
  MutationBatch batch;
  RETURN_IF_ERROR(AppendTableRows(view, timestamp, &batch));
  RETURN_IF_ERROR(AppendViewLinks(view, base.sequence_number, timestamp, &batch));
  if (base.counters != counters_before) {
    // Others must learn that these qualifiers are taken.
    base.sequence_number++;
    RETURN_IF_ERROR(AppendCounterRows(base, timestamp, &batch));
    RETURN_IF_ERROR(AppendSequenceNumber(base, timestamp, &batch));
  }
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  RETURN_IF_ERROR(catalog->Write(&batch));
  Forget(base.key());
  return Status::Ok();
}

// Phoenix leaves them out in CREATE VIEW, and such a view takes no rows.
Status Catalog::AddFamiliesOfView(const TableMeta& view, const TableMeta& base) {
  ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(base.physical));
  TableDescriptor descriptor = physical->descriptor();
  const auto is_there = [&](const std::string& family) {
    return descriptor.FindFamily(family) != nullptr;
  };
  if (std::all_of(view.families.begin(), view.families.end(), is_there)) return Status::Ok();
  TableMeta extended = base;
  extended.families = view.families;
  RETURN_IF_ERROR(UpdateDescriptor(extended, {}, {}, &descriptor));
  return connection_->admin()->AlterTable(descriptor);
}

Result<std::string> Catalog::PartitionCondition(const TableMeta& parent, const TableKey& view,
                                                const DdlContext& context) {
  TablePtr base;
  if (parent.is_view()) {
    if (parent.base.name.empty()) return std::string();
    ASSIGN_OR_RETURN(base, FindTable(parent.base, context.timestamp));
    if (base == nullptr) return std::string();
  }
  const TableMeta& table = base == nullptr ? parent : *base;
  const auto found = table.other_properties.find(kAutoPartitionSequence);
  if (found == table.other_properties.end() || context.next_value == nullptr) return std::string();
  // A view that is refused takes no value, as far as that is known yet.
  if (context.read_only) return MakeSqlError(518, "");
  ASSIGN_OR_RETURN(const bool taken, IsTaken(view, context.timestamp));
  if (taken) return std::string();
  const std::string& name = found->second;
  const size_t dot = name.find('.');
  const bool qualified = dot != std::string::npos;
  const TableKey sequence{
      {}, qualified ? name.substr(0, dot) : "", qualified ? name.substr(dot + 1) : name};
  const Result<int64_t> value = context.next_value(sequence);
  if (!value.ok()) {
    if (!IsSqlError(value.status(), 1201)) return value.status();
    return MakeSqlError(1201, "tableName=" + FullTableName(view.schema, view.name), -1,
                        "create the sequence " + name + ", which AUTO_PARTITION_SEQ of " +
                            table.FullName() + " names");
  }
  const ColumnMeta& column = table.key_column(table.multi_tenant ? 1 : 0);
  const Result<Value> fits = Coerce(Value::Int({TypeId::kBigint}, *value), column.type);
  if (!fits.ok()) return MakeSqlError(1087, "tableName=" + FullTableName(view.schema, view.name));
  return column.name + " = " + std::to_string(*value);
}

// ---------------------------------------------------------------- the views over something

Result<std::shared_ptr<Table>> Catalog::OpenChildLinks() {
  return connection_->OpenTable(System("CHILD_LINK")->physical);
}

Result<std::vector<Catalog::TablePtr>> Catalog::ChildViews(const TableKey& key, int64_t as_of) {
  ASSIGN_OR_RETURN(const auto links, OpenChildLinks());
  Scan scan;
  scan.range = ChildLinksOf(key);
  if (as_of != kLatestTimestamp) scan.time_range.max = as_of;
  std::vector<TableKey> names;
  RETURN_IF_ERROR(ForEachRow(links.get(), scan, [&](const CatalogRow& row) {
    names.push_back(ParseChildLink(row.key));
    return Status::Ok();
  }));
  std::vector<TablePtr> children;
  for (const TableKey& name : names) {
    const auto child = FindTable(name, as_of);
    if (!child.ok()) {
      if (IsSqlError(child.status(), 1012)) continue;  // it lost a parent or a column
      return child.status();
    }
    if (*child != nullptr && (*child)->is_view() && (*child)->parent == key) {
      children.push_back(*child);
    }
  }
  return children;
}

Result<std::vector<Catalog::TablePtr>> Catalog::DescendantViews(const TableKey& key,
                                                                int64_t as_of) {
  ASSIGN_OR_RETURN(std::vector<TablePtr> views, ChildViews(key, as_of));
  for (size_t i = 0; i < views.size(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<TablePtr> children, ChildViews(views[i]->key(), as_of));
    views.insert(views.end(), children.begin(), children.end());
  }
  return views;
}

Result<bool> Catalog::IsTaken(const TableKey& key, int64_t as_of) {
  const auto existing = FindTable(key, as_of);
  if (existing.ok()) return *existing != nullptr;
  if (IsSqlError(existing.status(), 1012)) return false;  // a view that lost its parent
  if (existing.status().code() != StatusCode::kSql) return existing.status();
  return true;  // there, though it cannot be read yet
}

Status Catalog::EraseRows(const TableKey& key, int64_t timestamp) {
  MutationBatch batch;
  RETURN_IF_ERROR(AppendErasure(key, timestamp, &batch));
  if (batch.row_count() == 0) return Status::Ok();
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  return catalog->Write(&batch);
}

Status Catalog::AppendErasure(const TableKey& key, int64_t timestamp, MutationBatch* batch) {
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  Scan scan;
  scan.range = RowsOfTable(key);
  return ForEachRow(catalog.get(), scan, [&](const CatalogRow& row) {
    batch->StartRow(row.key);
    batch->DeleteFamily(kCatalogFamily, timestamp);
    return Status::Ok();
  });
}

Status Catalog::SweepOrphans(const TableKey& key, int64_t timestamp) {
  ASSIGN_OR_RETURN(const auto links, OpenChildLinks());
  Scan scan;
  scan.range = ChildLinksOf(key);
  MutationBatch batch;
  std::vector<TableKey> children;
  RETURN_IF_ERROR(ForEachRow(links.get(), scan, [&](const CatalogRow& row) {
    children.push_back(ParseChildLink(row.key));
    batch.StartRow(row.key);
    batch.DeleteFamily(kCatalogFamily, timestamp);
    return Status::Ok();
  }));
  for (const TableKey& child : children) {
    // A view of that name may since have been made over something else: then it can be found.
    ASSIGN_OR_RETURN(const bool used, IsTaken(child, kLatestTimestamp));
    if (used) continue;
    RETURN_IF_ERROR(SweepOrphans(child, timestamp));
    RETURN_IF_ERROR(EraseRows(child, timestamp));
  }
  if (batch.row_count() == 0) return Status::Ok();
  return links->Write(&batch);
}

// The note by which Phoenix's servers remember to drop the views over what is gone.
Status Catalog::AddDropTask(const TableKey& key, Removal* removal) {
  const std::shared_ptr<const TableMeta>& tasks = System("TASK");
  const int64_t now = connection_->NowMillis();
  const Value values[] = {
      Value::Int({TypeId::kUnsignedTinyint}, kTaskDropChildViews),
      Value::Time({TypeId::kTimestamp}, Timestamp{now, 0}),
      key.tenant.empty() ? Value::Null({TypeId::kVarchar}) : Value::Varchar(key.tenant),
      key.schema.empty() ? Value::Null({TypeId::kVarchar}) : Value::Varchar(key.schema),
      Value::Varchar(key.name)};
  ASSIGN_OR_RETURN(const Bytes row, tasks->key_schema.EncodeKey(values));
  MutationBatch* const batch = removal->RowsOf(tasks->physical);
  batch->StartRow(row);
  batch->Put(tasks->empty_family, tasks->empty_qualifier, tasks->empty_value, now);
  batch->Put(tasks->empty_family, "TASK_STATUS", "CREATED", now);
  return Status::Ok();
}

}  // namespace bennu::sql::catalog
