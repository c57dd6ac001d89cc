// From CREATE VIEW to the view that it asks for, with all that Phoenix refuses refused.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/catalog/view.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

using parse::ColumnDef;
using parse::CreateView;

Status ViewError(int code, const TableMeta& view) {
  return MakeSqlError(code, "tableName=" + view.FullName());
}

class ViewBuilder {
 public:
  ViewBuilder(const CreateView& statement, const DdlContext& context, const TableMeta* parent,
              const TableDescriptor* mapped, const std::string& partition, TableMeta* base)
      : statement_(statement),
        context_(context),
        parent_(parent),
        mapped_(mapped),
        partition_(partition),
        base_(base) {}

  Result<TableMeta> Build() {
    view_.tenant = context_.tenant;
    view_.schema = statement_.name.qualifier.empty() ? context_.default_schema
                                                     : statement_.name.qualifier.text;
    view_.name = statement_.name.name.text;
    view_.type = TableType::kView;
    if (view_.schema == kSystemSchema) return ViewError(1010, view_);
    if (parent_ != nullptr && parent_->is_system()) return ViewError(1141, view_);
    if (parent_ != nullptr) RETURN_IF_ERROR(ReadCondition());
    RETURN_IF_ERROR(CheckKeyIsFree());
    RETURN_IF_ERROR(ReadOptions());
    RETURN_IF_ERROR(AddColumns());
    return Finish();
  }

 private:
  bool is_mapped() const { return view_.view_type == ViewType::kMapped; }
  bool extends_key() const {
    return statement_.key.has_value() ||
           std::any_of(statement_.columns.begin(), statement_.columns.end(),
                       [](const ColumnDef& column) { return column.primary_key; });
  }

  Status ReadCondition() {
    view_.view_type =
        parent_->view_type == ViewType::kMapped ? ViewType::kMapped : ViewType::kUpdatable;
    if (statement_.where == nullptr && partition_.empty()) {
      if (parent_->view_type == ViewType::kReadOnly) view_.view_type = ViewType::kReadOnly;
      view_.view_statement = parent_->view_statement;
      return Status::Ok();
    }
    parse::ExprPtr condition;
    std::string text = parent_->view_condition;
    const bool has_condition = statement_.where != nullptr;
    if (has_condition) {
      if (IsConstantCondition(*statement_.where)) return ViewError(1045, view_);
      condition = NormalizeCondition(statement_.where->Clone());
      ASSIGN_OR_RETURN(text, ConditionText(*condition, *parent_));
      if (!parent_->view_condition.empty()) {
        text = "(" + parent_->view_condition + " AND " + text + ")";
      }
    }
    if (!partition_.empty()) {
      text += (text.empty() ? "" : " AND ") + partition_;
      ASSIGN_OR_RETURN(parse::ExprPtr partition, parse::ParseExpression(partition_));
      condition = JoinConditions(std::move(condition), std::move(partition));
    }
    view_.view_statement = MakeViewStatement(statement_.base, text);
    // Without a condition of its own a view keeps its parent's statement.
    if (!has_condition && !parent_->view_statement.empty()) {
      view_.view_statement = parent_->view_statement + " AND " + partition_;
    }
    if (is_mapped()) return Status::Ok();
    ASSIGN_OR_RETURN(const ViewCondition said,
                     AnalyzeCondition(*condition, *parent_, context_.evaluate));
    const bool updatable = said.updatable && parent_->view_type != ViewType::kReadOnly;
    view_.view_type = updatable ? ViewType::kUpdatable : ViewType::kReadOnly;
    return Status::Ok();
  }

  // An index holds the key of its table's rows: a longer one would not fit.
  Status CheckKeyIsFree() const {
    const bool indexed =
        parent_ != nullptr && (!parent_->indexes.empty() || !base_->indexes.empty());
    return extends_key() && indexed ? ViewError(10956, view_) : Status::Ok();
  }

