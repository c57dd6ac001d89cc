// What must hold is what Hadoop's Configuration does with such files.
#include "src/base/site_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bennu {
namespace {

std::string Property(const std::string& name, const std::string& value,
                     const std::string& more = "") {
  return "<property><name>" + name + "</name><value>" + value + "</value>" + more + "</property>\n";
}

std::string File(const std::string& properties) {
  return "<?xml version=\"1.0\"?>\n<configuration>\n" + properties + "</configuration>\n";
}

TEST(SiteFile, PropertiesHaveValuesAndLines) {
  const auto read = ParseSiteFile(
      "f", File("<!-- what for -->\n" +
                Property("a.b", "\n  1 &lt; 2 \n", "<description>text</description>") +
                "<property name=\"c\" value=\"3\"/>\n"));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at("a.b").value, "1 < 2");
  EXPECT_EQ(read->at("a.b").line, 4u);
  EXPECT_EQ(read->at("c").value, "3");
}

TEST(SiteFile, TheLastValueCountsButForFinalOnes) {
  const auto read =
      ParseSiteFile("f", File(Property("a", "1") + Property("a", "2") +
                              Property("b", "1", "<final>true</final>") + Property("b", "2")));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->at("a").value, "2");
  EXPECT_EQ(read->at("b").value, "1");
}

TEST(SiteFile, VariablesArePutIn) {
  ::setenv("BENNU_SITE_FILE_TEST", "there", 1);
  const auto read =
      ParseSiteFile("f", File(Property("base", "x") + Property("a", "${base}/${base}") +
                              Property("b", "${env.BENNU_SITE_FILE_TEST}") +
                              Property("c", "${env.BENNU_SITE_FILE_NONE:-other}") +
                              Property("d", "${nobody} ${base}") + Property("e", "${e}")));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->at("a").value, "x/x");
  EXPECT_EQ(read->at("b").value, "there");
  EXPECT_EQ(read->at("c").value, "other");
  EXPECT_EQ(read->at("d").value, "${nobody} x");
  EXPECT_EQ(read->at("e").value, "${e}");
}

TEST(SiteFile, ErrorsNameFileAndLine) {
  const auto message = [](const std::string& text) {
    return ParseSiteFile("site.xml", text).status().message();
  };
  EXPECT_NE(message("<configuration>\n<property>\n</configuration>").find("site.xml:3"),
            std::string::npos);
  EXPECT_NE(message("<other/>").find("<configuration>"), std::string::npos);
  EXPECT_NE(message(File("<property><value>1</value></property>")).find("without a name"),
            std::string::npos);
  EXPECT_NE(message(File("<property><name>a</name></property>")).find("a has no value"),
            std::string::npos);
  EXPECT_NE(message(File("<xi:include href=\"other.xml\"/>")).find("includes"), std::string::npos);
  EXPECT_NE(message(""), "");
  EXPECT_FALSE(ReadSiteFile("no-such-file.xml").ok());
}

TEST(SiteFile, EntitiesOpenNoFiles) {
  const auto entity = ParseSiteFile(
      "f", "<!DOCTYPE c [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>" +
               std::string("<configuration><property><name>a</name><value>[&e;]</value>"
                           "</property></configuration>"));
  ASSERT_TRUE(entity.ok()) << entity.status().ToString();
  EXPECT_EQ(entity->at("a").value, "[]");
}

}  // namespace
}  // namespace bennu
