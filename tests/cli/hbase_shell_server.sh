#!/usr/bin/env bash
# `bennu shell` on a running server: the same commands print the same as on a directory.
#   hbase_shell_server.sh PATH-OF-BENNU
set -uo pipefail
commands=$(realpath "$(dirname "$0")/shell_transcript.txt")
. "$(realpath "$(dirname "$0")/shell_transcript.sh")"
. "$(dirname "$0")/scan_metrics.sh"
. "$(dirname "$0")/lib.sh"
export TZ=UTC
unset HBASE_CONF_DIR
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT

start_server directory --zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --phoenix-port 0
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
check "who is not there" 1 "$(grep -c '127.0.0.1:1 cannot be reached' err)"

# Through ZooKeeper, and by a configuration, each command.
zookeeper=127.0.0.1:$(port_of zookeeper)
site() {
  echo "<configuration>"
  for pair; do echo "<property><name>${pair%%=*}</name><value>${pair#*=}</value></property>"; done
  echo "</configuration>"
}
mkdir conf
site "hbase.zookeeper.quorum=127.0.0.1" "hbase.zookeeper.property.clientPort=$(port_of zookeeper)" \
  "hbase.rootdir=file:///nowhere" >conf/hbase-site.xml
site "hbase.masters=$master" "hbase.client.registry.impl=org.apache.hadoop.hbase.client.RpcConnectionRegistry" >masters.xml
exits "a table to be found" 0 "$bennu" shell "$master" -e "create 'found', 'f'" -e "put 'found', 'r', 'f:q', 'v'"
for target in "hbase://$zookeeper" "hbase://127.0.0.1:1,$zookeeper/hbase" "hbase+zk://$zookeeper/hbase" \
  "hbase+rpc://$master" "jdbc:phoenix:127.0.0.1:$(port_of zookeeper):/hbase" \
  "jdbc:phoenix+rpc:127.0.0.1\\:$(port_of master)" "hbase: --config conf/hbase-site.xml" \
  "hbase: --config masters.xml" "hbase+zk: --config conf/hbase-site.xml"; do
  exits "$target" 0 "$bennu" shell $target -e "get 'found', 'r'"
  check "$target: the row" 1 "$(grep -c 'value=v' out)"
done
export HBASE_CONF_DIR=$work/conf
exits "the folder of the configuration" 0 "$bennu" shell hbase: -e "get 'found', 'r'"
exits "a snapshot" 0 "$bennu" snapshot hbase: take found1 found
exits "list of snapshots" 0 "$bennu" snapshot hbase: list --format csv
check "it is listed" 1 "$(grep -c '^found1,found,' out)"
exits "an export" 0 "$bennu" export "hbase://$zookeeper" found exported
exits "an import" 0 "$bennu" import hbase: "$work/exported" --table found2
exits "a bulk load" 0 "$bennu" bulkload hbase: found "$work/exported"
exits "a backup, which this server does not make" 1 "$bennu" backup hbase: "$work/backup"
exits "-D wins" 3 "$bennu" shell hbase: -D hbase.zookeeper.quorum=127.0.0.1:1 -e list
unset HBASE_CONF_DIR

