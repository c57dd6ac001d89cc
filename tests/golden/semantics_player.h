// Plays a recorded file of semantics/ against a store: each line is done through the data API, and
// its answer compared with HBase's.
#ifndef BENNU_TESTS_GOLDEN_SEMANTICS_PLAYER_H_
#define BENNU_TESTS_GOLDEN_SEMANTICS_PLAYER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bennu/table.h"

namespace bennu::golden {

using Json = nlohmann::json;

struct Script {
  std::string name;  // "sem_v3"
  std::vector<Json> lines;
};
// The files of semantics/, plain or gzipped. Fails the test when there are none.
std::vector<Script> ReadScripts();

class SemanticsPlayer {
 public:
  // 'connection' must outlive the player; 'splits' cut the table that the script creates, and each
  // of its families gets 'attributes', which must not change any answer.
  SemanticsPlayer(Connection* connection, std::vector<Bytes> splits,
                  std::map<std::string, std::string> attributes = {})
      : connection_(connection), splits_(std::move(splits)), attributes_(std::move(attributes)) {}

  // Does the line. Returns how the answer differs from the recorded one; empty when it does not.
  // Cells of 'unsure' rows are not compared.
  std::string Play(const Json& line, const std::set<std::string>& unsure = {});
  // After the store was closed and opened.
  void Reconnect(Connection* connection);

  const TableName& table_name() const { return name_; }

 private:
  // An answer in the form in which answers are compared: one text per cell, or a word.
  struct Answer {
    Status status;
    std::vector<std::string> parts;
  };
  Answer Do(const Json& line);
  Status Create(const Json& line);
  Status MajorCompact();
  Answer Put(const Json& line);
  Answer Delete(const Json& line);
  Answer IncrementOrAppend(const Json& line);
  Answer CheckAndMutate(const Json& line);
  Answer MutateRow(const Json& line);
  Answer Get(const Json& line, bool exists_only);
  Answer Scan(const Json& line);
  Answer Write(MutationBatch* batch);

  Connection* connection_;
  const std::vector<Bytes> splits_;
  const std::map<std::string, std::string> attributes_;
  TableName name_;
  std::shared_ptr<Table> table_;
};

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_SEMANTICS_PLAYER_H_
