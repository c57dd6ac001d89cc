// wal/: logs that HBase wrote, read entry by entry.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "src/base/env.h"
#include "src/wal/format_edits.h"
#include "src/wal/wal_reader.h"
#include "tests/golden/golden_tsv.h"

namespace bennu::golden {
namespace {

std::map<std::string, std::string> ReadMeta(const std::filesystem::path& path) {
  std::map<std::string, std::string> meta;
  for (const std::string& line : Split(ReadWhole(path), '\n')) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) meta[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return meta;
}

const char* Bool(bool value) { return value ? "true" : "false"; }

// The header as Java prints the message.
std::string HeaderText(const wal::WalHeader& header) {
  std::string text = fmt::format(
      "has_compression: {} has_tag_compression: {} writer_cls_name: \"{}\" cell_codec_cls_name: "
      "\"{}\" has_value_compression: {}",
      Bool(header.has_compression), Bool(header.has_tag_compression), header.writer_class,
      header.cell_codec_class, Bool(header.has_value_compression));
  if (header.has_value_compression) {
    text += fmt::format(" value_compression_algorithm: {}", header.value_compression);
  }
  return text;
}

void CheckOffsets(const std::map<std::string, std::string>& meta, size_t number,
                  const wal::WalEntry& entry) {
  const auto found = meta.find(fmt::format("entry.{}", number));
  ASSERT_TRUE(found != meta.end()) << number;
  EXPECT_EQ(found->second, fmt::format("offset:{},end:{}", entry.offset, entry.end_offset));
}

TEST(Golden, Wal) {
  for (const std::filesystem::path& path : ListFiles("wal", ".wal")) {
    SCOPED_TRACE(path.string());
    auto meta = ReadMeta(std::filesystem::path(path).replace_extension(".meta"));
    auto opened = wal::WalReader::Open(Env::Default(), path.string());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    wal::WalReader& reader = **opened;
    EXPECT_EQ(meta["header.text"], HeaderText(reader.header()));
    EXPECT_EQ(meta["header.endOffset"], std::to_string(reader.header_end_offset()));

    std::string text(wal::kEditsHeader);
    size_t count = 0;
    wal::WalEntry entry;
    while (true) {
      const Result<bool> more = reader.Next(&entry);
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
      CheckOffsets(meta, count, entry);
      text += wal::FormatEdits(count++, entry);
    }
    EXPECT_EQ(meta["entries"], std::to_string(count));
    EXPECT_EQ(ReadWhole(std::filesystem::path(path).replace_extension(".edits")), text);
    if (meta["trailer"] == "none") {
      const bool whole = std::to_string(reader.valid_size()) == meta["file.length"];
      EXPECT_EQ(whole ? wal::WalEnd::kEntryBorder : wal::WalEnd::kTornTail, reader.end());
    } else {
      EXPECT_EQ(wal::WalEnd::kTrailer, reader.end());
    }
  }
}

// Returns the count of entries, -1 for an error.
int CountEntries(const std::string& path) {
  auto reader = wal::WalReader::Open(Env::Default(), path);
  if (!reader.ok()) return -1;
  wal::WalEntry entry;
  for (int count = 0;; ++count) {
    const Result<bool> more = (*reader)->Next(&entry);
    if (!more.ok()) return -1;
    if (!*more) return count;
  }
}

// Values that no codec here can decompress: refused by name, before anything is read.
TEST(Golden, WalOfAnUnknownCompression) {
  Bytes bytes;
  for (const std::filesystem::path& path : ListFiles("wal", ".wal")) {
    if (path.stem() == "fshlog_compressed_values_gz") bytes = ReadWhole(path);
  }
  constexpr size_t kAlgorithmAt = 86;  // the last byte of the header
  ASSERT_GT(bytes.size(), kAlgorithmAt);
  ASSERT_EQ(bytes[kAlgorithmAt], 1);
  const std::string path = ::testing::TempDir() + "bennu_wal_unknown_compression";
  const std::map<char, std::string> names = {{0, "LZO"}, {2, "NONE"}, {5, "BZIP2"}, {77, "77"}};
  for (const auto& [algorithm, name] : names) {
    bytes[kAlgorithmAt] = algorithm;
    ASSERT_TRUE(Env::Default()->WriteFileAtomically(path, bytes).ok());
    const Status status = wal::WalReader::Open(Env::Default(), path).status();
    EXPECT_EQ(status.code(), StatusCode::kNotSupported) << name;
    EXPECT_NE(status.message().find(name), std::string::npos) << status.ToString();
    EXPECT_NE(status.message().find("SNAPPY"), std::string::npos) << status.ToString();
  }
  std::filesystem::remove(path);
}

// Cut anywhere, each log gives its whole entries and no error, compressed or not.
TEST(Golden, WalCutAnywhere) {
  const std::string path = ::testing::TempDir() + "bennu_wal_cut";
  for (const std::filesystem::path& original : ListFiles("wal", ".wal")) {
    SCOPED_TRACE(original.string());
    auto meta = ReadMeta(std::filesystem::path(original).replace_extension(".meta"));
    std::vector<uint64_t> ends;
    for (size_t i = 0; meta.contains(fmt::format("entry.{}", i)); ++i) {
      const std::string& place = meta[fmt::format("entry.{}", i)];
      ends.push_back(std::stoull(place.substr(place.find("end:") + 4)));
    }
    std::filesystem::copy_file(original, path, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    for (int64_t size = std::stoll(meta["file.length"]) - 1; size >= 0; size -= 11) {
      std::filesystem::resize_file(path, static_cast<uint64_t>(size));
      const auto whole = std::count_if(ends.begin(), ends.end(), [size](uint64_t end) {
        return end <= static_cast<uint64_t>(size);
      });
      ASSERT_EQ(whole, CountEntries(path)) << size;
    }
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace bennu::golden
