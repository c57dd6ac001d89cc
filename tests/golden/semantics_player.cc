#include "tests/golden/semantics_player.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

#include "bennu/admin.h"
#include "bennu/filter.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "tests/golden/golden_tsv.h"

namespace bennu::golden {
namespace {

// ---------------------------------------------------------------- reading

std::string ReadText(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");  // takes plain files as they are
  EXPECT_NE(file, nullptr) << "cannot read " << path;
  std::string text;
  char buffer[65536];
  for (int size; file != nullptr && (size = gzread(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(size));
  }
  if (file != nullptr) gzclose(file);
  return text;
}

bool IsUpperHex(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); }

// Bytes.toBytesBinary: \xHH with upper-case digits; a backslash before anything else goes.
Bytes FromStringBinary(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size() || text[i + 1] != 'x') {
      bytes.push_back(text[i]);
    } else if (i + 3 < text.size() && IsUpperHex(text[i + 2]) && IsUpperHex(text[i + 3])) {
      bytes += *HexDecode(text.substr(i + 2, 2));
      i += 3;
    }
  }
  return bytes;
}

Bytes Text(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) return Bytes();
  const std::string text = found->get<std::string>();
  return text.starts_with("hex:") ? FromHexField(text) : FromStringBinary(text);
}

int64_t Timestamp(const Json& line) {
  const auto found = line.find("ts");
  return found == line.end() || found->is_null() ? kLatestTimestamp : found->get<int64_t>();
}

int32_t Versions(const Json& line) {
  const auto found = line.find("versions");
  if (found == line.end()) return 1;
  return found->is_null() ? std::numeric_limits<int32_t>::max() : found->get<int32_t>();
}

TimeRange Range(const Json& line) {
  const auto found = line.find("timeRange");
  if (found == line.end() || found->is_null()) return TimeRange();
  TimeRange range;
  range.min = (*found)[0].get<int64_t>();
  range.max = (*found)[1].get<int64_t>();
  return range;
}

CompareOperator Operator(const Json& line) {
  static const std::map<std::string, CompareOperator> kOperators = {
      {"LESS", CompareOperator::kLess},
      {"LESS_OR_EQUAL", CompareOperator::kLessOrEqual},
      {"EQUAL", CompareOperator::kEqual},
      {"NOT_EQUAL", CompareOperator::kNotEqual},
      {"GREATER_OR_EQUAL", CompareOperator::kGreaterOrEqual},
      {"GREATER", CompareOperator::kGreater},
  };
  const auto found = line.find("compare");
  if (found == line.end() || found->is_null()) return CompareOperator::kEqual;
  return kOperators.at(found->get<std::string>());
}

std::shared_ptr<const Filter> MustParse(ByteView text) {
  Result<FilterPtr> filter = ParseFilter(text);
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return filter.ok() ? std::move(filter).value() : nullptr;
}

// ---------------------------------------------------------------- writing answers

const char* TypeName(CellType type) {
  switch (type) {
    case CellType::kPut: return "Put";
    case CellType::kDelete: return "Delete";
    case CellType::kDeleteColumn: return "DeleteColumn";
    case CellType::kDeleteFamily: return "DeleteFamily";
    case CellType::kDeleteFamilyVersion: return "DeleteFamilyVersion";
    default: return "?";
  }
}

// The recorder wrote bytes as Java decodes UTF-8; the bytes that occur and are none are single.
std::string AsJavaText(ByteView bytes) {
  std::string text;
  for (const char c : bytes) {
    text += static_cast<uint8_t>(c) < 0x80 ? std::string(1, c) : "\xEF\xBF\xBD";
  }
  return text;
}

std::string ShowCell(const Cell& cell) {
  const int64_t timestamp = cell.timestamp();
  // The recorded timestamps are of 1970, or nearly the end of time.
  const bool by_server = timestamp > 1'000'000'000'000 && timestamp < 1'000'000'000'000'000;
  const Json json = {
      AsJavaText(cell.row()),       AsJavaText(cell.family()),
      AsJavaText(cell.qualifier()), by_server ? Json("server-time") : Json(timestamp),
      TypeName(cell.type()),        "hex:" + HexEncode(cell.value_view())};
  return json.dump();
}

