#!/usr/bin/env bash
# SQL over a real cluster: ZooKeeper, a master and three region servers in processes of their own.
# Bennu and Java Phoenix use the same tables, and servers die meanwhile.
#   cluster.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster_lib.sh"
export PEER_SERVERS=3 PEER_HEAP=700m TZ=UTC
# Replicas of regions look for new files.
export PEER_PROPS="hbase.regionserver.storefile.refresh.period=1000"

say "a cluster of three region servers"
quietly "$kit" start --fresh

say "tables of Phoenix, read and written by Bennu"
cat >"$work/made.sql" <<'SQL'
CREATE TABLE P (A VARCHAR NOT NULL, B INTEGER NOT NULL, D DECIMAL(10,2), X.S VARCHAR, T TIMESTAMP, CONSTRAINT PK PRIMARY KEY (A, B DESC)) SALT_BUCKETS=3;
UPSERT INTO P VALUES ('a', 1, 1.5, 'one', TO_TIMESTAMP('2026-01-02 03:04:05'));
UPSERT INTO P VALUES ('a', 2, -2.25, null, null);
UPSERT INTO P VALUES ('b', -7, null, 'three', TO_TIMESTAMP('1969-12-31 23:59:59.5'));
CREATE TABLE PLAIN (K INTEGER PRIMARY KEY, V VARCHAR) COLUMN_ENCODED_BYTES=0;
UPSERT INTO PLAIN VALUES (1, 'x');
CREATE IMMUTABLE TABLE ONE (K INTEGER PRIMARY KEY, V VARCHAR, W BIGINT) IMMUTABLE_STORAGE_SCHEME=SINGLE_CELL_ARRAY_WITH_OFFSETS, COLUMN_ENCODED_BYTES=2;
UPSERT INTO ONE VALUES (1, 'v', 99);
CREATE VIEW PV AS SELECT * FROM P WHERE A = 'a';
CREATE SEQUENCE SQ START WITH 10 CACHE 2;
CREATE TABLE IT (K INTEGER PRIMARY KEY, V VARCHAR);
UPSERT INTO IT VALUES (1, 'indexed');
CREATE TABLE IX (A VARCHAR NOT NULL, B INTEGER NOT NULL, N INTEGER, D DECIMAL(10,2), F.S VARCHAR, F.C CHAR(3), G.T TIMESTAMP, CONSTRAINT PK PRIMARY KEY (A, B DESC)) SALT_BUCKETS=3;
CREATE INDEX IX1 ON IX (N DESC, F.S) INCLUDE (D, G.T);
CREATE INDEX IX2 ON IX (F.C, B) INCLUDE (N) SALT_BUCKETS=2;
CREATE UNCOVERED INDEX IX3 ON IX (G.T);
CREATE LOCAL INDEX IX4 ON IX (D) INCLUDE (N);
CREATE TABLE IP (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER) COLUMN_ENCODED_BYTES=0;
CREATE INDEX IP1 ON IP (W) INCLUDE (V);
CREATE TABLE IC (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER, X VARCHAR);
CREATE INDEX IC1 ON IC (V) INCLUDE (W, X);
CREATE TABLE IE (K INTEGER PRIMARY KEY, V VARCHAR);
CREATE INDEX IE1 ON IE (UPPER(V));
SQL
java_sql "$work/made.sql"
told "a salted table" $'a,2,-2.25,,\na,1,1.50,one,2026-01-02 03:04:05\nb,-7,,three,1969-12-31 23:59:59.5' \
  "$(run -c "SELECT * FROM P ORDER BY A, B DESC" | tail -n +2 | sed 's/\.0*$//;s/1\.5,/1.50,/')"
told "names as qualifiers" 1,x "$(run -c "SELECT * FROM PLAIN" | tail -1)"
told "single cells" 1,v,99 "$(run -c "SELECT * FROM ONE" | tail -1)"
told "a view" 2 "$(run -c "SELECT COUNT(*) FROM PV" | tail -1)"
told "a table without an index" 1 "$(run -c "SELECT K FROM IT WHERE V = 'indexed'" | tail -1)"
run -c "UPSERT INTO P VALUES ('c', 5, 3, 'bennu', NULL)" -c "UPSERT INTO ONE VALUES (2, 'w', 5)" \
  -c "ALTER TABLE PLAIN ADD N INTEGER" -c "UPSERT INTO PLAIN VALUES (2, 'y', 7)" \
  -c "DELETE FROM P WHERE A = 'a' AND B = 1" >/dev/null

