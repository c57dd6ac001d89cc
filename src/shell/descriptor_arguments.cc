#include "src/shell/descriptor_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/base/units.h"
#include "src/encoding/bytes_codec.h"
#include "src/shell/coprocessor_spec.h"
#include "src/shell/read_options.h"
#include "src/shell/split_points.h"

namespace bennu::shell {

namespace {

enum class AttributeKind { kNumber, kSize, kBoolean, kUpperName, kText, kTtl };

struct KnownAttribute {
  std::string_view name;
  AttributeKind kind;
};

constexpr std::array<KnownAttribute, 30> kFamilyAttributes = {{
    {"BLOCKCACHE", AttributeKind::kBoolean},
    {"REPLICATION_SCOPE", AttributeKind::kNumber},
    {"CACHE_DATA_ON_WRITE", AttributeKind::kBoolean},
    {"CACHE_INDEX_ON_WRITE", AttributeKind::kBoolean},
    {"CACHE_BLOOMS_ON_WRITE", AttributeKind::kBoolean},
    {"EVICT_BLOCKS_ON_CLOSE", AttributeKind::kBoolean},
    {"IN_MEMORY", AttributeKind::kBoolean},
    {"IN_MEMORY_COMPACTION", AttributeKind::kUpperName},
    {"TTL", AttributeKind::kTtl},
    {"DATA_BLOCK_ENCODING", AttributeKind::kUpperName},
    {"INDEX_BLOCK_ENCODING", AttributeKind::kUpperName},
    {"BLOCKSIZE", AttributeKind::kSize},
    {"VERSIONS", AttributeKind::kNumber},
    {"MIN_VERSIONS", AttributeKind::kNumber},
    {"KEEP_DELETED_CELLS", AttributeKind::kUpperName},
    {"COMPRESS_TAGS", AttributeKind::kBoolean},
    {"PREFETCH_BLOCKS_ON_OPEN", AttributeKind::kBoolean},
    {"IS_MOB", AttributeKind::kBoolean},
    {"NEW_VERSION_BEHAVIOR", AttributeKind::kBoolean},
    {"BLOOMFILTER", AttributeKind::kUpperName},
    {"COMPRESSION", AttributeKind::kUpperName},
    {"COMPRESSION_COMPACT", AttributeKind::kUpperName},
    {"COMPRESSION_COMPACT_MAJOR", AttributeKind::kUpperName},
    {"COMPRESSION_COMPACT_MINOR", AttributeKind::kUpperName},
    {"DFS_REPLICATION", AttributeKind::kNumber},
    {"STORAGE_POLICY", AttributeKind::kUpperName},
    {"ENCRYPTION", AttributeKind::kText},
    {"ENCRYPTION_KEY", AttributeKind::kText},
    {"MOB_THRESHOLD", AttributeKind::kNumber},
    {"MOB_COMPACT_PARTITION_POLICY", AttributeKind::kUpperName},
}};

constexpr std::array<KnownAttribute, 17> kTableAttributes = {{
    {"MAX_FILESIZE", AttributeKind::kSize},
    {"MEMSTORE_FLUSHSIZE", AttributeKind::kSize},
    {"READONLY", AttributeKind::kBoolean},
    {"COMPACTION_ENABLED", AttributeKind::kBoolean},
    {"SPLIT_ENABLED", AttributeKind::kBoolean},
    {"MERGE_ENABLED", AttributeKind::kBoolean},
    {"NORMALIZATION_ENABLED", AttributeKind::kBoolean},
    {"NORMALIZER_TARGET_REGION_COUNT", AttributeKind::kNumber},
    {"NORMALIZER_TARGET_REGION_SIZE", AttributeKind::kNumber},
    {"NORMALIZER_TARGET_REGION_SIZE_MB", AttributeKind::kNumber},
    {"DURABILITY", AttributeKind::kUpperName},
    {"PRIORITY", AttributeKind::kNumber},
    {"FLUSH_POLICY", AttributeKind::kText},
    {"SPLIT_POLICY", AttributeKind::kText},
    {"OWNER", AttributeKind::kText},
    {"REGION_REPLICATION", AttributeKind::kNumber},
    {"REGION_MEMSTORE_REPLICATION", AttributeKind::kBoolean},
}};

// Checks what the kind says; what values mean is for the descriptor's Validate.
Result<std::string> AttributeText(const KnownAttribute& attribute, const Value& value) {
  switch (attribute.kind) {
    case AttributeKind::kNumber: {
      ASSIGN_OR_RETURN(const int64_t number, IntegerOf(attribute.name, value));
      return std::to_string(number);
    }
    case AttributeKind::kSize: {
      if (const auto bytes = ParseByteSize(value.ToText())) return std::to_string(*bytes);
      return InvalidArgument(fmt::format("{} must be a number of bytes or like '128 KB', not {}",
                                         attribute.name, value.Inspect()));
    }
    case AttributeKind::kBoolean: {
      const std::string text = Upper(value.ToText());
      if (text != "TRUE" && text != "FALSE") {
        return InvalidArgument(
            fmt::format("{} must be true or false, not {}", attribute.name, value.Inspect()));
      }
      return std::string(text == "TRUE" ? "true" : "false");
    }
    case AttributeKind::kUpperName: return Upper(value.ToText());
    case AttributeKind::kTtl: {
      // "1 DAY" is kept in seconds, as HBase does it.
      ColumnFamilyDescriptor spoken;
      spoken.name = "f";
      spoken.attributes["TTL"] = value.ToText();
      RETURN_IF_ERROR(spoken.Validate());
      return std::to_string(spoken.ttl_seconds());
    }
    case AttributeKind::kText: break;
  }
  return value.ToText();
}

template <typename Known>
Status TakeAttributes(const Known& known, Options* options,
                      std::map<std::string, std::string>* attributes) {
  for (const KnownAttribute& attribute : known) {
    const Value* const value = options->Find(attribute.name);
    if (value == nullptr) continue;
    ASSIGN_OR_RETURN((*attributes)[std::string(attribute.name)], AttributeText(attribute, *value));
  }
  // A nil takes a property away.
  for (const char* const key : {"METADATA", "CONFIGURATION"}) {
    const Value* const map = options->Find(key);
    if (map == nullptr) continue;
    const auto* const hash = map->template As<Value::Hash>();
    if (hash == nullptr) return InvalidArgument(fmt::format("{} must be a hash", key));
    for (const auto& [name, value] : *hash) {
      if (value.is_nil()) {
        attributes->erase(name.ToText());
      } else {
        (*attributes)[name.ToText()] = value.ToText();
      }
    }
  }
  return Status::Ok();
}

ColumnFamilyDescriptor* FindFamily(TableDescriptor* table, ByteView name) {
  for (ColumnFamilyDescriptor& family : table->families) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

// The family that 'f' or {NAME => 'f', …} describes, beginning with 'before' where it is there.
Result<ColumnFamilyDescriptor> ReadFamily(const Value& value, const ColumnFamilyDescriptor* before,
                                          std::vector<std::string>* notes) {
  ColumnFamilyDescriptor family;
  if (before != nullptr) family = *before;
  if (value.As<Value::Hash>() == nullptr) {
    family.name = value.ToText();
    return family;
  }
  ASSIGN_OR_RETURN(Options options, Options::Of(value));
  family.name = options.Text("NAME").value_or("");
  options.Find("METHOD");
  RETURN_IF_ERROR(TakeAttributes(kFamilyAttributes, &options, &family.attributes));
  for (const std::string& key : options.UnknownKeys()) {
    notes->push_back(
        fmt::format("Unknown argument ignored for column family {}: {}", family.name, key));
  }
  return family;
}

Status AddCreateFamily(const Value& value, CreateRequest* request) {
  ASSIGN_OR_RETURN(ColumnFamilyDescriptor family, ReadFamily(value, nullptr, &request->notes));
  if (ColumnFamilyDescriptor* const same = FindFamily(&request->table, family.name)) {
    request->notes.push_back(
        fmt::format("Family '{}' already exists, the old one will be replaced", family.name));
    *same = std::move(family);
  } else {
    request->table.families.push_back(std::move(family));
  }
  return Status::Ok();
}

Status ReadSplits(Options* options, std::vector<Bytes>* splits) {
  if (options->Has("SPLITS_FILE")) {
    return NotSupported("SPLITS_FILE: write the keys into SPLITS => […]");
  }
  ASSIGN_OR_RETURN(const std::vector<Bytes> texts, options->Texts("SPLITS"));
  for (const Bytes& text : texts) {
    ASSIGN_OR_RETURN(Bytes key, encoding::FromStringBinary(text));
    splits->push_back(std::move(key));
  }
  const bool has_count = options->Has("NUMREGIONS");
  const auto algorithm = options->Text("SPLITALGO");
  if (!texts.empty() || (!has_count && !algorithm.has_value())) return Status::Ok();
  if (!has_count) return InvalidArgument("Number of regions must be specified");
  if (!algorithm.has_value()) return InvalidArgument("Split algorithm must be specified");
  ASSIGN_OR_RETURN(const int64_t count, options->Integer("NUMREGIONS", 0));
  ASSIGN_OR_RETURN(*splits, SplitPoints(*algorithm, count));
  return Status::Ok();
}

Status AddCreateOptions(const Value& value, CreateRequest* request) {
  ASSIGN_OR_RETURN(Options options, Options::Of(value));
  if (const auto method = options.Text("METHOD"); method.has_value() && *method != "table_att") {
    return InvalidArgument("table_att is currently the only supported method");
  }
  RETURN_IF_ERROR(ReadSplits(&options, &request->splits));
  RETURN_IF_ERROR(TakeAttributes(kTableAttributes, &options, &request->table.attributes));
  for (const std::string& key : options.UnknownKeys()) {
    request->notes.push_back(fmt::format("An argument ignored (unknown or overridden): {}", key));
  }
  return Status::Ok();
}

// The names of an unset method's NAME, each of which must be there.
Status Unset(std::string_view what, Options* options,
             std::map<std::string, std::string>* attributes) {
  ASSIGN_OR_RETURN(const std::vector<Bytes> names, options->Texts("NAME"));
  if (names.empty()) return InvalidArgument("NAME parameter missing for the method");
  for (const Bytes& name : names) {
    if (attributes->erase(name) == 0) {
      return NotFound(fmt::format("Could not find {}: {}", what, name));
    }
  }
  return Status::Ok();
}

Status NoCoprocessors(std::string_view what) {
  return NotSupported(fmt::format(
      "{}: there are no coprocessors in a directory, only in servers of HBase's", what));
}

Status RunMethod(const std::string& method, bool runs_classes, Options* options,
                 TableDescriptor* table) {
  if (method == "delete") {
    const auto name = options->Text("NAME");
    if (!name.has_value()) return InvalidArgument("NAME parameter missing for delete method");
    RETURN_IF_ERROR(CheckFamily(*table, *name));
    std::erase_if(table->families,
                  [&](const ColumnFamilyDescriptor& family) { return family.name == *name; });
    return Status::Ok();
  }
  if (method == "table_att_unset") return Unset("attribute", options, &table->attributes);
  if (method == "table_conf_unset") return Unset("configuration", options, &table->attributes);
  if (method == "table_remove_coprocessor") {
    if (!runs_classes) return NoCoprocessors("METHOD => 'table_remove_coprocessor'");
    ASSIGN_OR_RETURN(const std::vector<Bytes> names, options->Texts("CLASSNAME"));
    if (names.empty()) return InvalidArgument("CLASSNAME parameter missing for the method");
    for (const Bytes& name : names) RETURN_IF_ERROR(RemoveCoprocessor(name, &table->attributes));
    return Status::Ok();
  }
  return InvalidArgument("Unknown method: " + method);
}

Status AlterFamily(const Value& value, TableDescriptor* table, std::vector<std::string>* notes) {
  Bytes name = value.ToText();
  if (value.As<Value::Hash>() != nullptr) {
    ASSIGN_OR_RETURN(Options options, Options::Of(value));
    name = options.Text("NAME").value_or("");
  }
  ColumnFamilyDescriptor* const before = FindFamily(table, name);
  ASSIGN_OR_RETURN(ColumnFamilyDescriptor family, ReadFamily(value, before, notes));
  if (before != nullptr) {
    *before = std::move(family);
  } else {
    table->families.push_back(std::move(family));
  }
  return Status::Ok();
}

Status AlterTable(bool runs_classes, Options* options, TableDescriptor* table,
                  std::vector<std::string>* notes) {
  RETURN_IF_ERROR(TakeAttributes(kTableAttributes, options, &table->attributes));
  for (const std::string& key : options->UnknownKeys()) {
    if (Upper(key).find("COPROCESSOR") != std::string::npos) {
      if (!runs_classes) return NoCoprocessors(key);
      RETURN_IF_ERROR(AddCoprocessor(options->Text(key).value_or(""), &table->attributes));
      continue;
    }
    notes->push_back("Unknown argument ignored: " + key);
  }
  return Status::Ok();
}

}  // namespace

Result<CreateRequest> ReadCreate(const Arguments& arguments) {
  CreateRequest request;
  ASSIGN_OR_RETURN(request.table.name, ParseTableName(arguments[0]));
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Value& argument = arguments[i];
    const auto* const list = argument.As<Value::Array>();
    for (const Value& each : list != nullptr ? *list : Value::Array{argument}) {
      if (each.is_nil()) continue;
      const bool hash = each.As<Value::Hash>() != nullptr;
      if (!hash && each.As<Bytes>() == nullptr) {
        return InvalidArgument(
            fmt::format("{} of {} is not of Hash or String type", each.TypeName(), each.Inspect()));
      }
      bool family = !hash;
      if (hash) {
        ASSIGN_OR_RETURN(Options options, Options::Of(each));
        family = options.Has("NAME");
      }
      RETURN_IF_ERROR(family ? AddCreateFamily(each, &request) : AddCreateOptions(each, &request));
    }
  }
  if (request.table.families.empty()) {
    return InvalidArgument("Table must have at least one column family");
  }
  return request;
}

Status ReadAlter(const Arguments& arguments, bool runs_classes, TableDescriptor* table,
                 std::vector<std::string>* notes) {
  if (arguments.size() < 2) {
    return InvalidArgument("There should be at least one argument but the table name");
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Value& argument = arguments[i];
    if (argument.As<Bytes>() != nullptr) {
      RETURN_IF_ERROR(AlterFamily(argument, table, notes));
      continue;
    }
    ASSIGN_OR_RETURN(Options options, Options::Of(argument));
    if (const auto removed = options.Text("delete")) {
      const Value method(
          Value::Variant(Value::Hash{{Value::String("NAME"), Value::String(*removed)}}));
      ASSIGN_OR_RETURN(Options named, Options::Of(method));
      RETURN_IF_ERROR(RunMethod("delete", runs_classes, &named, table));
      continue;
    }
    options.Find("REOPEN_REGIONS");  // regions need not be reopened
    const auto method = options.Text("METHOD");
    if (method.has_value() && *method != "table_att") {
      RETURN_IF_ERROR(RunMethod(*method, runs_classes, &options, table));
    } else if (!method.has_value() && options.Has("NAME")) {
      RETURN_IF_ERROR(AlterFamily(argument, table, notes));
    } else {
      RETURN_IF_ERROR(AlterTable(runs_classes, &options, table, notes));
    }
  }
  return Status::Ok();
}

}  // namespace bennu::shell
