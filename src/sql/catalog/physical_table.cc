#include "src/sql/catalog/physical_table.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

constexpr char kPhoenixPackage[] = "org.apache.phoenix.";
constexpr int kObserverPriority = 805306366;
constexpr char kSystemTablePriority[] = "2000";
constexpr char kIndexTablePriority[] = "1000";

constexpr char kIndexObserverProperties[] =
    "index.builder=org.apache.phoenix.index.PhoenixIndexBuilder,"
    "org.apache.hadoop.hbase.index.codec.class=org.apache.phoenix.index.PhoenixIndexCodec";

// Numbers the entries as HBase does: coprocessor$1, coprocessor$2 …
class CoprocessorList {
 public:
  explicit CoprocessorList(Attributes* attributes) : attributes_(attributes) {}

  void Add(std::string_view class_name, std::string_view properties = "",
           int priority = kObserverPriority) {
    std::string text = "|";
    text.append(class_name).append("|").append(std::to_string(priority)).append("|");
    text.append(properties);
    (*attributes_)["coprocessor$" + std::to_string(++count_)] = std::move(text);
  }
  void AddPhoenix(std::string_view class_name, std::string_view properties = "",
                  int priority = kObserverPriority) {
    Add(std::string(kPhoenixPackage).append(class_name), properties, priority);
  }

 private:
  Attributes* const attributes_;
  int count_ = 0;
};

void AddSystemCoprocessors(const std::string& name, CoprocessorList* list) {
  constexpr char kMultiRow[] = "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint";
  if (name == kCatalogName) {
    list->AddPhoenix("coprocessor.MetaDataEndpointImpl");
    list->AddPhoenix("coprocessor.MetaDataRegionObserver", "", kObserverPriority + 1);
    list->AddPhoenix("coprocessor.SystemCatalogRegionObserver");
    list->Add(kMultiRow);
  } else if (name == "STATS") {
    list->Add(kMultiRow);
  } else if (name == "FUNCTION") {
    list->AddPhoenix("coprocessor.MetaDataEndpointImpl");
  } else if (name == "SEQUENCE") {
    list->AddPhoenix("coprocessor.SequenceRegionObserver");
  } else if (name == "TASK") {
    list->AddPhoenix("coprocessor.TaskRegionObserver");
    list->AddPhoenix("coprocessor.TaskMetaDataEndpoint");
  } else if (name == "CHILD_LINK") {
    list->AddPhoenix("coprocessor.ChildLinkMetaDataEndpoint");
  }
}

void AddCoprocessors(const TableMeta& table, Attributes* attributes) {
  CoprocessorList list(attributes);
  if (table.is_index()) {
    list.AddPhoenix("index.GlobalIndexChecker", "", kObserverPriority - 1);
  }
  list.AddPhoenix("coprocessor.ScanRegionObserver");
  list.AddPhoenix("coprocessor.UngroupedAggregateRegionObserver");
  list.AddPhoenix("coprocessor.GroupedAggregateRegionObserver");
  list.AddPhoenix("coprocessor.ServerCachingEndpointImpl");
  const bool is_stats = table.is_system() && table.name == "STATS";
  if (!is_stats && !table.is_index())
    list.AddPhoenix("hbase.index.IndexRegionObserver", kIndexObserverProperties);
  if (table.is_system()) AddSystemCoprocessors(table.name, &list);
}

// They keep together what is read or written together: a tenant's schema, a table's statistics
// (Phoenix's QueryConstants). The other tables have none.
void AddSystemSplitPolicy(std::string_view name, Attributes* attributes) {
  static constexpr std::pair<std::string_view, std::string_view> kPolicies[] = {
      {"CATALOG", "MetaDataSplitPolicy"},
      {"STATS", "SystemStatsSplitPolicy"},
      {"FUNCTION", "SystemFunctionSplitPolicy"},
      {"TASK", "SystemTaskSplitPolicy"}};
  for (const auto& [table, policy] : kPolicies) {
    if (table != name) continue;
    (*attributes)["SPLIT_POLICY"] = "org.apache.phoenix.schema." + std::string(policy);
  }
}

Status CheckFamiliesOfOptions(const TableOptions& options,
                              const std::vector<std::string>& families) {
  for (const auto& [family, attributes] : options.attributes_of_family) {
    if (std::find(families.begin(), families.end(), family) == families.end()) {
      return MakeSqlError(1002, "familyName=" + family);
    }
  }
  return Status::Ok();
}

void Apply(const Attributes& from, Attributes* to) {
  for (const auto& [name, value] : from) (*to)[name] = value;
}

