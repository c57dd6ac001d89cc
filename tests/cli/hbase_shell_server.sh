#!/usr/bin/env bash
# `bennu shell` on a running server: the same commands print the same as on a directory.
#   hbase_shell_server.sh PATH-OF-BENNU
set -uo pipefail
commands=$(realpath "$(dirname "$0")/shell_transcript.txt")
. "$(realpath "$(dirname "$0")/shell_transcript.sh")"
. "$(dirname "$0")/scan_metrics.sh"
. "$(dirname "$0")/lib.sh"
export TZ=UTC
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT

start_server directory --zk-port 0 --master-port 0 --rs-port 0 --http-port 0
master=127.0.0.1:$(port_of master)

"$bennu" shell db -q <"$commands" >directory.out 2>directory.err
directory=$?
"$bennu" shell "$master" -q <"$commands" >server.out 2>server.err
check "the same exit code" "$directory" $?
plain directory.out >directory.plain
plain server.out >server.plain
check "the same transcript" "" "$(diff directory.plain server.plain)"
check "of all commands" 69 "$(grep -c '^Took ' server.plain)"
check "nothing on standard error" "" "$(cat server.err)"

# A region server's port will do, and of several addresses one that answers.
exits "the region server's port" 0 "$bennu" shell "127.0.0.1:$(port_of regionserver)" -e list
exits "the second address" 0 "$bennu" shell "127.0.0.1:1,$master" -e list
exits "another port" 3 timeout 60 "$bennu" shell "127.0.0.1:$(port_of zookeeper)" -e list \
  -D hbase.rpc.timeout=3000
check "which is said" 1 "$(grep -c "not ZooKeeper's" err)"
exits "nobody there" 3 "$bennu" shell 127.0.0.1:1 -e list
check "who is not there" 1 "$(grep -c '127.0.0.1:1 can not be reached' err)"
exits "a property that means nothing" 2 "$bennu" shell "$master" -D hbase.no.such=1 -e list
exits "read-only is for directories" 2 "$bennu" shell --read-only "$master" -e list

# Errors name the thing, as on a directory.
exits "an empty row" 1 "$bennu" shell "$master" -e "create 'named', 'f'" -e "put 'named', '', 'f:q', 'v'"
check "of which table" "ERROR: table named: a row key of 0 bytes: 1 to 32767 are possible" "$(cat err)"
exits "an empty border" 1 "$bennu" shell "$master" -e "split 'named', ''"
check "is no row" 1 "$(grep -c 'should not give a splitkey which equals to startkey' err)"
exits "a name too long for a directory" 1 "$bennu" shell "$master" -e "create '$(printf 'x%.0s' {1..300})', 'f'"
check "is told before it is tried" 1 "$(grep -c 'it has 300 bytes; at most 255' err)"

metrics_table | "$bennu" shell "$master" -q >out 2>err
all_scan_metrics "$master"
exits "calls" 0 "$bennu" shell "$master" -e "scan 'm', {METRICS => ['RPC_CALLS']}"
check "of which there are some" 1 "$(grep -c '^ RPC_CALLS [1-9]' out)"

# Written by a client, acknowledged, and there after a kill.
exits "put" 0 "$bennu" shell "$master" -e "create 'kept', 'f'" -e "put 'kept', 'r', 'f:q', 'v'"
kill -9 "$server"
wait "$server" 2>/dev/null
server=
exits "after a kill" 0 "$bennu" shell directory -e "get 'kept', 'r'"
check "it is there" 1 "$(grep -c 'value=v' out)"
echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