std::vector<std::string> ShowCells(const std::vector<Cell>& cells) {
  std::vector<std::string> shown;
  for (const Cell& cell : cells) shown.push_back(ShowCell(cell));
  return shown;
}

// The recorded answer in the same form.
std::vector<std::string> Recorded(const Json& result) {
  std::vector<std::string> parts;
  if (result.is_array()) {
    for (const Json& cell : result) parts.push_back(cell.dump());
  } else if (result.is_object()) {
    parts.push_back(result.at("success").dump());
    const auto cells = result.find("cells");
    if (cells != result.end() && !cells->is_null()) {
      for (const Json& cell : *cells) parts.push_back(cell.dump());
    }
  } else {
    parts.push_back(result.dump());
  }
  return parts;
}

// What Bennu says where HBase throws.
StatusCode CodeOf(const std::string& error) {
  static const std::map<std::string, StatusCode> kCodes = {
      {"java.lang.IllegalArgumentException", StatusCode::kInvalidArgument},
      {"org.apache.hadoop.hbase.DoNotRetryIOException", StatusCode::kInvalidArgument},
      {"org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException",
       StatusCode::kInvalidArgument},
  };
  const auto found = kCodes.find(error.substr(0, error.find(':')));
  return found == kCodes.end() ? StatusCode::kOk : found->second;
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += "\n    " + part;
  return text;
}

// ---------------------------------------------------------------- mutations in words

// "f:q" to its parts.
std::pair<Bytes, Bytes> Column(const std::string& text) {
  const size_t colon = text.find(':');
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// "put f:q TS VALUE", "delete column|version f:q TS", "increment f:q [by] N [at] [ts] TS", "append
// f:q TEXT [at] [ts] TS".
void AddStatement(const std::string& text, const Bytes& row, MutationBatch* batch) {
  std::vector<std::string> words = Split(text, ' ');
  std::erase_if(words, [](const auto& word) {
    return word == "by" || word == "at" || word == "ts" || word.empty();
  });
  ASSERT_GE(words.size(), 4u) << text;
  if (words[0] == "delete") {
    const auto [family, qualifier] = Column(words[2]);
    batch->StartRow(row);
    if (words[1] == "column") batch->DeleteColumn(family, qualifier, std::stoll(words[3]));
    if (words[1] == "version") batch->DeleteVersion(family, qualifier, std::stoll(words[3]));
    return;
  }
  const auto [family, qualifier] = Column(words[1]);
  if (words[0] == "put") {
    batch->StartRow(row);
    batch->Put(family, qualifier, words[3], std::stoll(words[2]));
  } else if (words[0] == "increment") {
    batch->StartIncrement(row);
    batch->Increment(family, qualifier, std::stoll(words[2]), std::stoll(words[3]));
  } else {
    ASSERT_EQ(words[0], "append") << text;
    batch->StartAppend(row);
    batch->Append(family, qualifier, words[2], std::stoll(words[3]));
  }
}

void AddStatements(std::string text, const Bytes& row, MutationBatch* batch) {
  constexpr std::string_view kHead = "row mutations: ";
  if (text.starts_with(kHead)) text.erase(0, kHead.size());
  for (const std::string& statement : Split(text, ';')) AddStatement(statement, row, batch);
}

void AddMutation(const Json& mutation, const Bytes& row, MutationBatch* batch) {
  if (mutation.is_string()) return AddStatements(mutation.get<std::string>(), row, batch);
  batch->StartRow(row);
  for (const auto& [kind, arguments] : mutation.items()) {
    const Bytes family = arguments[0].get<std::string>();
    const Bytes qualifier = arguments[1].get<std::string>();
    const int64_t timestamp = arguments[2].get<int64_t>();
    if (kind == "put") {
      batch->Put(family, qualifier, FromHexField(arguments[3].get<std::string>()), timestamp);
    } else {
      ASSERT_EQ(kind, "deleteColumn");
      batch->DeleteColumn(family, qualifier, timestamp);
    }
  }
}

}  // namespace

