#!/usr/bin/env bash
# `bennu shell` on a running server: the same commands print the same as on a directory.
#   hbase_shell_server.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
export TZ=UTC
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT

"$bennu" serve served --zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --ready-file ready \
  >serve.out 2>serve.err &
server=$!
for _ in $(seq 1 300); do
  [[ -s ready ]] && break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
port_of() { sed -E "s/.* $1=[^ ]*:([0-9]+).*/\1/" ready; }
master=127.0.0.1:$(port_of master)

cat >commands <<'COMMANDS'
list
create 't', {NAME => 'f', VERSIONS => 3, BLOOMFILTER => 'ROWCOL'}, 'g', SPLITS => ['k', 's']
create 't', 'f'
create_namespace 'ns'
create 'ns:u', 'f'
list
list_namespace
list_namespace_tables 'ns'
exists 't'
exists 'none'
is_enabled 't'
put 't', 'a', 'f:q', 'one', 1000
put 't', 'a', 'f:q', 'two', 2000
put 't', 'a', 'g:x', "\x00\xff", 3000
put 't', 'm', 'f:q', 'middle', 1000
put 't', 'z', 'f:q', 'last', 1000
put 't', 'z', 'h:q', 'no such family'
put 'none', 'a', 'f:q', 'v'
get 't', 'a'
get 't', 'a', {COLUMN => 'f:q', VERSIONS => 3}
get 't', 'none'
scan 't'
scan 't', {REVERSED => true, LIMIT => 2}
scan 't', {STARTROW => 'b', STOPROW => 'z'}
scan 't', {FILTER => "ValueFilter(=, 'substring:i')"}
scan 't', {RAW => true, VERSIONS => 5}
scan 't', {TIMERANGE => [0, 2000]}
scan 'none'
count 't'
incr 't', 'c', 'f:n', 5
incr 't', 'c', 'f:n', -2
get_counter 't', 'c', 'f:n'
append 't', 'a', 'f:log', 'x'
append 't', 'a', 'f:log', 'y'
delete 't', 'a', 'f:q', 2000
get 't', 'a', 'f:q'
deleteall 't', 'm'
count 't'
alter 't', {NAME => 'f', VERSIONS => 5}
describe 't'
get_splits 't'
flush 't'
flush 't', 'f'
major_compact 't', 'f'
split 't', 'e'
get_splits 't'
snapshot 't', 's1'
list_snapshots
clone_snapshot 's1', 'v'
count 'v'
disable 't'
is_disabled 't'
get 't', 'a'
scan 't'
put 't', 'a', 'f:q', 'v'
deleteall 'v', 'a'
restore_snapshot 's1'
enable 't'
get 't', 'a'
delete_snapshot 's1'
drop 't'
truncate 'v'
count 'v'
disable_all '.*'
y
drop_all '.*'
y
alter_namespace 'ns', {METHOD => 'set', 'owner' => 'me'}
describe_namespace 'ns'
drop_namespace 'ns'
list
COMMANDS

# What depends on the moment, and on who keeps the table (a server notes how files are tracked).
plain() {
  sed -E -e 's/^Took [0-9.]+ seconds/Took T seconds/' \
    -e 's/timestamp=20(2[4-9]|[3-9][0-9])-[-0-9T:.]*/timestamp=NOW/' \
    -e 's/\(20[0-9]{2}-[-0-9]* [0-9:]* \+0000\)/(NOW)/' \
    -e "s/, METADATA => \{'hbase.store.file-tracker.impl' => 'DEFAULT'\}//" \
    -e "s/, \{TABLE_ATTRIBUTES => \{METADATA => \{'hbase.store.file-tracker.impl' => 'DEFAULT'\}\}\}//" \
    "$1"
}
"$bennu" shell db -q <commands >directory.out 2>directory.err
directory=$?
"$bennu" shell "$master" -q <commands >server.out 2>server.err
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

# Written by a client, acknowledged, and there after a kill.
exits "put" 0 "$bennu" shell "$master" -e "create 'kept', 'f'" -e "put 'kept', 'r', 'f:q', 'v'"
kill -9 "$server"
wait "$server" 2>/dev/null
server=
exits "after a kill" 0 "$bennu" shell served -e "get 'kept', 'r'"
check "it is there" 1 "$(grep -c 'value=v' out)"
echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
