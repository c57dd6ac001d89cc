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

# tables MASTER-PORT
tables() {
  quietly "$bennu" shell "127.0.0.1:$1" -q \
    -e "create 'plain', {NAME => 'f', VERSIONS => 3}, 'g'" \
    -e "create 'parts', 'f', 'g', SPLITS => ['g', 'n', 't']"
}
# walk ZOOKEEPER-PORT OUTPUT
walk() {
  timeout 100 node --no-deprecation "$client/walk.js" "127.0.0.1:$1" >"$2" 2>"$work/errors" ||
    fail "the walk: $(tail -3 "$2" "$work/errors")"
}

say "with a real HBase"
quietly "$kit" start --fresh
tables $((PEER_ZK_PORT + 10000))
walk "$PEER_ZK_PORT" "$work/theirs"
quietly "$kit" stop

say "with bennu serve, into indexed tables"
phoenix_port=0
start "${any_ports[@]}"
tables "$(port master)"
ask 'CREATE VIEW "plain" (k VARCHAR PRIMARY KEY, "f"."a" VARCHAR, "f"."c" VARBINARY)' \
  'CREATE INDEX plain_a ON "plain" ("f"."a") INCLUDE ("f"."c")' \
  'CREATE VIEW "parts" (k VARCHAR PRIMARY KEY, "f"."n" VARCHAR, "g"."odd" VARCHAR)' \
  'CREATE INDEX parts_n ON "parts" ("f"."n") INCLUDE ("g"."odd")'
walk "$(port zookeeper)" "$work/ours"
check_index plain_a '"plain"' 2
check_index parts_n '"parts"' 20

same "what the client got" "$work/theirs" "$work/ours"
steps=$(wc -l <"$work/ours")
[[ $steps -ge 50 ]] || fail "only $steps steps"
finish
echo "well: $steps steps alike"