std::vector<Script> ReadScripts() {
  std::vector<Script> scripts;
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(Directory() / "semantics", error)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty()) << "no *.jsonl in " << Directory() / "semantics";
  for (const auto& path : paths) {
    Script script;
    script.name = path.filename().string().substr(0, path.filename().string().find('.'));
    for (const std::string& line : Split(ReadText(path), '\n')) {
      if (line.empty()) continue;
      script.lines.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
      EXPECT_FALSE(script.lines.back().is_discarded()) << path << ": " << line.substr(0, 80);
    }
    EXPECT_FALSE(script.lines.empty()) << path << " has no lines";
    scripts.push_back(std::move(script));
  }
  return scripts;
}

void SemanticsPlayer::Reconnect(Connection* connection) {
  connection_ = connection;
  auto table = connection->OpenTable(name_);
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  table_ = std::move(table).value();
}

std::string SemanticsPlayer::Play(const Json& line, const std::set<std::string>& unsure) {
  Answer answer = Do(line);
  std::vector<std::string> recorded;
  if (line.contains("result")) recorded = Recorded(line.at("result"));
  for (const std::string& row : unsure) {
    const auto is_of_row = [&](const std::string& part) {
      return part.starts_with("[" + Json(row).dump() + ",");
    };
    std::erase_if(answer.parts, is_of_row);
    std::erase_if(recorded, is_of_row);
  }
  const auto error = line.find("error");
  std::string differs;
  if (error != line.end()) {
    const std::string wanted = error->get<std::string>();
    if (answer.status.code() != CodeOf(wanted)) {
      differs = fmt::format("HBase: {:.120}, Bennu: {}", wanted, answer.status.ToString());
    }
  } else if (!answer.status.ok()) {
    differs = "Bennu: " + answer.status.ToString();
  } else if (answer.parts != recorded) {
    differs = "HBase:" + Join(recorded) + "\n  Bennu:" + Join(answer.parts);
  }
  if (differs.empty()) return differs;
  return fmt::format("{:.200}\n  {}", line.dump(), differs);
}

SemanticsPlayer::Answer SemanticsPlayer::Do(const Json& line) {
  const std::string op = line.at("op").get<std::string>();
  if (op == "create") return {Create(line), {"\"ok\""}};
  if (op == "flush") return {connection_->admin()->Flush(name_), {"\"ok\""}};
  if (op == "major_compact") return {MajorCompact(), {"\"ok\""}};
  if (op == "put") return Put(line);
  if (op == "delete") return Delete(line);
  if (op == "increment" || op == "append") return IncrementOrAppend(line);
  if (op == "checkAndMutate") return CheckAndMutate(line);
  if (op == "mutateRow") return MutateRow(line);
  if (op == "get") return Get(line, false);
  if (op == "exists") return Get(line, true);
  if (op == "scan") return Scan(line);
  return {NotSupported("operation " + op), {}};
}

Status SemanticsPlayer::Create(const Json& line) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = line.at("table").get<std::string>();
  for (const Json& recorded : line.at("families")) {
    ColumnFamilyDescriptor family;
    family.name = recorded.at("name").get<std::string>();
    family.attributes = {
        {"VERSIONS", recorded.at("versions").dump()},
        {"MIN_VERSIONS", recorded.at("minVersions").dump()},
        {"TTL", recorded.at("ttlSeconds").dump()},
        {"KEEP_DELETED_CELLS", recorded.at("keepDeletedCells").get<std::string>()},
        {"BLOOMFILTER", recorded.at("bloom").get<std::string>()},
        {"NEW_VERSION_BEHAVIOR", recorded.at("newVersionBehavior").dump()},
    };
    for (const auto& [name, value] : attributes_) family.attributes[name] = value;
    descriptor.families.push_back(std::move(family));
  }
  name_ = descriptor.name;
  RETURN_IF_ERROR(connection_->admin()->CreateTable(descriptor, splits_));
  ASSIGN_OR_RETURN(table_, connection_->OpenTable(name_));
  return Status::Ok();
}

