// DialogueTest: what is asked of a cluster and what must be answered, over a recorded dialogue with
// a real HBase.
//
// A test TEST_F(DialogueTest, AnExample) replays dialogues/an_example.txt. With
// BENNU_DIALOGUES_CLUSTER=MASTER,ZOOKEEPER, addresses of a cluster on this machine, the same test
// asks that cluster, and the dialogue is recorded. BENNU_DIALOGUES names another folder.
//
// What a test expects is written by hand from HBase's documentation, so that it holds for any
// cluster. Its tables are named after it, since a recorded cluster has those of all tests.
#ifndef BENNU_TESTS_CLIENT_DIALOGUE_FIXTURE_H_
#define BENNU_TESTS_CLIENT_DIALOGUE_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/table.h"
#include "src/client/connect.h"
#include "tests/client/dialogue_partner.h"

namespace bennu::client {

class DialogueRecorder;

// "family:qualifier=value", or with the timestamp as "family:qualifier@1=value".
std::string CellText(const Cell& cell, bool with_time = false);
std::vector<std::string> CellTexts(const Row& row, bool with_time = false);

// Where dialogues lie, and how the file of a test is called.
std::string DialogueFolder();
std::string DialogueFileOf(const std::string& test);

class DialogueTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // That find the cluster by its master.
  ClientOptions options() const;
  // Another client, with a cache of its own.
  std::unique_ptr<ClusterConnection> ConnectBy(const ClientOptions& options);
  std::unique_ptr<ClusterConnection> ConnectByMaster() { return ConnectBy(options()); }

  // A descriptor of the table with families, and with attributes for all of them.
  static TableDescriptor Describe(const std::string& table, const std::vector<Bytes>& families,
                                  const std::map<std::string, std::string>& attributes = {});
  static std::shared_ptr<Table> Create(Connection* connection, const TableDescriptor& descriptor,
                                       const std::vector<Bytes>& split_keys = {});
  static std::shared_ptr<Table> Open(Connection* connection, const std::string& table);
  // Rows from 'begin' to before 'end', as RowOf names them, each with f:q = its number.
  static Status PutRows(Table* table, int begin, int end);
  static Bytes RowOf(int number) { return std::to_string(100 + number); }
  // All cells of the scan, as "row family:qualifier=value", 'rows_at_a_time' by each call of Next.
  static std::vector<std::string> ReadCells(Table* table, const Scan& scan,
                                            size_t rows_at_a_time = 7);
  // The rows of the scan, each as often as it is handed out.
  static std::vector<Bytes> ReadRows(Table* table, const Scan& scan, size_t rows_at_a_time = 7);
  static std::vector<Bytes> RowsOf(int begin, int end);

  DialoguePartner* partner() { return partner_.get(); }

 private:
  std::unique_ptr<DialoguePartner> partner_;
  DialogueRecorder* recorder_ = nullptr;  // partner_, when it records
  std::string path_;
};

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_DIALOGUE_FIXTURE_H_
