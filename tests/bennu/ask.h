// What a statement answers, on a connection of its own.
#ifndef BENNU_TESTS_BENNU_ASK_H_
#define BENNU_TESTS_BENNU_ASK_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bennu/database.h"

namespace bennu {

// All rows, columns joined by '|'; an error of the statement as its text. One that comes later
// fails the test.
inline std::vector<std::string> AskRows(Database* database, const std::string& sql,
                                        const std::string& tenant = {}) {
  ConnectOptions options;
  options.tenant = tenant;
  auto connection = database->Connect(options);
  EXPECT_TRUE(connection.ok());
  auto result = (*connection)->Execute(sql);
  if (!result.ok()) return {result.status().ToString()};
  std::vector<std::string> rows;
  for (;;) {
    const auto more = (*result)->Next();
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) return rows;
    std::string row;
    for (size_t i = 0; i < (*result)->columns().size(); ++i) {
      row += (i == 0 ? "" : "|") + (*result)->GetText(i);
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace bennu

#endif  // BENNU_TESTS_BENNU_ASK_H_
