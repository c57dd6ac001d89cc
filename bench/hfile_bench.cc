// HFiles: writing, scanning, seeking, by encoding and compression.
//
//   ninja hfile_bench && bin/hfile_bench
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "src/base/env.h"
#include "src/cell/flat_key.h"
#include "src/hfile/cursor.h"
#include "src/hfile/reader.h"
#include "src/hfile/writer.h"

namespace bennu::hfile {
namespace {

constexpr int kRowCount = 100000;
constexpr int kColumnCount = 5;

WriterOptions OptionsOf(const benchmark::State& state) {
  WriterOptions options;
  options.encoding = static_cast<DataBlockEncoding>(state.range(0));
  options.compression = static_cast<Compression>(state.range(1));
  options.bloom = BloomType::kRow;
  return options;
}

std::string RowOf(int number) {
  std::string row = std::to_string(number);
  return "user" + std::string(8 - row.size(), '0') + row;
}

// Rows of five short columns, as a table of a relational sort has. Returns the bytes of keys and
// values.
uint64_t WriteRows(const std::string& path, const WriterOptions& options) {
  static_cast<void>(Env::Default()->RemoveFile(path));
  auto writer = std::move(Writer::Create(Env::Default(), path, options)).value();
  std::mt19937 random(1);
  std::string key;
  std::string value(20, '\0');
  uint64_t bytes = 0;
  for (int row = 0; row < kRowCount; ++row) {
    for (int column = 0; column < kColumnCount; ++column) {
      key.clear();
      cell::AppendFlatKey(&key, RowOf(row), "0", std::string("COLUMN") + char('A' + column),
                          1700000000000 + row, CellType::kPut);
      for (size_t i = 0; i < value.size(); i += 4) value[i] = static_cast<char>(random());
      Cell cell;
      cell.key = key.data();
      cell.key_length = static_cast<uint32_t>(key.size());
      cell.value = value.data();
      cell.value_length = static_cast<uint32_t>(value.size());
      cell.sequence_id = static_cast<uint64_t>(row);
      if (!writer->Append(cell).ok()) std::abort();
      bytes += key.size() + value.size();
    }
  }
  if (!writer->Finish().ok()) std::abort();
  return bytes;
}

std::string PathOf(const benchmark::State& state) {
  const char* directory = std::getenv("TMPDIR");
  return std::string(directory != nullptr ? directory : ".") + "/hfile_bench_" +
         std::to_string(state.range(0)) + "_" + std::to_string(state.range(1)) + ".hfile";
}

void Label(benchmark::State& state) {
  state.SetLabel(std::string(EncodingText(static_cast<DataBlockEncoding>(state.range(0)))) + " " +
                 std::string(CompressionText(static_cast<Compression>(state.range(1)))));
}

void Combinations(benchmark::internal::Benchmark* benchmark) {
  for (const DataBlockEncoding encoding :
       {DataBlockEncoding::kNone, DataBlockEncoding::kFastDiff, DataBlockEncoding::kRowIndexV1}) {
    for (const Compression compression :
         {Compression::kNone, Compression::kSnappy, Compression::kZstd}) {
      benchmark->Args({static_cast<int64_t>(encoding), static_cast<int64_t>(compression)});
    }
  }
}

// Includes the sync of the file at the end.
void BM_Write(benchmark::State& state) {
  const std::string path = PathOf(state);
  uint64_t bytes = 0;
  for (auto _ : state) bytes += WriteRows(path, OptionsOf(state));
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
  state.SetItemsProcessed(state.iterations() * kRowCount * kColumnCount);
  Label(state);
  static_cast<void>(Env::Default()->RemoveFile(path));
}
BENCHMARK(BM_Write)->Apply(Combinations)->Unit(benchmark::kMillisecond);

struct File {
  File(const benchmark::State& state, size_t cache_bytes)
      : path(PathOf(state)), cache(cache_bytes) {
    WriteRows(path, OptionsOf(state));
    reader = std::move(Reader::Open(Env::Default(), path, &cache)).value();
  }
  ~File() { static_cast<void>(Env::Default()->RemoveFile(path)); }
  const std::string path;
  BlockCache cache;
  std::shared_ptr<const Reader> reader;
};

void Scan(benchmark::State& state, size_t cache_bytes) {
  const File file(state, cache_bytes);
  uint64_t sum = 0;
  for (auto _ : state) {
    Cursor cursor(file.reader, {.cache_blocks = cache_bytes > 0, .sequential = true});
    Status status = cursor.SeekToFirst();
    while (status.ok() && cursor.Valid()) {
      sum += cursor.cell().value_length;
      status = cursor.Next();
    }
    if (!status.ok()) state.SkipWithError(status.ToString().c_str());
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations() * kRowCount * kColumnCount);
  Label(state);
}
void BM_ScanCold(benchmark::State& state) { Scan(state, 0); }
void BM_ScanCached(benchmark::State& state) { Scan(state, 512 << 20); }
BENCHMARK(BM_ScanCold)->Apply(Combinations)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ScanCached)->Apply(Combinations)->Unit(benchmark::kMillisecond);

// A new cursor each time, as a get opens one.
void BM_PointSeek(benchmark::State& state) {
  const File file(state, 512 << 20);
  std::mt19937 random(2);
  for (auto _ : state) {
    Cursor cursor(file.reader);
    const Status status = cursor.SeekToRow(RowOf(static_cast<int>(random() % kRowCount)));
    if (!status.ok() || !cursor.Valid()) state.SkipWithError("row not found");
    benchmark::DoNotOptimize(cursor.cell().value);
  }
  Label(state);
}
BENCHMARK(BM_PointSeek)->Apply(Combinations);

void BM_BloomProbe(benchmark::State& state) {
  const File file(state, 512 << 20);
  std::mt19937 random(3);
  for (auto _ : state) {
    const std::string row = RowOf(static_cast<int>(random() % (2 * kRowCount)));
    benchmark::DoNotOptimize(file.reader->MayContainRow(row).value());
  }
  Label(state);
}
BENCHMARK(BM_BloomProbe)
    ->Args({static_cast<int64_t>(DataBlockEncoding::kNone),
            static_cast<int64_t>(Compression::kNone)});

}  // namespace
}  // namespace bennu::hfile

BENCHMARK_MAIN();
