// Responses in JSON, in the order of fields that Avatica's own server has.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <variant>

#include "src/avatica/json_messages.h"
#include "src/base/json_text.h"

namespace bennu::avatica {

namespace {

// Objects and lists are opened and closed by the caller; commas come by themselves.
class Writer {
 public:
  void Open(char bracket) {
    Separate();
    out_.push_back(bracket);
    first_ = true;
  }
  void Close(char bracket) {
    out_.push_back(bracket);
    first_ = false;
  }
  void Key(std::string_view name) {
    Separate();
    AppendJsonString(name, &out_);
    out_.push_back(':');
    first_ = true;
  }
  void Raw(std::string_view json) {
    Separate();
    out_.append(json);
  }
  void Text(std::string_view text) {
    Separate();
    AppendJsonString(text, &out_);
  }

  void Field(std::string_view name, std::string_view text) {
    Key(name);
    Text(text);
  }
  void Field(std::string_view name, const char* text) { Field(name, std::string_view(text)); }
  void Field(std::string_view name, bool value) {
    Key(name);
    Raw(value ? "true" : "false");
  }
  void Field(std::string_view name, int64_t value) {
    Key(name);
    Raw(fmt::format("{}", value));
  }
  void NullField(std::string_view name) {
    Key(name);
    Raw("null");
  }
  // Empty: null.
  void Nullable(std::string_view name, std::string_view text) {
    if (text.empty()) return NullField(name);
    Field(name, text);
  }
  std::string Take() { return std::move(out_); }

 private:
  void Separate() {
    if (!first_) out_.push_back(',');
    first_ = false;
  }