say "tables of Bennu, read and written by Phoenix"
run -c "CREATE TABLE B1 (K VARCHAR PRIMARY KEY, N BIGINT, F DOUBLE, BL BOOLEAN) SPLIT ON ('h', 'q')" \
  -c "UPSERT INTO B1 VALUES ('a', 1, 0.5, TRUE)" -c "UPSERT INTO B1 VALUES ('k', 2, NULL, FALSE)" \
  -c "UPSERT INTO B1 VALUES ('z', 3, 2.5, NULL)" \
  -c "CREATE VIEW BV AS SELECT * FROM B1 WHERE N > 1" >/dev/null
cat >"$work/read.sql" <<'SQL'
SELECT * FROM P ORDER BY A, B DESC;
SELECT * FROM ONE;
SELECT K, V, N FROM PLAIN;
SELECT * FROM B1 ORDER BY K;
SELECT COUNT(*), SUM(N) FROM BV;
SELECT NEXT VALUE FOR SQ;
UPSERT INTO B1 VALUES ('j', 4, 1.25, TRUE);
ALTER TABLE B1 ADD J VARCHAR;
UPSERT INTO B1 (K, J) VALUES ('j2', 'java');
SQL
told "a value of the sequence" 10 "$(run -c "SELECT NEXT VALUE FOR SQ FROM ONE LIMIT 1" | tail -1)"
java_sql "$work/read.sql"
grep -vE '^(>|\(|[A-Z])' "$work/java" >"$work/rows"
cat >"$work/expected" <<'ROWS'
a|2|-2.25|null|null
b|-7|null|three|1969-12-31 23:59:59.5
c|5|3|bennu|null
1|v|99
2|w|5
1|x|null
2|y|7
a|1|0.5|true
k|2|null|false
z|3|2.5|null
2|5
11
ROWS
same "what Phoenix reads of Bennu's" "$work/expected" "$work/rows"
told "what Phoenix has written and added" $'j,4,1.25,true,\nj2,,,,java' \
  "$(run -c "SELECT * FROM B1 WHERE K LIKE 'j%'" | tail -n +2)"

say "guide posts of Phoenix"
cat >"$work/plans.sql" <<'SQL'
EXPLAIN SELECT * FROM B1;
EXPLAIN SELECT COUNT(*) FROM B1;
EXPLAIN SELECT * FROM B1 WHERE K > 'm';
EXPLAIN SELECT * FROM B1 WHERE K > 'c' AND K < 'm' AND N > 1;
EXPLAIN SELECT * FROM B1 WHERE N > 1 ORDER BY N;
EXPLAIN SELECT * FROM B1 LIMIT 2;
EXPLAIN SELECT * FROM B1 ORDER BY K DESC;
EXPLAIN SELECT * FROM B1 WHERE K IN ('a', 'z');
EXPLAIN SELECT N, COUNT(*) FROM B1 GROUP BY N;
EXPLAIN SELECT K, COUNT(*) FROM B1 GROUP BY K;
EXPLAIN SELECT DISTINCT BL FROM B1;
EXPLAIN SELECT * FROM P WHERE A = 'a';
EXPLAIN SELECT * FROM P WHERE A = 'a' AND B IN (1, 2, 3);
EXPLAIN SELECT A, MAX(D) FROM P GROUP BY A;
SQL
# same_chunks WHAT: Bennu's plans cut the scans as the plans do that Java has told.
same_chunks() {
  run -f "$work/plans.sql" >"$work/plan"
  grep -oE '[0-9]+-CHUNK .*-WAY' "$work/java" >"$work/java_chunks"
  grep -oE '[0-9]+-CHUNK .*-WAY' "$work/plan" >"$work/chunks"
  same "$1" "$work/java_chunks" "$work/chunks"
}
java_sql "$work/plans.sql"
same_chunks "parts of a scan by regions"
echo 'UPDATE STATISTICS B1 SET "phoenix.stats.guidepost.width"=1;' >"$work/statistics.sql"
java_sql "$work/statistics.sql"
# The servers collect after they have answered: one for each of the five rows.
posts="SELECT COUNT(*) FROM SYSTEM.STATS WHERE PHYSICAL_NAME = 'B1' AND GUIDE_POSTS_ROW_COUNT > 0"
has_posts() { [[ $(run -c "$posts" | tail -1) == 5 ]]; }
eventually "Phoenix's servers collected nothing" has_posts
java_sql "$work/plans.sql"
same_chunks "parts of a scan between guide posts"
[[ $(head -1 "$work/chunks") == 8-CHUNK* ]] || fail "Phoenix does not use what it collected: $(cat "$work/java")"

