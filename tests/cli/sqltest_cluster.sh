#!/usr/bin/env bash
# `bennu sqltest --cluster`: each file finds clean tables, whatever the file before it has left behind, and what is listed
# as an exception has to fail. Over `bennu serve`, which is a cluster of one server to it.
#   sqltest_cluster.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT
start_server store --zk-port none --master-port 0 --rs-port 0 --http-port none --phoenix-port none
cluster=hbase+rpc://127.0.0.1:$(port_of master)

mkdir -p recorded/folder
# Twice the same: a table, a view and a sequence that nobody drops, and a table of an earlier time.
cat >recorded/folder/first.test <<'SQL'
statement ok
CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR)

statement ok
CREATE VIEW W AS SELECT * FROM T WHERE V = 'v'

statement ok
CREATE SEQUENCE S

query I nosort
SELECT NEXT VALUE FOR S
----
1

connection past CurrentSCN=1000

statement ok
CREATE TABLE P (K INTEGER PRIMARY KEY)

connection later CurrentSCN=2000

query I nosort
SELECT COUNT(*) FROM P
----
0

query I nosort
SELECT COUNT(*) FROM SYSTEM.CATALOG WHERE TABLE_NAME = 'NOBODY'
----
0
SQL
cp recorded/folder/first.test recorded/folder/second.test
exits "clean tables" 0 "$bennu" sqltest --cluster "$cluster" recorded
[[ $(tail -1 out) == "14 passed, 0 failed"* ]] || cat out
check "all pass" "14 passed, 0 failed, 0 pending, 0 exceptions" "$(tail -1 out)"
check "no table stays" "" "$("$bennu" sql "$cluster" --format csv \
  -c "SELECT TABLE_NAME FROM SYSTEM.CATALOG WHERE TABLE_SCHEM IS NULL AND TABLE_NAME IS NOT NULL" 2>&1 | tail -n +2)"

cat >recorded/folder/third.test <<'SQL'
query I nosort
SELECT 1
----
2

query I nosort
SELECT 3
----
3
SQL
exits "a wrong answer" 1 "$bennu" sqltest --cluster "$cluster" recorded/folder/third.test
check "is a failure" "1 passed, 1 failed, 0 pending, 0 exceptions" "$(tail -1 out)"
echo "folder/third.test:1 one is not two" >exceptions
exits "a listed one" 0 "$bennu" sqltest --cluster "$cluster" --exceptions exceptions recorded/folder/third.test
check "is counted for its reason" "     1 one is not two
1 passed, 0 failed, 0 pending, 1 exceptions" "$(tail -2 out)"
echo "folder/third.test:6 three is not three" >>exceptions
exits "a listed one that passes" 1 "$bennu" sqltest --cluster "$cluster" --exceptions exceptions recorded/folder/third.test
check "is a failure" "0 passed, 1 failed, 0 pending, 1 exceptions" "$(tail -1 out)"
echo "folder/third.test:5 nothing is here" >exceptions
exits "a place without a record" 1 "$bennu" sqltest --cluster "$cluster" --exceptions exceptions recorded/folder/third.test
check "is told" 1 "$(grep -c "exceptions: there is no record at folder/third.test:5" out)"

exits "a table" 0 "$bennu" sql "$cluster" -c "CREATE TABLE MINE (K INTEGER PRIMARY KEY)"
exits "a cluster that is used" 1 "$bennu" sqltest --cluster "$cluster" recorded
check "is refused" 1 "$(grep -c "has the table MINE, and a run drops all tables" err)"
exits "its table is there" 0 "$bennu" sql "$cluster" -c "SELECT * FROM MINE"
exits "a moment before" 1 "$bennu" sql "$cluster?CurrentSCN=1000" -c "SELECT * FROM MINE"
check "shows no table" 1 "$(grep -c "1012 (42M03)" err)"
exits "a moment to come" 0 "$bennu" sql "$cluster?CurrentSCN=9000000000000" -c "SELECT * FROM MINE"
exits "no moment" 3 "$bennu" sql "$cluster?CurrentSCN=noon" -c "SELECT * FROM MINE"
check "is told" 1 "$(grep -c "CurrentSCN is 'noon'" err)"
exits "a mode with a cluster" 1 "$bennu" sqltest --cluster "$cluster" --mode flushed recorded

echo "$checks checks, $failures failures"
exit $((failures > 0))
