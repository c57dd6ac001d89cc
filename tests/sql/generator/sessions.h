// Sessions: statements that define tables, change them and ask them, with what to look at in
// between; for a comparison with the real Phoenix. A session is what `bennu sqltest` reads, without
// the answers. Nothing in it depends on the clock or on what other sessions leave behind.
#ifndef BENNU_TESTS_SQL_GENERATOR_SESSIONS_H_
#define BENNU_TESTS_SQL_GENERATOR_SESSIONS_H_

#include <string>
#include <vector>

#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/expressions.h"
#include "tests/sql/generator/model.h"
#include "tests/sql/generator/session_text.h"

namespace bennu::sql::testing {

class SessionMaker {
 public:
  // 'choices' must outlive this. The names of all tables begin with 'prefix'.
  SessionMaker(Choices* choices, std::string prefix)
      : choices_(choices), prefix_(std::move(prefix)) {}

  // Records with an empty line behind each.
  std::string Session();

 private:
  struct Subject {
    std::string name;
    TableModel model;
    bool salted = false;
    bool one_family = true;
  };

  // ---- changes
  Subject Define(const std::string& name, const TableModel& model);
  void Fill(const Subject& subject);
  void FillByTransactions(const Subject& subject);
  // 'padded_null': a CHAR and a BINARY may get NULL.
  std::string Upsert(const Subject& subject, bool padded_null = true);
  std::string OnDuplicateKey(const Subject& subject);
  std::string Value(const Column& column);
  void Copy(const Subject& from);
  void Delete(const Subject& subject);
  void ViewOf(const Subject& subject);

  // ---- queries
  void Ask(const Subject& subject);
  void AskRows(const Subject& subject);
  void AskOrdered(const Subject& subject);
  void AskScalars(const Subject& subject);
  void AskAggregates(const Subject& subject);
  void AskGroups(const Subject& subject);
  void AskDistinct(const Subject& subject);
  void AskJoin(const Subject& left, const Subject& right);
  void AskSubquery(const Subject& outer, const Subject& inner);
  void AskUnion(const Subject& first, const Subject& second);
  void AskDerived(const Subject& subject);
  std::string Where(const Subject& subject, uint64_t share);
  std::string Aggregate(const Subject& subject);

  void Statement(const std::string& sql) { text_.Statement(sql); }
  void Query(const std::string& sql, bool ordered) { text_.Query(sql, ordered); }
  void Cells(const Subject& subject) { text_.Cells(subject.name); }

  Choices* const choices_;
  const std::string prefix_;
  SessionText text_;
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_SESSIONS_H_
