#!/usr/bin/env bash
# HBase's jobs, each in one process, and its Canary against `bennu serve`: RowCounter, Export and
# Import, whose rows LoadTestTool verifies, and the integration test BigLinkedList.
#   jobs.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/serve.sh"
want "a JDK (11 or newer) and Maven" java javac mvn
work=$(mktemp -d)
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
log=$work/peer/client.log
keys=2000 nodes=20000

fail() { echo "FAILED: $*" >&2; tail -qn 20 "$work/output" "$log" "$work/server.log" >&2; exit 1; }

start "${any_ports[@]}"
zk=$(port zookeeper)

# run CLASS ARGUMENT…: a class of HBase. What it logs is in $log.
run() {
  rm -f "$log"
  PEER_HOME=$work/peer PEER_ZK_PORT=$zk PEER_CLIENT_OPTS=-XX:TieredStopAtLevel=1 timeout 120 \
    "$here/kit/peer" java "org.apache.hadoop.hbase.$@" >"$work/output" 2>&1 || fail "$*"
}
load() { run util.LoadTestTool "$@"; }
# counted NAME NUMBER: a counter of the last job.
counted() { grep -qE "^[[:space:]]*$1=$2\$" "$log" || fail "not $1=$2"; }

load -tn load -write 3:200:2 -num_keys $keys
run mapreduce.RowCounter load
counted ROWS $keys
echo "   RowCounter: $keys rows (at $SECONDS s)"

run mapreduce.Export load "file://$work/exported"
counted 'Map output records' $keys
load -tn copy -init_only
run mapreduce.Import copy "file://$work/exported"
counted 'Map input records' $keys
load -tn copy -read 100:2 -num_keys $keys -skip_init
echo "   Export and Import: $keys rows, verified (at $SECONDS s)"

run tool.CanaryTool
run tool.CanaryTool -writeSniffing
echo "   Canary, also writing (at $SECONDS s)"

run test.IntegrationTestBigLinkedList Loop 2 1 $((nodes / 2)) "$work/list" 1 1000 5
counted REFERENCED $nodes
echo "   BigLinkedList: $nodes nodes (at $SECONDS s)"

finish
echo "well"
