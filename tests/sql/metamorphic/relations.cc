#include "tests/sql/metamorphic/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "tests/sql/generator/expressions.h"
#include "tests/sql/metamorphic/check.h"

namespace bennu::sql::testing {
namespace {

std::string Not(const std::string& predicate) { return "NOT (" + predicate + ")"; }
std::string Unknown(const std::string& predicate) { return "(" + predicate + ") IS NULL"; }

const std::string& AnyTable(const Trial& trial) { return trial.choices->Pick(trial.first->tables); }

std::string AllColumns(const TableModel& model, const std::string& prefix = "") {
  std::string text;
  for (const Column& column : model.columns) {
    text += (text.empty() ? "" : ", ") + prefix + column.name;
  }
  return text;
}

// ORDER BY of all key columns, in which no two rows are equal. 'back': the opposite order.
std::string KeyOrder(const TableModel& model, bool back) {
  std::string text;
  for (size_t i = 0; i < model.key_count; ++i) {
    text += (text.empty() ? "" : ", ") + model.columns[i].name + (back ? " DESC" : " ASC") +
            (back ? " NULLS LAST" : " NULLS FIRST");
  }
  return text;
}

std::vector<std::string_view> Cells(std::string_view row) {
  std::vector<std::string_view> cells;
  for (;;) {
    const size_t tab = row.find('\t');
    cells.push_back(row.substr(0, tab));
    if (tab == std::string_view::npos) return cells;
    row.remove_prefix(tab + 1);
  }
}

// ---- ternary logic partitioning: each row makes a predicate true, false or unknown

std::optional<Finding> PartitionRows(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model);
  const std::string p = trial.choices->Percent(50) ? make.Predicate() : make.KeyPredicate();
  const std::string select =
      "SELECT " + AllColumns(trial.first->model) + " FROM " + AnyTable(trial);
  const Rows all = check.AskSorted(select);
  const Rows parts =
      Together({check.Ask(select + " WHERE " + p), check.Ask(select + " WHERE " + Not(p)),
                check.Ask(select + " WHERE " + Unknown(p))});
  check.Equal(all, parts, "all rows, and those where it is true, false, unknown");
  return std::move(check).Verdict();
}

// A sum of counts and sums; NULL stands for a sum of nothing.
void AddTo(std::vector<std::string>* sums, const std::vector<std::string_view>& cells,
           size_t from) {
  sums->resize(cells.size() - from, "NULL");
  for (size_t i = from; i < cells.size(); ++i) {
    if (cells[i] == "NULL") continue;
    std::string& sum = (*sums)[i - from];
    const int64_t before = sum == "NULL" ? 0 : std::stoll(sum);
    sum = std::to_string(before + std::stoll(std::string(cells[i])));
  }
}

Rows Merge(const std::vector<Rows>& parts, size_t group_count) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const Rows& part : parts) {
    for (const std::string& row : part) {
      const std::vector<std::string_view> cells = Cells(row);
      std::string key;
      for (size_t i = 0; i < group_count; ++i) key += std::string(cells[i]) + "\t";
      AddTo(&groups[key], cells, group_count);
    }
  }
  Rows rows;
  for (const auto& [key, sums] : groups) {
    std::string row = key;
    for (size_t i = 0; i < sums.size(); ++i) row += (i > 0 ? "\t" : "") + sums[i];
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::optional<Finding> PartitionAggregates(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model);
  const std::string p = trial.choices->Percent(50) ? make.Predicate() : make.KeyPredicate();
  const std::string whole = make.WholeColumn();
  const std::string aggregates =
      fmt::format("COUNT(*), COUNT({}), SUM({}), COUNT({})", whole, whole, make.AnyColumn());
  std::string groups;
  const size_t group_count = trial.choices->Below(3);
  for (size_t i = 0; i < group_count; ++i) {
    groups += (groups.empty() ? "" : ", ") + make.GroupColumn();
  }
  const std::string select =
      "SELECT " + (groups.empty() ? "" : groups + ", ") + aggregates + " FROM " + AnyTable(trial);
  const std::string by = groups.empty() ? "" : " GROUP BY " + groups;
  const Rows all = Merge({check.Ask(select + by)}, group_count);
  const Rows parts =
      Merge({check.Ask(select + " WHERE " + p + by), check.Ask(select + " WHERE " + Not(p) + by),
             check.Ask(select + " WHERE " + Unknown(p) + by)},
            group_count);
  check.Equal(all, parts, "aggregates of all rows, and of the parts");
  return std::move(check).Verdict();
}