say "indexes of Phoenix, kept by its servers for what Bennu writes"
cat >"$work/indexed.sql" <<'SQL'
UPSERT INTO IX VALUES ('a', 1, 10, 1.5, 's', 'abc', TO_TIMESTAMP('2026-01-02 03:04:05'));
UPSERT INTO IX VALUES ('a', 2, NULL, -2.25, NULL, 'x', NULL);
UPSERT INTO IX VALUES ('b', -7, -3, NULL, 'three', NULL, TO_TIMESTAMP('1969-12-31 23:59:59.5'));
UPSERT INTO IX SELECT 'c', B, N + 1, D, S, C, T FROM IX;
UPSERT INTO IX (A, B, N) VALUES ('a', 1, 77) ON DUPLICATE KEY UPDATE N = N + 1, S = 'dup';
UPSERT INTO IX (A, B, D) VALUES ('b', -7, 9.75);
UPSERT INTO IX (A, B, S) VALUES ('a', 1, NULL);
DELETE FROM IX WHERE A = 'c' AND B = 2;
UPSERT INTO IP VALUES (1, 'one', 1);
UPSERT INTO IP VALUES (2, 'two', NULL);
UPSERT INTO IP (K, W) VALUES (1, 5);
SQL
run -f "$work/indexed.sql" >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"
run -c "UPSERT INTO IE VALUES (1, 'x')" >/dev/null 2>"$work/errors" || fail "a table with an index of an expression: $(cat "$work/errors")"
told "CHECK INDEX IE1" "" "$(run -c "CHECK INDEX IE1 ON IE" 2>&1 | tail -n +2)"
told "by an expression" 1 "$(run -c "SELECT K FROM IE WHERE UPPER(V) = 'X'" | tail -1)"
for index in IX1 IX2 IX3; do told "CHECK INDEX $index" "" "$(run -c "CHECK INDEX $index ON IX" 2>&1 | tail -n +2)"; done
told "CHECK INDEX IP1" "" "$(run -c "CHECK INDEX IP1 ON IP" 2>&1 | tail -n +2)"
# An index that Phoenix makes meanwhile is known to the next statement.
cat >"$work/scrutiny.sql" <<'SQL'
SELECT /*+ NO_INDEX */ N, S, D, T, A, B FROM IX ORDER BY A, B;
SELECT /*+ INDEX(IX IX1) */ N, S, D, T, A, B FROM IX ORDER BY A, B;
SELECT /*+ NO_INDEX */ C, B, N, A FROM IX ORDER BY A, B;
SELECT /*+ INDEX(IX IX2) */ C, B, N, A FROM IX ORDER BY A, B;
SELECT /*+ NO_INDEX */ T, A, B FROM IX WHERE T IS NOT NULL ORDER BY A, B;
SELECT /*+ INDEX(IX IX3) */ T, A, B FROM IX WHERE T IS NOT NULL ORDER BY A, B;
SELECT /*+ NO_INDEX */ D, N, A, B FROM IX ORDER BY A, B;
SELECT /*+ INDEX(IX IX4) */ D, N, A, B FROM IX ORDER BY A, B;
SELECT /*+ NO_INDEX */ W, V, K FROM IP ORDER BY K;
SELECT /*+ INDEX(IP IP1) */ W, V, K FROM IP ORDER BY K;
SQL
# scrutinize: what Phoenix reads by each index is what it reads of the table.
scrutinize() {
  java_sql "$work/scrutiny.sql"
  awk '/^>/ { n++ } !/^(>|\(|[A-Z])/ { print > (work "/answer" n) }' work="$work" "$work/java"
  for i in 1 3 5 7 9; do same "index of question $i" "$work/answer$i" "$work/answer$((i + 1))"; done
}
head -2 "$work/java" >/dev/null
scrutinize
told "rows of Phoenix's" 5 "$(wc -l <"$work/answer1")"
cat >"$work/java_writes.sql" <<'SQL'
UPSERT INTO IX (A, B, N, S) VALUES ('a', 1, 5, 'java');
DELETE FROM IX WHERE A = 'c' AND B = 1;
CREATE INDEX IV ON IT(V);
SQL
java_sql "$work/java_writes.sql"
told "what Phoenix wrote, by an index" java "$(run -c "SELECT S FROM IX WHERE N = 5" | tail -1)"
run -c "UPSERT INTO IT VALUES (2, 'x')" -c "UPSERT INTO IX (A, B, N) VALUES ('a', 1, 6)" >/dev/null 2>&1
told "an index that came" "" "$(run -c "CHECK INDEX IV ON IT" 2>&1 | tail -n +2)"
told "by that index" 2 "$(run -c "SELECT K FROM IT WHERE V = 'x'" | tail -1)"
for index in IX1 IX2 IX3; do told "CHECK INDEX $index" "" "$(run -c "CHECK INDEX $index ON IX" 2>&1 | tail -n +2)"; done
scrutinize

