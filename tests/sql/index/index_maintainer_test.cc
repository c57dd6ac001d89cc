// Descriptions of indexes against those of Phoenix 5.2.1's client (PTable.getIndexMaintainers) for
// the same tables.
#include "src/sql/index/index_maintainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/engine/open.h"
#include "src/sql/exec/query.h"
#include "src/sql/index/table_indexes.h"
#include "src/sql/parse/parser.h"
#include "src/sql/session/index_statements.h"
#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"

namespace bennu::sql::index {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kIx =
    "fc03fd180101010104ff"
    "8fb60803100022070a01301202800b22070a01461202800d2803280032070a01301202800c32070a01471202800f3a"
    "07"
    "0a01301202800b3a070a01471202800c40004a0349583150015a013062070a0130100018016a10021902013002800b"
    "02"
    "0102014602800d7206090083840000780380010088011d9001009a01060a01461201539a01031201419a0103120142"
    "9a"
    "01060a013012014ea00102a80101b80103c201055441424c45ca0103495831d00102d80101e00100"
    "8f880802100022070a01461202800e280132070a01301202800b3a070a01301202800b40004a0349583250015a0130"
    "62"
    "070a0130100018016a09020d0302014602800e7205000083820078038001008801129001009a01060a01461201439a"
    "01"
    "031201419a0103120142a00102a80101b80103c201055441424c45ca0103495832d00102d80101e00100"
    "750803100022070a01471202800f280940004a0349583350015a013062070a0130100018016a08024902014702800f"
    "72"
    "050400828300780380010088011b9001009a01031201419a01060a01471201549a0103120142a00102a80101b80103"
    "c2"
    "01055441424c45ca0103495833d00102d80101e00101"
    "8f93080310001a02000022070a01301202800c280832070a01301202800b3a090a034c23301202800b40014a024958"
    "50"
    "015a013062090a034c2330100018036a0a0247020a02013002800c7205040082830078038001008801199001009a01"
    "06"
    "0a01301201449a01031201419a0103120142a00102a80101b00105b80103c201055441424c45ca0103495834d00102"
    "d8"
    "0101e00100";
constexpr std::string_view kIp =
    "0101ff0401740800100022060a0130120157280332060a013012015640004a0349503150015a013062070a01301000"
    "18"
    "016a070219020130015772040000820078018001008801089001009a010312014b9a01060a0130120157a00100a801"
    "01"
    "b80101c201055441424c45ca0103495031d00100d80101e00100";

struct Description {
  Bytes head;
  std::vector<std::string> indexes;  // the fields of each
};

// The fields of a protobuf message, as number and value, in hex. Phoenix's sets have no order, its
// guess at the length of keys (17) has no meaning, and conditions (29, 30) are told otherwise here.
std::vector<std::string> Fields(ByteView message) {
  std::vector<std::string> fields;
  while (!message.empty()) {
    uint64_t tag = 0;
    EXPECT_TRUE(ConsumeVarint64(&message, &tag));
    uint64_t value = 0;
    EXPECT_TRUE(ConsumeVarint64(&message, &value));
    const uint64_t field = tag >> 3;
    std::string text = std::to_string(field) + ":";
    if ((tag & 7) == 2) {
      text += HexEncode(message.substr(0, value));
      message.remove_prefix(value);
    } else {
      text += std::to_string(value);
    }
    if (field != 17 && field != 29 && field != 30) fields.push_back(text);
  }
  std::sort(fields.begin(), fields.end());
  return fields;
}

// Of what stands before the indexes: their number, and the form of the table's key.
size_t HeadSize(ByteView text) {
  const size_t size = text.size();
  int32_t number = 0, fields = 0;
  EXPECT_TRUE(ConsumeVInt(&text, &number) && ConsumeVInt(&text, &number));
  EXPECT_TRUE(ConsumeVInt(&text, &fields));
  for (int32_t i = 0; i < -fields; ++i) {
    EXPECT_TRUE(ConsumeVInt(&text, &number));
    const auto type = static_cast<TypeId>(std::abs(number) - 1);
    EXPECT_TRUE(ConsumeVInt(&text, &number));
    const bool has_width = type == TypeId::kChar || type == TypeId::kBinary;
    EXPECT_TRUE(!has_width || ConsumeVInt(&text, &number));
  }
  return size - text.size();
}

Description Parse(ByteView text) {
  const size_t head_size = HeadSize(text);
  Description result;
  result.head = Bytes(text.substr(0, head_size));
  text.remove_prefix(head_size);
  while (!text.empty()) {
    int32_t length = 0;
    EXPECT_TRUE(ConsumeVInt(&text, &length));
    std::string index;
    for (const std::string& field : Fields(text.substr(0, static_cast<size_t>(length)))) {
      index += field + " ";
    }
    text.remove_prefix(static_cast<size_t>(length));
    result.indexes.push_back(index);
  }
  std::sort(result.indexes.begin(), result.indexes.end());
  return result;
}

class IndexMaintainerTest : public ::testing::Test {
 protected:
  IndexMaintainerTest()
      : engine_(engine::OpenEngine(":memory:").value()),
        store_(session::SqlStore::Open(engine_.get(), exec::PrepareQuery).value()),
        session_(session::Session::Open(store_.get(), {}).value()) {}