std::optional<Finding> PartitionDistinct(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model);
  const std::string p = trial.choices->Percent(50) ? make.Predicate() : make.KeyPredicate();
  const std::string columns = trial.choices->Percent(40)
                                  ? make.GroupColumn()
                                  : make.GroupColumn() + ", " + make.GroupColumn();
  const std::string select = "SELECT DISTINCT " + columns + " FROM " + AnyTable(trial);
  const Rows all = check.AskSorted(select);
  const Rows parts = WithoutDuplicates(
      Together({check.Ask(select + " WHERE " + p), check.Ask(select + " WHERE " + Not(p)),
                check.Ask(select + " WHERE " + Unknown(p))}));
  check.Equal(all, parts, "different values of all rows, and of the parts");
  check.That(WithoutDuplicates(all) == all, "DISTINCT gives a row twice");
  return std::move(check).Verdict();
}

// HAVING is true, false or unknown of each group.
std::optional<Finding> PartitionGroups(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model);
  const std::string whole = make.WholeColumn();
  const auto compare = [&] {
    switch (trial.choices->Below(4)) {
      case 0: return fmt::format("COUNT(*) > {}", trial.choices->Between(1, 4));
      case 1: return fmt::format("SUM({}) <= {}", whole, trial.choices->Between(0, 12));
      case 2: return fmt::format("MAX({}) = {}", whole, trial.choices->Between(0, 6));
      default: return fmt::format("MIN({}) < COUNT({})", whole, make.AnyColumn());
    }
  };
  std::string p = compare();
  if (trial.choices->Percent(50)) {
    p = "(" + p + (trial.choices->Percent(50) ? " AND " : " OR ") + compare() + ")";
  }
  const std::string group = make.GroupColumn();
  const std::string select = fmt::format("SELECT {}, COUNT(*), MAX({}) FROM {} GROUP BY {}", group,
                                         whole, AnyTable(trial), group);
  const Rows parts =
      Together({check.Ask(select + " HAVING " + p), check.Ask(select + " HAVING " + Not(p)),
                check.Ask(select + " HAVING " + Unknown(p))});
  check.Equal(check.AskSorted(select), parts,
              "all groups, and those where it is true, false and unknown");
  return std::move(check).Verdict();
}

// ---- the same question in other words

// In the select list nothing is optimised away.
std::optional<Finding> CountInSelectList(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model, "", {.like = false});
  const std::string p = trial.choices->Percent(50) ? make.Predicate() : make.KeyPredicate();
  const std::string& table = AnyTable(trial);
  const Rows counted = check.Ask("SELECT COUNT(*) FROM " + table + " WHERE " + p);
  const Rows shown = check.Ask("SELECT CASE WHEN " + p + " THEN 'yes' ELSE 'no' END FROM " + table);
  const auto yes = std::count(shown.begin(), shown.end(), "yes");
  check.Equal(counted, {std::to_string(yes)}, "rows in WHERE, and counted in the select list");
  return std::move(check).Verdict();
}

// OR with a condition on a column outside of the key leaves nothing to make key ranges of.
std::optional<Finding> WithoutKeyRanges(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model);
  const std::string p = make.KeyPredicate(static_cast<int>(trial.choices->Between(1, 3)));
  const std::string& table = AnyTable(trial);
  const std::string columns = AllColumns(trial.first->model);
  const std::string from = columns + " FROM " + table + " WHERE ";
  const Rows plain = check.AskSorted("SELECT " + from + p + " OR Z = 1");
  check.Equal(plain, check.AskSorted("SELECT " + from + p), "without key ranges, and with them");
  check.Equal(plain, check.AskSorted("SELECT /*+ SKIP_SCAN */ " + from + p),
              "without key ranges, and by a skip scan");
  check.Equal(plain, check.AskSorted("SELECT /*+ RANGE_SCAN */ " + from + p),
              "without key ranges, and by a range scan");
  // The same read backwards.
  check.Equal(plain,
              check.AskSorted("SELECT " + from + p + " ORDER BY " +
                              KeyOrder(trial.first->model, trial.choices->Percent(50))),
              "without key ranges, and in the key's order");
  return std::move(check).Verdict();
}

// ---- order and slices

