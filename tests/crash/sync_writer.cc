// Writes rows one after another and says so on standard output after each acknowledgement, for
// the test that watches its system calls.
//
//   sync_writer DIRECTORY COUNT
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "bennu/admin.h"
#include "src/engine/open.h"

int main(int argc, char** argv) {
  using namespace bennu;
  if (argc != 3) return 2;
  auto engine = engine::OpenEngine(argv[1]);
  if (!engine.ok()) return 3;
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  if (!(*engine)->admin()->CreateTable(descriptor, {}).ok()) return 3;
  auto table = (*engine)->OpenTable(descriptor.name);
  if (!table.ok()) return 3;
  MutationBatch batch;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    batch.Clear();
    batch.StartRow("row" + std::to_string(i));
    batch.Put("f", "q", "the value of row " + std::to_string(i));
    if (!(*table)->Write(&batch).ok()) return 3;
    const std::string line = "acknowledged " + std::to_string(i) + "\n";
    if (::write(1, line.data(), line.size()) < 0) return 3;
  }
  return 0;
}
