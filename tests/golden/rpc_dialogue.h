// Reads recorded dialogues of HBase's RPC, laid out as tests/golden/README.md tells.
#ifndef BENNU_TESTS_GOLDEN_RPC_DIALOGUE_H_
#define BENNU_TESTS_GOLDEN_RPC_DIALOGUE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "src/base/hex.h"

namespace bennu::golden {

struct RecordedFrame {
  std::string connection;
  std::string peer;  // "master", "regionserver", "zookeeper"
  std::string kind;  // "preamble", "connection_header", "request", "response", "zk"
  bool from_client = false;
  Bytes bytes;  // length and all
};

inline std::vector<RecordedFrame> ReadDialogue(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<RecordedFrame> frames;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::map<std::string, std::string> fields;
    for (size_t begin = 0; begin < line.size();) {
      const size_t end = std::min(line.find(' ', begin), line.size());
      const std::string field = line.substr(begin, end - begin);
      const size_t equals = field.find('=');
      fields[field.substr(0, equals)] = field.substr(equals + 1);
      begin = end + 1;
    }
    RecordedFrame frame;
    frame.connection = fields["conn"];
    frame.peer = fields["peer"];
    frame.kind = fields["kind"];
    frame.from_client = fields["dir"] == "C->S";
    EXPECT_TRUE(std::getline(file, line));
    auto bytes = HexDecode(line);
    EXPECT_TRUE(bytes.ok()) << path;
    if (bytes.ok()) frame.bytes = *std::move(bytes);
    EXPECT_EQ(fields["bytes"], std::to_string(frame.bytes.size()));
    frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_RPC_DIALOGUE_H_
