#include "src/avatica/json_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/avatica/json_value.h"
#include "src/base/status_macros.h"

namespace bennu::avatica {

namespace {

constexpr std::array<std::string_view, 30> kRepNames = {"PRIMITIVE_BOOLEAN",
                                                        "PRIMITIVE_BYTE",
                                                        "PRIMITIVE_CHAR",
                                                        "PRIMITIVE_SHORT",
                                                        "PRIMITIVE_INT",
                                                        "PRIMITIVE_LONG",
                                                        "PRIMITIVE_FLOAT",
                                                        "PRIMITIVE_DOUBLE",
                                                        "BOOLEAN",
                                                        "BYTE",
                                                        "CHARACTER",
                                                        "SHORT",
                                                        "INTEGER",
                                                        "LONG",
                                                        "FLOAT",
                                                        "DOUBLE",
                                                        "JAVA_SQL_TIME",
                                                        "JAVA_SQL_TIMESTAMP",
                                                        "JAVA_SQL_DATE",
                                                        "JAVA_UTIL_DATE",
                                                        "BYTE_STRING",
                                                        "STRING",
                                                        "NUMBER",
                                                        "OBJECT",
                                                        "NULL",
                                                        "BIG_INTEGER",
                                                        "BIG_DECIMAL",
                                                        "ARRAY",
                                                        "STRUCT",
                                                        "MULTISET"};

constexpr std::array<std::string_view, 26> kOperationNames = {"GET_ATTRIBUTES",
                                                              "GET_BEST_ROW_IDENTIFIER",
                                                              "GET_CATALOGS",
                                                              "GET_CLIENT_INFO_PROPERTIES",
                                                              "GET_COLUMN_PRIVILEGES",
                                                              "GET_COLUMNS",
                                                              "GET_CROSS_REFERENCE",
                                                              "GET_EXPORTED_KEYS",
                                                              "GET_FUNCTION_COLUMNS",
                                                              "GET_FUNCTIONS",
                                                              "GET_IMPORTED_KEYS",
                                                              "GET_INDEX_INFO",
                                                              "GET_PRIMARY_KEYS",
                                                              "GET_PROCEDURE_COLUMNS",
                                                              "GET_PROCEDURES",
                                                              "GET_PSEUDO_COLUMNS",
                                                              "GET_SCHEMAS",
                                                              "GET_SCHEMAS_WITH_ARGS",
                                                              "GET_SUPER_TABLES",
                                                              "GET_SUPER_TYPES",
                                                              "GET_TABLE_PRIVILEGES",
                                                              "GET_TABLES",
                                                              "GET_TABLE_TYPES",
                                                              "GET_TYPE_INFO",
                                                              "GET_UDTS",
                                                              "GET_VERSION_COLUMNS"};

// Fields of an object. What is missing or null leaves the target as it is; what is of another kind
// is remembered, so that the caller asks once.
class Fields {
 public:
  explicit Fields(const JsonValue& object) : object_(object) {}