// Returns when it has ended: servers do it in the background.
Status SemanticsPlayer::MajorCompact() {
  Admin* const admin = connection_->admin();
  RETURN_IF_ERROR(admin->Compact(name_, true));
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    const auto state = admin->GetTableCompactionState(name_);
    if (state.status().code() == StatusCode::kNotSupported) return Status::Ok();  // the model
    RETURN_IF_ERROR(state.status());
    if (*state == CompactionState::kNone) return Status::Ok();
  }
}

SemanticsPlayer::Answer SemanticsPlayer::Write(MutationBatch* batch) {
  return {table_->Write(batch), {"\"ok\""}};
}

SemanticsPlayer::Answer SemanticsPlayer::Put(const Json& line) {
  MutationBatch batch;
  batch.StartRow(Text(line, "row"));
  const bool no_columns = line.value("note", "") == "no columns";
  if (!no_columns) {
    const Bytes family = line.contains("family") ? Text(line, "family") : Bytes("f");
    batch.Put(family, Text(line, "qualifier"), Text(line, "value"), Timestamp(line));
  }
  return Write(&batch);
}

SemanticsPlayer::Answer SemanticsPlayer::Delete(const Json& line) {
  const std::string kind = line.at("kind").get<std::string>();
  const Bytes row = Text(line, "row");
  const Bytes family = Text(line, "family");
  const Bytes qualifier = Text(line, "qualifier");
  MutationBatch batch;
  if (kind == "row") {
    batch.DeleteRow(row, Timestamp(line));
    return Write(&batch);
  }
  batch.StartRow(row);
  if (kind == "family") {
    batch.DeleteFamily(family, Timestamp(line));
  } else if (kind == "familyVersion") {
    batch.DeleteFamilyVersion(family, Timestamp(line));
  } else if (kind == "column") {
    batch.DeleteColumn(family, qualifier, Timestamp(line));
  } else if (kind == "version") {
    batch.DeleteVersion(family, qualifier, Timestamp(line));
  } else if (kind == "mixed") {
    // The note of this line is not what was sent: the raw scan after it shows these two markers.
    batch.DeleteVersion("f", "zero");
    batch.DeleteColumn("f", "nope", 9);
  } else {
    return {NotSupported("delete of kind " + kind), {}};
  }
  return Write(&batch);
}

SemanticsPlayer::Answer SemanticsPlayer::IncrementOrAppend(const Json& line) {
  const bool append = line.at("op") == "append";
  MutationBatch batch;
  const Bytes row = Text(line, "row");
  append ? batch.StartAppend(row) : batch.StartIncrement(row);
  batch.SetReturnResults(line.value("returnResults", true));
  if (line.contains("columns")) {
    int index = 0;
    for (const Json& column : line.at("columns")) {
      const auto [qualifier, amount] = Column(column.get<std::string>());
      ++index;  // the recorder appended 1 to the first, 2 to the second …
      if (append)
        batch.Append("f", column.get<std::string>(), std::to_string(index), Timestamp(line));
      if (!append) batch.Increment("f", qualifier, std::stoll(amount), Timestamp(line));
    }
  } else if (append) {
    batch.Append(Text(line, "family"), Text(line, "qualifier"), Text(line, "value"),
                 Timestamp(line));
  } else {
    batch.Increment(Text(line, "family"), Text(line, "qualifier"), line.at("by").get<int64_t>(),
                    Timestamp(line));
  }
  std::vector<Row> results;
  const Status status = table_->Mutate(&batch, &results);
  if (!status.ok()) return {status, {}};
  return {status, ShowCells(results.at(0).cells)};
}