# What cannot be, and what is told of it.
exits "nobody there" 3 "$bennu" shell hbase://127.0.0.1:1,127.0.0.1:2 -e list
check "all are named" 1 "$(grep -c '127.0.0.1:1,127.0.0.1:2.*no server answers' err)"
check "in one line" 1 "$(wc -l <err)"
exits "a wrong znode" 3 "$bennu" shell "hbase://$zookeeper/hbase-unsecure" -e list
check "is asked for" 1 "$(grep -c 'is zookeeper.znode.parent right? The children of / are hbase' err)"
exits "no configuration" 2 "$bennu" shell hbase: -e list
check "is told" 1 "$(grep -c 'HBASE_CONF_DIR is not set' err)"
exits "a file that is not there" 2 "$bennu" shell hbase: --config no.xml -e list
exits "two names" 2 "$bennu" shell "hbase://$zookeeper" -D hbase.masters=m -e list
exits "a file for a directory" 2 "$bennu" shell db --config masters.xml -e list
check "is refused" 1 "$(grep -c -e '--config applies to a cluster only' err)"
site "hbase.zookeeper.quorum=127.0.0.1" "hbase.security.authentication=kerberos" >kerberos.xml
exits "Kerberos" 2 "$bennu" shell hbase: --config kerberos.xml -e list
check "is not there" 1 "$(grep -c 'no Kerberos' err)"
exits "a keytab" 2 "$bennu" shell jdbc:phoenix:zk1:2181:/hbase:user:keytab -e list
exits "the thin driver's" 2 "$bennu" shell "jdbc:phoenix:thin:url=http://localhost:8765" -e list
check "which program takes it" 1 "$(grep -c 'bennu sql http://localhost:8765' err)"
exits "a wrong port" 2 "$bennu" shell "hbase://zk1:x?hbase.rpc.tls.keystore.password=secret" -e list
check "without the password" 0 "$(grep -c secret err)"
exits "a property that means nothing" 2 "$bennu" shell "$master" -D hbase.no.such=1 -e list
exits "read-only is for directories" 2 "$bennu" shell --read-only "$master" -e list

# Errors name the thing, as on a directory.
exits "an empty row" 1 "$bennu" shell "$master" -e "create 'named', 'f'" -e "put 'named', '', 'f:q', 'v'"
check "of which table" "ERROR: table named: a row key of 0 bytes: 1 to 32767 are possible" "$(cat err)"
exits "an empty border" 1 "$bennu" shell "$master" -e "split 'named', ''"
check "is no row" 1 "$(grep -c 'should not give a splitkey which equals to startkey' err)"
exits "a snapshot" 0 "$bennu" shell "$master" -e "snapshot 'named', 'shot'"
exits "cloned with another store file tracker" 1 "$bennu" shell "$master" -e "clone_snapshot 'shot', 'w', {CLONE_SFT => 'FILE'}"
check "which is not there" "ERROR: store file tracker FILE is not there; there is DEFAULT" "$(cat err)"
exits "a name too long for a directory" 1 "$bennu" shell "$master" -e "create '$(printf 'x%.0s' {1..300})', 'f'"
check "is told before it is tried" 1 "$(grep -c 'it has 300 bytes; at most 255' err)"

metrics_table | "$bennu" shell "$master" -q >out 2>err
all_scan_metrics "$master"
exits "calls" 0 "$bennu" shell "$master" -e "scan 'm', {METRICS => ['RPC_CALLS']}"
check "of which there are some" 1 "$(grep -c '^ RPC_CALLS [1-9]' out)"

# What is asked of the cluster; texts are those of HBase's shell.
regions=127.0.0.1:$(port_of regionserver)
asked() { "$bennu" shell "$master" -q -e "$1" 2>&1 | sed '/^Took /d'; }
check "a switch" $'Previous balancer state : true\n=> "true"' "$(asked 'balance_switch false')"
check "which is off" $'false\n=> false' "$(asked 'balancer_enabled')"
check "then nothing is balanced" $'false\n=> 1' "$(asked 'balancer')"
check "and on" $'Previous balancer state : false\n=> "false"' "$(asked 'balance_switch true')"
for switch in normalizer catalogjanitor cleaner_chore snapshot_cleanup; do
  check "$switch off" $'true\n=> 1' "$(asked "${switch}_switch false")"
  check "$switch is off" $'false\n=> 1' "$(asked "${switch}_enabled")"
  check "$switch on" $'false\n=> 1' "$(asked "${switch}_switch true")"
