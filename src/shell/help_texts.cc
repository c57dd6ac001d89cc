// One text for each command: its form and what it does, then examples.
#include <algorithm>
#include <iterator>

#include "src/shell/help.h"

namespace bennu::shell {

namespace {

struct HelpText {
  std::string_view command;
  std::string_view text;
};

// Sorted by command.
// clang-format off
constexpr HelpText kHelpTexts[] = {
{"abort_procedure", R"help(abort_procedure ID [, INTERRUPT]: takes back a change of the master that waits)help"},
{"alter", R"help(alter 'TABLE', CHANGES…: changes families and attributes while the table is in use

  alter 't', NAME => 'f', VERSIONS => 5           # changes the family, or adds it
  alter 't', 'f1', {NAME => 'f2', TTL => 3600}    # several at once
  alter 't', 'delete' => 'f1'                     # deletes a family with its data
  alter 't', NAME => 'f1', METHOD => 'delete'
  alter 't', MAX_FILESIZE => '1073741824'
  alter 't', CONFIGURATION => {'hbase.hstore.compaction.min' => '4'}
  alter 't', METHOD => 'table_att_unset', NAME => 'MAX_FILESIZE'
  alter 't', METHOD => 'table_conf_unset', NAME => 'hbase.hstore.compaction.min'
Over a cluster of HBase's, classes that its servers load, as path of a jar|class|priority|arguments:
  alter 't', METHOD => 'table_att', 'coprocessor' => '|org.apache.hadoop.hbase.coprocessor.AggregateImplementation||'
  alter 't', METHOD => 'table_remove_coprocessor', CLASSNAME => 'org.apache.hadoop.hbase.coprocessor.AggregateImplementation')help"},
{"alter_async", R"help(alter_async 'TABLE', CHANGES…: alter under its other name; here it is done when it returns)help"},
{"alter_namespace", R"help(alter_namespace 'NAMESPACE', {METHOD => 'set', 'KEY' => 'VALUE', …}: sets properties of a namespace
alter_namespace 'NAMESPACE', {METHOD => 'unset', NAME => 'KEY'}: takes one away)help"},
{"alter_status", R"help(alter_status 'TABLE': how many regions have the newest schema; here always all)help"},
{"append", R"help(append 'TABLE', 'ROW', 'FAMILY:QUALIFIER', VALUE: adds to the end of a value

  append 't', 'r1', 'f:log', ',more')help"},
{"assign", R"help(assign 'REGION': has a region assigned to a server)help"},
{"balance_switch", R"help(balance_switch true or false: turns the balancer on or off; tells what it was)help"},
{"balancer", R"help(balancer ['force']: runs the balancer; whether it ran)help"},
{"balancer_enabled", R"help(balancer_enabled: whether the balancer is on)help"},
{"catalogjanitor_enabled", R"help(catalogjanitor_enabled: whether the janitor of hbase:meta is on)help"},
{"catalogjanitor_run", R"help(catalogjanitor_run: runs the janitor of hbase:meta; how many entries went)help"},
{"catalogjanitor_switch", R"help(catalogjanitor_switch true or false: turns the janitor on or off; tells what it was)help"},
{"cleaner_chore_enabled", R"help(cleaner_chore_enabled: whether old logs and archived files are cleaned away)help"},
{"cleaner_chore_run", R"help(cleaner_chore_run: cleans away old logs and archived files)help"},
{"cleaner_chore_switch", R"help(cleaner_chore_switch true or false: turns the cleaning on or off; tells what it was)help"},
{"clear_block_cache", R"help(clear_block_cache 'TABLE': drops the table's blocks from the cache)help"},
{"clear_compaction_queues", R"help(clear_compaction_queues 'SERVER' [, 'long' or 'short']: forgets compactions that wait)help"},
{"clear_deadservers", R"help(clear_deadservers ['SERVER'…]: forgets servers that are gone)help"},
{"clone_snapshot", R"help(clone_snapshot 'SNAPSHOT', 'TABLE': makes a new table of it)help"},
{"clone_table_schema", R"help(clone_table_schema 'TABLE', 'NEW_TABLE' [, KEEP_SPLITS]: an empty table of the same kind

  clone_table_schema 't', 't2'
  clone_table_schema 't', 't2', false)help"},
{"close_region", R"help(close_region 'REGION': says that unassign is meant)help"},
{"compact", R"help(compact 'TABLE or REGION' [, 'FAMILY']: merges files of the table or region where there are enough of them)help"},
{"compact_rs", R"help(compact_rs 'SERVER' [, MAJOR]: compacts all regions of a server)help"},
{"compaction_state", R"help(compaction_state 'TABLE' or 'REGION': NONE, MINOR, MAJOR or MAJOR_AND_MINOR, whatever is at work)help"},
{"compaction_switch", R"help(compaction_switch true or false [, 'SERVER'…]: turns compactions on or off; tells what it was)help"},
{"count", R"help(count 'TABLE' [, INTERVAL or {ARGUMENTS}]: how many rows there are

  count 't'
  count 't', 100000
  count 't', {INTERVAL => 10, FILTER => "PrefixFilter('a')"}

The count is shown every INTERVAL rows (1000). All arguments of scan may be given.)help"},
{"create", R"help(create 'TABLE', FAMILIES… [, {ARGUMENTS}]: makes a table

  create 't', 'f1', 'f2'
  create 't', {NAME => 'f', VERSIONS => 3, COMPRESSION => 'ZSTD', TTL => '7 DAYS'}
  create 't', 'f', SPLITS => ['g', 'n', 't']
  create 't', 'f', {NUMREGIONS => 16, SPLITALGO => 'HexStringSplit'}
  create 't', {NAME => 'f', CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}}
  t1 = create 'ns:t', 'f'

Of a family: VERSIONS, MIN_VERSIONS, TTL (seconds), BLOOMFILTER, COMPRESSION, DATA_BLOCK_ENCODING,
BLOCKSIZE, BLOCKCACHE, IN_MEMORY, KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR …
Of the table: SPLITS, MAX_FILESIZE, MEMSTORE_FLUSHSIZE, DURABILITY, READONLY, SPLIT_POLICY …
Both: CONFIGURATION and METADATA, each a hash.)help"},
{"create_namespace", R"help(create_namespace 'NAMESPACE' [, {'KEY' => 'VALUE', …}]: makes a namespace, with these properties; its tables are
  called NAMESPACE:TABLE)help"},
{"delete", R"help(delete 'TABLE', 'ROW', 'FAMILY:QUALIFIER' [, TIMESTAMP]: deletes one version of a column

  delete 't', 'r1', 'f:q'
  delete 't', 'r1', 'f:q', 1704067200000

Without a timestamp the newest version goes, and the one before it shows again.)help"},
{"delete_all_snapshot", R"help(delete_all_snapshot 'REGEX': deletes all whose name matches; asks first)help"},
{"delete_snapshot", R"help(delete_snapshot 'SNAPSHOT': deletes it; tables made of it stay whole)help"},
{"delete_table_snapshots", R"help(delete_table_snapshots 'TABLE_REGEX' [, 'REGEX']: deletes those of tables whose name matches; asks first)help"},
{"deleteall", R"help(deleteall 'TABLE', 'ROW' [, COLUMN] [, TIMESTAMP]: deletes all versions up to the timestamp

  deleteall 't', 'r1'
  deleteall 't', 'r1', 'f:q'
  deleteall 't', 'r1', 'f', 1704067200000
  deleteall 't', {ROWPREFIXFILTER => 'user-'})help"},
{"describe", R"help(describe 'TABLE' (or desc): the table's attributes and families

  describe 'ns:t')help"},
{"describe_namespace", R"help(describe_namespace 'NAMESPACE': its name and properties)help"},
{"disable", R"help(disable 'TABLE': no more reads and writes; before drop and restore_snapshot)help"},
{"disable_all", R"help(disable_all 'REGEX': disables all tables whose name matches; asks first)help"},
{"disable_rpc_throttle", R"help(disable_rpc_throttle: throttles are not enforced any more)help"},
{"drop", R"help(drop 'TABLE': deletes the table, which must be disabled, and its data)help"},
{"drop_all", R"help(drop_all 'REGEX': drops all tables whose name matches and that are disabled; asks first)help"},
{"drop_namespace", R"help(drop_namespace 'NAMESPACE': deletes a namespace that has no tables)help"},
{"enable", R"help(enable 'TABLE': lets it be read and written again)help"},
{"enable_all", R"help(enable_all 'REGEX': enables all tables whose name matches; asks first)help"},
{"enable_rpc_throttle", R"help(enable_rpc_throttle: throttles are enforced)help"},
{"exists", R"help(exists 'TABLE': whether there is such a table)help"},
{"flush", R"help(flush 'TABLE or REGION' [, 'FAMILY']: writes what is in memory to files)help"},
{"get", R"help(get 'TABLE', 'ROW' [, COLUMNS or {ARGUMENTS}]: the cells of a row

  get 't', 'r1'
  get 't', 'r1', 'f:a', 'f:b'
  get 't', 'r1', {COLUMN => ['f:a', 'g'], VERSIONS => 3}
  get 't', 'r1', {TIMERANGE => [0, 1704067200000], FILTER => "ValueFilter(=, 'binary:x')"}
  get 't', 'r1', 'f:count:toLong'

Arguments: COLUMN(S), TIMESTAMP, TIMERANGE, VERSIONS, FILTER, MAXLENGTH, FORMATTER, CONSISTENCY,
REGION_REPLICA_ID; see scan.)help"},
{"get_counter", R"help(get_counter 'TABLE', 'ROW', 'FAMILY:QUALIFIER': the value of a counter

  get_counter 't', 'r1', 'f:visits')help"},
{"get_splits", R"help(get_splits 'TABLE': the first keys of its regions)help"},
{"get_table", R"help(get_table 'TABLE': the table as a value, to call commands on

  t = get_table 't'
  t.put 'r1', 'f:q', 'value'
  t.scan
See table_help.)help"},
{"hbck_chore_run", R"help(hbck_chore_run: has the master look for what does not fit together)help"},
{"incr", R"help(incr 'TABLE', 'ROW', 'FAMILY:QUALIFIER' [, AMOUNT]: adds to a counter, 1 unless told

  incr 't', 'r1', 'f:visits'
  incr 't', 'r1', 'f:visits', -10

A counter is 8 bytes, big-endian; a missing one counts as 0.)help"},
{"is_disabled", R"help(is_disabled 'TABLE': whether it was disabled)help"},
{"is_enabled", R"help(is_enabled 'TABLE': whether it may be read and written)help"},
{"is_in_maintenance_mode", R"help(is_in_maintenance_mode: whether the master is)help"},
{"list", R"help(list ['REGEX']: the tables, or those whose whole name the expression matches

  list
  list 'abc.*'
  list 'ns:.*')help"},
{"list_deadservers", R"help(list_deadservers: servers that are gone)help"},
{"list_decommissioned_regionservers", R"help(list_decommissioned_regionservers: servers that get no regions)help"},
{"list_liveservers", R"help(list_liveservers: servers that are there)help"},
{"list_locks", R"help(list_locks: the locks of changes of tables, who has them and who waits)help"},
{"list_namespace", R"help(list_namespace ['REGEX']: the namespaces, or those whose name matches)help"},
{"list_namespace_tables", R"help(list_namespace_tables 'NAMESPACE': its tables)help"},
{"list_procedures", R"help(list_procedures: changes of tables that wait, run or have ended)help"},
{"list_quota_snapshots", R"help(list_quota_snapshots [{TABLE => 'TABLE' or NAMESPACE => 'NAMESPACE'}]: tables with a space quota, and what they take)help"},
{"list_quota_table_sizes", R"help(list_quota_table_sizes: what the files of each table take, in bytes)help"},
{"list_quotas", R"help(list_quotas [{USER, TABLE or NAMESPACE => 'REGEX'}]: the quotas that were set

  list_quotas
  list_quotas USER => 'bob.*'
  list_quotas TABLE => 't')help"},
{"list_regions", R"help(list_regions 'TABLE' [, nil, [COLUMNS]]: its regions, their borders and sizes in MB

  list_regions 't'
  list_regions 't', nil, ['REGION_NAME', 'START_KEY', 'SIZE'])help"},
{"list_snapshots", R"help(list_snapshots ['REGEX']: the snapshots, or those whose name matches)help"},
{"list_table_snapshots", R"help(list_table_snapshots 'TABLE_REGEX' [, 'REGEX']: the snapshots of tables whose name matches)help"},
{"list_unknownservers", R"help(list_unknownservers: servers that hbase:meta names and nobody knows)help"},
{"locate_region", R"help(locate_region 'TABLE', 'ROW': the region that a row belongs to)help"},
{"major_compact", R"help(major_compact 'TABLE or REGION' [, 'FAMILY']: makes one file of each store; deleted and expired cells go)help"},
{"merge_region", R"help(merge_region 'REGION', 'REGION'…: makes one region of neighbours, named by their encoded names

  merge_region 'e491f6da89ce4bc34ee7e1ff88d6c2f6', '791ecda8807f8474e80742ee7da7f11a')help"},
{"move", R"help(move 'ENCODED_REGION' [, 'SERVER']: moves a region)help"},
{"normalize", R"help(normalize: runs the normalizer; whether it ran)help"},
{"normalizer_enabled", R"help(normalizer_enabled: whether the normalizer is on)help"},
{"normalizer_switch", R"help(normalizer_switch true or false: turns the normalizer on or off; tells what it was)help"},
{"put", R"help(put 'TABLE', 'ROW', 'FAMILY:QUALIFIER', VALUE [, TIMESTAMP] [, {ARGUMENTS}]: writes a cell

  put 't', 'r1', 'f:q', 'value'
  put 't', 'r1', 'f:q', 'value', 1704067200000
  put 't', "r\x00", 'f:q', "\x01\x02", {TTL => 60000}

TTL is in milliseconds; ATTRIBUTES => {'name' => 'value'} go with the write.)help"},
{"restore_snapshot", R"help(restore_snapshot 'SNAPSHOT': puts the table, which must be disabled, back to what it was)help"},
{"rit", R"help(rit: regions in transition)help"},
{"scan", R"help(scan 'TABLE' [, {ARGUMENTS}]: rows in the order of their keys

  scan 't'
  scan 't', {COLUMNS => ['f:a', 'g'], LIMIT => 10, STARTROW => 'r1', STOPROW => 'r9'}
  scan 't', {ROWPREFIXFILTER => 'user-', FILTER => "ValueFilter(=, 'binary:x')"}
  scan 't', {TIMERANGE => [1704067200000, 1704153600000], VERSIONS => 5}

  COLUMNS          'f', 'f:q' or an array; 'f:q:toLong' shows the value with a formatter: toInt,
                   toLong, toShort, toFloat, toDouble, toBoolean, toString, toHex, toBigDecimal;
                   of OrderedBytes toOrderedInt8, …16, …32, …64, toOrderedFloat32, …64,
                   toOrderedNumeric, toOrderedString, toOrderedBlob, toOrderedBlobVar, and toOrdered
                   for several values one after another
  STARTROW, STOPROW, ROWPREFIXFILTER, REVERSED => true
  LIMIT            no more rows than this
  CONSISTENCY      'TIMELINE': secondary replicas of a cluster's regions may answer, perhaps with
                   what is stale; REGION_REPLICA_ID => 1: this one alone
  FILTER           a text of the filter language; show_filters names what there is
  TIMESTAMP, TIMERANGE => [from, to), VERSIONS
  RAW => true      deleted cells and delete markers, too
  MAXLENGTH        cuts what is shown of a cell
  FORMATTER        for rows, columns and values
  CACHE_BLOCKS, BATCH, MAX_RESULT_SIZE, ALLOW_PARTIAL_RESULTS, ISOLATION_LEVEL
  ALL_METRICS => true, METRICS => ['ROWS_SCANNED', …]   tells behind the rows what the scan did

In double quotes "\x00" is a byte.)help"},
{"set_quota", R"help(set_quota TYPE => THROTTLE or SPACE, ARGUMENTS…: bounds what users, tables and namespaces may ask for or take

  set_quota TYPE => THROTTLE, USER => 'u', LIMIT => '10req/sec'
  set_quota TYPE => THROTTLE, THROTTLE_TYPE => WRITE, TABLE => 't', LIMIT => '10M/min'
  set_quota TYPE => THROTTLE, USER => 'u', NAMESPACE => 'ns', LIMIT => NONE
  set_quota USER => 'u', GLOBAL_BYPASS => true
  set_quota TYPE => SPACE, TABLE => 't', LIMIT => '1G', POLICY => NO_INSERTS
  set_quota TYPE => SPACE, NAMESPACE => 'ns', LIMIT => NONE

Units of time are sec, min, hour and day; amounts req, B, K, M, G, T, P and CU. Policies are NO_INSERTS, NO_WRITES,
NO_WRITES_COMPACTIONS and DISABLE.)help"},
{"show_filters", R"help(show_filters: the filters that FILTER texts may name

  scan 't', {FILTER => "PrefixFilter('a') AND (QualifierFilter(=, 'binary:q') OR PageFilter(5))"})help"},
{"snapshot", R"help(snapshot 'TABLE', 'SNAPSHOT' [, {ARGUMENTS}]: the table as it is now, without copying

  snapshot 't', 'before_import'
  snapshot 't', 's', {SKIP_FLUSH => true, TTL => 86400}

SKIP_FLUSH leaves out what is in memory; TTL is in seconds.)help"},
{"snapshot_cleanup_enabled", R"help(snapshot_cleanup_enabled: whether snapshots go when their TTL is over)help"},
{"snapshot_cleanup_switch", R"help(snapshot_cleanup_switch true or false: turns that on or off; tells what it was)help"},
{"split", R"help(split 'TABLE or REGION' [, 'ROW']: makes two regions of one, in the middle or at the row

  split 't'
  split 't', 'm'
  split '536eaac6caf7e6ae218133943a5dfa8d', 'k')help"},
{"splitormerge_enabled", R"help(splitormerge_enabled 'SPLIT' or 'MERGE': whether regions may be split (merged))help"},
{"splitormerge_switch", R"help(splitormerge_switch 'SPLIT' or 'MERGE', true or false: allows or forbids it; tells what it was)help"},
{"status", R"help(status ['summary', 'simple' or 'detailed']: what the store holds

  status
  status 'detailed')help"},
{"stop_master", R"help(stop_master: ends the master)help"},
{"stop_regionserver", R"help(stop_regionserver 'HOST:PORT': ends a server)help"},
{"table_help", R"help(table_help: how to keep a table in a variable)help"},
{"truncate", R"help(truncate 'TABLE': empties the table in one step, disabling it for that time; it has one region then)help"},
{"truncate_preserve", R"help(truncate_preserve 'TABLE': the same; the borders of its regions stay)help"},
{"unassign", R"help(unassign 'REGION' [, FORCE]: closes a region)help"},
{"update_all_config", R"help(update_all_config: has all servers read their configuration again)help"},
{"update_config", R"help(update_config 'SERVER': has a server read its configuration again)help"},
{"version", R"help(version: of this program)help"},
{"wal_roll", R"help(wal_roll 'SERVER' (or hlog_roll): has a server begin a new log)help"},
{"whoami", R"help(whoami: the user who runs the shell)help"},
};
// clang-format on

}  // namespace

std::string_view HelpOf(std::string_view command) {
  const auto* const at = std::lower_bound(
      std::begin(kHelpTexts), std::end(kHelpTexts), command,
      [](const HelpText& text, std::string_view name) { return text.command < name; });
  return at != std::end(kHelpTexts) && at->command == command ? at->text : std::string_view();
}

}  // namespace bennu::shell
