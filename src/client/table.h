// ClusterTable: a table of a cluster, behind the data API.
#ifndef BENNU_SRC_CLIENT_TABLE_H_
#define BENNU_SRC_CLIENT_TABLE_H_

#include <memory>
#include <vector>

#include "bennu/table.h"
#include "src/api/region_scans.h"
#include "src/api/server_aggregates.h"
#include "src/base/mutex.h"
#include "src/base/thread_pool.h"
#include "src/client/cluster.h"

namespace bennu::client {

// As Table says, with these differences, which are HBase's: timestamps that the store chooses are
// not patched into the batch, a snapshot is not heeded (each region is read as of the moment its
// part of the scan begins), and a batch for several regions is as many calls.
class ClusterTable final : public Table, public api::RegionScans, public api::ServerAggregates {
 public:
  // 'pool' runs what is asked for without waiting.
  ClusterTable(Cluster* cluster, ThreadPool* pool, TableDescriptor descriptor);

  const TableName& name() const override { return name_; }
  TableDescriptor descriptor() const override;
  std::vector<RegionInfo> regions() const override;

  Status Write(MutationBatch* batch) override;
  Status Mutate(MutationBatch* batch, std::vector<Row>* results) override;
  Status MutateAtomically(MutationBatch* batch, std::vector<Row>* results) override;
  Status MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) override;
  void WriteAsync(MutationBatch* batch, std::function<void(Status)> done) override;
  Result<bool> CheckAndWrite(const Condition& condition, MutationBatch* batch) override;
  Result<CheckedResult> CheckAndMutate(const Condition& condition, MutationBatch* batch) override;

  Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan) override;
  Result<Row> GetRow(const Get& get) override;
  Status GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) override;
  // At region borders.
  Result<std::vector<RowRange>> SplitRange(const RowRange& range, size_t count) override;

  std::vector<RegionInfo> KnownRegions() override;
  Result<std::unique_ptr<Scanner>> OpenRegionScanner(const RegionInfo& region,
                                                     const Scan& scan) override;
  Result<bool> HasReferences(const RegionInfo& region) override {
    return cluster_->references()->Has(region);
  }
  Status WaitForCompaction(const RegionInfo& region) override {
    return cluster_->references()->WaitUntilGone(region);
  }
  Result<std::optional<int64_t>> Aggregate(api::ServerAggregate what, const Scan& scan) override;

 private:
  // The result of a mutation that is made, where the server did not tell it.
  Status ReadUntold(const MutationBatch& batch, size_t mutation, Row* result);
  Status ReadUntold(const MutationBatch& batch, std::vector<Row>* results);

  // 'only_in': see TableScanner::StayIn.
  Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan, const Bytes& only_in);
  using RowUse = std::function<void(const Cell* cells, size_t count, bool stale)>;
  Status ReadRow(const Get& get, const RowUse& use);
  // The same where later delete markers do not count.
  Status ReadPastRow(const Get& get, const RowUse& use);

  Cluster* const cluster_;
  ThreadPool* const pool_;
  const TableName name_;
  mutable Mutex mu_;
  mutable TableDescriptor descriptor_ GUARDED_BY(mu_);  // as it was known last
};

// NotFound.
Result<TableDescriptor> ReadDescriptor(Cluster* cluster, const TableName& name);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_TABLE_H_