  Status ReadOptions() {
    RETURN_IF_ERROR(CheckViewOptions(statement_.properties, /*altering=*/false));
    ASSIGN_OR_RETURN(const TableOptions options, ParseOptions(statement_.properties));
    KeepCatalogTexts(options, &view_);
    if (statement_.key.has_value()) view_.pk_name = statement_.key->name.text;
    if (parent_ == nullptr) {
      view_.view_type = ViewType::kMapped;
      view_.physical = mapped_->name;
      view_.namespace_mapped = context_.features.map_namespaces;
      view_.immutable_rows = options.immutable_rows.value_or(false);
    } else {
      view_.parent = parent_->key();
      view_.base_column_count =
          static_cast<int32_t>(parent_->columns.size()) + (parent_->is_salted() ? 1 : 0);
      RETURN_IF_ERROR(InheritFromParent(*parent_, context_.evaluate, &view_));
      view_.update_cache_frequency_ms = parent_->update_cache_frequency_ms;
    }
    if (options.update_cache_frequency_ms.has_value()) {
      view_.update_cache_frequency_ms = *options.update_cache_frequency_ms;
    }
    return Status::Ok();
  }

  const parse::KeyColumn* FindInConstraint(const ColumnDef& definition) const {
    if (!statement_.key.has_value() || !definition.name.qualifier.empty()) return nullptr;
    for (const parse::KeyColumn& key : statement_.key->columns) {
      if (key.name.text == definition.name.name.text) return &key;
    }
    return nullptr;
  }

  Status AddColumns() {
    size_t next_of_key = 0;
    for (const ColumnDef& definition : statement_.columns) {
      ASSIGN_OR_RETURN(ColumnMeta column, BuildColumn(definition, context_));
      RETURN_IF_ERROR(PlaceColumn(definition, &column));
      if (column.is_key() && statement_.key.has_value()) {
        const auto& names = statement_.key->columns;
        if (next_of_key < names.size() && names[next_of_key++].name.text != column.name) {
          return MakeSqlError(1004, "columnName=" + column.name, definition.position);
        }
      }
      RETURN_IF_ERROR(CheckDuplicate(column, definition.position));
      column.ordinal = static_cast<int32_t>(view_.columns.size()) + 1;
      if (!column.is_key()) RETURN_IF_ERROR(TakeQualifier(&column));
      view_.columns.push_back(std::move(column));
    }
    if (statement_.key.has_value() && next_of_key < statement_.key->columns.size()) {
      const parse::Name& missing = statement_.key->columns[next_of_key].name;
      return MakeSqlError(504, "columnName=" + view_.FullName() + "." + missing.text,
                          missing.position);
    }
    return Status::Ok();
  }

  Status PlaceColumn(const ColumnDef& definition, ColumnMeta* column) {
    const std::string detail = "columnName=" + column->name;
    const parse::KeyColumn* in_constraint = FindInConstraint(definition);
    const bool row_timestamp =
        column->row_timestamp || (in_constraint != nullptr && in_constraint->row_timestamp);
    if (row_timestamp) return MakeSqlError(531, detail, definition.position);
    if (!definition.primary_key && in_constraint == nullptr) {
      if (!column->nullable && !view_.immutable_rows) {
        return MakeSqlError(1007, detail, definition.position);
      }
      if (column->family.empty()) column->family = view_.default_family;
      return Status::Ok();
    }
    if (definition.primary_key) {
      if (!column->family.empty()) return MakeSqlError(1003, detail, definition.position);
      if (key_seen_ || statement_.key.has_value()) {
        return MakeSqlError(510, detail, definition.position);
      }
      key_seen_ = true;
    } else if (in_constraint->descending) {
      column->sort_order = SortOrder::kDesc;
    }
    // A key of one column cannot be NULL, also when it stands behind the parent's.
    if (definition.primary_key || statement_.key->columns.size() == 1) {
      if (definition.nullable.value_or(false)) {
        return MakeSqlError(1000, detail, definition.position);
      }
      column->nullable = false;
    }
    column->family.clear();
    column->key_position = static_cast<int32_t>(view_.columns.size());
    // The end of the parent's last column could not be told from the beginning of this one.
    if (parent_ != nullptr && !is_mapped() &&
        !IsFixedWidth(parent_->key_column(parent_->key_columns.size() - 1).type.id)) {
      return MakeSqlError(1036, "tableName=" + view_.FullName() + " " + detail,
                          definition.position);
    }
    return Status::Ok();
  }

