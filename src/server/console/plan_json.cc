#include "src/server/console/plan_json.h"

#include <utility>

namespace bennu::server::console {

namespace {

double MillisOf(uint64_t nanos) {
  constexpr double kNanosPerMilli = 1e6;
  return static_cast<double>(nanos) / kNanosPerMilli;
}

Json NodesOf(const std::vector<sql::exec::PlanTreeNode>& nodes) {
  Json list = Json::array();
  for (const sql::exec::PlanTreeNode& node : nodes) {
    Json json = {{"name", node.name}, {"detail", node.detail}};
    if (node.did.has_value()) {
      json["rows"] = node.did->rows;
      json["ms"] = MillisOf(node.did->nanos);
      if (node.did->memory_bytes > 0) json["memory_bytes"] = node.did->memory_bytes;
    }
    json["notes"] = node.notes;
    json["children"] = NodesOf(node.children);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json ToJson(const sql::exec::PlanTree& plan) {
  const sql::exec::PlanTotals& totals = plan.totals;
  return {{"totals",
           {{"rows", totals.rows},
            {"ms", MillisOf(totals.nanos)},
            {"morsels", totals.morsels},
            {"threads", totals.threads},
            {"memory_bytes", totals.memory_bytes},
            {"spilled_bytes", totals.spilled_bytes}}},
          {"nodes", NodesOf(plan.roots)}};
}

}  // namespace bennu::server::console