  void Do(const std::string& sql) {
    const Status done = session_->Execute(sql).status();
    ASSERT_TRUE(done.ok()) << sql << ": " << done.ToString();
  }
  Result<Bytes> Describe(const std::string& table) {
    TableIndexes found = FindTableIndexes(store_->catalog(), TableName{"default", table}).value();
    // Others are written by clients.
    std::erase_if(found.kept_up, [&](const auto& definition) {
      return found.table->immutable_rows && !definition->index->is_local_index();
    });
    return DescribeIndexes(*found.table, found.kept_up, version_);
  }
  // In the catalog alone: no keeper is there, and none is asked.
  void DefineIndex(const std::string& sql) {
    catalog::DdlContext context;
    session::SetIndexBinding(&context);
    const parse::Statement statement = parse::ParseStatement(sql).value();
    const auto made =
        store_->catalog()->CreateIndex(std::get<parse::CreateIndex>(statement.node), context);
    ASSERT_TRUE(made.ok()) << sql << ": " << made.status().ToString();
  }
  // 'alike': texts of Phoenix's, and what stands for them here.
  void Compare(const std::string& table, std::string_view phoenix,
               const std::vector<std::pair<std::string, std::string>>& alike = {}) {
    const auto ours = Describe(table);
    ASSERT_TRUE(ours.ok()) << ours.status().ToString();
    Description expected = Parse(HexDecode(phoenix).value());
    for (std::string& index : expected.indexes) {
      for (const auto& [theirs, ours_for_it] : alike) {
        const size_t at = index.find(theirs);
        if (at != std::string::npos) index.replace(at, theirs.size(), ours_for_it);
      }
    }
    std::sort(expected.indexes.begin(), expected.indexes.end());
    const Description actual = Parse(*ours);
    EXPECT_EQ(HexEncode(actual.head), HexEncode(expected.head));
    EXPECT_EQ(actual.indexes, expected.indexes);
  }

  int32_t version_ = 5 << 16 | 3 << 8;  // of the servers
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::SqlStore> store_;
  std::unique_ptr<session::Session> session_;
};

TEST_F(IndexMaintainerTest, AsPhoenixDescribesThem) {
  Do("CREATE TABLE IX (A VARCHAR NOT NULL, B INTEGER NOT NULL, N INTEGER, D DECIMAL(10,2), "
     "F.S VARCHAR, F.C CHAR(3), G.T TIMESTAMP, CONSTRAINT PK PRIMARY KEY (A, B DESC)) "
     "SALT_BUCKETS=3");
  DefineIndex("CREATE INDEX IX1 ON IX (N DESC, F.S) INCLUDE (D, G.T)");
  DefineIndex("CREATE INDEX IX2 ON IX (F.C, B) INCLUDE (N) SALT_BUCKETS=2");
  DefineIndex("CREATE UNCOVERED INDEX IX3 ON IX (G.T)");
  DefineIndex("CREATE LOCAL INDEX IX4 ON IX (D) INCLUDE (N)");
  Compare("IX", kIx);
}

TEST_F(IndexMaintainerTest, NamesAsQualifiers) {
  Do("CREATE TABLE IP (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER) COLUMN_ENCODED_BYTES=0");
  DefineIndex("CREATE INDEX IP1 ON IP (W) INCLUDE (V)");
  Compare("IP", kIp);
}

// Expressions, partial indexes, and indexes of views. They were recorded without a cluster, where
// no numbers are given out to indexes (field 3), and Phoenix lists the indexes of a table under
// that of a view, with its name and its constants in fields that have no meaning then (25, 14).
TEST_F(IndexMaintainerTest, RecordedDescriptions) {
  std::ifstream in(std::string(BENNU_SOURCE_DIR) + "/tests/sql/index/phoenix_descriptions.txt");
  std::string line;
  int compared = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '=') {
      const size_t blank = line.find(' ', 2);
      SCOPED_TRACE(line.substr(2, blank - 2));
      Compare(line.substr(2, blank - 2), std::string_view(line).substr(blank + 1),
              {{"3:8000 ", "3:0000 "},
               {"25:45234231 ", "25:4231 "},
               {"14:0001828300 ", "14:0000828300 "},
               // D * 2, R + N and the place where REGEXP_SUBSTR begins: numbers are converted once
               // here, and in Phoenix for each row.
               {"0d03058000000206032102", "0d0303c10306082102"},
               {"2013002800e021902013002800b", "2013002800e13021902013002800bf802ff"},
               {"030980000000000000010602", "0305800000010603"}});
      ++compared;
    } else if (line.starts_with("CREATE INDEX") || line.starts_with("CREATE LOCAL INDEX")) {
      DefineIndex(line);
    } else {
      Do(line);
    }
  }
  EXPECT_EQ(compared, 5);
}

