// What HBase stores and Bennu cannot serve as HBase would: one such table or file is told, stays
// as it is, and does not take the other tables away. What only says how new files are written is
// passed over, and told.
#include <gmock/gmock.h>

#include <array>

#include "src/engine/directory/root_directory.h"
#include "src/hfile/format.h"
#include "src/hfile/reader.h"
#include "tests/check/store_fixture.h"

namespace bennu::check {
namespace {

using ::testing::HasSubstr;

class ForeignTest : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    for (const char* table : {"foreign", "other"}) {
      ASSERT_NO_FATAL_FAILURE(CreateTable(engine.get(), table, {"f"}, {}));
      ASSERT_NO_FATAL_FAILURE(Fill(engine.get(), table, "r", 50));
      ASSERT_TRUE(engine->admin()->Flush({"default", table}).ok());
    }
    content_ = MustRead(engine.get(), "foreign");
    ASSERT_TRUE(engine->Close().ok());
  }

  // As HBase would have written it.
  void SetInDescriptor(const std::string& key, const std::string& value) {
    const std::string directory = root_ + "/data/default/foreign";
    auto descriptor = engine::ReadTableInfo(Env::Default(), directory);
    ASSERT_TRUE(descriptor.ok());
    descriptor->families[0].attributes[key] = value;
    ASSERT_TRUE(engine::WriteTableInfo(Env::Default(), directory, *descriptor).ok());
  }

  void ExpectOtherServed(engine::Engine* engine) {
    EXPECT_GE(MustRead(engine, "other").size(), 50u);
    Fill(engine, "other", "s", 10);
    EXPECT_TRUE(engine->admin()->Flush({"default", "other"}).ok());
  }

  void ExpectClosed(engine::Engine* engine, const std::string& what) {
    Content content;
    const Status read = Read(engine, "foreign", &content);
    EXPECT_EQ(read.code(), StatusCode::kNotSupported) << read.ToString();
    EXPECT_THAT(read.message(), HasSubstr(what));
    MutationBatch batch;
    batch.StartRow("new");
    batch.Put("f", "q", "v");
    EXPECT_EQ((*engine->OpenTable({"default", "foreign"}))->Write(&batch).code(),
              StatusCode::kNotSupported);
  }

  // The data block's bytes as a compression that is not here would have left them.
  void MakeCompressedByLzo(const std::string& path) {
    Bytes content = ReadFile(path);
    const size_t end = content.size() - hfile::kTrailerSize;
    auto trailer = hfile::ParseTrailer(ByteView(content).substr(end), content.size());
    ASSERT_TRUE(trailer.ok());
    trailer->compression = Compression::kLzo;
    for (size_t i = 0; i < end; ++i) content[i] = static_cast<char>(content[i] ^ 0x5a);
    WriteFile(path, content.substr(0, end) + hfile::SerializeTrailer(*trailer));
  }

  Content content_;
};

TEST_F(ForeignTest, CompressionThatIsNotHereIsLeftOut) {
  for (const char* name : {"LZO", "BZIP2", "LZMA", "BROTLI"}) {
    SetInDescriptor("COMPRESSION", name);
    SetInDescriptor("COMPRESSION_COMPACT", name);
    const Report report = Check();
    EXPECT_EQ(report.faults(), 0u) << Text(report.findings);
    EXPECT_TRUE(Tells(report.findings, "foreign", name)) << Text(report.findings);
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    Fill(engine.get(), "foreign", name, 5);
    ASSERT_TRUE(engine->Close().ok());
    engine = Open();
    ASSERT_NE(engine, nullptr);
    EXPECT_EQ(MustRead(engine.get(), "foreign").size(), content_.size() + 5);
    EXPECT_TRUE(engine->admin()->Compact({"default", "foreign"}, /*major=*/true).ok());
    content_ = MustRead(engine.get(), "foreign");
    ASSERT_TRUE(engine->Close().ok());
    for (const std::string& path : StoreFiles("foreign")) {
      auto reader = hfile::Reader::Open(Env::Default(), root_ + "/" + path, nullptr);
      ASSERT_TRUE(reader.ok());
      EXPECT_EQ((*reader)->trailer().compression, Compression::kNone);
    }
  }
}

TEST_F(ForeignTest, ValuesThatMeanNothingAreToldAndPassedOver) {
  SetInDescriptor("KEEP_DELETED_CELLS", "MAYBE");
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u);
  EXPECT_TRUE(Tells(report.findings, "foreign", "MAYBE")) << Text(report.findings);
  auto engine = Open();
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(MustRead(engine.get(), "foreign"), content_);
}