done
check "splits" $'true\n=> 1' "$(asked "splitormerge_switch 'SPLIT', false")"
check "are forbidden" "ERROR: split switch is off!" "$(asked "split 'named', 'm'" | grep -o 'ERROR: split switch is off!')"
check "and allowed" $'false\n=> 1' "$(asked "splitormerge_switch 'SPLIT', true")"
check "compactions" "['SERVER'  'PREV_STATE']" "$(asked 'compaction_switch true' | head -1)"
check "the janitor" "=> 0" "$(asked catalogjanitor_run)"
check "the cleaner" "=> true" "$(asked cleaner_chore_run)"
check "hbck" "=> true" "$(asked hbck_chore_run)"
name=$(asked list_liveservers | sed -n 2p)
check "one server" $'SERVERNAME\nNAME\n1 row(s)' "$(asked list_liveservers | sed "s/$name/NAME/")"
check "none is dead" $'SERVERNAME\n0 row(s)' "$(asked list_deadservers)"
check "none is unknown" $'SERVERNAME\n0 row(s)' "$(asked list_unknownservers)"
check "none to be cleared" $'true\n=> 1' "$(asked clear_deadservers)"
check "none is decommissioned" $'DECOMMISSIONED REGION SERVERS\n0 row(s)' "$(asked list_decommissioned_regionservers)"
check "no region is on its way" "0 row(s)" "$(asked rit)"
check "no maintenance" $'false\n=> false' "$(asked is_in_maintenance_mode)"
logs=$(ls directory/WALs/*/ | wc -l)
check "a new log" "" "$(asked "wal_roll '$name'")"
check "is begun" 1 "$(("$(ls directory/WALs/*/ directory/oldWALs | grep -c '%2C')" > logs))"
check "the configuration is read again" "" "$(asked update_all_config)"
check "all regions of a server" "" "$(asked "compact_rs '$name', true")"
check "its blocks go" "CacheEvictionStats" "$(asked "clear_block_cache 'named'" | head -1 | cut -c1-18)"
check "procedures" " PID Name State Submitted Last_Update Parameters" "$(asked list_procedures | head -1)"
check "with HBase's names" 1 "$(asked list_procedures | grep -c 'procedure.CreateTableProcedure SUCCESS' | sed 's/^[1-9].*/1/')"
check "an unknown one" $'false\n=> 1' "$(asked 'abort_procedure 1')"
check "no locks" "" "$(asked list_locks)"
check "a summary" "1 active master, 0 backup masters, 1 servers, 0 dead" "$(asked status | cut -d, -f1-4)"
check "the simple status" "1 live servers" "$(asked "status 'simple'" | sed -n 3p)"
check "names its regions" 1 "$(asked "status 'detailed'" | grep -c '^        "named,,')"
region=$(asked "list_regions 'named', '', ['region_name']" | sed -n 3p | tr -d ' |')
check "where a region is" "$name" "$(asked "list_regions 'named', nil, ['SERVER_NAME']" | sed -n 3p | tr -d ' |')"
check "of no other server" " 0 rows" "$(asked "list_regions 'named', 'elsewhere'" | tail -1)"
check "it stays" "" "$(asked "move '$(cut -d. -f2 <<<"$region")'")"
check "and is assigned" "" "$(asked "assign '$region'")"
exits "of a directory" 1 "$bennu" shell db -e balancer
check "a server is wanted" 1 "$(grep -c 'bennu shell HOST:PORT' err)"

# Written by a client, acknowledged, and there after a kill.
exits "put" 0 "$bennu" shell "$master" -e "create 'kept', 'f'" -e "put 'kept', 'r', 'f:q', 'v'"
kill -9 "$server"
wait "$server" 2>/dev/null
server=
exits "after a kill" 0 "$bennu" shell directory -e "get 'kept', 'r'"
check "it is there" 1 "$(grep -c 'value=v' out)"

