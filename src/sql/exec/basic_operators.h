// The plain operators: filter, project, limit, union, renaming, a single row.
#ifndef BENNU_SRC_SQL_EXEC_BASIC_OPERATORS_H_
#define BENNU_SRC_SQL_EXEC_BASIC_OPERATORS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "src/sql/bind/expr.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/operator.h"

namespace bennu::sql::exec {

// Row i of 'to' becomes row selection[i] of 'from', as far as the first 'columns_max' columns go;
// columns that nobody filled stay so.
void GatherChunk(const DataChunk& from, const SelectionVector& selection, DataChunk* to,
                 size_t columns_max = SIZE_MAX);
// The same where 'from' is not needed afterwards: copies nothing when every row is selected.
void TakeSelected(const SelectionVector& selection, DataChunk* from, DataChunk* to);

// Rows for which the condition (null: none) is true.
std::unique_ptr<Operator> MakeFilter(ExecContext* context, std::unique_ptr<Operator> child,
                                     bind::ExprPtr condition);

// A column for each expression.
std::unique_ptr<Operator> MakeProject(ExecContext* context, std::unique_ptr<Operator> child,
                                      std::vector<bind::ExprPtr> expressions);

// Rows [offset, offset + limit); a limit below 0 is none.
std::unique_ptr<Operator> MakeLimit(std::unique_ptr<Operator> child, int64_t limit, int64_t offset);

// Keeps the first 'count' columns.
std::unique_ptr<Operator> MakePrefix(std::unique_ptr<Operator> child, size_t count);

// Column i of the child becomes column targets[i] (-1: dropped) of a chunk of 'slot_count' columns.
std::unique_ptr<Operator> MakeRemap(std::unique_ptr<Operator> child, std::vector<int32_t> targets,
                                    size_t slot_count);

// Column 'slot' becomes the row's number, from 0 on, a BIGINT.
std::unique_ptr<Operator> MakeNumberRows(std::unique_ptr<Operator> child, size_t slot);

// One child after the other.
std::unique_ptr<Operator> MakeUnion(std::vector<std::unique_ptr<Operator>> children);

// One row without columns: what SELECT without FROM reads.
std::unique_ptr<Operator> MakeSingleRow();
// No rows.
std::unique_ptr<Operator> MakeEmpty();

// Morsels with an operator put on top of each: how filters and projections run in parallel.
using Wrap = std::function<std::unique_ptr<Operator>(std::unique_ptr<Operator>)>;
std::unique_ptr<Morsels> WrapMorsels(std::unique_ptr<Morsels> morsels, Wrap wrap);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_BASIC_OPERATORS_H_