say "a table that the servers do not keep, read by Phoenix"
attribute=$(timeout 60 "$bennu" shell "$cluster" -e "describe 'IC'" 2>&1 | grep -oE "coprocessor[$][0-9]+' => '[^']*IndexRegionObserver" | grep -oE 'coprocessor[$][0-9]+') || fail "IC has no IndexRegionObserver"
timeout 60 "$bennu" shell "$cluster" -e "alter 'IC', METHOD => 'table_att_unset', NAME => '$attribute'" >"$work/altered" 2>&1 || fail "$(cat "$work/altered")"
for i in {1..400}; do
  echo "UPSERT INTO IC VALUES ($((i % 30)), 'v$((i * 7 % 11))', $i, 'x');"
  echo "UPSERT INTO IC (K, W) VALUES ($((i * 3 % 40)), $i);"
  echo "DELETE FROM IC WHERE K = $((i * 5 % 30));"
done >"$work/kept.sql"
for round in 1 2 3 4; do
  "$bennu" sql "$cluster" -f "$work/kept.sql" >/dev/null 2>&1 &
  writer=$!
  sleep "1.$((round * 2))"
  kill -9 "$writer" 2>/dev/null || fail "it has ended before it was killed"
  wait "$writer" 2>/dev/null || true
done
cat >"$work/kept_read.sql" <<'SQL'
SELECT /*+ NO_INDEX */ V, W, X, K FROM IC WHERE V IS NOT NULL ORDER BY K;
SELECT /*+ INDEX(IC IC1) */ V, W, X, K FROM IC WHERE V IS NOT NULL ORDER BY K;
SELECT /*+ NO_INDEX */ COUNT(*), SUM(W) FROM IC WHERE V > 'v';
SELECT /*+ INDEX(IC IC1) */ COUNT(*), SUM(W) FROM IC WHERE V > 'v';
SQL
java_sql "$work/kept_read.sql"
rm "$work"/answer*
awk '/^>/ { n++ } !/^(>|\(|[A-Z])/ { print > (work "/answer" n) }' work="$work" "$work/java"
same "rows by the index" "$work/answer1" "$work/answer2"
same "counts by the index" "$work/answer3" "$work/answer4"
told "counts by the index, from here" "$(tr '|' , <"$work/answer3")" "$(run -c "SELECT /*+ INDEX(IC IC1) */ COUNT(*), SUM(W) FROM IC WHERE V > 'v'" | tail -1)"
run -c "CHECK INDEX IC1 ON IC REPAIR" >"$work/check" 2>&1
grep -q MISSING "$work/check" && fail "IC1 lacks rows: $(head -3 "$work/check")"
told "CHECK INDEX IC1" "" "$(run -c "CHECK INDEX IC1 ON IC" 2>&1 | tail -n +2)"

say "a load"
{ echo K,N; for i in {1..3000}; do echo "load$i,$i"; done; } >"$work/load.csv"
timeout 120 "$bennu" load "$cluster" B1 "$work/load.csv" >"$work/loaded" 2>&1 || fail "$(cat "$work/loaded")"
told "rows that were loaded" 3000,4501500 "$(run -c "SELECT COUNT(*), SUM(N) FROM B1 WHERE K LIKE 'load%'" | tail -1)"
run -c "DELETE FROM B1 WHERE K LIKE 'load%'" >/dev/null