  std::string out_;
  bool first_ = true;
};

int64_t Signed(uint32_t number) { return static_cast<int32_t>(number); }
int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

void Write(const pb::RpcMetadata& metadata, Writer* out) {
  out->Key("rpcMetadata");
  out->Open('{');
  out->Field("response", "rpcMetadata");
  out->Field("serverAddress", metadata.server_address());
  out->Close('}');
}

void Write(const pb::AvaticaType& type, Writer* out) {
  const bool array = type.has_component();
  out->Open('{');
  out->Field("type", array ? "array" : "scalar");
  out->Field("id", Signed(type.id()));
  out->Field("name", type.name());
  out->Field("rep", RepName(type.rep()));
  if (array) {
    out->Key("component");
    out->Open('{');
    out->Field("type", "scalar");
    out->Field("id", Signed(type.component().id()));
    out->Field("name", type.component().name());
    out->Field("rep", RepName(type.component().rep()));
    out->Close('}');
  }
  out->Close('}');
}

void Write(const pb::ColumnMetaData& column, Writer* out) {
  out->Open('{');
  out->Field("ordinal", Signed(column.ordinal()));
  out->Field("autoIncrement", column.auto_increment());
  out->Field("caseSensitive", column.case_sensitive());
  out->Field("searchable", column.searchable());
  out->Field("currency", column.currency());
  out->Field("nullable", Signed(column.nullable()));
  out->Field("signed", column.signed_());
  out->Field("displaySize", Signed(column.display_size()));
  out->Field("label", column.label());
  out->Field("columnName", column.column_name());
  out->Field("schemaName", column.schema_name());
  out->Field("precision", Signed(column.precision()));
  out->Field("scale", Signed(column.scale()));
  out->Field("tableName", column.table_name());
  out->Field("catalogName", column.catalog_name());
  out->Key("type");
  Write(column.type(), out);
  out->Field("readOnly", column.read_only());
  out->Field("writable", column.writable());
  out->Field("definitelyWritable", column.definitely_writable());
  out->Nullable("columnClassName", column.column_class_name());
  out->Close('}');
}

void Write(const pb::Signature& signature, Writer* out) {
  out->Open('{');
  out->Key("columns");
  out->Open('[');
  for (const pb::ColumnMetaData& column : signature.columns()) Write(column, out);
  out->Close(']');
  out->Nullable("sql", signature.sql());
  out->Key("parameters");
  out->Open('[');
  for (const pb::AvaticaParameter& parameter : signature.parameters()) {
    out->Open('{');
    out->Field("signed", parameter.signed_());
    out->Field("precision", Signed(parameter.precision()));
    out->Field("scale", Signed(parameter.scale()));
    out->Field("parameterType", Signed(parameter.parameter_type()));
    out->Field("typeName", parameter.type_name());
    out->Field("className", parameter.class_name());
    out->Field("name", parameter.name());
    out->Close('}');
  }
  out->Close(']');
  out->Key("cursorFactory");
  out->Raw(R"({"style":"LIST","clazz":null,"fieldNames":null})");
  out->NullField("statementType");
  out->Close('}');
}

void Write(const pb::Frame& frame, Writer* out) {
  out->Open('{');
  out->Field("offset", Signed(frame.offset()));
  out->Field("done", frame.done());
  out->Key("rows");
  out->Open('[');
  for (const std::string& row : frame.rows()) out->Raw(row);
  out->Close(']');
  out->Close('}');
}

// ---- the fields of each response, behind "response"

void WriteFields(const pb::ResultSetResponse& message, Writer* out) {
  out->Field("connectionId", message.connection_id());
  out->Field("statementId", Signed(message.statement_id()));
  out->Field("ownStatement", message.own_statement());
  out->Key("signature");
  if (message.has_signature()) {
    Write(message.signature(), out);
  } else {
    out->Raw("null");
  }
  out->Key("firstFrame");
  if (message.has_first_frame()) {
    Write(message.first_frame(), out);
  } else {
    out->Raw("null");
  }
  out->Field("updateCount", Signed(message.update_count()));
  Write(message.metadata(), out);
}

void WriteFields(const pb::ExecuteResponse& message, Writer* out) {
  out->Field("missingStatement", message.missing_statement());
  Write(message.metadata(), out);
  if (message.missing_statement()) return out->NullField("results");
  out->Key("results");
  out->Open('[');
  for (const pb::ResultSetResponse& result : message.results()) {
    out->Open('{');
    out->Field("response", "resultSet");
    WriteFields(result, out);
    out->Close('}');
  }
  out->Close(']');
}

void WriteFields(const pb::PrepareResponse& message, Writer* out) {
  out->Key("statement");
  out->Open('{');
  out->Field("connectionId", message.statement().connection_id());
  out->Field("id", Signed(message.statement().id()));
  out->Key("signature");
  Write(message.statement().signature(), out);
  out->Close('}');
  Write(message.metadata(), out);
}

void WriteFields(const pb::FetchResponse& message, Writer* out) {
  out->Key("frame");
  if (message.has_frame()) {
    Write(message.frame(), out);
  } else {
    out->Raw("null");
  }
  out->Field("missingStatement", message.missing_statement());
  out->Field("missingResults", message.missing_results());
  Write(message.metadata(), out);
}

void WriteFields(const pb::CreateStatementResponse& message, Writer* out) {
  out->Field("connectionId", message.connection_id());
  out->Field("statementId", Signed(message.statement_id()));
  Write(message.metadata(), out);
}

void WriteFields(const pb::ConnectionSyncResponse& message, Writer* out) {
  const pb::ConnectionProperties& properties = message.conn_props();
  out->Key("connProps");
  out->Open('{');
  out->Field("connProps", "connPropsImpl");
  out->Field("autoCommit", properties.auto_commit());
  out->Field("readOnly", properties.read_only());
  out->Field("transactionIsolation", Signed(properties.transaction_isolation()));
  out->Field("catalog", properties.catalog());
  out->Nullable("schema", properties.schema());
  out->Field("dirty", properties.is_dirty());
  out->Close('}');
  Write(message.metadata(), out);
}

void WriteFields(const pb::DatabasePropertyResponse& message, Writer* out) {
  out->Key("map");
  out->Open('{');
  for (const pb::DatabasePropertyElement& element : message.props()) {
    out->Key(element.key().name());
    if (element.value().type() == pb::INTEGER) {
      out->Raw(fmt::format("{}", element.value().number_value()));
    } else {
      out->Text(element.value().string_value());
    }
  }
  out->Close('}');
  Write(message.metadata(), out);
}

void WriteFields(const pb::ExecuteBatchResponse& message, Writer* out) {
  out->Field("connectionId", message.connection_id());
  out->Field("statementId", Signed(message.statement_id()));
  if (message.missing_statement()) {
    out->NullField("updateCounts");
  } else {
    out->Key("updateCounts");
    out->Open('[');
    for (const uint64_t count : message.update_counts()) out->Raw(fmt::format("{}", Signed(count)));
    out->Close(']');
  }
  out->Field("missingStatement", message.missing_statement());
  Write(message.metadata(), out);
}

void WriteFields(const pb::SyncResultsResponse& message, Writer* out) {
  out->Field("missingStatement", message.missing_statement());
  out->Field("moreResults", message.more_results());
  Write(message.metadata(), out);
}

void WriteFields(const pb::ErrorResponse& message, Writer* out) {
  out->Key("exceptions");
  out->Open('[');
  for (const std::string& exception : message.exceptions()) out->Text(exception);
  out->Close(']');
  out->Field("errorMessage", message.error_message());
  out->Field("errorCode", Signed(message.error_code()));
  out->Field("sqlState", message.sql_state());
  constexpr std::string_view kSeverities[] = {"UNKNOWN", "FATAL", "ERROR", "WARNING"};
  out->Field("severity", kSeverities[message.severity() & 3]);
  Write(message.metadata(), out);
}

// Those that say nothing but that it was done.
template <typename Message>
void WriteFields(const Message& message, Writer* out) {
  if constexpr (requires { message.metadata(); }) Write(message.metadata(), out);
}

// Names in the order of Response's alternatives.
constexpr std::string_view kResponseNames[] = {
    "resultSet",      "executeResults", "prepare",         "fetch",          "createStatement",
    "closeStatement", "openConnection", "closeConnection", "connectionSync", "databaseProperties",
    "executeBatch",   "syncResults",    "commit",          "rollback",       "error"};
static_assert(std::size(kResponseNames) == std::variant_size_v<Response>);

}  // namespace

std::string WriteJsonResponse(const Response& response) {
  Writer out;
  out.Open('{');
  out.Field("response", kResponseNames[response.index()]);
  std::visit([&out](const auto& message) { WriteFields(message, &out); }, response);
  out.Close('}');
  std::string text = out.Take();
  text.push_back('\n');
  return text;
}

}  // namespace bennu::avatica