ColumnFamilyDescriptor* FindOrAddFamily(const TableMeta& table, const std::string& name,
                                        TableDescriptor* descriptor) {
  for (ColumnFamilyDescriptor& family : descriptor->families) {
    if (family.name == name) return &family;
  }
  ColumnFamilyDescriptor family;
  family.name = name;
  family.attributes = DefaultFamilyAttributes();
  if (!table.ttl.empty() && table.ttl_condition.empty()) family.attributes["TTL"] = table.ttl;
  descriptor->families.push_back(std::move(family));
  return &descriptor->families.back();
}

constexpr char kHalfFileReader[] =
    "org.apache.hadoop.hbase.regionserver.IndexHalfStoreFileReaderGenerator";

}  // namespace

bool IsPhoenixClassAttribute(ByteView name, ByteView value) {
  return (name.starts_with("coprocessor$") || name == "SPLIT_POLICY") &&
         value.find(kPhoenixPackage) != ByteView::npos;
}

bool NamesPhoenixClasses(const TableDescriptor& descriptor) {
  return std::any_of(descriptor.attributes.begin(), descriptor.attributes.end(),
                     [](const auto& attribute) {
                       return IsPhoenixClassAttribute(attribute.first, attribute.second);
                     });
}

void AddLocalIndexAttributes(const TableMeta& table, Attributes* attributes) {
  (*attributes)["SPLIT_POLICY"] = "org.apache.phoenix.hbase.index.IndexRegionSplitPolicy";
  const TableKey base = table.shares_index_table() ? table.base : table.key();
  (*attributes)["DATA_TABLE_NAME"] = FullTableName(base.schema, base.name);
  int count = 0;
  for (const auto& [name, value] : *attributes) {
    if (!name.starts_with("coprocessor$")) continue;
    if (value.find(kHalfFileReader) != std::string::npos) return;
    ++count;
  }
  (*attributes)["coprocessor$" + std::to_string(count + 1)] =
      "|" + std::string(kHalfFileReader) + "|" + std::to_string(kObserverPriority) + "|";
}

bool IsDescriptorOfIndex(const TableDescriptor& descriptor, const TableMeta& index) {
  const auto of = descriptor.attributes.find("DATA_TABLE_NAME");
  return of != descriptor.attributes.end() &&
         of->second == FullTableName(index.schema, index.data_table_name) &&
         !descriptor.attributes.contains("IS_VIEW_INDEX_TABLE");
}

std::vector<std::string> PhysicalFamilies(const TableMeta& table) {
  if (table.families.empty()) return {table.default_family};
  return table.families;
}

Status UpdateDescriptor(const TableMeta& table, const std::vector<std::string>& families,
                        const TableOptions& options, TableDescriptor* descriptor) {
  const std::vector<std::string> all = PhysicalFamilies(table);
  RETURN_IF_ERROR(CheckFamiliesOfOptions(options, all));
  for (const std::string& name : all) FindOrAddFamily(table, name, descriptor);
  for (ColumnFamilyDescriptor& family : descriptor->families) {
    if (std::find(families.begin(), families.end(), family.name) != families.end()) {
      Apply(options.family_attributes, &family.attributes);
    }
    const auto own = options.attributes_of_family.find(family.name);
    if (own != options.attributes_of_family.end()) Apply(own->second, &family.attributes);
  }
  Apply(options.table_attributes, &descriptor->attributes);
  std::sort(descriptor->families.begin(), descriptor->families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return Status::Ok();
}

Attributes PhoenixClassesOf(const TableMeta& table) {
  Attributes classes;
  AddCoprocessors(table, &classes);
  if (table.is_system()) AddSystemSplitPolicy(table.name, &classes);
  return classes;
}

Result<TableDescriptor> MakeDescriptor(const TableMeta& table, const TableOptions& options) {
  TableDescriptor descriptor;
  descriptor.name = table.physical;
  descriptor.attributes = PhoenixClassesOf(table);
  if (table.is_index()) {
    if (table.is_view_index()) {
      const TableName base = BaseOfViewIndexTable(table.physical);
      descriptor.attributes["DATA_TABLE_NAME"] = base.ToString();
      descriptor.attributes["IS_VIEW_INDEX_TABLE"] = std::string(1, '\x01');
    } else {
      descriptor.attributes["PRIORITY"] = kIndexTablePriority;
      descriptor.attributes["DATA_TABLE_NAME"] = FullTableName(table.schema, table.data_table_name);
    }
  }
  if (table.is_system()) {
    descriptor.attributes["PRIORITY"] = kSystemTablePriority;
  }
  RETURN_IF_ERROR(UpdateDescriptor(table, PhysicalFamilies(table), options, &descriptor));
  return descriptor;
}

void SetAttributesOfIndex(const Attributes& of_table, bool is_table, TableDescriptor* descriptor) {
  const Attributes shared = AttributesOfIndex(of_table);
  for (ColumnFamilyDescriptor& family : descriptor->families) {
    if (is_table && !IsLocalFamily(family.name)) continue;
    for (const auto& [name, value] : shared) family.attributes[name] = value;
  }
}

}  // namespace bennu::sql::catalog
