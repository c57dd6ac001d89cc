// Conditions over documents, for BSON_CONDITION_EXPRESSION. Private to this folder.
//
//   {"$EXPR": "a.b >= :v AND NOT begins_with(#n, :p)", "$VAL": {":v": 5, ":p": "x"},
//    "$KEYS": {"#n": "name"}}
//   {"$or": [{"a.b": {"$gte": 5}}, {"c": {"$exists": false}}]}
#ifndef BENNU_SRC_SQL_FUNCTIONS_BSON_CONDITION_H_
#define BENNU_SRC_SQL_FUNCTIONS_BSON_CONDITION_H_

#include <memory>

#include "bennu/status.h"
#include "src/sql/types/bson.h"

namespace bennu::sql {

// Immutable.
class BsonCondition {
 public:
  // Errors: 601 for an expression that cannot be parsed; uncoded for a document of another form.
  static Result<BsonCondition> Make(BsonValue condition);

  // Does it hold? Error (uncoded): a value that $VAL does not have, an operand of a wrong type.
  Result<bool> Holds(const BsonValue& document) const;

  struct Node;

 private:
  BsonValue condition_;
  std::shared_ptr<const Node> root_;  // of "$EXPR", else null
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_BSON_CONDITION_H_
