#include "src/sql/plan/index_cost.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/plan/key_terms.h"

namespace bennu::sql::plan {
namespace {

// Measured (docs/benchmarks.md): what is taken for a byte of a block that is read, whether a scan
// or a look-up asks for it, and for a row that is looked up in a block at hand. Their ratio counts
// alone.
constexpr double kNanosPerByte = 0.5;
constexpr double kNanosPerLookUp = 1400;
// HBase's default. Rows that are next to each other in an index mostly lie in different blocks of
// the table.
constexpr int64_t kBlockBytes = 64 << 10;

// The parts of the key space that a scan of the index reads. Nothing: the conditions wait for
// values, or single keys are looked up, which statistics say nothing of.
Result<std::vector<RowRange>> RangesOf(const bind::BoundSelect& select, size_t source) {
  const bind::Source& read = select.sources[source];
  const bool all_known = std::all_of(
      select.operands.begin(), select.operands.end(),
      [](const bind::ExprPtr& operand) { return operand->kind == BoundKind::kConstant; });
  std::vector<RowRange> none;
  if (!all_known) return none;
  KeyTermOptions options;
  for (const bind::IndexAccess::KeyPart& part : read.access->key) {
    options.value_types.push_back(part.type);
  }
  const std::shared_ptr<const KeySchema> schema(read.table, &read.table->key_schema);
  const OperandValues values = [&](uint32_t operand) -> Result<Value> {
    return select.operands[operand]->constant;
  };
  ASSIGN_OR_RETURN(KeyTermPlan keys, PlanKeyTerms(schema, select.terms[source], values, options));
  const bool plain =
      keys.scan.kind == KeyScan::Kind::kRange || keys.scan.kind == KeyScan::Kind::kFull;
  return plain ? std::move(keys.scan.ranges) : none;
}

// Of all families; 0: nobody has counted.
Result<int64_t> BytesOf(const catalog::TableMeta& table, Connection* connection) {
  std::set<std::string> families(table.families.begin(), table.families.end());
  families.insert(table.empty_family);
  int64_t bytes = 0;
  for (const std::string& family : families) {
    ASSIGN_OR_RETURN(const catalog::GuidePosts posts,
                     catalog::ReadGuidePosts(connection, table.physical, family));
    for (const catalog::GuidePost& post : posts) bytes += post.bytes;
  }
  return bytes;
}

}  // namespace

PartSize SizeAtLeast(const catalog::GuidePosts& posts, const std::vector<RowRange>& ranges) {
  PartSize size;
  for (size_t i = 0; i < posts.size(); ++i) {
    const Bytes begin = i == 0 ? Bytes() : posts[i - 1].key;
    const Bytes& end = posts[i].key;  // the row of the post is the last of its part
    const bool inside = std::any_of(ranges.begin(), ranges.end(), [&](const RowRange& range) {
      return begin >= range.start && (range.stop.empty() || end < range.stop);
    });
    if (!inside || end.empty()) continue;
    size.rows += posts[i].rows;
    size.bytes += posts[i].bytes;
  }
  return size;
}

Result<bool> IsSlowerThanFullScan(const bind::BoundSelect& select, size_t source,
                                  Connection* connection) {
  const bind::Source& read = select.sources[source];
  // No statistics are kept of local indexes.
  if (read.table->is_local_index()) return false;
  ASSIGN_OR_RETURN(const std::vector<RowRange> ranges, RangesOf(select, source));
  if (ranges.empty()) return false;
  ASSIGN_OR_RETURN(
      const catalog::GuidePosts of_index,
      catalog::ReadGuidePosts(connection, read.table->physical, read.table->empty_family));
  const PartSize entries = SizeAtLeast(of_index, ranges);
  if (entries.rows == 0) return false;
  ASSIGN_OR_RETURN(const int64_t table_bytes, BytesOf(*read.access->table, connection));
  if (table_bytes == 0) return false;
  const int64_t looked_at = std::min(entries.rows * kBlockBytes, table_bytes);
  const double by_index = static_cast<double>(entries.bytes + looked_at) * kNanosPerByte +
                          static_cast<double>(entries.rows) * kNanosPerLookUp;
  return by_index > static_cast<double>(table_bytes) * kNanosPerByte;
}

}  // namespace bennu::sql::plan
