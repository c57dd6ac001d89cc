// Casts and arithmetic over columns of every numeric type, as recorded.
#include <gtest/gtest.h>

#include <fstream>

#include "src/sql/expr/evaluate.h"
#include "src/sql/types/text.h"
#include "tests/sql/expr/test_binder.h"
#include "tests/sql/functions/answer_code.h"

namespace bennu::sql {
namespace {

class RecordedTable {
 public:
  void Create(const parse::CreateTable& create) {
    *this = RecordedTable();
    for (const parse::ColumnDef& column : create.columns) {
      const std::optional<TypeId> id =
          TypeByName(column.type.name + (column.type.is_array ? " ARRAY" : ""));
      ASSERT_TRUE(id.has_value()) << column.type.name;
      DataType type{*id};
      if (column.type.length >= 0) type.max_length = column.type.length;
      if (*id == TypeId::kDecimal && column.type.length >= 0) {
        type.scale = std::max(column.type.scale, 0);
      }
      scope_[column.name.name.text] = {chunk_.columns.size(), type};
      chunk_.columns.emplace_back(type, kRowsMax);
    }
  }

  void Upsert(const parse::Upsert& upsert) {
    for (Vector& column : chunk_.columns) column.SetNull(chunk_.size);
    for (size_t i = 0; i < upsert.rows[0].size(); ++i) {
      const size_t slot =
          upsert.columns.empty() ? i : scope_.at(upsert.columns[i].name.name.text).first;
      if (upsert.rows[0][i]->kind == parse::ExprKind::kArray) continue;
      const auto bound = BindForTest(*upsert.rows[0][i]);
      ASSERT_TRUE(bound.ok());
      const auto typed = MakeCoerce(*bound, chunk_.columns[slot].type(), "value");
      ASSERT_TRUE(typed.ok()) << typed.status().ToString();
      if ((*typed)->constant.is_null()) continue;
      chunk_.columns[slot].SetValid(chunk_.size);
      chunk_.columns[slot].SetValue(chunk_.size, (*typed)->constant);
    }
    ++chunk_.size;
  }

  // Types and rows, or the refusal, as the file writes them.
  std::vector<std::string> Select(const parse::Select& select) const {
    std::vector<std::string> lines(1 + chunk_.size, "|");
    for (const parse::SelectItem& item : select.items) {
      const Result<BoundExprPtr> bound = BindForTest(*item.expr, scope_);
      if (!bound.ok()) return {"| ! " + bound.status().ToString()};
      EvalContext context;
      Vector out;
      const Status status = Evaluate(**bound, chunk_, &context, &out);
      if (!status.ok()) return {"| ! " + status.ToString()};
      lines[0] += ' ' + std::string(TypeName((*bound)->type.id));
      for (size_t row = 0; row < chunk_.size; ++row) {
        lines[row + 1] += ' ' + ToText(out.GetValue(out.IndexOf(row)));
      }
    }
    return lines;
  }

 private:
  static constexpr size_t kRowsMax = 4096;
  TestScope scope_;
  DataChunk chunk_;
};

void ExpectAnswer(const std::string& sql, const std::vector<std::string>& got,
                  const std::vector<std::string>& want) {
  if (want[0].rfind("| !", 0) == 0) {
    EXPECT_EQ(CodeOf(got[0]), CodeOf(want[0])) << sql << "\n" << got[0] << "\n" << want[0];
  } else {
    EXPECT_EQ(got, want) << sql;
  }
}

TEST(Tables, AnswerAsRecorded) {
  std::ifstream in(std::string(BENNU_SOURCE_DIR) + "/tests/sql/functions/phoenix_tables.txt");
  RecordedTable table;
  int checked = 0;
  std::string sql;
  while (std::getline(in, sql)) {
    if (sql[0] == '#') continue;
    const auto statement = parse::ParseStatement(sql);
    ASSERT_TRUE(statement.ok()) << sql;
    if (const auto* create = std::get_if<parse::CreateTable>(&statement->node)) {
      table.Create(*create);
    } else if (const auto* upsert = std::get_if<parse::Upsert>(&statement->node)) {
      if (!upsert->rows.empty()) table.Upsert(*upsert);
    } else {
      std::vector<std::string> want;
      while (in.peek() == '|') {
        std::getline(in, want.emplace_back());
      }
      ASSERT_FALSE(want.empty()) << sql;
      ++checked;
      ExpectAnswer(sql, table.Select(std::get<parse::Select>(statement->node)), want);
    }
  }
  EXPECT_GT(checked, 300);
}

}  // namespace
}  // namespace bennu::sql
