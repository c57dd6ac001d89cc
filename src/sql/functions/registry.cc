#include "src/sql/functions/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "src/base/status_macros.h"
#include "src/sql/expr/function_advice.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

class Registry {
 public:
  Registry() {
    for (auto table : {StringFunctions, CollationFunctions, RegexFunctions, FormatFunctions,
                       MathFunctions, RoundFunctions, DateFunctions, BinaryFunctions,
                       CatalogFunctions, ArrayFunctions, JsonFunctions, BsonFunctions}) {
      for (FunctionDef& def : table()) functions_.push_back(std::move(def));
    }
    for (const FunctionDef& def : functions_) by_name_.emplace(UpperName(def.name), &def);
  }

  const FunctionDef* Find(std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  // SqlTypeName and its kin are shown in mixed case.
  static std::string UpperName(std::string_view name) {
    std::string upper(name);
    for (char& c : upper) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 0x20);
    }
    return upper;
  }

  std::vector<FunctionDef> functions_;
  std::unordered_map<std::string, const FunctionDef*> by_name_;
};

std::string TypeNames(const std::vector<TypeId>& types) {
  std::string names;
  for (TypeId id : types) {
    if (!names.empty()) names += ", ";
    names += TypeName(id);
  }
  return names;
}

bool Accepts(const ArgumentSpec& spec, TypeId type) {
  if (spec.types.empty() || type == TypeId::kNull) return true;
  for (TypeId allowed : spec.types) {
    if (CanCoerce(type, allowed)) return true;
  }
  return false;
}

Status CheckArgument(const FunctionDef& def, size_t index, const BoundExpr& argument) {
  const ArgumentSpec& spec = def.arguments[index];
  if (!Accepts(spec, argument.type.id)) {
    return MakeSqlError(
        203,
        fmt::format("expected: [{}] but was: {} at {} argument {}", TypeNames(spec.types),
                    TypeName(argument.type.id), def.name, index + 1),
        argument.position);
  }
  // Everything can be assigned to VARBINARY, but a function of bytes wants bytes: Phoenix fails
  // too.
  const bool of_bytes =
      !spec.types.empty() && std::all_of(spec.types.begin(), spec.types.end(), IsBinary);
  if (of_bytes && PhysicalTypeOf(argument.type.id) != PhysicalType::kBytes) {
    return MakeUncodedSqlError(fmt::format("{} wants text or binary as argument {}, not {}",
                                           def.name, index + 1, TypeName(argument.type.id)),
                               argument.position);
  }
  if (spec.constant && !argument.is_constant()) {
    return MakeSqlError(203,
                        fmt::format("expected: constant but was: {} at {} argument {}",
                                    ToText(argument), def.name, index + 1),
                        argument.position);
  }
  return Status::Ok();
}

bool HasNullArgument(const BoundExpr& expr) {
  for (size_t i = 0; i < expr.children.size(); ++i) {
    if (expr.function->arguments[i].optional) continue;
    if (expr.children[i]->is_null_constant()) return true;
  }
  return false;
}

}  // namespace

const FunctionDef* FindFunction(std::string_view name) {
  static const Registry registry;
  return registry.Find(name);
}

Result<BoundExprPtr> MakeFunction(std::string_view name, std::vector<BoundExprPtr> arguments,
                                  int32_t position, int64_t now_millis) {
  const FunctionDef* def = FindFunction(name);
  if (def == nullptr || arguments.size() > def->arguments.size())
    return UndefinedFunction(name, position);
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kFunction;
  expr->function = def;
  expr->type = {def->result};
  expr->can_fail = def->can_fail;
  expr->deterministic = def->deterministic;
  expr->position = position;
  for (size_t i = 0; i < arguments.size(); ++i) {
    RETURN_IF_ERROR(CheckArgument(*def, i, *arguments[i]));
  }
  for (size_t i = arguments.size(); i < def->arguments.size(); ++i) {
    if (!def->arguments[i].optional) return UndefinedFunction(name, position);
    arguments.push_back(MakeConstant(def->arguments[i].default_value));
  }
  expr->children = std::move(arguments);
  if (def->bind != nullptr) {
    const Status bound = def->bind(expr.get());
    if (!bound.ok()) return AtPosition(bound, position);
  }
  if (def->is_identity != nullptr && def->is_identity(*expr)) return expr->children[0];
  InheritFlags(expr.get());
  if (def->null_in_null_out && HasNullArgument(*expr)) {
    return MakeConstant(Value::Null(expr->type), position);
  }
  if (expr->children.empty() && !def->deterministic) return BoundExprPtr(std::move(expr));
  return Fold(std::move(expr), now_millis);
}

}  // namespace bennu::sql
