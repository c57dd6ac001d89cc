// Row keys that SQL would not write: two of them may be one row to SQL, so that a table with
// indexes takes none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "bennu/mutation.h"
#include "bennu/table.h"
#include "tests/bennu/reopened_store.h"

namespace bennu {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

class ForeignRowKeysTest : public ReopenedStoreTest {
 protected:
  // By a client of HBase.
  Status Write(const std::string& table, const MutationBatch& written) {
    MutationBatch batch = written;
    const auto opened = database_->store()->OpenTable({"default", table});
    return opened.ok() ? (*opened)->Write(&batch) : opened.status();
  }
  Status Put(const std::string& table, const Bytes& row, const Bytes& value) {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put("0", "_0", "");
    batch.Put("0", "V", value);
    return Write(table, batch);
  }
  Status Delete(const std::string& table, const Bytes& row) {
    MutationBatch batch;
    batch.DeleteRow(row);
    return Write(table, batch);
  }
};

TEST_F(ForeignRowKeysTest, AWrongSaltByte) {
  Do("CREATE TABLE s (k INTEGER NOT NULL PRIMARY KEY, v VARCHAR) SALT_BUCKETS=4, "
     "COLUMN_ENCODED_BYTES=NONE");
  Do("CREATE INDEX sv ON s (v)");
  EXPECT_TRUE(Put("S", "\x02\x80\0\0\x01"s, "right").ok());
  EXPECT_THAT(Ask("SELECT v FROM s WHERE k = 1"), ElementsAre("right"));
  const Status refused = Put("S", "\x01\x80\0\0\x01"s, "wrong");
  EXPECT_THAT(
      refused.ToString(),
      HasSubstr("index SV: Illegal data. the row key '\\x01\\x80\\x00\\x00\\x01' of table S "
                "is not the one that SQL makes of its values, "
                "'\\x02\\x80\\x00\\x00\\x01'; write the row by that key"));
  EXPECT_THAT(Ask("SELECT k, v FROM s WHERE v > 'a'"), ElementsAre("1|right"));
}

TEST_F(ForeignRowKeysTest, TooManyBytes) {
  Do("CREATE TABLE n (k INTEGER NOT NULL PRIMARY KEY, v VARCHAR) COLUMN_ENCODED_BYTES=NONE");
  Do("CREATE LOCAL INDEX nv ON n (v)");
  EXPECT_THAT(Put("N", "\x80\0\0\x01\0"s, "x").ToString(), HasSubstr("bytes left over"));
  Do("CREATE TABLE t (k VARCHAR, l VARCHAR, v VARCHAR, CONSTRAINT pk PRIMARY KEY (k, l)) "
     "COLUMN_ENCODED_BYTES=NONE, TTL=1000");
  Do("CREATE INDEX tv ON t (v)");
  EXPECT_TRUE(Put("T", "a", "x").ok());
  EXPECT_TRUE(Put("T", "a\0b"s, "x").ok());
  // A separator with nothing behind.
  EXPECT_THAT(Put("T", "a\0"s, "x").ToString(), HasSubstr("not the one that SQL makes"));
  EXPECT_THAT(Ask("SELECT k, l FROM t WHERE v = 'x'"), ElementsAre("a|NULL", "a|b"));
}

// Rows that were there before can be deleted, and an index made then.
TEST_F(ForeignRowKeysTest, RowsFromBefore) {
  Do("CREATE TABLE t (k VARCHAR, l VARCHAR, v VARCHAR, CONSTRAINT pk PRIMARY KEY (k, l)) "
     "COLUMN_ENCODED_BYTES=NONE");
  EXPECT_TRUE(Put("T", "a\0"s, "x").ok());
  EXPECT_THAT(Ask("CREATE INDEX tv ON t (v)"),
              Contains(HasSubstr("the row key 'a\\x00' of table T")));
  EXPECT_THAT(Ask("SELECT table_name FROM SYSTEM.CATALOG WHERE table_type = 'i'"), IsEmpty());
  EXPECT_TRUE(Delete("T", "a\0"s).ok());
  Do("CREATE INDEX tv ON t (v)");
  EXPECT_THAT(Ask("CHECK INDEX tv ON t"), IsEmpty());
}

// The keys of a view's rows are those of its table, with the columns that it adds.
TEST_F(ForeignRowKeysTest, RowsOfViews) {
  Do("CREATE TABLE t (k CHAR(1) NOT NULL, v VARCHAR, CONSTRAINT pk PRIMARY KEY (k)) "
     "COLUMN_ENCODED_BYTES=NONE");
  Do("CREATE VIEW w (l INTEGER NOT NULL, CONSTRAINT pk PRIMARY KEY (l)) AS SELECT * FROM t WHERE k "
     "= 'w'");
  Do("CREATE INDEX wv ON w (v)");
  EXPECT_TRUE(Put("T", "w\x80\0\0\x02"s, "x").ok());
  EXPECT_TRUE(Put("T", "o\0"s, "x").ok());  // no index has it
  EXPECT_THAT(Ask("SELECT k, l FROM w WHERE v = 'x'"), ElementsAre("w|2"));
  EXPECT_THAT(Ask("CHECK INDEX wv ON w"), IsEmpty());
}

}  // namespace
}  // namespace bennu
