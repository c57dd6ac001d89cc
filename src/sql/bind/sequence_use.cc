#include "src/sql/bind/sequence_use.h"

#include "src/sql/catalog/table.h"

namespace bennu::sql::bind {

std::string TextOfSequence(const SequenceUse& use, bool current) {
  const std::string name = catalog::FullTableName(use.schema, use.name);
  if (current) return "CURRENT VALUE FOR " + name;
  std::string text = "NEXT[";
  for (size_t i = 0; i < use.counts.size(); ++i) {
    if (i > 0) text += ", ";
    text += ToText(*use.counts[i]);
  }
  return text + "] VALUE(S) FOR " + name;
}

}  // namespace bennu::sql::bind
