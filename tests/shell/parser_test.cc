// The shell's language: what its texts are worth, where statements end, and what is refused.
#include "src/shell/parser.h"

#include <gtest/gtest.h>

#include <string>

namespace bennu::shell {
namespace {

// The only statement of the text.
ExpressionPtr One(const std::string& text) {
  auto parsed = Parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status().ToString();
  if (!parsed.ok()) return nullptr;
  EXPECT_TRUE(parsed->complete) << text;
  EXPECT_EQ(parsed->statements.size(), 1U) << text;
  return parsed->statements.empty() ? nullptr : std::move(parsed->statements[0]);
}

Value Literal(const std::string& text) {
  const ExpressionPtr expression = One(text);
  if (expression == nullptr) return Value();
  EXPECT_EQ(expression->kind, Expression::Kind::kLiteral) << text;
  return expression->value;
}

// Escapes as Ruby has them: all kinds in double quotes, two in single ones.
TEST(Strings, Escapes) {
  EXPECT_EQ(Literal(R"("\x00\xff\x7")"), Value::String(std::string("\0\xff\x07", 3)));
  EXPECT_EQ(Literal(R"("\101\0\12")"), Value::String(std::string("A\0\n", 3)));
  EXPECT_EQ(Literal(R"("\t\n\e\s\"\\\q")"), Value::String("\t\n\x1b \"\\q"));
  EXPECT_EQ(Literal(R"("caf\u00e9 \u{1F600}")"), Value::String("caf\xc3\xa9 \xf0\x9f\x98\x80"));
  EXPECT_EQ(Literal(R"('\x01 \' \\ \n')"), Value::String(R"(\x01 ' \ \n)"));
  EXPECT_EQ(Literal("'it''s'"), Value::String("its"));  // two strings side by side
  EXPECT_EQ(Literal("'two\nlines'"), Value::String("two\nlines"));
}

TEST(Numbers, OfAllKinds) {
  EXPECT_EQ(Literal("1_000"), Value::Integer(1000));
  EXPECT_EQ(Literal("0xFF"), Value::Integer(255));
  EXPECT_EQ(Literal("9223372036854775807"), Value::Integer(9223372036854775807));
  EXPECT_EQ(Literal("1.5"), Value(Value::Variant(1.5)));
  EXPECT_EQ(Literal("2e3"), Value(Value::Variant(2000.0)));
  EXPECT_FALSE(Parse("9223372036854775808").ok());
}

TEST(Literals, WordsAndSymbols) {
  EXPECT_TRUE(Literal("nil").is_nil());
  EXPECT_EQ(Literal("true"), Value::Boolean(true));
  EXPECT_EQ(Literal(":sym"), Value(Value::Variant(Value::Symbol{"sym"})));
}

// Pairs at the end of a call's arguments are one hash, with or without braces or parentheses.
TEST(Calls, TrailingPairs) {
  for (const char* text :
       {"alter 't', NAME => 'f', VERSIONS => 5", "alter('t', NAME => 'f', VERSIONS => 5)",
        "alter 't', {NAME => 'f', VERSIONS => 5}", "alter 't', NAME => 'f',\n  VERSIONS => 5",
        "alter 't', # why\n  {NAME => 'f', VERSIONS => 5,\n}",
        "alter 't', NAME: 'f', VERSIONS: 5"}) {
    const ExpressionPtr call = One(text);
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->kind, Expression::Kind::kCall);
    EXPECT_EQ(call->name, "alter");
    ASSERT_EQ(call->parts.size(), 2U) << text;
    ASSERT_EQ(call->parts[1]->kind, Expression::Kind::kHash) << text;
    EXPECT_EQ(call->parts[1]->parts.size(), 4U) << text;
  }
}

TEST(Calls, OnAReceiver) {
  const ExpressionPtr call = One("t.put 'r', 'f:q', -1");
  ASSERT_NE(call, nullptr);
  ASSERT_NE(call->receiver, nullptr);
  EXPECT_EQ(call->receiver->name, "t");
  ASSERT_EQ(call->parts.size(), 3U);
  EXPECT_EQ(call->parts[2]->kind, Expression::Kind::kNegate);
  const ExpressionPtr bare = One("t.scan");
  EXPECT_EQ(bare->kind, Expression::Kind::kCall);
}

TEST(Statements, AssignmentAndSum) {
  const ExpressionPtr assignment = One("x = 'r' + '2'");
  EXPECT_EQ(assignment->kind, Expression::Kind::kAssign);
  EXPECT_EQ(assignment->parts[0]->kind, Expression::Kind::kAdd);
  EXPECT_EQ(One("d = exists 'l'")->parts[0]->name, "exists");
}

TEST(Statements, SeveralInALine) {
  const auto parsed = Parse("list; exists 't' # and\n\n5\n");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->statements.size(), 3U);
  EXPECT_TRUE(Parse("# nothing\n")->statements.empty());
}

// A prompt must know that more is to come.
TEST(Incomplete, WhatGoesOn) {
  for (const char* text :
       {"create 't', {NAME => 'f',\n", "put 't',\n", "put 't', 'r\n", "x =\n", "[1,\n", "'a' +\n",
        "scan 't', {LIMIT =>\n", "put('t'\n", "t.\n", "list \\\n"}) {
    const auto parsed = Parse(text);
    ASSERT_TRUE(parsed.ok()) << text << parsed.status().ToString();
    const bool just_a_continued_line = std::string(text) == "list \\\n";
    EXPECT_EQ(parsed->complete, just_a_continued_line) << text;
  }
  EXPECT_EQ(Parse("put \"r\n")->open_quote, '"');
  EXPECT_EQ(Parse("create 't', {NAME => [\n")->depth, 2U);
}

// What no further line can mend is told at once.
TEST(Refused, WithTheReason) {
  for (const char* text :
       {"put 't' 5", "scan 't', }", ")", "{1, 2}", "a = = 5", "x.5", "put 't', NAME => 'f', 'r'",
        "[1 2]", "t @ 5", "3.times { |i| 5 }", "\"a#{1}\"", "\"\\xzz\"", "if true", "scan => 5"}) {
    const auto parsed = Parse(text);
    EXPECT_FALSE(parsed.ok() && parsed->complete && std::string(text) != "if true") << text;
    if (!parsed.ok()) {
      EXPECT_NE(parsed.status().message().find("syntax error"), std::string::npos) << text;
    }
  }
}

// Depth is bounded: the parser must not run out of stack.
TEST(Refused, DeepNesting) {
  const std::string deep(100000, '[');
  const auto parsed = Parse(deep);
  EXPECT_FALSE(parsed.ok());
  EXPECT_FALSE(Parse(std::string(100000, '-') + "1").ok());
}

TEST(Inspect, AsRubyPrints) {
  EXPECT_EQ(Value::String(std::string("d\"q\x01\n#{\xff\xc3\xa9", 10)).Inspect(),
            "\"d\\\"q\\u0001\\n\\#{\\xFF\xc3\xa9\"");
  EXPECT_EQ(Value(Value::Variant(1.0)).Inspect(), "1.0");
  EXPECT_EQ(Value(Value::Variant(1e20)).Inspect(), "1.0e+20");
  EXPECT_EQ(Value(Value::Variant(8.98846567431158e+307)).Inspect(), "8.98846567431158e+307");
  EXPECT_EQ(Value::Strings({"a", "b"}).Inspect(), "[\"a\", \"b\"]");
}

}  // namespace
}  // namespace bennu::shell
