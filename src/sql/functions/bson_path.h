// Ways to a field inside of a document. Private to this folder.
#ifndef BENNU_SRC_SQL_FUNCTIONS_BSON_PATH_H_
#define BENNU_SRC_SQL_FUNCTIONS_BSON_PATH_H_

#include <optional>
#include <vector>

#include "bennu/status.h"
#include "src/sql/types/bson.h"

namespace bennu::sql {

struct PathStep {
  enum class Kind : uint8_t { kName, kIndex, kAny };
  Kind kind = Kind::kName;
  Bytes name;
  int64_t index = 0;  // negative: from the end
};
using BsonPath = std::vector<PathStep>;

// The BSON functions' paths: "a.b[2].c". Error (uncoded): an index that is none.
Result<BsonPath> ParseFieldPath(ByteView text);
// JSON's: "$.a['b c'][2]", "$.a[*].b". Error (uncoded): another form.
Result<BsonPath> ParseJsonPath(ByteView text);

// Whether one of the elements of 'array' is equal to 'value', in type and content.
bool HasElement(const BsonValue& array, const BsonValue& value);

// True when the path may lead to several values.
bool IsIndefinite(const BsonPath& path);

// The value at the path, or null. The first where there are several of one name.
const BsonValue* FindAt(const BsonValue& document, const BsonPath& path);
BsonValue* FindAt(BsonValue* document, const BsonPath& path);
// All values at an indefinite path, as an array.
BsonValue CollectAt(const BsonValue& document, const BsonPath& path);

// A field of exactly this name, or else what stands at the path.
Result<const BsonValue*> FindField(const BsonValue& document, ByteView name);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_BSON_PATH_H_