std::optional<Finding> OrderBothWays(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model);
  const std::string p = trial.choices->Percent(50) ? make.KeyPredicate() : make.Predicate();
  std::string ahead = KeyOrder(trial.first->model, false);
  std::string back = KeyOrder(trial.first->model, true);
  if (trial.choices->Percent(50)) {
    const std::string column = make.AnyColumn();
    ahead = column + " ASC NULLS FIRST, " + ahead;
    back = column + " DESC NULLS LAST, " + back;
  }
  const std::string select = "SELECT " + AllColumns(trial.first->model) + " FROM " +
                             AnyTable(trial) + " WHERE " + p + " ORDER BY ";
  const Rows rows = check.Ask(select + ahead);
  Rows reversed = check.Ask(select + back);
  std::reverse(reversed.begin(), reversed.end());
  check.Equal(rows, reversed, "in one order, and the rows of the other one from the end");
  return std::move(check).Verdict();
}

std::optional<Finding> SlicesJoin(const Trial& trial) {
  Check check(trial);
  ExpressionMaker make(trial.choices, &trial.first->model);
  std::string select = "SELECT " + AllColumns(trial.first->model) + " FROM " + AnyTable(trial);
  if (trial.choices->Percent(70)) select += " WHERE " + make.KeyPredicate();
  select += " ORDER BY ";
  if (trial.choices->Percent(40)) select += make.AnyColumn() + ", ";
  select += KeyOrder(trial.first->model, trial.choices->Percent(50));
  const Rows whole = check.Ask(select);
  const size_t step = 1 + trial.choices->Below(12);
  Rows joined;
  for (size_t offset = 0; offset <= whole.size(); offset += step) {
    const Rows slice = check.Ask(fmt::format("{} LIMIT {} OFFSET {}", select, step, offset));
    check.That(slice.size() <= step, "a slice has more rows than LIMIT says");
    joined.insert(joined.end(), slice.begin(), slice.end());
  }
  check.Equal(whole, joined, "all rows, and the slices");
  return std::move(check).Verdict();
}

// ---- the same rows stored in other ways

std::string AnyQuery(const Trial& trial, bool* ordered) {
  const TableModel& model = trial.first->model;
  ExpressionMaker make(trial.choices, &model);
  std::string where;
  if (trial.choices->Percent(80)) {
    where = " WHERE " + (trial.choices->Percent(60) ? make.KeyPredicate() : make.Predicate());
  }
  *ordered = false;
  switch (trial.choices->Below(5)) {
    case 0: {
      *ordered = true;
      return "SELECT " + AllColumns(model) + " FROM @" + where + " ORDER BY " + make.AnyColumn() +
             ", " + KeyOrder(model, trial.choices->Percent(50)) +
             (trial.choices->Percent(60) ? fmt::format(" LIMIT {}", trial.choices->Between(1, 9))
                                         : "");
    }
    case 1: {
      const std::string group = make.GroupColumn();
      return fmt::format(
          "SELECT {0}, COUNT(*), SUM({1}), MIN({2}), MAX({2}), COUNT(DISTINCT {3}), AVG({1}) "
          "FROM @{4} GROUP BY {0}",
          group, make.WholeColumn(), make.AnyColumn(), make.AnyColumn(), where);
    }
    case 2:
      return fmt::format("SELECT COUNT(*), MIN({0}), MAX({0}), COUNT({1}), AVG({2}) FROM @{3}",
                         make.AnyColumn(), make.AnyColumn(), make.WholeColumn(), where);
    case 3:
      return "SELECT DISTINCT " + make.GroupColumn() + ", " + make.GroupColumn() + " FROM @" +
             where;
    default:
      return "SELECT " + AllColumns(model) + ", " + make.Scalar(Kind::kInteger) + " FROM @" + where;
  }
}

std::string Over(std::string query, const std::string& table) {
  for (size_t at = query.find('@'); at != std::string::npos; at = query.find('@', at)) {
    query.replace(at, 1, table);
  }
  return query;
}

std::optional<Finding> SameInEachTable(const Trial& trial) {
  Check check(trial);
  bool ordered = false;
  const std::string query = AnyQuery(trial, &ordered);
  std::optional<Rows> first;
  for (const std::string& table : trial.first->tables) {
    const std::string sql = Over(query, table);
    Rows rows = ordered ? check.Ask(sql) : check.AskSorted(sql);
    if (first.has_value()) {
      check.Equal(*first, rows, trial.first->tables[0] + " and " + table);
    } else {
      first = std::move(rows);
    }
  }
  return std::move(check).Verdict();
}

