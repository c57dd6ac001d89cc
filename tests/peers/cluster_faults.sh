#!/usr/bin/env bash
# The native client on a real cluster of three region servers over HDFS that is hurt under load: servers are
# killed, one hangs for 20 s with its connections open as behind a cut network, the master dies; regions are
# moved, split and merged all the time. cluster_load.cc says what must hold.
#   cluster_faults.sh PATH-OF-CLUSTER-LOAD ROUNDS
set -euo pipefail
load=${1:?the path of cluster_load}
rounds=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
export PEER_SERVERS=3 PEER_HEAP=700m PEER_HDFS=1
# A server that hangs is dead to the others after 6 s.
export PEER_PROPS="zookeeper.session.timeout=6000 hbase.master.wait.on.regionservers.mintostart=1"
seconds_of_a_round=65

say "a cluster of three region servers over HDFS"
quietly "$kit" start --fresh

say "load"
seed=$RANDOM
echo "seed $seed"
"$load" "hbase://127.0.0.1:$PEER_ZK_PORT/hbase" $((rounds * seconds_of_a_round)) "$seed" >"$work/load" 2>&1 &
loader=$!
lives() { kill -0 "$loader" 2>/dev/null || grep -q '^well' "$work/load" || fail "the load ended: $(tail -3 "$work/load")"; }
again() { quietly "$kit" run "$1"; lives; }
for round in $(seq "$rounds"); do
  begin=$SECONDS
  sleep 3
  say "a region server dies"
  "$kit" kill server1
  sleep 2
  again server1
  sleep 5
  say "the master dies"
  "$kit" kill master
  sleep 3
  again master
  sleep 3
  say "a region server hangs"
  hanging=$(<"$PEER_HOME/server2.pid")
  kill -STOP "$hanging"
  sleep 20
  kill -CONT "$hanging"
  lives
  # It ends by itself when it sees that the others have taken its regions.
  for _ in {1..40}; do
    kill -0 "$hanging" 2>/dev/null || break
    sleep 0.25
  done
  again server2
  # A round goes on for as long as the load thinks that it does.
  while [[ $((SECONDS - begin)) -lt $seconds_of_a_round && $round -lt $rounds ]]; do sleep 1; done
done
wait "$loader" || fail "$(grep -E 'FAULT|failed' "$work/load" | tail -12)"
grep -E '^(failed|well)' "$work/load" | tail -12
