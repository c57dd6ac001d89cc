#!/usr/bin/env bash
# The native client on the real HBase: `bennu shell` prints there what it prints on a directory.
#   native_client.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/../cli/shell_transcript.sh"
commands=$here/../cli/shell_transcript.txt
export TZ=UTC

say "a real HBase"
quietly "$kit" start --fresh

say "the same commands on it and on a directory"
# Some of them are to fail: the exit code is that of the last error, and compared as well.
theirs=0 ours=0
timeout 200 "$bennu" shell "hbase://127.0.0.1:$PEER_ZK_PORT" -q <"$commands" \
  >"$work/theirs" 2>"$work/errors" || theirs=$?
"$bennu" shell "$work/directory" -q <"$commands" >"$work/ours" 2>>"$work/errors" || ours=$?
[[ $theirs == "$ours" ]] || fail "exit code $theirs on HBase, $ours on a directory"
[[ ! -s $work/errors ]] || fail "errors: $(head -3 "$work/errors")"
plain "$work/ours" >"$work/expected"
plain "$work/theirs" >"$work/actual"
same "the transcript" "$work/expected" "$work/actual"
commands_run=$(grep -c '^Took ' "$work/actual")
[[ $commands_run -ge 69 ]] || fail "only $commands_run commands were run"

say "a bulk load"
{
  echo "create 'loads', 'f'"
  for i in {100..399}; do echo "put 'loads', 'r$i', 'f:q', 'v$i', 5"; done
} >"$work/fill"
quietly "$bennu" shell "$work/loads" -n -q "$work/fill"
quietly "$bennu" export "$work/loads" loads "$work/hfiles"
master=127.0.0.1:$((PEER_ZK_PORT + 10000))
quietly "$bennu" shell "$master" -n -e "create 'loads', 'f', SPLITS => ['r200', 'r333']"
"$bennu" bulkload "$master" loads "$work/hfiles" >"$work/loaded" || fail "the bulk load"
grep -q 'into 3 regions' "$work/loaded" || fail "$(cat "$work/loaded")"
scan() { "$bennu" shell "$1" -n -e "scan 'loads'" | grep column= >"$2"; }
scan "$work/loads" "$work/expected"
scan "$master" "$work/actual"
same "cells that were loaded" "$work/expected" "$work/actual"

"$bennu" import "$master" "$work/hfiles" --table loads2 >"$work/loaded" || fail "the import"
"$bennu" shell "$master" -n -e "scan 'loads2'" | grep column= >"$work/actual"
same "cells that were imported" "$work/expected" "$work/actual"

say "by all names of the cluster"
cat >"$work/hbase-site.xml" <<END
<configuration>
<property><name>hbase.zookeeper.quorum</name><value>127.0.0.1</value></property>
<property><name>hbase.zookeeper.property.clientPort</name><value>$PEER_ZK_PORT</value></property>
<property><name>hbase.rootdir</name><value>file:///nowhere</value></property>
</configuration>
END
for target in "127.0.0.1:$((PEER_ZK_PORT + 20000))" "hbase://127.0.0.1:1,127.0.0.1:$PEER_ZK_PORT/hbase" \
  "hbase+rpc://$master" "jdbc:phoenix:127.0.0.1:$PEER_ZK_PORT:/hbase" "hbase: --config $work/hbase-site.xml"; do
  # Not quoted: the last is two words and an option.
  "$bennu" shell $target -n -e "scan 'loads2'" | grep column= >"$work/actual"
  same "$target" "$work/expected" "$work/actual"
done
HBASE_CONF_DIR=$work quietly "$bennu" export hbase: loads2 "$work/exported"
"$bennu" shell "hbase://127.0.0.1:$PEER_ZK_PORT/none" -e list >"$work/output" 2>&1 && fail "a znode that is not there"
grep -q 'The children of / are .*hbase' "$work/output" || fail "$(cat "$work/output")"
echo "well: $commands_run commands alike"
