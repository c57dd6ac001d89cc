// The SQL parser: any text is a tree or refused with a place inside the text; the text of an
// expression reads back to the same tree; the splitter loses nothing.
#include "src/base/check.h"
#include "src/sql/parse/parser.h"
#include "src/sql/parse/splitter.h"

namespace bennu::sql::parse {
namespace {

void CheckRefusal(const Status& status, std::string_view text) {
  BENNU_CHECK(status.sql_error() != nullptr);
  BENNU_CHECK(status.sql_error()->position <= static_cast<int64_t>(text.size()));
}

void FuzzStatement(std::string_view text) {
  const Result<Statement> statement = ParseStatement(text);
  if (!statement.ok()) CheckRefusal(statement.status(), text);
}

// What ToText abbreviates cannot be read back.
bool HasSubquery(std::string_view text) {
  return text.find("SELECT ...") != std::string_view::npos;
}

void FuzzExpression(std::string_view text) {
  const Result<ExprPtr> expr = ParseExpression(text);
  if (!expr.ok()) return CheckRefusal(expr.status(), text);
  const std::string written = ToText(**expr);
  if (HasSubquery(written)) return;
  const Result<ExprPtr> again = ParseExpression(written);
  // Parentheses that the text adds may nest too deep; nothing else may be wrong with it.
  if (!again.ok()) {
    BENNU_CHECK(again.status().message().find("Nested more") != std::string::npos);
  } else {
    BENNU_CHECK(ToText(**again) == written);
  }
}

void FuzzSplitter(std::string_view text) {
  StatementSplitter splitter;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    for (const ScriptStatement& s : splitter.AddLine(text.substr(0, end))) {
      BENNU_CHECK(!s.text.empty() && s.line <= splitter.line());
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  splitter.Finish();
  BENNU_CHECK(splitter.at_start());
}

}  // namespace
}  // namespace bennu::sql::parse

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bennu::sql::parse::FuzzStatement(text);
  bennu::sql::parse::FuzzExpression(text);
  bennu::sql::parse::FuzzSplitter(text);
  return 0;
}
