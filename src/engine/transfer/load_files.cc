#include "src/engine/transfer/load_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/engine/directory/file_copy.h"
#include "src/engine/store/file_reference.h"
#include "src/engine/store/store_file.h"
#include "src/engine/store/stripes.h"
#include "src/engine/transfer/file_series.h"
#include "src/hfile/cursor.h"

namespace bennu::engine {

namespace {

bool IsHidden(const std::string& name) { return name.starts_with('.') || name.starts_with('_'); }

// Written by every writer for its own cells, or about the store that the file came from.
bool IsAboutTheFile(const Bytes& key) {
  static constexpr std::array<ByteView, 18> kKeys = {"KEY_VALUE_VERSION",
                                                     "MAX_MEMSTORE_TS_KEY",
                                                     hfile::kInfoDataBlockEncoding,
                                                     hfile::kInfoMaxSequenceId,
                                                     hfile::kInfoMajorCompaction,
                                                     hfile::kInfoTimeRange,
                                                     hfile::kInfoEarliestPutTs,
                                                     hfile::kInfoCompactionEvent,
                                                     hfile::kInfoBloomType,
                                                     hfile::kInfoBloomParam,
                                                     hfile::kInfoLastBloomKey,
                                                     hfile::kInfoDeleteFamilyCount,
                                                     hfile::kInfoHistorical,
                                                     kDeleteMarkerCountKey,
                                                     kRowCountKey,
                                                     kFlushedSequenceIdKey,
                                                     kStripeStartKey,
                                                     kStripeEndKey};
  return key.starts_with("hfile.") || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

hfile::CursorOptions WholeFile() {
  hfile::CursorOptions options;
  options.cache_blocks = false;
  options.sequential = true;
  return options;
}

std::string Describe(const Cell& cell) {
  return fmt::format("row '{}', column '{}:{}'", ToStringBinary(cell.row()),
                     ToStringBinary(cell.family()), ToStringBinary(cell.qualifier()));
}

Status CheckCell(const LoadFile& file, const Cell& cell, uint64_t offset, const Bytes& previous) {
  if (cell.family() != ByteView(file.family)) {
    return InvalidArgument(fmt::format(
        "{}: a cell of family '{}' in the block at offset {} ({}), but the file lies in the folder "
        "of family '{}'; move it to the folder of its family",
        file.path, ToStringBinary(cell.family()), offset, Describe(cell), file.family));
  }
  if (!previous.empty() && cell::CompareFlatKeys(previous, cell.flat_key()) > 0) {
    return InvalidArgument(fmt::format(
        "{}: the cells are not sorted: in the block at offset {}, the cell at {} comes after a "
        "greater one; write the file again with its cells in HBase's order",
        file.path, offset, Describe(cell)));
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<LoadFile>> ListLoadFiles(Env* env, const std::string& folder) {
  ASSIGN_OR_RETURN(const bool exists, env->Exists(folder));
  if (!exists) return NotFound("there is no folder " + folder);
  std::vector<LoadFile> files;
  ASSIGN_OR_RETURN(const auto families, env->ListDirectory(folder));
  for (const std::string& family : families) {
    if (family.starts_with('.')) continue;  // no family can be called so
    const std::string directory = JoinPath(folder, family);
    ASSIGN_OR_RETURN(const PathShape folder_shape, env->Shape(directory));
    const bool is_folder = folder_shape.kind == PathShape::Kind::kDirectory;
    // A file that tells of the folder, as Hadoop's _SUCCESS; a family may be called so.
    if (!is_folder && family.starts_with('_')) continue;
    if (!is_folder) {
      return InvalidArgument(
          fmt::format("{} is {}, not a folder: HFiles lie in {}/FAMILY/, in a folder for each "
                      "column family; move it away or into the folder of its family",
                      directory, PathShapeText(folder_shape), folder));
    }
    ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
    for (const std::string& name : names) {
      if (IsHidden(name)) continue;
      const std::string path = JoinPath(directory, name);
      ASSIGN_OR_RETURN(const PathShape shape, env->Shape(path));
      if (shape.kind == PathShape::Kind::kDirectory) {
        // Hadoop's _temporary and _logs hold folders, and are no families.
        if (family.starts_with('_')) continue;
        return InvalidArgument(
            fmt::format("{} is a folder, where HFiles of family {} are expected; name the folder "
                        "that holds the folders of the families",
                        path, family));
      }
      if (shape.kind != PathShape::Kind::kFile) {
        return InvalidArgument(fmt::format(
            "{} is {}, where HFiles of family {} are expected; move it out of the folder", path,
            PathShapeText(shape), family));
      }
      if (ParseReferenceName(name).has_value()) {
        return InvalidArgument(path +
                               " is a reference to another file, not an HFile; compact the table "
                               "that it comes from and copy its files again");
      }
      LoadFile file;
      file.family = family;
      file.path = path;
      file.is_link = shape.is_link;
      files.push_back(std::move(file));
    }
  }
  if (files.empty()) {
    return NotFound("there are no HFiles in " + folder + "; they should lie in " + folder +
                    "/FAMILY/");
  }
  return files;
}

Status ReadLoadFileRows(Env* env, std::vector<LoadFile>* files) {
  for (LoadFile& file : *files) {
    ASSIGN_OR_RETURN(const auto reader, hfile::Reader::Open(env, file.path, nullptr));
    file.size_bytes = reader->file_size();
    file.cells = reader->entry_count();
    if (reader->empty()) continue;
    file.first_row = Bytes(reader->first_row());
    file.last_row = Bytes(reader->last_row());
  }
  return Status::Ok();
}

Status CheckLoadFile(Env* env, LoadFile* file) {
  ASSIGN_OR_RETURN(const auto reader, hfile::Reader::Open(env, file->path, nullptr));
  file->size_bytes = reader->file_size();
  file->cells = 0;
  if (reader->empty()) return Status::Ok();
  if (reader->meta_order()) {
    return InvalidArgument(file->path +
                           " is a file of hbase:meta, which orders rows differently; "
                           "it cannot be loaded into another table");
  }
  const auto keeps_ids = reader->Info(hfile::kInfoSkipResetSequenceId);
  if (keeps_ids.has_value() && !keeps_ids->empty() && keeps_ids->front() != '\0') {
    return NotSupported(
        file->path +
        " keeps the sequence ids of the store where it was made (SKIP_RESET_SEQ_ID), "
        "which have no meaning in this store; write it again without them");
  }
  hfile::Cursor cursor(reader, WholeFile());
  RETURN_IF_ERROR(cursor.SeekToFirst());
  if (cursor.Valid()) file->first_row = Bytes(cursor.cell().row());
  Bytes previous;
  while (cursor.Valid()) {
    const hfile::Block& block = *cursor.block();
    for (uint32_t i = 0; i < block.cell_count(); ++i) {
      const Cell cell = block.CellAt(i);
      RETURN_IF_ERROR(CheckCell(*file, cell, block.file_offset(), previous));
      previous.assign(cell.flat_key());
    }
    file->cells += block.cell_count();
    RETURN_IF_ERROR(cursor.NextBlock());
  }
  if (file->cells != reader->entry_count() || ByteView(previous) != reader->last_key()) {
    return Corruption(
        fmt::format("{}: its trailer (at offset {}) names {} cells and another last key, but {} "
                    "cells were found; "
                    "the index is damaged: take the file from its source again",
                    file->path, file->size_bytes - 4096, reader->entry_count(), file->cells));
  }
  file->last_row = Bytes(reader->last_row());
  return Status::Ok();
}

Result<std::vector<LoadFile>> CutLoadFile(Env* env, const LoadFile& file,
                                          const std::vector<Bytes>& borders,
                                          const ColumnFamilyDescriptor& family,
                                          const std::string& directory) {
  ASSIGN_OR_RETURN(const auto reader, hfile::Reader::Open(env, file.path, nullptr));
  RETURN_IF_ERROR(env->CreateDirectories(directory));
  FileSeries::Options options;
  options.family = file.family;
  options.directory = directory;
  options.writer = WriterOptionsOf(family, env->NowMillis());
  options.writer.include_tags = reader->includes_tags();
  options.writer.include_mvcc = false;  // a loaded file has one id for all its cells
  options.facts.max_sequence_id = reader->max_sequence_id();
  options.facts.major_compaction = reader->is_major_compaction();
  for (const auto& [key, value] : reader->file_info()) {
    if (!IsAboutTheFile(key)) options.info[key] = value;
  }
  FileSeries parts(env, std::move(options));
  auto border = borders.begin();
  hfile::Cursor cursor(reader, WholeFile());
  RETURN_IF_ERROR(cursor.SeekToFirst());
  while (cursor.Valid()) {
    const Cell cell = cursor.cell();
    while (border != borders.end() && cell.row() >= ByteView(*border)) {
      RETURN_IF_ERROR(parts.EndFile());
      ++border;
    }
    RETURN_IF_ERROR(parts.Append(cell));
    RETURN_IF_ERROR(cursor.Next());
  }
  RETURN_IF_ERROR(parts.EndFile());
  RETURN_IF_ERROR(env->SyncDirectory(directory));
  return parts.files();
}

Result<LoadFile> CopyLoadFile(Env* env, const LoadFile& file, const std::string& directory) {
  RETURN_IF_ERROR(env->CreateDirectories(directory));
  LoadFile copy = file;
  copy.path = JoinPath(directory, NewStoreFileName(env));
  copy.is_ours = true;
  copy.is_link = false;
  RETURN_IF_ERROR(CopyFile(env, file.path, copy.path, file.size_bytes));
  BENNU_FAILPOINT("bulkload.copied");
  return copy;
}

std::vector<Bytes> InferBorders(const std::vector<LoadFile>& files, uint64_t region_bytes_min) {
  // How many files begin less how many end at a row, and the bytes of those that begin.
  struct Change {
    int open = 0;
    uint64_t bytes = 0;
  };
  std::map<Bytes, Change> changes;
  for (const LoadFile& file : files) {
    if (file.cells == 0) continue;
    Change& first = changes[file.first_row];
    ++first.open;
    first.bytes += file.size_bytes;
    --changes[file.last_row + '\0'].open;  // right after the last row
  }
  std::vector<Bytes> borders;
  uint64_t bytes = 0;  // since the last border
  int open = 0;
  for (const auto& [row, change] : changes) {
    if (open == 0 && change.open > 0 && bytes > 0 && bytes >= region_bytes_min) {
      borders.push_back(row);
      bytes = 0;
    }
    open += change.open;
    bytes += change.bytes;
  }
  return borders;
}

}  // namespace bennu::engine
