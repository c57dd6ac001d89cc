// JSON_VALUE, JSON_QUERY, JSON_EXISTS, JSON_MODIFY over documents of JSON and BSON columns.
#include <algorithm>

#include "src/base/status_macros.h"
#include "src/sql/functions/bson_path.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

struct PathState : FunctionState {
  BsonPath path;
};

// Parses once when the path is constant.
Status BindPath(BoundExpr* expr) {
  const BoundExpr& path = *expr->children[1];
  if (!path.is_constant() || path.constant.is_null()) return Status::Ok();
  auto state = std::make_shared<PathState>();
  ASSIGN_OR_RETURN(state->path, ParseJsonPath(path.constant.bytes()));
  expr->state = std::move(state);
  return Status::Ok();
}

// Calls use(document, path, row), which returns a Status, for each row.
template <typename F>
Status ForEachDocument(const BoundExpr& expr, Arguments args, size_t count, Vector* out, F use) {
  BsonPath parsed;
  const BsonPath* path = &parsed;
  if (expr.state != nullptr) path = &static_cast<const PathState&>(*expr.state).path;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    if (expr.state == nullptr) {
      ASSIGN_OR_RETURN(parsed, ParseJsonPath(BytesAt(*args[1], i)));
    }
    ASSIGN_OR_RETURN(BsonValue document, DecodeBson(BytesAt(*args[0], i)));
    RETURN_IF_ERROR(use(&document, *path, i));
  }
  return Status::Ok();
}

// A single value as text; nothing for NULL, documents and arrays.
std::string ScalarText(const BsonValue& value) {
  switch (value.type) {
    case BsonType::kInt32:
    case BsonType::kInt64:
    case BsonType::kDateTime: return std::to_string(value.integer);
    case BsonType::kDouble:
    case BsonType::kDecimal128: return DoubleToText(value.ToDouble());
    case BsonType::kBoolean: return value.integer != 0 ? "true" : "false";
    case BsonType::kString:
    case BsonType::kSymbol: return value.bytes;
    case BsonType::kBinary: {
      std::string text;
      AppendBase64(value.bytes, &text);
      return text;
    }
    default: return "";
  }
}

Status JsonValue(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return ForEachDocument(expr, args, count, out,
                         [&](BsonValue* document, const BsonPath& path, size_t row) {
                           const BsonValue* value = nullptr;
                           if (!IsIndefinite(path)) value = FindAt(*document, path);
                           SetTextOrNull(row, value == nullptr ? "" : ScalarText(*value), out);
                           return Status::Ok();
                         });
}

// Arrays as Java's lists write themselves: texts in quotes, nothing escaped.
void AppendFragment(const BsonValue& value, std::string* out) {
  if (!value.is_array()) {
    AppendBsonJson(value, out);
    return;
  }
  *out += '[';
  for (size_t i = 0; i < value.fields.size(); ++i) {
    if (i > 0) *out += ", ";
    const BsonValue& element = value.fields[i].value;
    if (element.is_document() || element.is_array()) {
      AppendFragment(element, out);
    } else if (element.type == BsonType::kString || element.type == BsonType::kSymbol) {
      *out += '"' + element.bytes + '"';
    } else {
      const std::string text = ScalarText(element);
      *out += text.empty() ? "null" : text;
    }
  }
  *out += ']';
}

// NULL of a path that leads nowhere, or to a value that is no object or array.
Status JsonQuery(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return ForEachDocument(expr, args, count, out,
                         [&](BsonValue* document, const BsonPath& path, size_t row) {
                           std::string text;
                           if (IsIndefinite(path)) {
                             AppendFragment(CollectAt(*document, path), &text);
                           } else {
                             const BsonValue* const value = FindAt(*document, path);
                             if (value != nullptr && (value->is_array() || value->is_document())) {
                               AppendFragment(*value, &text);
                             }
                           }
                           SetTextOrNull(row, text, out);
                           return Status::Ok();
                         });
}

Status JsonExists(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return ForEachDocument(
      expr, args, count, out, [&](BsonValue* document, const BsonPath& path, size_t row) {
        const bool exists = IsIndefinite(path) || FindAt(*document, path) != nullptr;
        out->Set<uint8_t>(row, exists ? 1 : 0);
        return Status::Ok();
      });
}

// Fields of one name become one: the first one's place, the last one's value.
void MakeUnique(BsonValue* value) {
  for (size_t i = 0; i < value->fields.size(); ++i) {
    if (value->is_document()) {
      const Bytes& name = value->fields[i].name;
      for (size_t j = i + 1; j < value->fields.size();) {
        if (value->fields[j].name != name) {
          ++j;
          continue;
        }
        value->fields[i].value = std::move(value->fields[j].value);
        value->fields.erase(value->fields.begin() + static_cast<ptrdiff_t>(j));
      }
    }
    MakeUnique(&value->fields[i].value);
  }
}

// What Phoenix takes as a new value.
Result<BsonValue> NewValue(ByteView text) {
  ASSIGN_OR_RETURN(BsonValue value, ParseBsonJson(text));
  const bool taken = value.is_document() || value.is_array() || value.type == BsonType::kString ||
                     value.type == BsonType::kInt32;
  if (!taken) {
    return MakeUncodedSqlError(
        "JSON_MODIFY takes objects, arrays, texts and whole numbers of 32 "
        "bits, not " +
        std::string(text));
  }
  return value;
}

Status JsonModify(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return ForEachDocument(
      expr, args, count, out, [&](BsonValue* document, const BsonPath& path, size_t row) -> Status {
        ASSIGN_OR_RETURN(const BsonValue value, NewValue(BytesAt(*args[2], row)));
        MakeUnique(document);
        BsonValue* const place =
            IsIndefinite(path) || path.empty() ? nullptr : FindAt(document, path);
        if (place == nullptr) {
          return MakeUncodedSqlError("There is nothing at " + std::string(BytesAt(*args[1], row)));
        }
        *place = value;
        Bytes bytes;
        EncodeBson(*document, &bytes);
        out->SetBytes(row, bytes);
        return Status::Ok();
      });
}

}  // namespace

std::vector<FunctionDef> JsonFunctions() {
  const ArgumentSpec text{{kVarchar}};
  const auto json = [&](std::string_view name, std::vector<ArgumentSpec> arguments, TypeId type,
                        FunctionEvaluate evaluate) {
    return FunctionDef{.name = name,
                       .arguments = std::move(arguments),
                       .result = type,
                       .evaluate = evaluate,
                       .bind = BindPath,
                       .can_fail = true};
  };
  return {
      json("JSON_VALUE", {{{kJson, kBson, kVarbinary}}, text}, kVarchar, JsonValue),
      json("JSON_QUERY", {{{kJson, kVarbinary}}, text}, kVarchar, JsonQuery),
      json("JSON_EXISTS", {{{kJson, kVarbinary}}, text}, kBoolean, JsonExists),
      json("JSON_MODIFY", {{{kJson, kVarchar}}, text, text}, kJson, JsonModify),
  };
}

}  // namespace bennu::sql
