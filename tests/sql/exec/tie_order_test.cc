// The order of equal rows, against what Guava's queue is known to give and what a real Phoenix
// gave.
#include "src/sql/exec/tie_order.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"

namespace bennu::sql::exec {
namespace {

using Rows = std::vector<uint32_t>;

// Recorded: keys/pk_int_vb, ORDER BY int0 DESC, vb1 DESC. Twelve rows in the order of the row key,
// the first and the last of each four equal.
TEST(TieOrder, IsPhoenixs) {
  EXPECT_EQ((Rows{8, 11, 10, 9, 7, 4, 6, 5, 0, 3, 2, 1}),
            HeapOrder({6, 8, 7, 6, 3, 5, 4, 3, 0, 2, 1, 0}, SIZE_MAX));
}

// Recorded: keys/pk_vc_int_vb, ORDER BY vc0 DESC, int1 DESC, vb2 DESC; rows 6 and 7 are equal.
TEST(TieOrder, IsPhoenixsAmongFewTies) {
  EXPECT_EQ((Rows{1, 0, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2}),
            HeapOrder({1, 0, 12, 11, 10, 9, 8, 8, 7, 6, 5, 4, 3, 2}, SIZE_MAX));
}

TEST(TieOrder, SortsWhateverTheLimit) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Rows ranks(random() % 70);
    for (uint32_t& rank : ranks) rank = random() % 20;
    const size_t limit = random() % 3 == 0 ? SIZE_MAX : 1 + random() % 40;
    const Rows order = HeapOrder(ranks, limit);
    Rows wanted = ranks;
    std::sort(wanted.begin(), wanted.end());
    wanted.resize(std::min(wanted.size(), limit));
    Rows sorted;
    for (const uint32_t row : order) sorted.push_back(ranks[row]);
    EXPECT_EQ(wanted, sorted);
    Rows distinct = order;
    std::sort(distinct.begin(), distinct.end());
    EXPECT_EQ(distinct.end(), std::unique(distinct.begin(), distinct.end()));
  }
}

}  // namespace
}  // namespace bennu::sql::exec
