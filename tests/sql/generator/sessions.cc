#include "tests/sql/generator/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/sql/generator/scalars.h"

namespace bennu::sql::testing {
namespace {

constexpr size_t kQueries = 24;

std::string AllColumns(const TableModel& model, const std::string& prefix = "") {
  std::string text;
  for (const Column& column : model.columns) {
    text += (text.empty() ? "" : ", ") + prefix + column.name;
  }
  return text;
}

std::string KeyOrder(const TableModel& model, bool descending, const std::string& prefix = "") {
  std::string text;
  for (size_t i = 0; i < model.key_count; ++i) {
    text += (i == 0 ? "" : ", ") + prefix + model.columns[i].name + (descending ? " DESC" : "");
  }
  return text;
}

bool IsArray(Kind kind) { return kind == Kind::kIntegerArray || kind == Kind::kVarcharArray; }

// Where these are NULL, Phoenix leaves what the column of the same table had.
bool LeavesOldValue(const std::string& expression) {
  for (const char* part : {" + ", " - ", " * ", " / ", "SUBSTR("}) {
    if (expression.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string SessionMaker::Value(const Column& column) {
  if (column.name == "Z") return "0";
  if (column.nullable && choices_->Percent(20)) return "NULL";
  if (choices_->Percent(12)) return ExtremeLiteral(column.kind, choices_);
  return Literal(column.kind, choices_, /*stored=*/true);
}

SessionMaker::Subject SessionMaker::Define(const std::string& name, const TableModel& model) {
  Layout layout = choices_->Percent(25) ? PlainLayout(model) : MakeLayout(model, choices_);
  // Phoenix pads a NULL that it stores: it becomes spaces or zero bytes.
  const bool pads = std::any_of(model.columns.begin(), model.columns.end(), [](const Column& c) {
    return c.kind == Kind::kChar || c.kind == Kind::kBinary;
  });
  const size_t store_nulls = layout.options.find("STORE_NULLS=true");
  if (pads && store_nulls != std::string::npos) {
    layout.options.replace(store_nulls, 16, "STORE_NULLS=false");
  }
  Subject subject{prefix_ + name, model, layout.options.find("SALT") != std::string::npos};
  for (size_t i = 0; i < model.columns.size(); ++i) {
    if (!layout.families[i].empty()) subject.one_family = false;
    if (i >= model.key_count) continue;
    subject.model.columns[i].descending = layout.descending[i];
    subject.model.columns[i].bare = false;
  }
  Statement(CreateTable(subject.name, model, layout));
  return subject;
}

std::string SessionMaker::Upsert(const Subject& subject, bool padded_null) {
  std::string names;
  std::string values;
  for (const Column& column : subject.model.columns) {
    if (!column.key && column.name != "Z" && choices_->Percent(20)) continue;
    names += (names.empty() ? "" : ", ") + column.name;
    std::string value = Value(column);
    const bool padded = column.kind == Kind::kChar || column.kind == Kind::kBinary;
    if (value == "NULL" && padded && !padded_null) value = Literal(column.kind, choices_, true);
    values += (values.empty() ? "" : ", ") + value;
  }
  return "UPSERT INTO " + subject.name + " (" + names + ") VALUES (" + values + ")";
}

std::string SessionMaker::OnDuplicateKey(const Subject& subject) {
  if (choices_->Percent(30)) return " ON DUPLICATE KEY IGNORE";
  ExpressionMaker make(choices_, &subject.model);
  const size_t first = subject.model.key_count;
  const Column& column =
      subject.model.columns[first + choices_->Below(subject.model.columns.size() - first)];
  const std::string value =
      choices_->Percent(60) ? make.Scalar(column.kind, 1) : Literal(column.kind, choices_, true);
  return fmt::format(" ON DUPLICATE KEY UPDATE {} = {}", column.name, value);
}

void SessionMaker::Fill(const Subject& subject) {
  ExpressionMaker make(choices_, &subject.model);
  for (size_t i = 0, rows = 4 + choices_->Below(12); i < rows; ++i) {
    if (subject.one_family && !subject.model.written_once && choices_->Percent(15)) {
      Statement(Upsert(subject, /*padded_null=*/false) + OnDuplicateKey(subject));
    } else {
      Statement(Upsert(subject));
    }
    if (choices_->Percent(3)) {
      Statement("DELETE FROM " + subject.name + " WHERE " + make.KeyPredicate(1));
    }
  }
}

void SessionMaker::FillByTransactions(const Subject& subject) {
  text_.Autocommit(false);
  for (size_t i = 0, count = 1 + choices_->Below(2); i < count; ++i) {
    for (size_t j = 0, rows = 1 + choices_->Below(4); j < rows; ++j) Statement(Upsert(subject));
    if (choices_->Percent(75)) {
      text_.Commit();
    } else {
      text_.Rollback();
    }
  }
  text_.Autocommit(true);
}

// ---- queries

std::string SessionMaker::Where(const Subject& subject, uint64_t share) {
  if (!choices_->Percent(share)) return "";
  ExpressionMaker make(choices_, &subject.model);
  if (choices_->Percent(20)) return " WHERE " + ScalarMaker(choices_, &subject.model).Condition(1);
  return " WHERE " + (choices_->Percent(60) ? make.KeyPredicate() : make.Predicate());
}

void SessionMaker::AskRows(const Subject& subject) {
  const std::string hint =
      choices_->Percent(20) ? (choices_->Percent(50) ? "/*+ SKIP_SCAN */ " : "/*+ RANGE_SCAN */ ")
                            : "";
  std::string text = "SELECT " + hint + (choices_->Percent(50) ? "*" : AllColumns(subject.model)) +
                     " FROM " + subject.name + Where(subject, 90);
  if (!subject.salted && choices_->Percent(15))
    text += fmt::format(" LIMIT {}", choices_->Below(6));
  Query(text, !subject.salted);
}

void SessionMaker::AskOrdered(const Subject& subject) {
  ScalarMaker scalars(choices_, &subject.model);
  std::string order = KeyOrder(subject.model, choices_->Percent(50));
  if (choices_->Percent(60)) {
    order = (choices_->Percent(70) ? ExpressionMaker(choices_, &subject.model).AnyColumn()
                                   : scalars.Any(1)) +
            choices_->Pick<std::string>({"", " DESC", " NULLS LAST", " DESC NULLS LAST"}) + ", " +
            order;
  }
  std::string text = "SELECT " + AllColumns(subject.model) + " FROM " + subject.name +
                     Where(subject, 60) + " ORDER BY " + order;
  if (choices_->Percent(40)) text += fmt::format(" LIMIT {}", choices_->Between(1, 9));
  if (choices_->Percent(20)) text += fmt::format(" OFFSET {}", choices_->Below(5));
  Query(text, true);
}

void SessionMaker::AskScalars(const Subject& subject) {
  ScalarMaker scalars(choices_, &subject.model);
  std::string text = "SELECT " + scalars.Any();
  for (size_t i = 0, count = choices_->Below(2); i < count; ++i) text += ", " + scalars.Any();
  Query(text + " FROM " + subject.name + Where(subject, 20), !subject.salted);
}

std::string SessionMaker::Aggregate(const Subject& subject) {
  ExpressionMaker make(choices_, &subject.model);
  ScalarMaker scalars(choices_, &subject.model);
  const std::string column = choices_->Percent(80) ? make.AnyColumn() : scalars.Any(1);
  switch (choices_->Below(12)) {
    case 0: return "COUNT(*)";
    case 1: return "COUNT(" + column + ")";
    case 2: return "COUNT(DISTINCT " + column + ")";
    case 3:
    case 4: return "MIN(" + column + ")";
    case 5:
    case 6: return "MAX(" + column + ")";
    case 7:
    case 8: {
      // The sum of what is constant is not always one in Phoenix.
      const std::string number = scalars.Number(static_cast<int>(choices_->Below(2)));
      return "SUM(" + (number.find_first_of("KVZ") == std::string::npos ? "Z" : number) + ")";
    }
    case 9: return "AVG(" + scalars.Number(0) + ")";
    case 10:
      // By several columns it is not said which of equal ones is the first.
      if (subject.model.key_count > 1) return "MAX(" + column + ")";
      return fmt::format("{}({}) WITHIN GROUP (ORDER BY {} {})",
                         choices_->Percent(50) ? "FIRST_VALUE" : "LAST_VALUE", column,
                         KeyOrder(subject.model, false), choices_->Percent(50) ? "ASC" : "DESC");
    default:
      return fmt::format("{}({}) WITHIN GROUP (ORDER BY {} {})",
                         choices_->Percent(50) ? "PERCENTILE_DISC" : "PERCENTILE_CONT",
                         choices_->Pick<std::string>({"0.5", "0", "1", "0.25"}), make.WholeColumn(),
                         choices_->Percent(50) ? "ASC" : "DESC");
  }
}

void SessionMaker::AskAggregates(const Subject& subject) {
  std::string text = "SELECT " + Aggregate(subject);
  for (size_t i = 0, count = choices_->Below(3); i < count; ++i) text += ", " + Aggregate(subject);
  Query(text + " FROM " + subject.name + Where(subject, 60), true);
}

void SessionMaker::AskGroups(const Subject& subject) {
  ExpressionMaker make(choices_, &subject.model);
  ScalarMaker scalars(choices_, &subject.model);
  std::string group = choices_->Percent(70) ? make.GroupColumn() : scalars.Any(1);
  if (choices_->Percent(40)) group += ", " + make.GroupColumn();
  std::string text =
      fmt::format("SELECT {}, {}, {} FROM {}{} GROUP BY {}", group, Aggregate(subject),
                  Aggregate(subject), subject.name, Where(subject, 40), group);
  if (choices_->Percent(25)) {
    text += fmt::format(" HAVING COUNT(*) > {}", choices_->Below(3));
  }
  Query(text, false);
}

void SessionMaker::AskDistinct(const Subject& subject) {
  ExpressionMaker make(choices_, &subject.model);
  std::string text = "SELECT DISTINCT " + make.GroupColumn();
  for (size_t i = 0, count = choices_->Below(3); i < count; ++i) text += ", " + make.GroupColumn();
  Query(text + " FROM " + subject.name + Where(subject, 40), false);
}

void SessionMaker::AskJoin(const Subject& left, const Subject& right) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Column& a : left.model.columns) {
    for (const Column& b : right.model.columns) {
      if (a.kind == b.kind || (IsSigned(a.kind) && IsSigned(b.kind))) {
        pairs.emplace_back("A." + a.name, "B." + b.name);
      }
    }
  }
  const auto& [a, b] = choices_->Pick(pairs);
  ExpressionMaker make(choices_, &left.model, "A.");
  std::string text = fmt::format(
      "SELECT {}{} FROM {} A {} {} B ON {} = {}",
      choices_->Percent(25) ? "/*+ USE_SORT_MERGE_JOIN */ " : "",
      choices_->Percent(30) ? "*"
                            : AllColumns(left.model, "A.") + ", " + AllColumns(right.model, "B."),
      left.name,
      choices_->Pick<std::string>({"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "JOIN"}),
      right.name, a, b);
  if (choices_->Percent(25)) {
    const auto& [c, d] = choices_->Pick(pairs);
    text += fmt::format(" AND {} = {}", c, d);
  }
  if (choices_->Percent(50)) {
    text += " WHERE " + (choices_->Percent(60)
                             ? make.KeyPredicate(1)
                             : ExpressionMaker(choices_, &right.model, "B.").Predicate(1));
  }
  Query(text, false);
}

void SessionMaker::AskSubquery(const Subject& outer, const Subject& inner) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Column& a : outer.model.columns) {
    for (const Column& b : inner.model.columns) {
      if (a.kind == b.kind) pairs.emplace_back("A." + a.name, "B." + b.name);
    }
  }
  const auto& [a, b] = choices_->Pick(pairs);
  const std::string p = ExpressionMaker(choices_, &inner.model, "B.").Predicate(1);
  const std::string select =
      fmt::format("SELECT {} FROM {} A WHERE ", AllColumns(outer.model, "A."), outer.name);
  std::string text;
  switch (choices_->Below(6)) {
    case 0:
      text = fmt::format("{} {}IN (SELECT {} FROM {} B WHERE {})", a,
                         choices_->Percent(30) ? "NOT " : "", b, inner.name, p);
      break;
    case 1:
      text = fmt::format("{}EXISTS (SELECT 1 FROM {} B WHERE {} = {} AND {})",
                         choices_->Percent(30) ? "NOT " : "", inner.name, b, a, p);
      break;
    case 2:
      text = fmt::format("{} {} (SELECT {}({}) FROM {} B WHERE {})", a,
                         choices_->Pick<std::string>({"=", "<", ">", "<=", ">=", "<>"}),
                         choices_->Percent(50) ? "MAX" : "MIN", b, inner.name, p);
      break;
    case 3:
      text = fmt::format("{} {} {}(SELECT {} FROM {} B WHERE {})", a,
                         choices_->Pick<std::string>({"=", "<", ">", "<=", ">=", "<>"}),
                         choices_->Percent(50) ? "ANY" : "ALL", b, inner.name, p);
      break;
    case 4:
      text = fmt::format("{} = (SELECT MAX({}) FROM {} B WHERE B.Z = A.Z)", a, b, inner.name);
      break;
    default:
      text = fmt::format("{} IN (SELECT {} FROM {} B WHERE {}) AND {}", a, b, inner.name, p,
                         ExpressionMaker(choices_, &outer.model, "A.").KeyPredicate(1));
  }
  Query(select + text, false);
}

void SessionMaker::AskUnion(const Subject& first, const Subject& second) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Column& a : first.model.columns) {
    for (const Column& b : second.model.columns) {
      if (a.kind == b.kind || (IsWhole(a.kind) && IsWhole(b.kind))) {
        pairs.emplace_back(a.name, b.name);
      }
    }
  }
  const auto& [a, b] = choices_->Pick(pairs);
  const auto& [c, d] = choices_->Pick(pairs);
  // Phoenix wants different names.
  Query(fmt::format("SELECT {} AS P, {} AS Q FROM {}{} UNION ALL SELECT {}, {} FROM {}{}", a, c,
                    first.name, Where(first, 50), b, d, second.name, Where(second, 50)),
        false);
}

void SessionMaker::AskDerived(const Subject& subject) {
  ExpressionMaker make(choices_, &subject.model);
  const std::string x = make.GroupColumn();
  if (choices_->Percent(50)) {
    Query(
        fmt::format("SELECT X, C FROM (SELECT {0} AS X, COUNT(*) AS C FROM {1}{2} GROUP BY {0}) Q "
                    "WHERE C {3} 1",
                    x, subject.name, Where(subject, 40), choices_->Percent(50) ? ">" : "="),
        false);
    return;
  }
  Query(
      fmt::format("SELECT COUNT(*), MAX(X) FROM (SELECT {} AS X FROM {}{} ORDER BY {} LIMIT {}) Q",
                  x, subject.name, Where(subject, 40), KeyOrder(subject.model, false),
                  choices_->Between(1, 6)),
      true);
}

void SessionMaker::Ask(const Subject& subject) {
  switch (choices_->Below(12)) {
    case 0:
    case 1:
    case 2: return AskRows(subject);
    case 3:
    case 4: return AskOrdered(subject);
    case 5:
    case 6: return AskScalars(subject);
    case 7:
    case 8: return AskAggregates(subject);
    case 9: return AskGroups(subject);
    case 10: return AskDistinct(subject);
    default: return AskDerived(subject);
  }
}

// ---- changes that follow from queries

void SessionMaker::Copy(const Subject& from) {
  const Subject copy = Define("C", from.model);
  ExpressionMaker make(choices_, &copy.model);
  if (choices_->Percent(70)) {
    Statement(fmt::format("UPSERT INTO {0} ({1}) SELECT {1} FROM {2}{3}", copy.name,
                          AllColumns(from.model), from.name, Where(from, 60)));
  } else {
    Statement(
        fmt::format("UPSERT INTO {} SELECT * FROM {}{}", copy.name, from.name, Where(from, 60)));
  }
  Cells(copy);
  // Onto itself (with more families Phoenix writes another empty cell there): rows that are there
  // get other values.
  if (!from.model.written_once && copy.one_family) {
    const size_t first = from.model.key_count;
    const Column& column =
        from.model.columns[first + choices_->Below(from.model.columns.size() - first)];
    std::string key;
    for (size_t i = 0; i < first; ++i) key += from.model.columns[i].name + ", ";
    std::string value = make.Scalar(column.kind, 1);
    if (LeavesOldValue(value)) value = Literal(column.kind, choices_, true);
    Statement(fmt::format("UPSERT INTO {0} ({1}{2}) SELECT {1}{3} FROM {0}{4}", copy.name, key,
                          column.name, value, Where(copy, 50)));
    Cells(copy);
  }
  Delete(copy);
}

void SessionMaker::Delete(const Subject& subject) {
  Statement("DELETE FROM " + subject.name + Where(subject, 90));
  Cells(subject);
  Query("SELECT * FROM " + subject.name, !subject.salted);
}

void SessionMaker::ViewOf(const Subject& subject) {
  const Column& column = subject.model.columns[choices_->Below(subject.model.columns.size())];
  if (IsArray(column.kind)) return;
  const std::string view = prefix_ + "V";
  const bool adds = choices_->Percent(50);
  Statement(fmt::format("CREATE VIEW {}{} AS SELECT * FROM {} WHERE {} {} {}", view,
                        adds ? " (X VARCHAR)" : "", subject.name, column.name,
                        choices_->Percent(70) ? "=" : ">", Literal(column.kind, choices_, true)));
  Query("SELECT * FROM " + view, !subject.salted);
  Subject through = subject;
  through.name = view;
  for (size_t i = 0; i < 2; ++i) Statement(Upsert(through));
  Query("SELECT * FROM " + view, !subject.salted);
  Statement("DELETE FROM " + view + Where(through, 80));
  Cells(subject);
}

std::string SessionMaker::Session() {
  const TableOptions options{.wide = true, .encoded_binary = false};
  const Subject first = Define("A", MakeTable(choices_, options));
  const Subject second = Define("B", MakeTable(choices_, options));
  for (const Subject* subject : {&first, &second}) {
    Fill(*subject);
    if (!subject->model.written_once && choices_->Percent(30)) FillByTransactions(*subject);
    Cells(*subject);
    Query("SELECT * FROM " + subject->name, !subject->salted);
  }
  for (size_t i = 0; i < kQueries; ++i) {
    switch (choices_->Below(10)) {
      case 0: AskJoin(first, second); break;
      case 1: AskSubquery(first, second); break;
      case 2: AskUnion(first, second); break;
      default: Ask(choices_->Percent(65) ? first : second);
    }
  }
  if (choices_->Percent(60)) Copy(first);
  if (choices_->Percent(40)) ViewOf(second);
  return text_.Take();
}

}  // namespace bennu::sql::testing
