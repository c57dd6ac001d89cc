#include "src/sql/plan/write_planner.h"

#include <utility>

namespace bennu::sql::plan {

WriteSpec PlanUpsert(const bind::BoundUpsert& upsert) {
  WriteSpec spec;
  spec.way = upsert.select == nullptr ? WriteWay::kValues : WriteWay::kQueryRows;
  spec.table = upsert.target.table;
  spec.columns = upsert.target.columns;
  return spec;
}

WriteSpec PlanDelete(bind::BoundDelete statement) {
  WriteSpec spec;
  spec.table = std::move(statement.table);
  spec.points = std::move(statement.points);
  if (spec.points.has_value()) {
    spec.way = WriteWay::kNamedKeys;
  } else {
    spec.way = statement.takes_first ? WriteWay::kFirstKeys : WriteWay::kFoundKeys;
  }
  return spec;
}

bool ReadsRows(WriteWay way) { return way != WriteWay::kValues && way != WriteWay::kNamedKeys; }

PlanNodePtr PlanWrite(const WriteSpec& spec, PlanNodePtr rows, bool on_client) {
  auto write = std::make_unique<WriteNode>();
  write->child = std::move(rows);
  write->spec = spec;
  if (on_client && spec.way == WriteWay::kFoundKeys) write->spec.way = WriteWay::kSelectedKeys;
  return write;
}

}  // namespace bennu::sql::plan