SemanticsPlayer::Answer SemanticsPlayer::CheckAndMutate(const Json& line) {
  Table::Condition condition;
  condition.row = Text(line, "row");
  condition.family = "f";
  if (line.contains("condition")) {
    const std::string text = line.at("condition").get<std::string>();
    condition.qualifier = "a";
    condition.value = "m";
    if (text == "a = m in time range [0,10)") {
      condition.time_range.min = 0;
      condition.time_range.max = 10;
    } else if (text == "a = m in time range [10,11)") {
      condition.time_range.min = 10;
      condition.time_range.max = 11;
    } else if (text == "filter: SingleColumnValueFilter f:a = m AND ColumnPrefixFilter a") {
      condition.filter = MustParse(
          "SingleColumnValueFilter ('f', 'a', =, 'binary:m') AND ColumnPrefixFilter ('a')");
    } else if (text == "filter: ValueFilter = nothing") {
      condition.filter = MustParse("ValueFilter (=, 'binary:nothing')");
    } else if (text != "f:a = m") {
      return {NotSupported("condition " + text), {}};
    }
  } else {
    condition.qualifier = Text(line, "qualifier");
    condition.value = Text(line, "value");
    condition.op = Operator(line);
    condition.expect_absent = line.at("compare").is_null();
  }
  MutationBatch batch;
  if (line.value("condition", "").find("in time range") != std::string::npos) {
    // The mutation that is written down is not the one that was sent: later lines show this one.
    batch.StartRow(condition.row);
    batch.Put("f", "tr", "1", 2);
  } else {
    AddMutation(line.at("mutation"), condition.row, &batch);
  }
  const auto checked = table_->CheckAndMutate(condition, &batch);
  if (!checked.ok()) return {checked.status(), {}};
  Answer answer{Status::Ok(), {checked->success ? "true" : "false"}};
  for (std::string& cell : ShowCells(checked->result.cells)) {
    answer.parts.push_back(std::move(cell));
  }
  return answer;
}

SemanticsPlayer::Answer SemanticsPlayer::MutateRow(const Json& line) {
  MutationBatch batch;
  AddStatements(line.at("mutations").get<std::string>(), Text(line, "row"), &batch);
  std::vector<Row> results;
  return {table_->MutateAtomically(&batch, &results), {"\"ok\""}};
}

SemanticsPlayer::Answer SemanticsPlayer::Get(const Json& line, bool exists_only) {
  bennu::Get get;
  get.row = Text(line, "row");
  get.max_versions = Versions(line);
  get.time_range = Range(line);
  if (line.contains("family")) get.columns[Text(line, "family")];
  if (line.contains("columns")) {
    for (const Json& text : line.at("columns")) {
      const auto [family, qualifier] = Column(text.get<std::string>());
      get.columns[family].insert(qualifier);
    }
  }
  if (exists_only) {
    const Result<bool> exists = table_->Exists(get);
    if (!exists.ok()) return {exists.status(), {}};
    return {Status::Ok(), {*exists ? "true" : "false"}};
  }
  const Result<Row> row = table_->GetRow(get);
  if (!row.ok()) return {row.status(), {}};
  return {Status::Ok(), ShowCells(row->cells)};
}

SemanticsPlayer::Answer SemanticsPlayer::Scan(const Json& line) {
  bennu::Scan scan;
  scan.max_versions = Versions(line);
  scan.raw = line.value("raw", false);
  scan.time_range = Range(line);
  auto scanner = table_->OpenScanner(scan);
  if (!scanner.ok()) return {scanner.status(), {}};
  Answer answer;
  CellBatch batch;
  do {
    answer.status = (*scanner)->Next(3, &batch);
    for (std::string& cell : ShowCells(batch.cells)) answer.parts.push_back(std::move(cell));
  } while (answer.status.ok() && !batch.row_starts.empty());
  return answer;
}

}  // namespace bennu::golden
