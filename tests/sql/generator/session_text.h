// The records of a session, as differential/Ask.java reads them: a head ("statement", "query
// nosort", "bind …"), the SQL, and an empty line.
#ifndef BENNU_TESTS_SQL_GENERATOR_SESSION_TEXT_H_
#define BENNU_TESTS_SQL_GENERATOR_SESSION_TEXT_H_

#include <string>
#include <utility>

namespace bennu::sql::testing {

class SessionText {
 public:
  void Statement(const std::string& sql) { Add("statement", sql); }
  // 'ordered': the order of the rows is a part of the answer.
  void Query(const std::string& sql, bool ordered) {
    Add(ordered ? "query nosort" : "query rowsort", sql);
  }
  // The values of the next statement's parameters: "INTEGER 1, VARCHAR 'a'".
  void Bind(const std::string& values) { records_ += "bind " + values + "\n"; }
  // All versions and markers without their timestamps.
  void Cells(const std::string& table) { records_ += "raw-cells " + table + "\n\n"; }
  // What a reader sees: for tables whose versions are written otherwise by the two.
  void VisibleCells(const std::string& table) { records_ += "cells " + table + "\n\n"; }
  // With timestamps: for tables whose statements say them all.
  void TimedCells(const std::string& table) { records_ += "raw-cells " + table + " timed\n\n"; }
  // The statements that follow go to this connection; it is opened where it has properties
  // ("TenantId=a,CurrentSCN=7") or is new.
  void Connection(const std::string& name, const std::string& properties = "") {
    records_ += "connection " + name + (properties.empty() ? "" : " " + properties) + "\n\n";
  }
  void Autocommit(bool on) { records_ += on ? "autocommit on\n\n" : "autocommit off\n\n"; }
  void Commit() { records_ += "commit\n\n"; }
  void Rollback() { records_ += "rollback\n\n"; }

  std::string Take() { return std::move(records_); }

 private:
  void Add(const std::string& head, const std::string& sql) {
    records_ += head + "\n" + sql + "\n\n";
  }

  std::string records_;
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_SESSION_TEXT_H_
