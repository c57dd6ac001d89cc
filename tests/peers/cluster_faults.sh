#!/usr/bin/env bash
# The native client on a real cluster of three region servers over HDFS that is hurt under load: servers are
# killed, one hangs for 20 s with its connections open, the master dies, the network between the client and all
# servers is cut for 20 s; regions are moved, split and merged all the time. cluster_load.cc says what must hold.
#   cluster_faults.sh PATH-OF-CLUSTER-LOAD ROUNDS
set -euo pipefail
load=${1:?the path of cluster_load}
rounds=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
# The servers have a network of their own, and the client another; between them is a cable of 10.99.0.
if [[ -z ${PEER_OWN_NETWORK:-} ]]; then
  export PEER_JARS=${PEER_JARS:-$here/../../build/peer}
  PEER_HOME=$PEER_JARS "$here/kit/peer" classpath >/dev/null  # what is fetched comes from outside
  as_root=()
  [[ $EUID == 0 ]] || as_root=(--map-root-user)
  PEER_OWN_NETWORK=1 exec unshare --net "${as_root[@]}" "$0" "$@"
fi
ip link set lo up
. "$here/lib.sh"
export PEER_SERVERS=3 PEER_HEAP=700m PEER_HDFS=1
# A server that hangs is dead to the others after 6 s.
PEER_PROPS="zookeeper.session.timeout=6000 hbase.master.wait.on.regionservers.mintostart=1"
PEER_PROPS+=" hbase.master.hostname=10.99.0.1 hbase.unsafe.regionserver.hostname=10.99.0.1"
export PEER_PROPS+=" hbase.master.ipc.address=0.0.0.0 hbase.regionserver.ipc.address=0.0.0.0"
seconds_of_a_round=95

say "two networks"
unshare --net sleep 4000 &
network=$!
trap 'kill "$network" 2>/dev/null || true; at_end' EXIT
until [[ $(readlink "/proc/$network/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do sleep 0.1; done
at_client() { nsenter --net="/proc/$network/ns/net" "$@"; }
ip link add servers type veth peer name client
ip link set client netns "$network"
ip address add 10.99.0.1/24 dev servers
ip link set servers up
at_client ip link set lo up
at_client ip address add 10.99.0.2/24 dev client
at_client ip link set client up

say "a cluster of three region servers over HDFS"
quietly "$kit" start --fresh

say "load"
seed=$RANDOM
echo "seed $seed"
at_client "$load" "hbase://10.99.0.1:$PEER_ZK_PORT/hbase" $((rounds * seconds_of_a_round)) "$seed" >"$work/load" 2>&1 &
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
  sleep 3
  say "the network is cut"
  ip link set servers down
  sleep 20
  ip link set servers up
  lives
  # A round goes on for as long as the load thinks that it does.
  while [[ $((SECONDS - begin)) -lt $seconds_of_a_round && $round -lt $rounds ]]; do sleep 1; done
done
wait "$loader" || fail "$(grep -E 'FAULT|failed' "$work/load" | tail -12)"
grep -E '^(failed|well)' "$work/load" | tail -12
