#!/usr/bin/env bash
# The unmodified Java client walks through its API against `bennu serve`: found through ZooKeeper's
# protocol, then through the RPC registry, over a restart of the server, and after kill -9 of it.
#   client.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/serve.sh"
work=$(mktemp -d)
stop() { [[ -z $server ]] || kill "$1" "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; server=; }
trap 'stop -9; rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; tail -20 "$work/server.log" >&2; exit 1; }
java() { PEER_HOME=$work/peer PEER_ZK_PORT=$zk "$here/kit/peer" java "$@" 2>>"$work/client.log"; }

phoenix_port=0
# The ports of later starts are those of the first, so that clients find the server again.
start "${any_ports[@]}"
zk=$(port zookeeper) master=$(port master) rs=$(port regionserver)
again=(--zk-port "$zk" --master-port "$master" --rs-port "$rs")

echo "== found through ZooKeeper's protocol"
java "$here/ClientWalk.java" || fail "the walk"

echo "== snapshots, endpoints, bulk load, compression, switches, the asynchronous client"
java "$here/ClientServices.java" || fail "the services"

echo "== found through the RPC registry, after a restart"
stop -TERM
start "${again[@]}"
java "$here/ClientWalk.java" rpc "localhost:$rs" || fail "the walk over the RPC registry"

echo "== what was acknowledged is there after kill -9, in the indexes too"
"$bennu" shell "127.0.0.1:$master" -q -e "create 'killed', 'f'" >/dev/null || fail "no table"
ask 'CREATE VIEW "killed" (k VARCHAR PRIMARY KEY, "f"."f" VARBINARY)' \
  'CREATE INDEX killed_f ON "killed" ("f"."f")'
java "$here/ClientKill.java" write "$work/acknowledged" &
writer=$!
until [[ -s $work/acknowledged && $(wc -l <"$work/acknowledged") -ge 200 ]]; do
  kill -0 "$writer" 2>/dev/null || fail "the writer ended by itself"
  sleep 0.1
done
stop -9
start "${again[@]}"
wait "$writer" || fail "the writer did not survive the restart"
java "$here/ClientKill.java" verify "$work/acknowledged" || fail "acknowledged rows are missing"
check_index killed_f '"killed"' 200
stop -TERM
grep -q 'ERROR' "$work/server.log" && fail "the server's log has errors"
echo "well: $(wc -l <"$work/acknowledged") acknowledged rows survived"
