#include <cstdio>
#include <utility>

#include "tests/peers/store_steps.h"

#include "src/base/status_macros.h"

namespace bennu::peers {

ColumnFamilyDescriptor Family(Bytes name, std::map<std::string, std::string> attributes) {
  ColumnFamilyDescriptor family;
  family.name = std::move(name);
  family.attributes = std::move(attributes);
  return family;
}

std::string Row(int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "row%06d", number);
  return text;
}

Status Fill(Connection* store, const TableName& name, int first, int rows, int64_t time) {
  ASSIGN_OR_RETURN(const auto table, store->OpenTable(name));
  const TableDescriptor descriptor = table->descriptor();
  MutationBatch batch;
  for (int r = first; r < first + rows; ++r) {
    batch.StartRow(Row(r));
    for (const auto& family : descriptor.families) {
      for (int q = 0; q < 3; ++q) {
        // As long as it is random, but for the middle one.
        Bytes value(static_cast<size_t>((r * 7 + q * 13) % 40), 'x');
        for (char& c : value) c = q == 1 ? c : static_cast<char>(r * 31 + (&c - value.data()) * 17);
        batch.Put(family.name, "q" + std::to_string(q), value, time + (r * 37 + q) % 1000);
      }
    }
  }
  return table->Write(&batch);
}

}  // namespace bennu::peers