TEST_F(IndexMaintainerTest, WhatIsNotDescribed) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, B VARBINARY)");
  const auto refusal = [this] { return Describe("T").status().ToString(); };
  DefineIndex("CREATE INDEX I ON T (TO_CHAR(K, '000'))");
  EXPECT_THAT(refusal(), HasSubstr("index I of table T cannot be described"));
  EXPECT_THAT(refusal(), HasSubstr("it has the function TO_CHAR"));
  Do("DROP INDEX I ON T");
  DefineIndex("CREATE INDEX J ON T (B)");
  EXPECT_THAT(refusal(), HasSubstr("no indexes of VARBINARY columns"));
}

TEST_F(IndexMaintainerTest, WhatServersDoNotKnow) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, E VARBINARY_ENCODED)");
  DefineIndex("CREATE INDEX I ON T (V) WHERE K > 1");
  version_ = 5 << 16 | 1 << 8 | 3;
  EXPECT_THAT(Describe("T").status().ToString(), HasSubstr("from 5.2 on, and they have 5.1.3"));
  version_ = 5 << 16 | 2 << 8 | 1;
  EXPECT_TRUE(Describe("T").ok());
  DefineIndex("CREATE INDEX J ON T (E)");
  EXPECT_THAT(
      Describe("T").status().ToString(),
      HasSubstr("it has a VARBINARY_ENCODED, which Phoenix has from 5.3 on, and they have 5.2.1"));
}

// Whatever it is that a batch does, it does the same with a description.
TEST(WithDescriptionTest, MutationsStayWhatTheyAre) {
  MutationBatch batch;
  batch.StartRow("put");
  batch.SetAttribute("name", "value");
  batch.Put("f", "q", "v", 7);
  batch.DeleteRow("row", 8);
  batch.StartIncrement("counter");
  batch.Increment("f", "n", 1);
  batch.StartRow("null");
  batch.DeleteColumn("f", "included", 9);
  batch.DeleteColumn("f", "other", 9);
  const MutationBatch described = WithDescription(batch, "maintainers", {{"f", "included"}});
  ASSERT_EQ(described.rows().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const MutationBatch::Row& row = described.rows()[i];
    EXPECT_EQ(described.row_key(row), batch.row_key(batch.rows()[i]));
    EXPECT_EQ(row.kind, batch.rows()[i].kind);
    EXPECT_EQ(row.cell_count, batch.rows()[i].cell_count);
    EXPECT_EQ(described.options(i).attributes.at("IdxProtoMD"), "maintainers");
  }
  EXPECT_EQ(described.options(0).attributes.at("name"), "value");
  EXPECT_EQ(described.options(1).delete_row_timestamp, 8);
  std::vector<CellType> types;
  Cell cell;
  for (uint64_t offset = 0; offset < described.buffer().size();) {
    offset = CellAt(described.buffer(), offset, &cell);
    types.push_back(cell.type());
  }
  EXPECT_EQ(types, (std::vector<CellType>{CellType::kPut, CellType::kPut, CellType::kPut,
                                          CellType::kDeleteColumn}));
}

// Each description has one form of the table's key.
TEST_F(IndexMaintainerTest, ViewsWithDifferentKeys) {
  Do("CREATE TABLE Q (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
  Do("CREATE VIEW QV (E INTEGER NOT NULL, CONSTRAINT PK PRIMARY KEY (E)) AS SELECT * FROM Q WHERE "
     "V = 'z'");
  Do("CREATE VIEW QW (E VARCHAR NOT NULL, CONSTRAINT PK PRIMARY KEY (E)) AS SELECT * FROM Q WHERE "
     "V = 'y'");
  DefineIndex("CREATE INDEX ONE ON QV (W)");
  EXPECT_TRUE(Describe("Q").ok());
  DefineIndex("CREATE INDEX TWO ON QW (W)");
  EXPECT_THAT(Describe("Q").status().ToString(), HasSubstr("other columns in its key"));
}

}  // namespace
}  // namespace bennu::sql::index
