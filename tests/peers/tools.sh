#!/usr/bin/env bash
# HBase's own load programs against `bennu serve`: every command of PerformanceEvaluation that needs
# no cluster of its own, and LoadTestTool, which verifies what it reads.
#   tools.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/serve.sh"
work=$(mktemp -d)
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; tail -n 20 "$work/output" "$work/server.log" >&2; exit 1; }

start "${any_ports[@]}"
zk=$(port zookeeper)

# run MAIN-CLASS ARGUMENT…
run() {
  PEER_HOME=$work/peer PEER_ZK_PORT=$zk PEER_CLIENT_OPTS=-XX:TieredStopAtLevel=1 \
    timeout 300 "$here/kit/peer" java "$@" >"$work/output" 2>&1 || fail "$*"
}

for command in sequentialWrite sequentialRead randomWrite randomRead scan scanRange10 randomSeekScan \
  filterScan increment append checkAndMutate checkAndPut checkAndDelete; do
  run org.apache.hadoop.hbase.PerformanceEvaluation --nomapred --rows=1000 "$command" 2
  grep -q 'Finished .* in .*ms over 1000 rows' "$work/output" || fail "$command: no rows"
  echo "   PerformanceEvaluation $command"
done
run org.apache.hadoop.hbase.PerformanceEvaluation --nomapred --rows=1000 --multiGet=10 randomRead 1
run org.apache.hadoop.hbase.PerformanceEvaluation --nomapred --rows=1000 --multiPut=10 --autoFlush=true \
  randomWrite 1
echo "   PerformanceEvaluation with batches"
run org.apache.hadoop.hbase.util.LoadTestTool -tn load -write 3:500:2 -update 30:2 -read 100:2 \
  -num_keys 1000 -multiget_batchsize 10
grep -q 'Failed to write keys: 0' "$work/output" || fail "LoadTestTool: keys were not written"
grep -qi 'verification failed\|failed to verify' "$work/output" && fail "LoadTestTool: wrong values"
echo "   LoadTestTool: $(grep -o 'verified=[0-9]*' "$work/output" | tail -1)"
finish
echo "well"
