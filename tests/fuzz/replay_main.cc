// Runs a fuzz target over every file of a folder, for builds without libFuzzer: what once was found
// stays found. An empty or missing folder is a failure.
#include <cstdint>
#include <cstdio>

#include "src/base/env.h"

#include "src/base/status_macros.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace bennu {
namespace {

// Returns how many inputs ran.
Result<size_t> Replay(const std::string& directory) {
  Env* const env = Env::Default();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, env->ListDirectory(directory));
  for (const std::string& name : names) {
    std::printf("%s\n", name.c_str());
    std::fflush(stdout);  // the last line names the input that ended the process
    ASSIGN_OR_RETURN(const Bytes input, env->ReadFile(JoinPath(directory, name)));
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  }
  return names.size();
}

}  // namespace
}  // namespace bennu

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS-DIRECTORY\n", argv[0]);
    return 2;
  }
  const bennu::Result<size_t> count = bennu::Replay(argv[1]);
  if (!count.ok()) {
    std::fprintf(stderr, "%s\n", count.status().ToString().c_str());
    return 1;
  }
  if (*count == 0) {
    std::fprintf(stderr, "no inputs in %s\n", argv[1]);
    return 1;
  }
  std::printf("%zu inputs replayed\n", *count);
  return 0;
}
