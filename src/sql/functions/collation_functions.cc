// COLLATION_KEY: text as bytes that sort as a language does.
#include "src/sql/functions/collation.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

using enum TypeId;

struct CollationState : FunctionState {
  Collation collation;
};

Status BindCollation(BoundExpr* expr) {
  const BoundExpr& locale = *expr->children[1];
  const BoundExpr& upper = *expr->children[2];
  const BoundExpr& strength = *expr->children[3];
  const BoundExpr& decomposition = *expr->children[4];
  if (locale.is_null_constant()) return MakeUncodedSqlError("COLLATION_KEY wants a locale");
  const std::string name(locale.constant.bytes());
  const std::optional<Collation> known = Collation::OfLanguage(name);
  if (!known.has_value()) {
    return MakeUncodedSqlError("COLLATION_KEY does not know the rules of the locale '" + name + "'",
                               locale.position);
  }
  if (!upper.is_null_constant() && upper.constant.boolean()) {
    return MakeUncodedSqlError("COLLATION_KEY knows no upper case collators", upper.position);
  }
  const int64_t decomposes = decomposition.is_null_constant() ? 0 : decomposition.constant.int64();
  if (decomposes != 0) {
    return MakeUncodedSqlError("COLLATION_KEY knows no decomposition but 0",
                               decomposition.position);
  }
  auto state = std::make_shared<CollationState>();
  state->collation = *known;
  if (!strength.is_null_constant()) {
    const int64_t given = strength.constant.int64();
    if (given < 0 || given > 3) {
      return MakeUncodedSqlError("Incorrect comparison level.", strength.position);
    }
    state->collation.strength = static_cast<CollationStrength>(given);
  }
  expr->state = std::move(state);
  return Status::Ok();
}

Status CollationKey(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                    Vector* out) {
  const auto& state = static_cast<const CollationState&>(*expr.state);
  ProduceText(count, out, [&](size_t row, std::string* text) {
    *text = state.collation.Key(BytesAt(*args[0], row));
    return true;
  });
  return Status::Ok();
}

}  // namespace

std::vector<FunctionDef> CollationFunctions() {
  const ArgumentSpec number{{kInteger}, true, true, {}};
  return {{"COLLATION_KEY",
           {{{kVarchar}},
            {{kVarchar}, false, true, {}},
            {{kBoolean}, true, true, Value::Bool(false)},
            number,
            number},
           kVarbinary,
           CollationKey,
           BindCollation}};
}

}  // namespace bennu::sql
