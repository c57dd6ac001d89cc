#!/usr/bin/env bash
# A client that is not Java, an old one of pure JavaScript, gets the same from `bennu serve` as from
# the real HBase.
#   second_client.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
want "Node.js (18 or newer) and npm" node npm

say "the client's package"
client=$PEER_JARS/second_client
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
start "${any_ports[@]}"
walk "$(port master)" "$(port zookeeper)" "$work/ours"

same "what the client got" "$work/theirs" "$work/ours"
steps=$(wc -l <"$work/ours")
[[ $steps -ge 50 ]] || fail "only $steps steps"
finish
echo "well: $steps steps alike"
