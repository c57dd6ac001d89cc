// The order of rows that ORDER BY leaves equal.
//
// Phoenix sorts with a double-ended priority queue (a min-max heap), which is not stable, yet
// always gives the same order for the same arrivals; recorded results hold that order, and programs
// may have come to count on it for small results.
#ifndef BENNU_SRC_SQL_EXEC_TIE_ORDER_H_
#define BENNU_SRC_SQL_EXEC_TIE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bennu::sql::exec {

// The rows as such a heap gives them back. 'ranks' has the place of each row among the distinct
// sort keys, in the order in which the rows came. With more than 'limit' rows the heap drops its
// greatest one after each arrival. Source: the behaviour of Guava's MinMaxPriorityQueue, which
// Phoenix's OrderedResultIterator uses.
std::vector<uint32_t> HeapOrder(const std::vector<uint32_t>& ranks, size_t limit);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_TIE_ORDER_H_
