#include "src/client/replica_get.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/hex.h"
#include "src/client/pending_call.h"

namespace bennu::client {

const RegionReplica* FindReplica(const RegionLocation& region, int32_t id) {
  const auto found = std::find_if(region.replicas.begin(), region.replicas.end(),
                                  [id](const RegionReplica& replica) { return replica.id == id; });
  return found == region.replicas.end() ? nullptr : &*found;
}

Status NoReplica(const RegionLocation& region, int32_t id) {
  return Status(StatusCode::kAborted,
                fmt::format("region '{}' has no replica {} on a server at the moment; its table's "
                            "REGION_REPLICATION says how many it should have",
                            ToStringBinary(region.name), id));
}

CallOutcome CallReplicas(Cluster* cluster, const TableName& table, const Get& get,
                         pb::GetRequest* request, Operation* operation) {
  auto found = cluster->Find(table, get.row, *operation);
  if (!found.ok()) return OutcomeOf(std::move(found).status());
  const LocationPtr region = *std::move(found);
  RacedCall race;
  std::vector<const RegionReplica*> asked;  // null: the primary
  const auto ask = [&](const RegionReplica* replica) {
    SetRegion(NameOf(*region, replica), request->mutable_region());
    asked.push_back(replica);
    cluster->ChannelTo(ServerOf(*region, replica))
        ->Start("Get", *request, {}, operation->CallTimeout(), race.Add());
  };
  operation->SetPlace(region->name, *region->server);
  if (get.replica_id > 0) {
    const RegionReplica* const replica = FindReplica(*region, get.replica_id);
    if (replica == nullptr) {
      cluster->Forget(table);
      return OutcomeOf(NoReplica(*region, get.replica_id));
    }
    operation->SetPlace(replica->name, replica->server);
    ask(replica);
  } else {
    ask(nullptr);
    if (race.WantsOthers(cluster->options().primary_patience_get)) {
      for (const RegionReplica& replica : region->replicas) ask(&replica);
    }
  }
  return race
      .Wait([&](size_t contender, const CallOutcome& failed) {
        cluster->Correct(region, failed, asked[contender] != nullptr);
      })
      .outcome;
}

}  // namespace bennu::client
