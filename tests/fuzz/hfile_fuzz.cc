// HFiles: any bytes are refused at opening, refused on the way, or walked to the end. Checksums are
// not verified, or hardly an input would get past them.
#include "src/hfile/cursor.h"
#include "src/hfile/inspect.h"
#include "src/hfile/reader.h"
#include "tests/fuzz/memory_file_env.h"

namespace bennu::hfile {
namespace {

// A small file can claim more cells than anybody wants to wait for.
constexpr uint64_t kCellsMax = 20000;

// Reads every byte that the cell points to, for the sanitizer to see.
size_t Touch(const Cell& cell) {
  size_t sum = 0;
  for (const ByteView part :
       {cell.row(), cell.family(), cell.qualifier(), cell.value_view(), cell.tags_view()}) {
    for (const char byte : part) sum += static_cast<unsigned char>(byte);
  }
  return sum + static_cast<size_t>(cell.timestamp());
}

void Walk(const std::shared_ptr<const Reader>& reader) {
  Cursor cursor(reader);
  uint64_t cells = 0;
  volatile size_t sink = 0;
  Status status = cursor.SeekToFirst();
  for (; status.ok() && cursor.Valid() && cells < kCellsMax; status = cursor.Next(), ++cells) {
    sink = sink + Touch(cursor.cell());
  }
}

void Seek(const std::shared_ptr<const Reader>& reader) {
  Cursor cursor(reader);
  for (const ByteView row : {ByteView("row05"), ByteView("m"), ByteView("\xff", 1)}) {
    static_cast<void>(reader->MayContainRow(row));
    static_cast<void>(reader->MayContainRowCol(row, "q"));
    static_cast<void>(reader->MayContainRowPrefix(row));
    static_cast<void>(reader->MayContainDeleteFamily(row));
    if (!cursor.SeekToRow(row).ok() || !cursor.Valid()) continue;
    static_cast<void>(Touch(cursor.cell()));
    static_cast<void>(cursor.NextRow());
  }
  const Bytes last(reader->last_key());
  for (const ByteView key : {ByteView(last), reader->first_key()}) {
    if (key.empty()) continue;
    if (cursor.SeekTo(key).ok() && cursor.Valid()) static_cast<void>(Touch(cursor.cell()));
    if (cursor.SeekBefore(key).ok() && cursor.Valid()) static_cast<void>(Touch(cursor.cell()));
  }
  if (cursor.SeekToLast().ok()) {
    for (int rows = 0; rows < 50 && cursor.Valid(); ++rows) {
      if (!cursor.PreviousRow().ok()) break;
    }
  }
  static_cast<void>(reader->MidKey());
  static_cast<void>(reader->CompactedFiles());
  static_cast<void>(reader->SplitRows(4, "", ""));
}

}  // namespace
}  // namespace bennu::hfile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bennu::MemoryFileEnv env(bennu::ByteView(reinterpret_cast<const char*>(data), size));
  bennu::hfile::ReaderOptions options;
  options.verify_checksums = false;
  auto reader = bennu::hfile::Reader::Open(&env, "fuzz.hfile", nullptr, options);
  if (!reader.ok()) return 0;
  bennu::hfile::Walk(reader.value());
  bennu::hfile::Seek(reader.value());
  static_cast<void>(bennu::hfile::FormatMeta(*reader.value(), [](std::string_view) {}));
  return 0;
}
