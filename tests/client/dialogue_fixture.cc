#include "tests/client/dialogue_fixture.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <utility>

#include "src/base/env.h"
#include "src/base/hex.h"
#include "tests/client/dialogue_player.h"
#include "tests/client/dialogue_recorder.h"

namespace bennu::client {

namespace {

// All that the scan gives, some rows at a time. What fails, fails the test.
void ForEachBatch(Table* table, const Scan& scan, size_t rows_at_a_time,
                  const std::function<void(const CellBatch&)>& use) {
  auto scanner = table->OpenScanner(scan);
  EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
  if (!scanner.ok()) return;
  CellBatch batch;
  while (true) {
    const Status status = (*scanner)->Next(rows_at_a_time, &batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok() || batch.row_count() == 0) return;
    use(batch);
  }
}

}  // namespace

std::string DialogueFolder() {
  const char* const named = std::getenv("BENNU_DIALOGUES");
  return named != nullptr ? named : BENNU_DIALOGUES_SOURCE;
}

// AnExample: "an_example.txt".
std::string DialogueFileOf(const std::string& test) {
  std::string name;
  for (const char c : test) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !name.empty()) name += '_';
    name += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name + ".txt";
}

std::string CellText(const Cell& cell, bool with_time) {
  return fmt::format("{}:{}{}={}", cell.family(), cell.qualifier(),
                     with_time ? fmt::format("@{}", cell.timestamp()) : "",
                     ToStringBinary(cell.value_view()));
}

std::vector<std::string> CellTexts(const Row& row, bool with_time) {
  std::vector<std::string> texts;
  for (const Cell& cell : row.cells) texts.push_back(CellText(cell, with_time));
  return texts;
}

void DialogueTest::SetUp() {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  path_ = fmt::format("{}/{}", DialogueFolder(), DialogueFileOf(test));
  if (const char* const cluster = std::getenv("BENNU_DIALOGUES_CLUSTER"); cluster != nullptr) {
    const auto addresses = ParseAddresses(cluster);
    ASSERT_TRUE(addresses.ok()) << addresses.status().ToString();
    ASSERT_EQ(addresses->size(), 2U) << "a master and a ZooKeeper are expected";
    auto recorder = std::make_unique<DialogueRecorder>((*addresses)[0], (*addresses)[1]);
    recorder_ = recorder.get();
    partner_ = std::move(recorder);
    return;
  }
  const auto text = Env::Default()->ReadFile(path_);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  auto dialogue = DialogueFromText(*text);
  ASSERT_TRUE(dialogue.ok()) << path_ << ": " << dialogue.status().ToString();
  partner_ = std::make_unique<DialoguePlayer>(std::move(dialogue).value());
}

void DialogueTest::TearDown() {
  if (partner_ == nullptr) return;
  const std::vector<std::string> problems = partner_->Finish();
  for (const std::string& problem : problems) ADD_FAILURE() << path_ << ": " << problem;
  if (!problems.empty() && recorder_ == nullptr) {
    ADD_FAILURE()
        << "what the client asks has changed; if it shall be so, record the dialogues anew "
           "by tests/peers/dialogues.sh, as tests/README.md says";
  }
  if (recorder_ == nullptr || HasFailure()) return;
  const Status written =
      Env::Default()->WriteFileAtomically(path_, DialogueToText(recorder_->TakeDialogue()));
  EXPECT_TRUE(written.ok()) << written.ToString();
}

ClientOptions DialogueTest::options() const {
  ClientOptions options;
  options.registry = {partner_->registry()};
  options.detour = [this](const Address& server) { return partner_->ReachedAt(server); };
  options.user = "dialogues";
  options.threads = 1;
  // There is nothing to wait for in a replay.
  if (recorder_ == nullptr) options.pause = std::chrono::milliseconds(1);
  return options;
}

std::unique_ptr<ClusterConnection> DialogueTest::ConnectBy(const ClientOptions& options) {
  auto connection = Connect(options);
  EXPECT_TRUE(connection.ok()) << connection.status().ToString();
  return connection.ok() ? std::move(connection).value() : nullptr;
}

TableDescriptor DialogueTest::Describe(const std::string& table, const std::vector<Bytes>& families,
                                       const std::map<std::string, std::string>& attributes) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = table;
  for (const Bytes& family : families) {
    descriptor.families.emplace_back();
    descriptor.families.back().name = family;
    descriptor.families.back().attributes = attributes;
  }
  return descriptor;
}

std::shared_ptr<Table> DialogueTest::Create(Connection* connection,
                                            const TableDescriptor& descriptor,
                                            const std::vector<Bytes>& split_keys) {
  if (connection == nullptr) return nullptr;
  const Status created = connection->admin()->CreateTable(descriptor, split_keys);
  EXPECT_TRUE(created.ok()) << created.ToString();
  if (!created.ok()) return nullptr;
  return Open(connection, descriptor.name.qualifier);
}

std::shared_ptr<Table> DialogueTest::Open(Connection* connection, const std::string& table) {
  auto opened = connection->OpenTable({"default", table});
  EXPECT_TRUE(opened.ok()) << opened.status().ToString();
  return opened.ok() ? std::move(opened).value() : nullptr;
}

Status DialogueTest::PutRows(Table* table, int begin, int end) {
  MutationBatch batch;
  for (int i = begin; i < end; ++i) {
    batch.StartRow(RowOf(i));
    batch.Put("f", "q", std::to_string(i));
  }
  return table->Write(&batch);
}

std::vector<std::string> DialogueTest::ReadCells(Table* table, const Scan& scan,
                                                 size_t rows_at_a_time) {
  std::vector<std::string> texts;
  ForEachBatch(table, scan, rows_at_a_time, [&texts](const CellBatch& batch) {
    for (const Cell& cell : batch.cells) {
      texts.push_back(fmt::format("{} {}", cell.row(), CellText(cell)));
    }
  });
  return texts;
}

std::vector<Bytes> DialogueTest::ReadRows(Table* table, const Scan& scan, size_t rows_at_a_time) {
  std::vector<Bytes> rows;
  ForEachBatch(table, scan, rows_at_a_time, [&rows](const CellBatch& batch) {
    for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
  });
  return rows;
}

std::vector<Bytes> DialogueTest::RowsOf(int begin, int end) {
  std::vector<Bytes> rows;
  for (int i = begin; i < end; ++i) rows.push_back(RowOf(i));
  return rows;
}

}  // namespace bennu::client
