// Parser, binder, planner and executor: the bytes choose statements of the grammar, which are run
// one after another over a store in memory. Each gives rows or an error, whatever it says. An error
// of kInternal is a fault too: it means that a layer met what the one before should have refused.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "src/base/check.h"
#include "src/base/status_macros.h"
#include "src/sql/exec/query.h"
#include "src/sql/session/session.h"
#include "tests/sql/generator/statements.h"
#include "tests/support/memory_store.h"

namespace bennu::sql {
namespace {

constexpr size_t kStatementsMax = 8;
constexpr size_t kQueryMemoryBytes = 64 << 20;
constexpr size_t kRowsMax = 10'000;

// A statement's rows are drained: expressions are evaluated as rows are asked for.
Status RunStatement(session::Session* session, const std::string& sql) {
  ASSIGN_OR_RETURN(const session::StatementResult result, session->Execute(sql));
  if (result.rows == nullptr) return Status::Ok();
  DataChunk chunk;
  for (size_t rows = 0; rows < kRowsMax; rows += chunk.size) {
    RETURN_IF_ERROR(result.rows->Next(&chunk));
    if (chunk.size == 0) break;
  }
  return Status::Ok();
}

void RunStatements(const uint8_t* data, size_t size) {
  bennu::testing::MemoryStore store;
  const auto sql = session::SqlStore::Open(&store, exec::PrepareQuery);
  BENNU_CHECK(sql.ok());
  (*sql)->set_query_memory_bytes(kQueryMemoryBytes);
  const auto session = session::Session::Open(sql->get(), {});
  BENNU_CHECK(session.ok());
  for (const std::string& statement : testing::StatementMaker::Fixture()) {
    BENNU_CHECK(RunStatement(session->get(), statement).ok());
  }
  testing::Choices choices(data, size);
  testing::StatementMaker make(&choices);
  const bool verbose = std::getenv("BENNU_FUZZ_VERBOSE") != nullptr;
  for (size_t i = 0; i < kStatementsMax; ++i) {
    const std::string statement = make.Statement();
    if (verbose) std::printf("%s;\n", statement.c_str());
    if (verbose) std::fflush(stdout);
    const Status status = RunStatement(session->get(), statement);
    if (verbose && !status.ok()) std::printf("-- %s\n", status.ToString().c_str());
    BENNU_CHECK(status.code() != StatusCode::kInternal);
  }
}

}  // namespace
}  // namespace bennu::sql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bennu::sql::RunStatements(data, size);
  return 0;
}