say "rows that HBase counts"
run -c "CREATE TABLE AG (K INTEGER PRIMARY KEY, U UNSIGNED_LONG, V VARCHAR, F.W BIGINT) SPLIT ON (-100, 100)" >/dev/null
for ((k = -300; k < 300; k += 2)); do echo "UPSERT INTO AG VALUES ($k, $((k * k)), 'v', $k);"; done >"$work/ag.sql"
echo "UPSERT INTO AG (K, V) VALUES (1, 'without a number');" >>"$work/ag.sql"
run -f "$work/ag.sql" >/dev/null 2>&1
aggregates="SELECT COUNT(*), MIN(U), MAX(U), SUM(U) FROM AG"
read_rows=$(run -c "EXPLAIN ANALYZE $aggregates" | grep -o 'READ [0-9]* ROWS')
told "rows that are read without the class" "READ 301 ROWS" "$read_rows"
told "aggregates of what is read" 301,0,90000,9000200 "$(run -c "$aggregates" | tail -1)"
timeout 60 "$bennu" shell "$cluster" -e "alter 'AG', METHOD => 'table_att', 'coprocessor' => '|org.apache.hadoop.hbase.coprocessor.AggregateImplementation||'" >"$work/altered" 2>&1 || fail "$(cat "$work/altered")"
read_rows=$(run -c "EXPLAIN ANALYZE $aggregates" | grep -o 'READ [0-9]* ROWS')
told "rows that are read with it" "READ 0 ROWS" "$read_rows"
told "aggregates by HBase" 301,0,90000,9000200 "$(run -c "$aggregates" | tail -1)"
told "rows of a range" 51 "$(run -c "SELECT COUNT(*) FROM AG WHERE K >= 50 AND K < 152" | tail -1)"
told "what it does not read as SQL does" -300,298 "$(run -c "SELECT MIN(W), MAX(W) FROM AG" | tail -1)"
timeout 60 "$bennu" shell "$cluster" -e "alter 'AG', METHOD => 'table_remove_coprocessor', CLASSNAME => 'org.apache.hadoop.hbase.coprocessor.AggregateImplementation'" >"$work/altered" 2>&1 || fail "$(cat "$work/altered")"
read_rows=$(run -c "EXPLAIN ANALYZE $aggregates" | grep -o 'READ [0-9]* ROWS')
told "rows that are read without it again" "READ 301 ROWS" "$read_rows"

say "replicas of a region"
# All that the servers must not lack leaves the server of the primary, which is stopped then.
shell() { timeout 60 "$bennu" shell "$cluster" "$@" >"$work/shell" 2>&1 || fail "$* says $(cat "$work/shell")"; }
# server_of TABLE: of its first region, which the servers need not have told the master of.
server_of() { shell -e "list_regions '$1'"; grep -oE 'localhost,[0-9]+,[0-9]+' "$work/shell" | head -1; }
run -c "CREATE TABLE RR (K INTEGER PRIMARY KEY, V VARCHAR) REGION_REPLICATION=3" \
  -c "UPSERT INTO RR VALUES (1, 'one')" -c "UPSERT INTO RR VALUES (2, 'two')" >/dev/null
shell -e "flush 'RR'"
key="\"\\x80\\x00\\x00\\x01\""
# replica_has ID VALUE
replica_has() {
  timeout 60 "$bennu" shell "$cluster" -e "get 'RR', $key, {REGION_REPLICA_ID => $1}" | tee "$work/shell"
  grep -q "value=$2" "$work/shell"
}
for replica in 1 2; do
  eventually "replica $replica does not have what was flushed" replica_has $replica one
  grep -q '(possible stale results)' "$work/shell" || fail "not called stale: $(cat "$work/shell")"
done
run -c "UPSERT INTO RR VALUES (1, 'later')" >/dev/null
patient=(-D hbase.client.primaryCallTimeout.get=30000000 -D hbase.client.replicaCallTimeout.scan=30000000)
shell "${patient[@]}" -e "get 'RR', $key, {CONSISTENCY => 'TIMELINE'}"
grep -q 'value=later' "$work/shell" && ! grep -q stale "$work/shell" || fail "the primary did not answer: $(cat "$work/shell")"
primary=$(server_of RR)
other=$(for name in 1 2 3; do echo "localhost,$((PEER_ZK_PORT + 20000 + name - 1))"; done | grep -v "^${primary%,*}$" | head -1)
other=$(grep -ohE "$other,[0-9]+" "$PEER_HOME/master.log" | tail -1)
shell -e "scan 'hbase:meta', {COLUMNS => 'info:regioninfo'}"
for region in $(grep -oE '^ *(SYSTEM|hbase:).*[.][0-9a-f]{32}[.] column' "$work/shell" | grep -oE '[0-9a-f]{32}') 1588230740; do
  timeout 60 "$bennu" shell "$cluster" -e "move '$region', '$other'" >"$work/shell" 2>&1 || grep -q 'is already' "$work/shell" || fail "a move says $(cat "$work/shell")"
