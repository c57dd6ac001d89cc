#!/usr/bin/env bash
# HBase's LoadTestTool writes while `bennu serve` is killed by SIGKILL and started again, time and
# again; then it reads all keys and verifies every value that the server acknowledged.
#   kill_loop.sh PATH-OF-BENNU KEYS
set -euo pipefail
bennu=${1:?the path of the bennu program}
keys=${2:?how many keys to write}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/serve.sh"
want "a JDK (11 or newer) and Maven" java javac mvn
kills_min=4
work=$(mktemp -d)
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; tail -n 20 "$work/output" "$work/server.log" >&2; exit 1; }

load() {
  PEER_HOME=$work/peer PEER_ZK_PORT=$zk \
    timeout 1500 "$here/kit/peer" java org.apache.hadoop.hbase.util.LoadTestTool -tn load "$@"
}

start "${any_ports[@]}"
zk=$(port zookeeper)
again=(--zk-port "$zk" --master-port "$(port master)" --rs-port "$(port regionserver)")
export PEER_CLIENT_OPTS="-XX:TieredStopAtLevel=1"

load -write 3:200:4 -num_keys "$keys" >"$work/output" 2>&1 &
writer=$!
kills=0
until grep -q 'Starting to write data' "$work/output"; do
  kill -0 "$writer" 2>/dev/null || fail "the writer ended by itself"
  sleep 0.2
done
sleep 0.5
while kill -0 "$writer" 2>/dev/null; do
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  kills=$((kills + 1))
  start "${again[@]}"
  # Now soon, now late after the start: while logs are replayed, and between flushes.
  sleep "$((RANDOM % 5)).$((RANDOM % 10))"
done
wait "$writer" || fail "the writer did not get its keys written"
grep -q 'Failed to write keys: 0' "$work/output" || fail "keys were not written"
[[ $kills -ge $kills_min ]] || fail "it was killed only $kills times; write more keys"
echo "   $keys keys written over $kills kills (at $SECONDS s)"

# It fails when a value is wrong or missing; so it must with keys that were never written.
load -read 100:4 -num_keys "$keys" >"$work/output" 2>&1 || fail "acknowledged values are missing"
echo "   all of them read and verified (at $SECONDS s)"
if load -read 100:1 -start_key "$keys" -num_keys 10 >"$work/output" 2>&1; then
  fail "LoadTestTool does not notice keys that are missing"
fi
finish
"$bennu" check "$work/store" >"$work/output" 2>&1 || fail "bennu check"
echo "well: $keys keys, $kills kills (at $SECONDS s)"
