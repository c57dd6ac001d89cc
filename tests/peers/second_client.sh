#!/usr/bin/env bash
# A client that is not Java, an old one of pure JavaScript, gets the same from `bennu serve` as from
# the real HBase.
#   second_client.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
for tool in node npm; do
  command -v "$tool" >/dev/null && continue
  echo "SKIPPED: there is no '$tool' here; this test wants Node.js (18 or newer) and npm" >&2
  exit 77
done
. "$here/lib.sh"

say "the client's package"
client=$PEER_HOME/second_client
mkdir -p "$client"
cp "$here"/second_client/{package.json,package-lock.json,walk.js} "$client"
[[ -d $client/node_modules/hbase-rpc-client ]] ||
  quietly npm --prefix "$client" ci --no-audit --no-fund --ignore-scripts

# walk MASTER-PORT ZOOKEEPER-PORT OUTPUT
walk() {
  quietly "$bennu" shell "127.0.0.1:$1" -q \
    -e "create 'plain', {NAME => 'f', VERSIONS => 3}, 'g'" \
    -e "create 'parts', 'f', 'g', SPLITS => ['g', 'n', 't']"
  timeout 100 node --no-deprecation "$client/walk.js" "127.0.0.1:$2" >"$3" 2>"$work/errors" ||
    fail "the walk: $(tail -3 "$3" "$work/errors")"
}

say "with a real HBase"
quietly "$kit" start --fresh
walk $((PEER_ZK_PORT + 10000)) "$PEER_ZK_PORT" "$work/theirs"
quietly "$kit" stop

say "with bennu serve"
"$bennu" serve "$work/store" --zk-port 0 --master-port 0 --rs-port 0 --http-port none \
  --ready-file "$work/ready" --verbose >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 1 300); do
  [[ -s $work/ready ]] && break
  sleep 0.1
done
port() { sed -E "s/.* $1=[^ ]*:([0-9]+).*/\1/" "$work/ready"; }
walk "$(port master)" "$(port zookeeper)" "$work/ours"

same "what the client got" "$work/theirs" "$work/ours"
steps=$(wc -l <"$work/ours")
[[ $steps -ge 51 ]] || fail "only $steps steps"
kill -TERM "$server"
wait "$server" || fail "the server did not end well"
server=
grep -q ERROR "$work/server.log" && fail "the server's log has errors"
echo "well: $steps steps alike"
