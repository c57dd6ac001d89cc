#include "src/cli/csv_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bennu::cli {
namespace {

// Hands text out in pieces, so that records lie across reads.
class Pieces : public InputStream {
 public:
  Pieces(std::string text, size_t piece) : text_(std::move(text)), piece_(piece) {}
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = std::min({piece_, size, text_.size() - at_});
    text_.copy(buffer, count, at_);
    at_ += count;
    return count;
  }
  uint64_t consumed_bytes() const override { return at_; }
  uint64_t total_bytes() const override { return text_.size(); }

 private:
  const std::string text_;
  const size_t piece_;
  size_t at_ = 0;
};

using Records = std::vector<std::vector<std::string>>;

// Quoted fields are shown in brackets, to tell "" from nothing.
Records ReadAll(const std::string& text, size_t piece, char delimiter = ',') {
  Pieces input(text, piece);
  CsvReader reader(&input, delimiter);
  Records records;
  std::vector<CsvField> fields;
  while (true) {
    const Result<bool> more = reader.Next(&fields);
    if (!more.ok()) {
      records.push_back({"line " + std::to_string(reader.line()), more.status().message()});
      continue;
    }
    if (!*more) return records;
    records.emplace_back();
    for (const CsvField& field : fields) {
      const std::string text = field.is_null ? "(null)" : std::string(field.text);
      records.back().push_back(field.quoted ? "[" + text + "]" : text);
    }
  }
}

// RFC 4180 as it stands, whatever the pieces in which the file arrives.
TEST(CsvReaderTest, ReadsQuotesLineEndsAndEmptyFields) {
  const std::string text =
      "a,b,c\r\n1,,\"\"\n\n\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\nlast,one,here";
  const Records expected = {{"a", "b", "c"},
                            {"1", "", "[]"},
                            {"[x,y]", "[say \"hi\"]", "[two\nlines]"},
                            {"last", "one", "here"}};
  for (size_t piece = 1; piece < text.size() + 2; ++piece) {
    EXPECT_EQ(ReadAll(text, piece), expected) << "pieces of " << piece;
  }
}

TEST(CsvReaderTest, TakesAnyDelimiter) {
  EXPECT_EQ(ReadAll("a\tb,c\n", 100, '\t'), (Records{{"a", "b,c"}}));
}

// A quote inside a field is a character: it must not join lines.
TEST(CsvReaderTest, OnlyAFieldsFirstCharacterOpensQuotes) {
  const std::string text = "5\" disk\n6\" disk,\"\"\"\",\"a\"\"\nb\"\nx,y\"\n";
  const Records expected = {{"5\" disk"}, {"6\" disk", "[\"]", "[a\"\nb]"}, {"x", "y\""}};
  for (size_t piece = 1; piece < text.size() + 2; ++piece) {
    EXPECT_EQ(ReadAll(text, piece), expected) << "pieces of " << piece;
  }
}

// Excel begins its files with a byte order mark, which once made the first column unknown.
TEST(CsvReaderTest, DropsAByteOrderMark) {
  for (size_t piece = 1; piece < 12; ++piece) {
    EXPECT_EQ(ReadAll("\xEF\xBB\xBF\"a\nb\",c\n1,2\n", piece),
              (Records{{"[a\nb]", "c"}, {"1", "2"}}));
    EXPECT_EQ(ReadAll("a\n\xEF\xBB\xBF"
                      "b\n",
                      piece),
              (Records{{"a"},
                       {"\xEF\xBB\xBF"
                        "b"}}));
    EXPECT_EQ(ReadAll("\xEF\xBB\xBF", piece), Records());
  }
}

// A file of rejected lines can be loaded as it is once they are mended.
TEST(CsvReaderTest, PassesOverReasonsOfRejectedLines) {
  const std::string text = "a,b\n# rejected, line 3: value '\"x'\n1,\"# rejected, line \"\n# c,2\n";
  for (size_t piece = 1; piece < text.size() + 2; ++piece) {
    EXPECT_EQ(ReadAll(text, piece),
              (Records{{"a", "b"}, {"1", "[# rejected, line ]"}, {"# c", "2"}}));
  }
}

TEST(CsvReaderTest, ReadsTheEscapesOfTabSeparatedFields) {
  EXPECT_EQ(ReadAll("\\# rejected, line 1\tb\n", 100, '\t'),
            (Records{{"# rejected, line 1", "b"}}));
  EXPECT_EQ(ReadAll("\\N\t\\\\N\ta\\tb\\nc\\rd\t\\\"e\t\t\"f\\N\"\n", 100, '\t'),
            (Records{{"(null)", "\\N", "a\tb\nc\rd", "\"e", "", "[f\\N]"}}));
  EXPECT_EQ(ReadAll("a\\b,\\N\n", 100), (Records{{"a\\b", "\\N"}})) << "between commas: none";
  const Records refused = ReadAll("C:\\data\n", 100, '\t');
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0][0], "line 1");
}

TEST(CsvReaderTest, TellsMalformedRecordsByLine) {
  EXPECT_EQ(ReadAll("a,b\n\"x\"y,1\nc,d\n", 100),
            (Records{{"a", "b"}, {"line 2", "text follows a closing quote"}, {"c", "d"}}));
  EXPECT_EQ(ReadAll("a\n\"never closed\n", 100),
            (Records{{"a"}, {"line 2", "a quote is opened and never closed"}}));
}

TEST(CsvReaderTest, EmptyInputHasNoRecords) {
  EXPECT_TRUE(ReadAll("", 10).empty());
  EXPECT_TRUE(ReadAll("\n\n", 10).empty());
}

}  // namespace
}  // namespace bennu::cli
