#include "src/shell/coprocessor_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bennu::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Attributes = std::map<std::string, std::string>;

// The priorities and the names of the attributes are those of HBase's TableDescriptorBuilder.
TEST(CoprocessorSpecTest, EachGetsTheNextNumber) {
  Attributes attributes = {{"coprocessor$3", "|a.B|1|"}, {"MAX_FILESIZE", "5"}};
  ASSERT_TRUE(AddCoprocessor("|c.D||", &attributes).ok());
  ASSERT_TRUE(AddCoprocessor("hdfs:///e.jar|e.F|1001|k=1,l=x|y", &attributes).ok());
  ASSERT_TRUE(AddCoprocessor(" | g.H | 7 ", &attributes).ok());
  EXPECT_THAT(attributes, ElementsAre(Pair("MAX_FILESIZE", "5"), Pair("coprocessor$3", "|a.B|1|"),
                                      Pair("coprocessor$4", "|c.D|1073741823|"),
                                      Pair("coprocessor$5", "hdfs:///e.jar|e.F|1001|k=1,l=x|y"),
                                      Pair("coprocessor$6", "|g.H|7|")));
}

TEST(CoprocessorSpecTest, WhatIsNone) {
  Attributes attributes;
  for (const char* spec : {"", "a.B", "|", "||1|", "|a.B|high|", "|a.B|-1|", "|a.B|99999999999|"}) {
    const Status refused = AddCoprocessor(spec, &attributes);
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << spec;
    EXPECT_THAT(refused.ToString(), HasSubstr("path|class|priority|arguments"));
  }
  EXPECT_THAT(attributes, IsEmpty());
}

TEST(CoprocessorSpecTest, AClassIsThereOnce) {
  Attributes attributes;
  ASSERT_TRUE(AddCoprocessor("|a.B|5|", &attributes).ok());
  EXPECT_EQ(AddCoprocessor("x.jar|a.B||", &attributes).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(RemoveCoprocessor("a.C", &attributes).code(), StatusCode::kNotFound);
  ASSERT_TRUE(RemoveCoprocessor("a.B", &attributes).ok());
  EXPECT_THAT(attributes, IsEmpty());
}

}  // namespace
}  // namespace bennu::shell
