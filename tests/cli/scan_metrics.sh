# What hbase_shell.sh and hbase_shell_server.sh ask of metrics of scans; sourced beside lib.sh.
# Makes the table m: 26 rows of two families in two regions.
metrics_table() {
  echo "create 'm', 'f', 'g', SPLITS => ['m']"
  for row in {a..z}; do
    echo "put 'm', '$row', 'f:q', 'v$row', 1"
    echo "put 'm', '$row', 'g:q', 'w$row', 1"
  done
}
# scan_metrics NAME TARGET ARGUMENTS EXPECTED: bytes, regions, rows filtered and scanned, as HBase 2.5.10 counts
# them for the same table and scan.
scan_metrics() {
  exits "$1" 0 "$bennu" shell "$2" -e "scan 'm', {$3 METRICS => ['ROWS_SCANNED', 'ROWS_FILTERED', 'REGIONS_SCANNED', 'BYTES_IN_RESULTS']}"
  check "$1: what the scan did" "METRIC  VALUE
$4" "$(sed -n '/^METRIC/,/^Took/p' out | sed '$d')"
}
# All that were recorded; a store in the process has no calls.
all_scan_metrics() {
  scan_metrics "all rows" "$1" "" " BYTES_IN_RESULTS 1508
 REGIONS_SCANNED 2
 ROWS_FILTERED 0
 ROWS_SCANNED 26"
  scan_metrics "one family" "$1" "COLUMNS => 'f'," " BYTES_IN_RESULTS 754
 REGIONS_SCANNED 2
 ROWS_FILTERED 0
 ROWS_SCANNED 26"
  scan_metrics "a limit" "$1" "LIMIT => 3," " BYTES_IN_RESULTS 174
 REGIONS_SCANNED 1
 ROWS_FILTERED 0
 ROWS_SCANNED 3"
  scan_metrics "a range" "$1" "STARTROW => 'b', STOPROW => 'e'," " BYTES_IN_RESULTS 174
 REGIONS_SCANNED 1
 ROWS_FILTERED 0
 ROWS_SCANNED 3"
  scan_metrics "a filter" "$1" "FILTER => \"SingleColumnValueFilter('f', 'q', >, 'binary:vx')\"," " BYTES_IN_RESULTS 116
 REGIONS_SCANNED 2
 ROWS_FILTERED 24
 ROWS_SCANNED 26"
  scan_metrics "backwards" "$1" "REVERSED => true," " BYTES_IN_RESULTS 1508
 REGIONS_SCANNED 2
 ROWS_FILTERED 0
 ROWS_SCANNED 26"
  scan_metrics "nothing" "$1" "STARTROW => 'zz'," " BYTES_IN_RESULTS 0
 REGIONS_SCANNED 1
 ROWS_FILTERED 0
 ROWS_SCANNED 0"
  exits "all metrics" 0 "$bennu" shell "$1" -e "scan 'm', {ALL_METRICS => true}"
  check "are these" "BYTES_IN_REMOTE_RESULTS BYTES_IN_RESULTS MILLIS_BETWEEN_NEXTS NOT_SERVING_REGION_EXCEPTION REGIONS_SCANNED REMOTE_RPC_CALLS REMOTE_RPC_RETRIES ROWS_FILTERED ROWS_SCANNED RPC_CALLS RPC_RETRIES" \
    "$(sed -n '/^METRIC/,/^Took/p' out | sed '1d;$d' | awk '{print $1}' | paste -sd ' ')"
  exits "another one" 1 "$bennu" shell "$1" -e "scan 'm', {METRICS => ['ROWS']}"
  exits "none" 0 "$bennu" shell "$1" -e "scan 'm', {ALL_METRICS => false}"
  check "asked for" 0 "$(grep -c METRIC out)"
}