TEST_F(ForeignTest, TablesWithCellsElsewhereStayClosed) {
  static constexpr std::array<std::array<const char*, 3>, 3> kOptions = {{
      {"IS_MOB", "true", "false"},
      {"ENCRYPTION", "AES", ""},
      {"hbase.store.file-tracker.impl", "FILE", "DEFAULT"},
  }};
  for (const auto& [key, value, off] : kOptions) {
    SetInDescriptor(key, value);
    const Report report = Check(/*repair=*/true);
    EXPECT_TRUE(Tells(report.remaining, "foreign", key)) << Text(report.remaining);
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    ExpectClosed(engine.get(), key);
    ExpectOtherServed(engine.get());
    ASSERT_TRUE(engine->Close().ok());
    SetInDescriptor(key, off);
  }
  auto engine = Open();
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(MustRead(engine.get(), "foreign"), content_);
}

TEST_F(ForeignTest, FileThatCanNotBeReadHereIsLeftAlone) {
  ASSERT_EQ(StoreFiles("foreign").size(), 1u);
  const std::string path = StoreFiles("foreign").front();
  MakeCompressedByLzo(path);
  const Bytes before = ReadFile(path);
  const Report report = Check(/*repair=*/true);
  EXPECT_TRUE(Tells(report.remaining, path, "LZO")) << Text(report.remaining);
  EXPECT_EQ(ReadFile(path), before);
  auto engine = Open();
  ASSERT_NE(engine, nullptr);
  ExpectClosed(engine.get(), "LZO");
  ExpectOtherServed(engine.get());
  EXPECT_TRUE(engine->admin()->DropTable({"default", "foreign"}).ok());
}

// A trailer that is damaged so that it names another compression hides nothing.
TEST_F(ForeignTest, FileWithAWrongCompressionInItsTrailerIsSalvaged) {
  const std::string path = StoreFiles("foreign").front();
  Bytes content = ReadFile(path);
  const size_t end = content.size() - hfile::kTrailerSize;
  auto trailer = hfile::ParseTrailer(ByteView(content).substr(end), content.size());
  ASSERT_TRUE(trailer.ok());
  trailer->compression = Compression::kLzo;
  WriteFile(path, content.substr(0, end) + hfile::SerializeTrailer(*trailer));
  const Report report = Check(/*repair=*/true);
  EXPECT_EQ(Text(report.remaining), "");
  auto engine = Open();
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(MustRead(engine.get(), "foreign"), content_);
}

TEST_F(ForeignTest, LostDirectoriesAreTold) {
  const std::string file = StoreFiles("foreign").front();
  const std::string family = file.substr(0, file.rfind('/'));
  std::filesystem::remove_all(root_ + "/" + family);
  EXPECT_TRUE(Tells(Check().findings, "foreign", "no directory for family f"));
  const std::string region = family.substr(0, family.rfind('/'));
  std::filesystem::remove_all(root_ + "/" + region);
  EXPECT_TRUE(Tells(Check().findings, region, "its rows are lost"));
  const auto engine = engine::OpenEngine(root_, Options());
  ASSERT_EQ(engine.status().code(), StatusCode::kCorruption) << engine.status().ToString();
  EXPECT_THAT(engine.status().message(), HasSubstr(region));
  EXPECT_THAT(engine.status().message(), HasSubstr("bennu check --repair"));
  EXPECT_EQ(Text(Check(/*repair=*/true).remaining), "");
  auto again = Open();
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(MustRead(again.get(), "foreign").empty());
  ExpectOtherServed(again.get());
}

TEST_F(ForeignTest, LostNamespaceTableIsMadeAnew) {
  std::filesystem::remove_all(root_ + "/data/hbase/namespace");
  EXPECT_EQ(Text(Check(/*repair=*/true).remaining), "");
  auto engine = Open();
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(MustRead(engine.get(), "foreign"), content_);
  ASSERT_TRUE(engine->Close().ok());
  EXPECT_EQ(Text(Check().findings), "");
}

TEST_F(ForeignTest, LostIdIsMadeAnewAndAWrongOneIsTold) {
  std::filesystem::remove(root_ + "/hbase.id");
  auto engine = Open();
  ASSERT_NE(engine, nullptr);
  EXPECT_TRUE(engine->ReadClusterId().ok());
  ASSERT_TRUE(engine->Close().ok());
  WriteFile("hbase.id", "nonsense");
  const Report report = Check(/*repair=*/true);
  EXPECT_TRUE(Tells(report.findings, "hbase.id", "not a cluster id")) << Text(report.findings);
  EXPECT_EQ(Text(report.remaining), "");
  engine = Open();
  ASSERT_NE(engine, nullptr);
  EXPECT_TRUE(engine->ReadClusterId().ok());
}

TEST_F(ForeignTest, MetasOwnRegionInfoIsLookedAt) {
  const auto found = Find("data/hbase/meta/1588230740/.regioninfo");
  ASSERT_EQ(found.size(), 1u);
  Flip(found.front(), 12);
  EXPECT_TRUE(Tells(Check(/*repair=*/true).findings, found.front(), "not hbase:meta's"));
  EXPECT_EQ(Text(Check().findings), "");
}

}  // namespace
}  // namespace bennu::check