std::optional<Finding> SameAfterDisturbance(const Trial& trial) {
  Check check(trial);
  bool ordered = false;
  const std::string& table = AnyTable(trial);
  const std::string query = Over(AnyQuery(trial, &ordered), table);
  const Rows before = ordered ? check.Ask(query) : check.AskSorted(query);
  for (size_t i = 0, count = 1 + trial.choices->Below(2); i < count; ++i) {
    const Status disturbed = trial.lab->Disturb(table, trial.choices);
    check.That(disturbed.ok(), disturbed.ToString());
  }
  check.Equal(before, ordered ? check.Ask(query) : check.AskSorted(query),
              "before, and after files and regions changed");
  return std::move(check).Verdict();
}

// ---- joins

// A column of each side, to be compared. 'grouped': none that DISTINCT shows with its end cut off.
std::pair<std::string, std::string> JoinColumns(const Trial& trial, bool grouped = false) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Column& left : trial.first->model.columns) {
    if (grouped && left.kind == Kind::kVarbinaryEncoded) continue;
    for (const Column& right : trial.second->model.columns) {
      if (left.kind == right.kind || (IsSigned(left.kind) && IsSigned(right.kind))) {
        pairs.emplace_back("A." + left.name, "B." + right.name);
      }
    }
  }
  return trial.choices->Pick(pairs);  // Z is always one
}

