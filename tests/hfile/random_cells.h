// Cells made up by a fixed seed, and files of them, for the tests of this folder.
#ifndef BENNU_TESTS_HFILE_RANDOM_CELLS_H_
#define BENNU_TESTS_HFILE_RANDOM_CELLS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/base/coding.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"
#include "src/hfile/cursor.h"
#include "src/hfile/reader.h"
#include "src/hfile/writer.h"

namespace bennu::hfile {

// A cell that owns its bytes.
struct OwnedCell {
  Bytes key;
  Bytes value;
  Bytes tags;
  uint64_t sequence_id = 0;

  Cell view() const {
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    cell.value = value.data();
    cell.value_length = static_cast<uint32_t>(value.size());
    cell.tags = tags.data();
    cell.tags_length = static_cast<uint32_t>(tags.size());
    cell.sequence_id = sequence_id;
    return cell;
  }
  friend bool operator==(const OwnedCell&, const OwnedCell&) = default;
};

inline OwnedCell Own(const Cell& cell) {
  return {Bytes(cell.flat_key()), Bytes(cell.value_view()), Bytes(cell.tags_view()),
          cell.sequence_id};
}

class CellMaker {
 public:
  explicit CellMaker(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t limit) { return random_() % limit; }

  Bytes RandomBytes(uint32_t length_max) {
    Bytes bytes(Below(length_max + 1), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }

  // Rows share long prefixes, columns repeat, some keys come several times with falling sequence
  // ids, timestamps are near each other or small, values repeat or are empty.
  std::vector<OwnedCell> Make(size_t count) {
    std::vector<OwnedCell> cells;
    while (cells.size() < count) {
      OwnedCell cell = MakeOne();
      cells.push_back(cell);
      if (Below(8) == 0) {
        cell.value = RandomBytes(10);
        cell.sequence_id = Below(1000);
        cells.push_back(cell);
      }
    }
    std::sort(cells.begin(), cells.end(), [](const OwnedCell& left, const OwnedCell& right) {
      return cell::CompareCells(left.view(), right.view()) < 0;
    });
    return cells;
  }

 private:
  OwnedCell MakeOne() {
    constexpr CellType kTypes[] = {CellType::kPut,          CellType::kPut,
                                   CellType::kDelete,       CellType::kDeleteColumn,
                                   CellType::kDeleteFamily, CellType::kDeleteFamilyVersion};
    OwnedCell cell;
    const CellType type = kTypes[Below(6)];
    std::string row = "row-with-a-prefix-" + std::to_string(Below(300));
    if (Below(20) == 0) row += RandomBytes(300);
    Bytes qualifier = Below(4) == 0 ? RandomBytes(6) : Bytes("column" + std::to_string(Below(5)));
    if (type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion) qualifier = "";
    const int64_t timestamp = Below(3) == 0 ? Below(300) : 1700000000000 + Below(100000);
    cell::AppendFlatKey(&cell.key, row, "cf", qualifier, timestamp, type);
    cell.value = Below(3) == 0 ? Bytes("the same value") : RandomBytes(Below(10) == 0 ? 3000 : 40);
    const uint32_t tag_count = Below(3);
    for (uint32_t i = 0; i < tag_count; ++i) {
      // More distinct tags than the dictionary has room for, some of them often.
      const std::string tag = "\x41tag" + std::to_string(Below(2) == 0 ? Below(5) : Below(400));
      AppendBE16(&cell.tags, static_cast<uint16_t>(tag.size()));
      cell.tags += tag;
    }
    cell.sequence_id = Below(2) == 0 ? 0 : Below(1u << 30);
    return cell;
  }

  std::mt19937 random_;
};

// A path that is removed again.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_(testing::TempDir() + "bennu_hfile_" + name + "_" +
              std::to_string(Env::Default()->RandomU64())) {}
  ~TemporaryFile() { static_cast<void>(Env::Default()->RemoveFile(path_)); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

inline Result<FileFacts> WriteFile(const std::string& path, const WriterOptions& options,
                                   const std::vector<OwnedCell>& cells,
                                   const StoreFileFacts& facts = {}) {
  ASSIGN_OR_RETURN(auto writer, Writer::Create(Env::Default(), path, options));
  for (const OwnedCell& cell : cells) RETURN_IF_ERROR(writer->Append(cell.view()));
  return writer->Finish(facts);
}

inline Result<std::vector<OwnedCell>> ReadAll(std::shared_ptr<const Reader> reader) {
  std::vector<OwnedCell> cells;
  Cursor cursor(std::move(reader));
  RETURN_IF_ERROR(cursor.SeekToFirst());
  while (cursor.Valid()) {
    cells.push_back(Own(cursor.cell()));
    RETURN_IF_ERROR(cursor.Next());
  }
  return cells;
}

}  // namespace bennu::hfile

#endif  // BENNU_TESTS_HFILE_RANDOM_CELLS_H_