# Quotas, as HBase's shell sets and lists them.
cat >quotas.xml <<'XML'
<configuration>
<property><name>hbase.quota.enabled</name><value>true</value></property>
<property><name>hbase.master.quotas.observer.chore.period</name><value>100</value></property>
</configuration>
XML
start_server directory --config quotas.xml --zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --phoenix-port 0
master=127.0.0.1:$(port_of master)
check "a throttle" "" "$(asked "set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => '10req/sec'")"
check "of bytes written" "" "$(asked "set_quota TYPE => THROTTLE, THROTTLE_TYPE => WRITE, USER => 'u1', TABLE => 'kept', LIMIT => '10M/min'")"
check "a bypass" "" "$(asked "set_quota USER => 'u2', GLOBAL_BYPASS => true")"
check "space" "" "$(asked "set_quota TYPE => SPACE, TABLE => 'kept', LIMIT => '1K', POLICY => NO_INSERTS")"
check "they are listed" "OWNER  QUOTAS
 TABLE => kept TYPE => SPACE, TABLE => kept, LIMIT => 1.00K, VIOLATION_POLICY => NO_INSERTS
 USER => u1 TYPE => THROTTLE, THROTTLE_TYPE => REQUEST_NUMBER, LIMIT => 10req/sec, SCOPE => MACHINE
 USER => u1, TABLE => kept TYPE => THROTTLE, THROTTLE_TYPE => WRITE_SIZE, LIMIT => 10.00M/min, SCOPE => MACHINE
 USER => u2 GLOBAL_BYPASS => true
4 row(s)" "$(asked list_quotas)"
check "of one user" "1 row(s)" "$(asked "list_quotas USER => 'u2'" | tail -1)"
check "a limit that is none" 1 "$(asked "set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => 'much'" | grep -c 'Invalid throttle limit syntax')"
check "a throttle goes" "" "$(asked "set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => NONE")"
# As in HBase, who has none for everything any more loses those for tables.
check "and with it the one for a table" " TABLE USER" "$(asked list_quotas | sed -nE 's/^( [A-Z]+) => .*/\1/p' | tr -d '\n')"
asked "put 'kept', 'large', 'f:q', '$(printf 'x%.0s' {1..3000})'" >/dev/null
asked "flush 'kept'" >/dev/null
for _ in $(seq 1 100); do
  [[ "$(asked "list_quota_snapshots TABLE => 'kept'" | sed -n 2p)" == *" 1024 true NO_INSERTS" ]] && break
  sleep 0.1
done
check "too much is told" 1 "$(asked list_quota_snapshots | grep -c ' kept [0-9]* 1024 true NO_INSERTS')"
check "what tables take" 1 "$(asked list_quota_table_sizes | grep -c '^ kept [1-9][0-9]*$')"
check "no more is put" 1 "$(asked "put 'kept', 't', 'f:q', 'v'" | grep -c 'NO_INSERTS Puts are disallowed due to a space quota.')"
check "but deleted" "" "$(asked "deleteall 'kept', 'large'")"
check "without a quota" "" "$(asked "set_quota TYPE => SPACE, TABLE => 'kept', LIMIT => NONE")"
for _ in $(seq 1 100); do
  [[ -z "$(asked "put 'kept', 't', 'f:q', 'v'")" ]] && break
  sleep 0.1
done
check "it is put" "" "$(asked "put 'kept', 't', 'f:q', 'v'")"
check "and nothing is told" "0 row(s)" "$(asked list_quota_snapshots | tail -1)"
kill -TERM "$server"
wait "$server"
check "its end" 0 $?

# A client may stop the server: what is in memory goes to files.
start_server directory --zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --phoenix-port 0
master=127.0.0.1:$(port_of master)
exits "put" 0 "$bennu" shell "$master" -e "put 'kept', 's', 'f:q', 'w'"
exits "stop" 0 "$bennu" shell "$master" -e "stop_regionserver '127.0.0.1:$(port_of regionserver)'"
wait "$server"
check "it ends well" 0 $?
server=
check "who asked is told" 1 "$(grep -c 'asks the server to stop: asked for by a client' errors)"
exits "after it" 0 "$bennu" shell directory -e "get 'kept', 's'"
check "it is there, too" 1 "$(grep -c 'value=w' out)"
# Another address of the machine's own network is what clients are told, since "localhost" leads elsewhere.
start_server other --listen 127.0.0.5 --zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --phoenix-port 0
exits "a server on 127.0.0.5" 0 "$bennu" shell "127.0.0.5:$(port_of master)" -e "create 't', 'f'" -e "put 't', 'r', 'f:q', 'v'" \
  -e "get 't', 'r'"
check "has the row" 1 "$(grep -c 'value=v' out)"

echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
