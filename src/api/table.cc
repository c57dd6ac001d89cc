#include "bennu/table.h"

namespace bennu {

Result<bool> Table::Exists(const Get& get) {
  bool any = false;
  RETURN_IF_ERROR(GetCells(get, [&any](const Cell*, size_t count) { any = count > 0; }));
  return any;
}

}  // namespace bennu
