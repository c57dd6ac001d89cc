#!/usr/bin/env bash
# HBase's LoadTestTool writes while `bennu serve` is killed by SIGKILL and started again, time and
# again; then it reads all keys and verifies every value that the server acknowledged. When it is killed
# depends on what it has written since its start, so that a slow machine sees as many deaths as a fast one.
#   kill_loop.sh PATH-OF-BENNU KEYS KILLS
set -euo pipefail
bennu=${1:?the path of the bennu program}
keys=${2:?how many keys to write}
kills_about=${3:?how often to kill the server meanwhile}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/serve.sh"
want "a JDK (11 or newer) and Maven" java javac mvn
kills_min=$((kills_about / 3))
stand_still_max=300  # seconds in which nothing is written
work=$(mktemp -d)
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; tail -n 20 "$work/output" "$work/server.log" >&2; exit 1; }

load() {
  PEER_HOME=$work/peer PEER_ZK_PORT=$zk \
    "$here/kit/peer" java org.apache.hadoop.hbase.util.LoadTestTool -tn load "$@"
}

# Sets written: the mutations that the server has made since its start; leaves it without an answer.
written=0
ask_written() {
  local page
  page=$({
    exec 3<>"/dev/tcp/127.0.0.1/$(port http)" &&
      printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3 && cat <&3
  } 2>/dev/null) || return 0
  written=$(awk '/^hbase_region_write_requests_total/ { sum += $NF } END { print sum + 0 }' <<<"$page")
}

is_writing() { kill -0 "$writer" 2>/dev/null; }

# write_up_to MUTATIONS: returns once so many are made since the server's start, or the writer has ended.
write_up_to() {
  local last=-1 since=$SECONDS
  written=0
  while is_writing; do
    ask_written
    [[ $written -lt $1 ]] || return 0
    [[ $written -eq $last ]] || since=$SECONDS
    last=$written
    [[ $((SECONDS - since)) -lt $stand_still_max ]] || fail "nothing was written for $stand_still_max s"
    sleep 0.1
  done
}

http_port=0
start "${any_ports[@]}"
zk=$(port zookeeper)
again=(--zk-port "$zk" --master-port "$(port master)" --rs-port "$(port regionserver)")
export PEER_CLIENT_OPTS="-XX:TieredStopAtLevel=1"

: >"$work/output"
load -write 3:200:4 -num_keys "$keys" >"$work/output" 2>&1 &
writer=$!
kills=0
until grep -q 'Starting to write data' "$work/output"; do
  is_writing || fail "the writer ended by itself"
  sleep 0.2
done
# On average half of that between two deaths; the tool writes about four times for each key.
writes_max=$((2 * 4 * keys / kills_about))
while is_writing; do
  # Now soon, now late after the start: while regions are opened, and between flushes.
  write_up_to $(((RANDOM * 32768 + RANDOM) % writes_max))
  is_writing || break
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  kills=$((kills + 1))
  start "${again[@]}"
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