done
timeline=(-D phoenix.connection.consistency=timeline)
told "rows by replicas while the primary is there" "1,later 2,two" "$(run "${timeline[@]}" "${patient[@]}" -c "SELECT * FROM RR" | tail -2 | paste -sd ' ')"
stopped=$(<"$PEER_HOME/server$((1 + $(cut -d, -f2 <<<"$primary") - PEER_ZK_PORT - 20000)).pid")
kill -STOP "$stopped"
told "rows by replicas while the primary hangs" "1,one 2,two" "$(run "${timeline[@]}" -c "SELECT * FROM RR" | tail -2 | paste -sd ' ')"
told "a row by replicas" 2,two "$(run "${timeline[@]}" -c "SELECT * FROM RR WHERE K = 2" | tail -1)"
timeout 60 "$bennu" shell "$cluster" -e "scan 'RR', {CONSISTENCY => 'TIMELINE'}" >"$work/shell" 2>&1 || fail "$(cat "$work/shell")"
grep -q '(possible stale results)' "$work/shell" || fail "not called stale: $(cat "$work/shell")"
run -D hbase.rpc.timeout=2000 -D hbase.client.operation.timeout=4000 -c "SELECT * FROM RR" >"$work/strong" 2>&1 && fail "a strong read was answered: $(cat "$work/strong")"
kill -CONT "$stopped"
told "rows by the primary" "1,later 2,two" "$(run -c "SELECT * FROM RR" | tail -2 | paste -sd ' ')"

say "a gateway"
timeout 100 "$bennu" serve --cluster "$cluster" --phoenix-port 0 --http-port 0 --ready-file "$work/ready" >"$work/gateway" 2>&1 &
gateway=$!
for _ in {1..100}; do [[ -s $work/ready ]] && break; sleep 0.1; done
url=http://$(sed 's/.*phoenix=//' "$work/ready")
told "rows through a gateway" 5 "$("$bennu" sql "$url" --format csv -c "SELECT COUNT(*) FROM B1" | tail -1)"
kill "$gateway"
wait "$gateway" || fail "the gateway ended with $?"

say "region servers die"
# Rows are written one by one while servers are killed and run again; what was acknowledged is there.
run -c "CREATE TABLE W (K INTEGER PRIMARY KEY, V VARCHAR) SALT_BUCKETS=6" >/dev/null
rows=4000
for i in $(seq $rows); do echo "UPSERT INTO W VALUES ($i, 'v$i');"; done >"$work/writes.sql"
timeout 170 "$bennu" sql "$cluster" -D hbase.client.operation.timeout=120000 --echo -f "$work/writes.sql" >"$work/writing" 2>&1 &
writer=$!
for name in server1 server3; do
  sleep 1
  "$kit" kill "$name"
  kill -0 "$writer" || fail "nothing was written when $name died"
  sleep 1
  quietly "$kit" run "$name"
done
wait "$writer" || fail "writing: $(tail -3 "$work/writing")"
acknowledged=$(grep -c '1 row affected' "$work/writing")
told "statements that were acknowledged" $rows "$acknowledged"
told "rows" $rows,$rows "$(run -D hbase.client.operation.timeout=120000 -c "SELECT COUNT(*), COUNT(DISTINCT V) FROM W" | tail -1)"

say "nobody is there any more"
for name in server1 server2 server3 master zookeeper; do "$kit" kill "$name"; done
began=$SECONDS
run -D hbase.rpc.timeout=3000 -D hbase.client.operation.timeout=5000 -c "SELECT 1" >"$work/gone" 2>&1 && fail "a dead cluster was connected to"
[[ $((SECONDS - began)) -lt 60 ]] || fail "it took $((SECONDS - began)) s to see that the cluster is gone"
grep -q "ERROR" "$work/gone" || fail "no error: $(cat "$work/gone")"
echo "well: $checks checks"
