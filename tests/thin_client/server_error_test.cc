// Errors of servers. The texts are those of Phoenix's query server 6.0.0.
#include "src/thin_client/server_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bennu::thin_client {
namespace {

using ::testing::HasSubstr;
namespace pb = avatica::pb;

TEST(ServerErrorTest, PhoenixsCodesAreInTheText) {
  pb::ErrorResponse error;
  error.set_error_message(
      "RuntimeException: org.apache.phoenix.schema.TableNotFoundException: ERROR 1012 (42M03): "
      "Table "
      "undefined. tableName=NOTABLE -> TableNotFoundException: ERROR 1012 (42M03): Table "
      "undefined. "
      "tableName=NOTABLE");
  error.set_error_code(0xffffffff);
  error.set_sql_state("00000");
  const Status status = ErrorOf(error);
  ASSERT_NE(status.sql_error(), nullptr);
  EXPECT_EQ(status.sql_error()->code, 1012);
  EXPECT_EQ(status.sql_error()->sqlstate, "42M03");
  EXPECT_EQ(status.message(), "Table undefined. tableName=NOTABLE");
}

TEST(ServerErrorTest, OtherTextsStayAsTheyAre) {
  for (const char* text : {"NullPointerException: no list", "ERROR ", "ERROR 7", "ERROR 7 (42)",
                           "ERROR 99999999999999 (42M03): x"}) {
    pb::ErrorResponse error;
    error.set_error_message(text);
    const Status status = ErrorOf(error);
    EXPECT_EQ(status.code(), StatusCode::kSql);
    EXPECT_EQ(status.message(), text);
    EXPECT_EQ(status.sql_error()->code, 0);
  }
}

TEST(ServerErrorTest, BennusOwnServerTellsPlaceAndHint) {
  pb::ErrorResponse error;
  error.set_error_code(504);
  error.set_sql_state("42703");
  error.mutable_detail()->set_status(static_cast<uint32_t>(StatusCode::kSql));
  error.mutable_detail()->set_message("Undefined column. columnName=X");
  error.mutable_detail()->set_position(7);
  error.mutable_detail()->set_hint("columns are K, V");
  const Status status = ErrorOf(error);
  ASSERT_NE(status.sql_error(), nullptr);
  EXPECT_EQ(status.sql_error()->code, 504);
  EXPECT_EQ(status.sql_error()->position, 7);
  EXPECT_EQ(status.sql_error()->hint, "columns are K, V");
  error.mutable_detail()->set_status(static_cast<uint32_t>(StatusCode::kCancelled));
  EXPECT_EQ(ErrorOf(error).code(), StatusCode::kCancelled);
}

TEST(ServerErrorTest, AHostileServerCannotMakeAnErrorASuccess) {
  for (const uint32_t code : {0u, 200u, 256u, 0xffffffffu}) {
    pb::ErrorResponse error;
    error.set_error_message("x");
    error.mutable_detail()->set_status(code);
    EXPECT_FALSE(ErrorOf(error).ok()) << code;
  }
}

TEST(ServerErrorTest, AConnectionThatIsGone) {
  pb::ErrorResponse error;
  error.set_error_code(1);
  EXPECT_TRUE(IsNoSuchConnection(ErrorOf(error)));
  error.set_error_code(2);
  EXPECT_FALSE(IsNoSuchConnection(ErrorOf(error)));
}

TEST(ServerErrorTest, WhatIsNoQueryServerIsShownWithoutControlCharacters) {
  EXPECT_THAT(NoMessage({404, "<html>\x1b[31m"}).message(), HasSubstr("<html> [31m"));
  EXPECT_THAT(NoMessage({401, ""}).message(), HasSubstr("password"));
}

}  // namespace
}  // namespace bennu::thin_client