std::optional<Finding> JoinsAgree(const Trial& trial) {
  Check check(trial);
  const auto [left, right] = JoinColumns(trial);
  const std::string& a = AnyTable(trial);
  const std::string& b = trial.choices->Pick(trial.second->tables);
  const std::string columns =
      AllColumns(trial.first->model, "A.") + ", " + AllColumns(trial.second->model, "B.");
  ExpressionMaker make(trial.choices, &trial.first->model, "A.");
  ExpressionMaker make_right(trial.choices, &trial.second->model, "B.");
  std::string where;
  if (trial.choices->Percent(50)) where = " WHERE " + make.KeyPredicate(1);
  const char* const types[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
  const size_t type = trial.choices->Below(4);
  // More conditions are allowed of the side that may be missing.
  const bool with_more = type < 2 && trial.choices->Percent(30);
  const std::string on = fmt::format(" ON {} = {}", left, right) +
                         (with_more ? " AND " + make_right.KeyPredicate(1) : std::string());
  const auto join = [&](const std::string& hint, size_t which, const std::string& condition) {
    return fmt::format("SELECT {}{} FROM {} A {} {} B{}{}", hint, columns, a, types[which], b, on,
                       condition);
  };
  const Rows hashed = check.AskSorted(join("", type, where));
  check.Equal(hashed, check.AskSorted(join("/*+ USE_SORT_MERGE_JOIN */ ", type, where)),
              "by hashing, and by sorting");
  check.Equal(hashed,
              check.AskSorted(join("/*+ NO_CHILD_PARENT_JOIN_OPTIMIZATION */ ", type, where)),
              "by keys of the other side, and without");
  if (where.empty()) return std::move(check).Verdict();
  // A left join's rows without a partner are those that an inner join does not show.
  const std::string p = where.substr(7);
  const Rows parts = Together({check.Ask(join("", type, " WHERE " + p)),
                               check.Ask(join("", type, " WHERE " + Not(p))),
                               check.Ask(join("", type, " WHERE " + Unknown(p)))});
  check.Equal(check.AskSorted(join("", type, "")), parts, "a join, and its parts");
  return std::move(check).Verdict();
}

std::optional<Finding> CrossProductAgrees(const Trial& trial) {
  Check check(trial);
  const auto [left, right] = JoinColumns(trial);
  ExpressionMaker make(trial.choices, &trial.first->model, "A.");
  const std::string& a = AnyTable(trial);
  const std::string& b = trial.choices->Pick(trial.second->tables);
  const std::string columns = "SELECT " + AllColumns(trial.first->model, "A.") + ", " +
                              AllColumns(trial.second->model, "B.");
  const std::string p = make.KeyPredicate(1);
  // An ON takes NULLs for equal, an equality of WHERE does not.
  const std::string known = fmt::format(" AND {} IS NOT NULL", left);
  const Rows joined = check.AskSorted(fmt::format("{} FROM {} A JOIN {} B ON {} = {} WHERE {}{}",
                                                  columns, a, b, left, right, p, known));
  const Rows product = check.AskSorted(
      fmt::format("{} FROM {} A, {} B WHERE {} AND {} = {}", columns, a, b, p, left, right));
  check.Equal(joined, product, "a join, and the product of which WHERE keeps a part");
  return std::move(check).Verdict();
}

// IN, the same as EXISTS, and as a join with the different values.
std::optional<Finding> SubqueriesAgree(const Trial& trial) {
  Check check(trial);
  const auto [left, right] = JoinColumns(trial, /*grouped=*/true);
  ExpressionMaker make(trial.choices, &trial.second->model, "B.");
  const std::string& a = AnyTable(trial);
  const std::string& b = trial.choices->Pick(trial.second->tables);
  const std::string p = make.KeyPredicate(1);
  const std::string select =
      fmt::format("SELECT {} FROM {} A", AllColumns(trial.first->model, "A."), a);
  const Rows in = check.AskSorted(
      fmt::format("{} WHERE {} IN (SELECT {} FROM {} B WHERE {})", select, left, right, b, p));
  check.Equal(
      in,
      check.AskSorted(fmt::format("{} WHERE EXISTS (SELECT 1 FROM {} B WHERE {} AND {} = {})",
                                  select, b, p, right, left)),
      "IN, and EXISTS");
  check.Equal(in,
              check.AskSorted(
                  fmt::format("{} JOIN (SELECT DISTINCT {} AS X FROM {} B WHERE {}) D ON {} = D.X",
                              select, right, b, p, left)),
              "IN, and a join");
  const Rows out = check.AskSorted(
      fmt::format("{} WHERE {} NOT IN (SELECT {} FROM {} B WHERE {})", select, left, right, b, p));
  check.Equal(check.AskSorted(select), Together({in, out}), "all rows, and IN with NOT IN");
  return std::move(check).Verdict();
}

// ---- changes

// What UPSERT SELECT copies and DELETE leaves is what queries say.
std::optional<Finding> CopyAndDelete(const Trial& trial) {
  Check check(trial);
  const TableModel& model = trial.first->model;
  ExpressionMaker make(trial.choices, &model);
  Layout layout = MakeLayout(model, trial.choices);
  const std::string copied = make.KeyPredicate(1);
  const std::string p = trial.choices->Percent(60) ? make.KeyPredicate() : make.Predicate();
  const std::string& table = AnyTable(trial);
  const std::string all = AllColumns(model);
  check.Run("DROP TABLE IF EXISTS COPY");
  check.Run(CreateTable("COPY", model, layout));
  check.Run(
      fmt::format("UPSERT INTO COPY ({0}) SELECT {0} FROM {1} WHERE {2}", all, table, copied));
  const std::string source = fmt::format("SELECT {} FROM {} WHERE ({})", all, table, copied);
  check.Equal(check.AskSorted(source), check.AskSorted("SELECT " + all + " FROM COPY"),
              "what is copied, and the copy");
  const Rows stay =
      Together({check.Ask(source + " AND " + Not(p)), check.Ask(source + " AND " + Unknown(p))});
  check.Run("DELETE FROM COPY WHERE " + p);
  check.Equal(stay, check.AskSorted("SELECT " + all + " FROM COPY"), "what stays of the copy");
  return std::move(check).Verdict();
}

}  // namespace

const std::vector<Relation>& Relations() {
  static const auto* const relations = new std::vector<Relation>{
      {"rows in three parts", PartitionRows},
      {"aggregates in three parts", PartitionAggregates},
      {"different values in three parts", PartitionDistinct},
      {"groups in three parts", PartitionGroups},
      {"counted in the select list", CountInSelectList},
      {"without key ranges", WithoutKeyRanges},
      {"without key ranges", WithoutKeyRanges},  // what goes wrong most easily
      {"order both ways", OrderBothWays},
      {"slices", SlicesJoin},
      {"stored in other ways", SameInEachTable},
      {"files and regions", SameAfterDisturbance},
      {"joins", JoinsAgree},
      {"joins and products", CrossProductAgrees},
      {"subqueries", SubqueriesAgree},
      {"copy and delete", CopyAndDelete},
  };
  return *relations;
}

}  // namespace bennu::sql::testing
