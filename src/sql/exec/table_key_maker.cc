#include "src/sql/exec/table_key_maker.h"

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/index_key_value.h"

namespace bennu::sql::exec {

TableKeyMaker::TableKeyMaker(const KeySchema* index, const KeySchema* table,
                             const std::vector<bind::IndexAccess::TableKeyPart>* table_key)
    : index_(index),
      table_(table),
      table_key_(table_key),
      parts_(index->column_count()),
      converted_(table->column_count()),
      views_(table->column_count()) {}

Status TableKeyMaker::Make(ByteView index_row, Bytes* key) {
  const Status status = MakeOfParts(index_row, key);
  if (status.ok()) return status;
  return status.Annotate("row '" + ToStringBinary(index_row) +
                         "' of an index leads to no row of its table");
}

Status TableKeyMaker::MakeOfParts(ByteView index_row, Bytes* key) {
  RETURN_IF_ERROR(index_->Split(index_row, parts_));
  for (size_t i = 0; i < views_.size(); ++i) {
    const bind::IndexAccess::TableKeyPart& part = (*table_key_)[i];
    if (part.place < 0) {
      views_[i] = part.held;
      continue;
    }
    const auto place = static_cast<size_t>(part.place);
    const KeyColumn& from = index_->columns()[place];
    const KeyColumn& to = table_->columns()[i];
    views_[i] = index_row.substr(parts_[place].offset, parts_[place].length);
    if (views_[i].empty() || (from.type.id == to.type.id && from.order == to.order)) continue;
    ASSIGN_OR_RETURN(const Value stored, Decode(views_[i], from.type, from.order));
    ASSIGN_OR_RETURN(const Value value, FromIndexKeyValue(stored, to.type));
    converted_[i].clear();
    RETURN_IF_ERROR(Encode(value, to.type, to.order, &converted_[i]));
    views_[i] = converted_[i];
  }
  key->clear();
  return table_->AppendStoredKey(views_, key);
}

}  // namespace bennu::sql::exec
