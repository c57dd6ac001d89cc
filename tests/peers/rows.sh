#!/usr/bin/env bash
# Cases drawn from a seed, by the unmodified Java client on HBase and on `bennu serve`: families with options,
# changes of every kind, flushes, compactions, splits, merges, alters, snapshots, gets and scans with every
# option and filter. All answers must be alike; where HBase fails over a read by a fault of its own (IOException), nothing is compared.
#   rows.sh PATH-OF-BENNU [FIRST-SEED [CASES [STEPS [SECONDS]]]]
set -euo pipefail
bennu=${1:?the path of the bennu program}
first=${2:-1} cases=${3:-25} steps=${4:-120} seconds=${5:-100}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

now=$(date +%s%3N)
# run FILE ZOOKEEPER-PORT CASES SECONDS
run() {
  timeout $(($4 + 200)) "$kit" java Rows "$2" "$now" "$first" "$3" "$steps" "$4" >"$1" 2>"$work/output" || {
    grep -v "^[[:space:]]at " "$work/output" | tail -20 | cut -c1-300 >&2
    fail "the client"
  }
}

say "HBase"
compile_steps "$here/rows"
# Regions are to be split and merged again soon: files that were compacted go at once, not after two minutes.
export PEER_PROPS="${PEER_PROPS:-} hbase.hfile.compaction.discharger.interval=200"
quietly "$kit" start --fresh
run "$work/hbase" "$PEER_ZK_PORT" "$cases" "$seconds"
quietly "$kit" stop
done=$(grep -c ' ends$' "$work/hbase") || fail "HBase did not come to the end of one case"
say "bennu serve: $done of $cases cases, as many as there was time for"
start "${any_ports[@]}"
run "$work/bennu" "$(port zookeeper)" "$done" 1000
finish
python3 "$here/rows/compare.py" "$work/hbase" "$work/bennu" || fail "HBase and Bennu answer differently"
say "well"
