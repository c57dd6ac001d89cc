// What is not compared when recorded dialogues are played, and why.
#ifndef BENNU_TESTS_GOLDEN_RPC_LEFT_OUT_H_
#define BENNU_TESTS_GOLDEN_RPC_LEFT_OUT_H_

#include <cstdint>

namespace bennu::golden {

struct LeftOut {
  const char* name;
  const char* reason;
};

// Dialogues that are not played.
inline constexpr LeftOut kDialogues[] = {
    {"scan_heartbeat", "how often it answers before its end depends on the machine's speed"},
};

// Fields whose values are not compared; that they are set, or not, is. The test fails when one of
// them does not occur.
inline constexpr LeftOut kFields[] = {
    // ---- who and when
    {"ServerName.host_name", "another machine"},
    {"ServerName.port", "another machine"},
    {"ServerName.start_code", "another start"},
    {"GetClusterIdResponse.cluster_id", "another cluster"},
    {"ClusterId.cluster_id", "another cluster"},
    {"HBaseVersionFileContent.version", "the recorded build says which Hadoop it is made for"},
    {"RegionInfo.region_id", "when the region was made"},
    // ---- counters
    {"ScanResponse.scanner_id", "a number of the server's choice, for the client to send back"},
    {"ScanResponse.mvcc_read_point", "a count of the writes of a region in HBase, of a store here"},
    {"CreateTableResponse.proc_id", "HBase counts steps of procedures, too"},
    {"ModifyTableResponse.proc_id", "as above"},
    {"DeleteTableResponse.proc_id", "as above"},
    {"EnableTableResponse.proc_id", "as above"},
    {"DisableTableResponse.proc_id", "as above"},
    {"TruncateTableResponse.proc_id", "as above"},
    {"AddColumnResponse.proc_id", "as above"},
    {"CreateNamespaceResponse.proc_id", "as above"},
    {"ModifyNamespaceResponse.proc_id", "as above"},
    {"DeleteNamespaceResponse.proc_id", "as above"},
    {"GetProcedureResultResponse.state",
     "the recorded ones were running; here all is done at once"},
    {"GetProcedureResultResponse.submitted_time", "a time"},
    {"GetProcedureResultResponse.last_update", "a time"},
    // ---- what the server measures of itself
    {"ScanResponse.scan_metrics", "what this store did for a scan"},
    {"LiveServerInfo.server_load", "the recorded server held other tables, and had another load"},
    {"CellBlockMeta.length", "names of servers in cells are longer or shorter; cells are compared"},
    // ---- Java
    {"ExceptionResponse.stack_trace", "Java's stack; its first line is compared"},
};

// Cells of hbase:meta whose values are not compared.
inline constexpr LeftOut kCells[] = {
    {"info:seqnumDuringOpen", "a count of writes"},
    {"info:server", "another machine"},
    {"info:serverstartcode", "another start"},
    {"info:sn", "another machine"},
};

// The first lines of exceptions of these classes differ.
inline constexpr LeftOut kMessages[] = {
    {"org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException",
     "HBase adds the table's descriptor as Java prints it"},
    {"org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException",
     "HBase adds the request as Java prints it"},
    {"org.apache.hadoop.hbase.NotServingRegionException", "names the server"},
};

// Where the recorded order is that of a hash map, or is free: sorted before they are compared.
inline constexpr LeftOut kOrders[] = {
    {"TableSchema.attributes", "a hash map of Java's"},
    {"ColumnFamilySchema.attributes", "a hash map of Java's"},
    {"RegionActionResult.resultOrException", "clients find them by their index"},
};

// A reversed scan that reaches its stop row at the end of a call: HBase finds that out in the next
// call only, which here the client is spared. Then this field, and the answer to the client's
// closing call, are not compared.
inline constexpr char kMoreInRegion[] = "ScanResponse.more_results_in_region";

// Dialogues with messages of other classes that differ.
inline constexpr LeftOut kMessagesOf[] = {
    {"increment_not_a_long", "ours also names the table and the row"},
};

// HBase may call the last piece of a row partial where older versions follow it; a client finds out
// by the next row. Ours is not compared with a recorded true.
inline constexpr char kPartialFlag[] = "ScanResponse.partial_flag_per_result";

// Server-given times are of today; those that clients give in the dialogues are small.
inline constexpr int64_t kSomeRecentTime = 1'000'000'000'000;

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_RPC_LEFT_OUT_H_