  Status CheckDuplicate(const ColumnMeta& column, int64_t position) const {
    const auto clashes = [&](const ColumnMeta& other) {
      return other.name == column.name &&
             (other.family == column.family ||
              (other.is_key() && column.family == view_.default_family) ||
              (column.is_key() && other.family == view_.default_family));
    };
    if (std::none_of(view_.columns.begin(), view_.columns.end(), clashes)) return Status::Ok();
    return MakeSqlError(514, "columnName=" + view_.FullName() + "." + column.name, position);
  }

  Status TakeQualifier(ColumnMeta* column) {
    if (parent_ == nullptr || is_mapped()) {
      column->qualifier = column->name;
      const bool there = mapped_ == nullptr || mapped_->FindFamily(column->family) != nullptr;
      return there ? Status::Ok()
                   : MakeSqlError(505, "the HBase table has no family " + column->family, -1,
                                  "a view over an HBase table cannot add families to it");
    }
    return AssignQualifier(base_, column);
  }

  Result<TableMeta> Finish() {
    if (parent_ == nullptr && !extends_key()) return ViewError(509, view_);
    RETURN_IF_ERROR(CheckKeyColumns(view_));
    const Bytes empty_family = view_.empty_family;
    view_.Finish();
    if (parent_ != nullptr && !parent_->families.empty()) view_.empty_family = empty_family;
    if (view_.view_type == ViewType::kUpdatable && !view_.view_statement.empty()) {
      view_.row_key_matcher = RowKeyMatcher(view_);
    }
    return std::move(view_);
  }

  const CreateView& statement_;
  const DdlContext& context_;
  const TableMeta* const parent_;
  const TableDescriptor* const mapped_;
  const std::string& partition_;
  TableMeta* const base_;
  TableMeta view_;
  bool key_seen_ = false;
};

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Status CheckViewOptions(const std::vector<parse::Property>& properties, bool altering) {
  static constexpr std::string_view kOfTables[] = {
      "IMMUTABLE_ROWS", "MULTI_TENANT",         "DISABLE_WAL",
      "SALT_BUCKETS",   "STORE_NULLS",          "COLUMN_ENCODED_BYTES",
      "TRANSACTIONAL",  "TRANSACTION_PROVIDER", "IMMUTABLE_STORAGE_SCHEME"};
  static constexpr std::string_view kOfViews[] = {
      "UPDATE_CACHE_FREQUENCY",        "APPEND_ONLY_SCHEMA", "IS_STRICT_TTL",
      "USE_STATS_FOR_PARALLELIZATION", "SCHEMA_VERSION",     "CHANGE_DETECTION_ENABLED",
      "STREAMING_TOPIC_NAME",          "EXTERNAL_SCHEMA_ID"};
  for (const parse::Property& property : properties) {
    const auto refuse = [&](int code) {
      return MakeSqlError(code, "Property: " + property.name, property.position);
    };
    if (property.name == "TTL") return refuse(10961);
    if (property.name == "GUIDE_POSTS_WIDTH") return refuse(altering ? 1009 : 1139);
    if (property.name == "DEFAULT_COLUMN_FAMILY") return refuse(altering ? 1009 : 1069);
    if (IsOneOf(property.name, kOfTables)) {
      if (altering) return refuse(property.name == "IMMUTABLE_ROWS" ? 1134 : 1009);
      if (property.name.starts_with("TRANSACTION")) return refuse(1070);
      continue;  // of no effect
    }
    // The table's families stay as they are.
    if (!altering && property.family.empty() && IsFamilyAttribute(property.name)) continue;
    if (!IsOneOf(property.name, kOfViews)) return refuse(1009);
    if (altering && property.name == "APPEND_ONLY_SCHEMA") return refuse(1134);
  }
  return Status::Ok();
}

Result<TableMeta> BuildView(const CreateView& statement, const DdlContext& context,
                            const TableMeta* parent, const TableDescriptor* mapped,
                            const std::string& partition, TableMeta* base) {
  return ViewBuilder(statement, context, parent, mapped, partition, base).Build();
}

}  // namespace bennu::sql::catalog