  // Whether the field is there and not null.
  bool Has(const char* name) const { return Find(name) != nullptr; }
  const JsonValue* Find(const char* name) const {
    const JsonValue* const found = object_.Find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  std::string Text(const char* name) {
    const JsonValue* const field = Find(name);
    if (field == nullptr) return {};
    if (field->text() == nullptr) return Wrong(name, "a text"), std::string();
    return *field->text();
  }
  int64_t Number(const char* name, int64_t otherwise = 0) {
    const JsonValue* const field = Find(name);
    if (field == nullptr) return otherwise;
    if (field->number() == nullptr) return Wrong(name, "a whole number"), otherwise;
    return *field->number();
  }
  int32_t Int32(const char* name, int32_t otherwise = 0) {
    const int64_t number = Number(name, otherwise);
    if (static_cast<int32_t>(number) != number) return Wrong(name, "a number of 32 bits"), 0;
    return static_cast<int32_t>(number);
  }
  bool Bool(const char* name) {
    const JsonValue* const field = Find(name);
    if (field == nullptr) return false;
    if (field->boolean() == nullptr) return Wrong(name, "true or false"), false;
    return *field->boolean();
  }
  // Null: not there.
  const JsonValue::List* List(const char* name) {
    const JsonValue* const field = Find(name);
    if (field == nullptr) return nullptr;
    if (field->list() == nullptr) return Wrong(name, "a list"), nullptr;
    return field->list();
  }
  void Wrong(const char* name, std::string_view wanted) {
    if (status_.ok()) status_ = InvalidArgument(fmt::format("'{}' must be {}", name, wanted));
  }
  const Status& status() const { return status_; }

 private:
  const JsonValue& object_;
  Status status_;
};

template <size_t N>
std::optional<size_t> IndexOf(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<size_t>(found - names.begin());
}

// Elements that belong to no list of texts are passed over.
template <typename Repeated>
void AddTexts(const JsonValue::List* list, Repeated* out) {
  if (list == nullptr) return;
  for (const JsonValue& element : *list) {
    if (element.text() != nullptr) *out->Add() = *element.text();
  }
}

// A text as it is, a number as its digits; nothing for others.
std::optional<std::string> PlainText(const JsonValue& value) {
  if (value.text() != nullptr) return *value.text();
  if (value.number() != nullptr) return std::to_string(*value.number());
  return std::nullopt;
}

bool IsReal(pb::Rep rep) {
  return rep == pb::DOUBLE || rep == pb::PRIMITIVE_DOUBLE || rep == pb::FLOAT ||
         rep == pb::PRIMITIVE_FLOAT;
}
bool IsWhole(pb::Rep rep) {
  return (rep >= pb::PRIMITIVE_BYTE && rep <= pb::PRIMITIVE_LONG && rep != pb::PRIMITIVE_CHAR) ||
         (rep >= pb::BYTE && rep <= pb::LONG && rep != pb::CHARACTER) ||
         (rep >= pb::JAVA_SQL_TIME && rep <= pb::JAVA_UTIL_DATE);
}

// A number or a text as a value of type out->type().
Status SetPlain(const JsonValue& value, pb::TypedValue* out) {
  const std::string* const text = value.text();
  if (IsReal(out->type())) {
    if (text == nullptr) {
      out->set_double_value(static_cast<double>(*value.number()));
      return Status::Ok();
    }
    double number = 0;
    const char* const text_end = text->data() + text->size();
    const auto [end, error] = std::from_chars(text->data(), text_end, number);
    if (error != std::errc() || end != text_end) {
      return InvalidArgument(fmt::format("a parameter is no number: '{}'", *text));
    }
    out->set_double_value(number);
    return Status::Ok();
  }
  if (!IsWhole(out->type())) {
    out->set_string_value(*PlainText(value));
    return Status::Ok();
  }
  if (text != nullptr) {
    return InvalidArgument(
        fmt::format("a parameter of type {} must be a whole number", RepName(out->type())));
  }
  out->set_number_value(*value.number());
  return Status::Ok();
}

Status ParseValue(const JsonValue& json, pb::TypedValue* out);

// 'value' of a parameter whose type is known.
Status SetValue(const JsonValue& value, pb::TypedValue* out) {
  if (value.is_null()) {
    out->set_null(true);
    return Status::Ok();
  }
  if (value.boolean() != nullptr) {
    out->set_bool_value(*value.boolean());
    return Status::Ok();
  }
  if (value.text() != nullptr || value.number() != nullptr) return SetPlain(value, out);
  return InvalidArgument("a parameter's 'value' must be a number, a text, a list or a boolean");
}

Status ParseElement(const JsonValue& element, pb::Rep component, pb::TypedValue* out) {
  const JsonValue* const within = element.Find("value");
  if (element.list() != nullptr || (within != nullptr && within->list() != nullptr)) {
    return InvalidArgument("a parameter has arrays inside an array");
  }
  if (element.object() != nullptr) return ParseValue(element, out);
  out->set_type(component);
  return SetValue(element, out);
}

Status ParseValue(const JsonValue& json, pb::TypedValue* out) {
  Fields fields(json);
  const std::string name = fields.Text("type");
  RETURN_IF_ERROR(fields.status());
  const auto rep = IndexOf(kRepNames, name);
  if (!rep.has_value()) {
    return InvalidArgument(fmt::format("a parameter has the unknown type '{}'", name));
  }
  out->set_type(static_cast<pb::Rep>(*rep));
  const JsonValue* const value = fields.Find("value");
  if (value == nullptr) {
    out->set_null(true);
    return Status::Ok();
  }
  const auto* const elements = value->list();
  if (elements == nullptr) return SetValue(*value, out);
  const auto component = IndexOf(kRepNames, fields.Text("componentType"));
  out->set_component_type(static_cast<pb::Rep>(component.value_or(pb::OBJECT)));
  for (const JsonValue& element : *elements) {
    RETURN_IF_ERROR(ParseElement(element, out->component_type(), out->add_array_value()));
  }
  return Status::Ok();
}

Status ParseValues(const JsonValue::List* list,
                   google::protobuf::RepeatedPtrField<pb::TypedValue>* out) {
  if (list == nullptr) return Status::Ok();
  for (const JsonValue& element : *list) {
    // A null in place of a value: the parameter was never set.
    if (element.is_null()) {
      out->Add()->set_implicitly_null(true);
    } else {
      RETURN_IF_ERROR(ParseValue(element, out->Add()));
    }
  }
  return Status::Ok();
}

Status ParseOperationArguments(const JsonValue::List* list, pb::QueryState* state) {
  if (list == nullptr) return Status::Ok();
  state->set_has_args(true);
  for (const JsonValue& element : *list) {
    auto* const added = state->add_args();
    if (element.text() != nullptr) {
      added->set_type(pb::MetaDataOperationArgument::STRING);
      added->set_string_value(*element.text());
    } else if (element.boolean() != nullptr) {
      added->set_type(pb::MetaDataOperationArgument::BOOL);
      added->set_bool_value(*element.boolean());
    } else if (element.number() != nullptr) {
      added->set_type(pb::MetaDataOperationArgument::INT);
      added->set_int_value(static_cast<int32_t>(*element.number()));
    } else if (element.list() != nullptr) {
      added->set_type(pb::MetaDataOperationArgument::REPEATED_STRING);
      AddTexts(element.list(), added->mutable_string_array_values());
    } else {
      added->set_type(pb::MetaDataOperationArgument::NULL_);
    }
  }
  return Status::Ok();
}

// A request of a connection and nothing else.
template <typename Message>
Status ParseInto(Fields*, Message*) {
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::OpenConnectionRequest* out) {
  const JsonValue* const info = fields->Find("info");
  if (info == nullptr) return Status::Ok();
  const auto* const members = info->object();
  if (members == nullptr) return InvalidArgument("'info' must be an object");
  for (const auto& [name, value] : *members) {
    if (value.is_null()) continue;
    if (value.boolean() != nullptr) {
      (*out->mutable_info())[name] = *value.boolean() ? "true" : "false";
      continue;
    }
    std::optional<std::string> text = PlainText(value);
    if (!text.has_value()) {
      return InvalidArgument(fmt::format("the property '{}' must be a text", name));
    }
    (*out->mutable_info())[name] = *std::move(text);
  }
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::ConnectionSyncRequest* out) {
  const JsonValue* const given = fields->Find("connProps");
  if (given == nullptr) return Status::Ok();
  Fields properties(*given);
  pb::ConnectionProperties* const to = out->mutable_conn_props();
  to->set_has_auto_commit(properties.Has("autoCommit"));
  to->set_auto_commit(properties.Bool("autoCommit"));
  to->set_has_read_only(properties.Has("readOnly"));
  to->set_read_only(properties.Bool("readOnly"));
  to->set_transaction_isolation(static_cast<uint32_t>(properties.Int32("transactionIsolation")));
  to->set_catalog(properties.Text("catalog"));
  to->set_schema(properties.Text("schema"));
  to->set_is_dirty(properties.Bool("dirty"));
  return properties.status();
}

Status ParseInto(Fields* fields, pb::CloseStatementRequest* out) {
  out->set_statement_id(static_cast<uint32_t>(fields->Number("statementId")));
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::PrepareAndExecuteRequest* out) {
  out->set_statement_id(static_cast<uint32_t>(fields->Number("statementId")));
  out->set_sql(fields->Text("sql"));
  out->set_max_rows_total(fields->Number("maxRowsTotal", fields->Number("maxRowCount", -1)));
  out->set_first_frame_max_size(fields->Int32("maxRowsInFirstFrame", -1));
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::PrepareRequest* out) {
  out->set_sql(fields->Text("sql"));
  out->set_max_rows_total(fields->Number("maxRowsTotal", fields->Number("maxRowCount", -1)));
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::ExecuteRequest* out) {
  const JsonValue* const given = fields->Find("statementHandle");
  if (given == nullptr) return InvalidArgument("'statementHandle' is missing");
  Fields handle(*given);
  out->mutable_statement_handle()->set_connection_id(handle.Text("connectionId"));
  out->mutable_statement_handle()->set_id(static_cast<uint32_t>(handle.Number("id")));
  if (const JsonValue* const signature = handle.Find("signature")) {
    Fields parts(*signature);
    out->mutable_statement_handle()->mutable_signature()->set_sql(parts.Text("sql"));
    RETURN_IF_ERROR(parts.status());
  }
  RETURN_IF_ERROR(handle.status());
  out->set_first_frame_max_size(
      fields->Int32("maxRowsInFirstFrame", fields->Int32("maxRowCount", -1)));
  out->set_has_parameter_values(fields->Has("parameterValues"));
  return ParseValues(fields->List("parameterValues"), out->mutable_parameter_values());
}

Status ParseInto(Fields* fields, pb::FetchRequest* out) {
  out->set_statement_id(static_cast<uint32_t>(fields->Number("statementId")));
  out->set_offset(static_cast<uint64_t>(fields->Number("offset")));
  out->set_frame_max_size(fields->Int32("frameMaxSize", fields->Int32("fetchMaxRowCount", -1)));
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::PrepareAndExecuteBatchRequest* out) {
  out->set_statement_id(static_cast<uint32_t>(fields->Number("statementId")));
  AddTexts(fields->List("sqlCommands"), out->mutable_sql_commands());
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::ExecuteBatchRequest* out) {
  out->set_statement_id(static_cast<uint32_t>(fields->Number("statementId")));
  const JsonValue::List* const rows = fields->List("parameterValues");
  if (rows == nullptr) return Status::Ok();
  for (const JsonValue& row : *rows) {
    if (row.list() == nullptr) return InvalidArgument("'parameterValues' must be a list of lists");
    RETURN_IF_ERROR(ParseValues(row.list(), out->add_updates()->mutable_parameter_values()));
  }
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::SyncResultsRequest* out) {
  out->set_statement_id(static_cast<uint32_t>(fields->Number("statementId")));
  out->set_offset(static_cast<uint64_t>(fields->Number("offset")));
  const JsonValue* const given = fields->Find("state");
  if (given == nullptr) return InvalidArgument("'state' is missing");
  Fields state(*given);
  pb::QueryState* const to = out->mutable_state();
  const bool metadata = state.Text("type") == "METADATA";
  to->set_type(metadata ? pb::QueryState::METADATA : pb::QueryState::SQL);
  to->set_has_sql(state.Has("sql"));
  to->set_sql(state.Text("sql"));
  const std::string operation = state.Text("metaDataOperation");
  if (!operation.empty()) {
    const auto index = IndexOf(kOperationNames, operation);
    if (!index.has_value()) {
      return InvalidArgument(fmt::format("there is no operation '{}'", operation));
    }
    to->set_has_op(true);
    to->set_op(static_cast<pb::MetaDataOperation>(*index));
  }
  RETURN_IF_ERROR(state.status());
  return ParseOperationArguments(state.List("operationArgs"), to);
}

Status ParseInto(Fields* fields, pb::SchemasRequest* out) {
  out->set_has_catalog(fields->Has("catalog"));
  out->set_catalog(fields->Text("catalog"));
  out->set_has_schema_pattern(fields->Has("schemaPattern"));
  out->set_schema_pattern(fields->Text("schemaPattern"));
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::TablesRequest* out) {
  out->set_has_catalog(fields->Has("catalog"));
  out->set_catalog(fields->Text("catalog"));
  out->set_has_schema_pattern(fields->Has("schemaPattern"));
  out->set_schema_pattern(fields->Text("schemaPattern"));
  out->set_has_table_name_pattern(fields->Has("tableNamePattern"));
  out->set_table_name_pattern(fields->Text("tableNamePattern"));
  const JsonValue::List* const types = fields->List("typeList");
  out->set_has_type_list(types != nullptr);
  AddTexts(types, out->mutable_type_list());
  return Status::Ok();
}

Status ParseInto(Fields* fields, pb::ColumnsRequest* out) {
  out->set_has_catalog(fields->Has("catalog"));
  out->set_catalog(fields->Text("catalog"));
  out->set_has_schema_pattern(fields->Has("schemaPattern"));
  out->set_schema_pattern(fields->Text("schemaPattern"));
  out->set_has_table_name_pattern(fields->Has("tableNamePattern"));
  out->set_table_name_pattern(fields->Text("tableNamePattern"));
  out->set_has_column_name_pattern(fields->Has("columnNamePattern"));
  out->set_column_name_pattern(fields->Text("columnNamePattern"));
  return Status::Ok();
}

// Names in the order of Request's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Request>> kRequestNames = {
    "openConnection",
    "closeConnection",
    "connectionSync",
    "databaseProperties",
    "createStatement",
    "closeStatement",
    "prepareAndExecute",
    "prepare",
    "execute",
    "fetch",
    "prepareAndExecuteBatch",
    "executeBatch",
    "syncResults",
    "commit",
    "rollback",
    "getCatalogs",
    "getTableTypes",
    "getTypeInfo",
    "getSchemas",
    "getTables",
    "getColumns"};

template <size_t Index>
Result<Request> ParseAlternative(size_t wanted, const JsonValue& json) {
  if constexpr (Index == std::variant_size_v<Request>) {
    return Internal("no such request");
  } else {
    if (Index != wanted) return ParseAlternative<Index + 1>(wanted, json);
    Request request{std::in_place_index<Index>};
    auto* const message = &std::get<Index>(request);
    Fields fields(json);
    if constexpr (requires { message->set_connection_id(std::string()); }) {
      message->set_connection_id(fields.Text("connectionId"));
    }
    RETURN_IF_ERROR(ParseInto(&fields, message));
    RETURN_IF_ERROR(fields.status());
    return request;
  }
}

}  // namespace

std::string_view RepName(pb::Rep rep) {
  const auto index = static_cast<size_t>(rep);
  return index < kRepNames.size() ? kRepNames[index] : "OBJECT";
}

Result<Request> ParseJsonRequest(ByteView body) {
  const std::optional<JsonValue> json = ParseJson(body);
  if (!json.has_value() || json->object() == nullptr) {
    return InvalidArgument("the body is no JSON object");
  }
  Fields fields(*json);
  const std::string name = fields.Text("request");
  RETURN_IF_ERROR(fields.status());
  const auto index = IndexOf(kRequestNames, name);
  if (!index.has_value()) return InvalidArgument(fmt::format("there is no request '{}'", name));
  return ParseAlternative<0>(*index, *json);
}

}  // namespace bennu::avatica
