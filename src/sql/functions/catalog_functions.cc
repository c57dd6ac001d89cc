// Functions that the catalog's own queries use to show codes as words.
#include <fmt/format.h>

#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

using enum TypeId;

Status SqlTypeNameOf(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  ProduceText(count, out, [&](size_t i, std::string* text) {
    const std::optional<TypeId> id = TypeBySqlTypeId(static_cast<int32_t>(IntAt(*args[0], i)));
    if (id.has_value()) *text = TypeName(*id);
    return id.has_value();
  });
  return Status::Ok();
}

Status ExternalTypeId(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const std::optional<TypeId> id = TypeBySqlTypeId(static_cast<int32_t>(IntAt(*args[0], i)));
    if (id.has_value()) {
      out->Set<int64_t>(i, JdbcTypeId(*id));
    } else {
      out->SetNull(i);
    }
  }
  return Status::Ok();
}

// HBase's Bytes.toStringBinary.
Status RowKeyText(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  constexpr std::string_view kPlainMarks = " `~!@#$%^&*()-_=+[]{}|;:'\",.<>/?";
  ProduceText(count, out, [&](size_t i, std::string* text) {
    for (const char c : BytesAt(*args[0], i)) {
      const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                         (c >= 'a' && c <= 'z') || kPlainMarks.find(c) != std::string_view::npos;
      if (plain) {
        *text += c;
      } else {
        *text += fmt::format("\\x{:02X}", static_cast<uint8_t>(c));
      }
    }
    return true;
  });
  return Status::Ok();
}

struct Word {
  int code;
  const char* text;
};

// Rows whose code is not in the table become NULL.
template <size_t N>
void Translate(const Word (&words)[N], Arguments args, size_t count, Vector* out) {
  ProduceText(count, out, [&](size_t i, std::string* text) {
    const bool is_text = args[0]->physical_type() == PhysicalType::kBytes;
    const int64_t code = is_text ? BytesAt(*args[0], i)[0] : IntAt(*args[0], i);
    for (const Word& word : words) {
      if (word.code == code) *text = word.text;
    }
    return !text->empty();
  });
}

constexpr Word kTableTypes[] = {{'s', "SYSTEM TABLE"}, {'u', "TABLE"},     {'v', "VIEW"},
                                {'i', "INDEX"},        {'p', "PROJECTED"}, {'c', "CDC"},
                                {'q', "SEQUENCE"}};
constexpr Word kIndexStates[] = {
    {'b', "BUILDING"},        {'e', "USABLE"},        {'d', "UNUSABLE"}, {'a', "ACTIVE"},
    {'i', "INACTIVE"},        {'x', "DISABLE"},       {'r', "REBUILD"},  {'p', "PENDING_ACTIVE"},
    {'w', "PENDING_DISABLE"}, {'c', "CREATE_DISABLE"}};
constexpr Word kViewTypes[] = {{1, "MAPPED"}, {2, "READ_ONLY"}, {3, "UPDATABLE"}};
constexpr Word kIndexTypes[] = {{1, "GLOBAL"}, {2, "LOCAL"}, {3, "UNCOVERED_GLOBAL"}};

Status TableType(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  Translate(kTableTypes, args, count, out);
  return Status::Ok();
}
Status IndexState(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  Translate(kIndexStates, args, count, out);
  return Status::Ok();
}
Status ViewType(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  Translate(kViewTypes, args, count, out);
  return Status::Ok();
}
Status IndexType(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  Translate(kIndexTypes, args, count, out);
  return Status::Ok();
}

// Tephra has the first code, and is no longer there.
Status TransactionProvider(const BoundExpr&, Arguments args, size_t count, EvalContext*,
                           Vector* out) {
  Status status;
  ProduceText(count, out, [&](size_t i, std::string* text) {
    const int64_t code = IntAt(*args[0], i);
    if (code != 1 && code != 2) {
      status = MakeUncodedSqlError(fmt::format("Invalid TransactionFactory.Provider {}", code));
      return false;
    }
    *text = code == 1 ? "NOTAVAILABLE" : "OMID";
    return true;
  });
  return status;
}

}  // namespace

std::vector<FunctionDef> CatalogFunctions() {
  return {
      {"SqlTypeName", {{{kInteger}}}, kVarchar, SqlTypeNameOf},
      {"ExternalSqlTypeId", {{{kInteger}}}, kInteger, ExternalTypeId},
      {"SQLTableType", {{{kVarchar}}}, kVarchar, TableType},
      {"IndexStateName", {{{kVarchar}}}, kVarchar, IndexState},
      {"SQLViewType", {{{kUnsignedTinyint}}}, kVarchar, ViewType},
      {"SQLIndexType", {{{kUnsignedTinyint}}}, kVarchar, IndexType},
      {.name = "TransactionProviderName",
       .arguments = {{{kInteger}}},
       .result = kVarchar,
       .evaluate = TransactionProvider,
       .can_fail = true},
      {"ROWKEY_BYTES_STRING", {{{kVarbinary}}}, kVarchar, RowKeyText},
  };
}

}  // namespace bennu::sql
