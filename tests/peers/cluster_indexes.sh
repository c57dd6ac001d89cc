#!/usr/bin/env bash
# Indexes over a real cluster without Phoenix, which Bennu's clients keep in step by themselves:
# several write the same rows, some are killed, and a region server dies. Then Phoenix is installed.
#   cluster_indexes.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster_lib.sh"
export PEER_SERVERS=2 PEER_HEAP=600m TZ=UTC
# What a compaction has replaced goes at once, so that its region can be split again.
export PEER_PROPS="hbase.hfile.compaction.discharger.interval=500"
all="COUNT(*), SUM(K), SUM(W)"
# in_step: each index gives what the table gives.
in_step() {
  local by_table
  by_table=$(run -c "SELECT /*+ NO_INDEX */ $all FROM T WHERE V > 'A'" | tail -1)
  told "the covered index" "$by_table" "$(run -c "SELECT /*+ INDEX(T IV) */ $all FROM T WHERE V > 'A'" | tail -1)"
  told "the uncovered index" "$by_table" "$(run -c "SELECT /*+ INDEX(T UV) */ $all FROM T WHERE V > 'A'" | tail -1)"
  told "the functional index" "$by_table" "$(run -c "SELECT /*+ INDEX(T FV) */ $all FROM T WHERE UPPER(V) > 'A'" | tail -1)"
  told "the partial index" "$(run -c "SELECT /*+ NO_INDEX */ $all FROM T WHERE W > 50" | tail -1)" \
    "$(run -c "SELECT /*+ INDEX(T PW) */ $all FROM T WHERE W > 50" | tail -1)"
}

say "a cluster without Phoenix"
PEER_PHOENIX=0 quietly "$kit" start --fresh
run -c "CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER, X VARCHAR) SPLIT ON (40)" >/dev/null 2>&1
for i in {1..80}; do echo "UPSERT INTO T VALUES ($i, 'v$((i % 7))', $i, 'x');"; done >"$work/first.sql"
run -f "$work/first.sql" >/dev/null 2>&1
run -c "CREATE INDEX IV ON T (V) INCLUDE (W) SPLIT ON ('v3')" -c "CREATE UNCOVERED INDEX UV ON T (V)" \
  -c "CREATE INDEX FV ON T (UPPER(V)) INCLUDE (W)" -c "CREATE INDEX PW ON T (W) WHERE W > 50" >/dev/null 2>&1
grep -c org.apache.phoenix "$PEER_HOME"/server1.log >/dev/null && fail "Phoenix is there"
in_step
for index in IV UV FV PW; do told "CHECK INDEX $index" "" "$(run -c "CHECK INDEX $index ON T" 2>&1 | tail -n +2)"; done

say "writers of the same rows"
# writes SEED COUNT: statements of all kinds.
writes() {
  awk -v seed="$1" -v count="$2" 'BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) {
      k = int(rand() * 90); v = "v" int(rand() * 9); w = int(rand() * 100); kind = int(rand() * 5)
      if (kind == 0) printf "UPSERT INTO T VALUES (%d, \x27%s\x27, %d, \x27y\x27);\n", k, v, w
      if (kind == 1) printf "UPSERT INTO T (K, W) VALUES (%d, %d);\n", k, w
      if (kind == 2) printf "DELETE FROM T WHERE K = %d;\n", k
      if (kind == 3) printf "UPSERT INTO T (K, V, W) VALUES (%d, \x27%s\x27, 1) ON DUPLICATE KEY UPDATE W = W + 1;\n", k, v
      if (kind == 4) printf "UPSERT INTO T SELECT K + 1, V, W, X FROM T WHERE K >= %d AND K < %d;\n", k, k + 4
    }
  }'
}
writers=()
for seed in 1 2 3; do
  writes $seed 500 >"$work/writes$seed.sql"
  timeout 200 "$bennu" sql "$cluster" -D hbase.client.operation.timeout=120000 -f "$work/writes$seed.sql" >"$work/writer$seed" 2>&1 &
  writers+=($!)
done
# Clients that die wherever they are.
for round in {1..12}; do
  writes "1$round" 3000 >"$work/dying.sql"
  "$bennu" sql "$cluster" -f "$work/dying.sql" >/dev/null 2>&1 &
  dying=$!
  sleep "0.$((RANDOM % 8 + 2))"
  kill -9 "$dying" 2>/dev/null || fail "it has ended before it was killed"
  wait "$dying" 2>/dev/null || true
  if [[ $round == 6 ]]; then
    say "a region server dies"
    "$kit" kill server1
    sleep 1
    PEER_PHOENIX=0 quietly "$kit" run server1
  fi
done
for i in 1 2 3; do
  wait "${writers[$((i - 1))]}" && continue
  # The one error that they may see: the answer was lost, and others changed the row at once.
  tail -1 "$work/writer$i" | grep -q "it is not known whether the change was made" ||
    fail "writer $i: $(tail -3 "$work/writer$i")"
done
in_step
for index in IV UV FV PW; do
  run -c "CHECK INDEX $index ON T REPAIR" >"$work/$index.csv"
  # What those who died left behind is unverified, and nothing else is wrong.
  grep -q "MISSING" "$work/$index.csv" && fail "$index lacks rows: $(head -3 "$work/$index.csv")"
  told "CHECK INDEX $index" "" "$(run -c "CHECK INDEX $index ON T" 2>&1 | tail -n +2)"
done
in_step

say "Phoenix is installed"
run -c "EXECUTE UPGRADE" >"$work/refused" 2>&1 && fail "tables have classes that nobody can load"
grep -q "cannot load Phoenix's classes" "$work/refused" || fail "$(cat "$work/refused")"
rows=$(run -c "SELECT /*+ NO_INDEX */ COUNT(*), SUM(K) FROM T" | tail -1)
quietly "$kit" stop
quietly "$kit" start
run -c "EXECUTE UPGRADE" >"$work/upgraded" 2>&1 || fail "the upgrade: $(cat "$work/upgraded")"
run -c "EXECUTE UPGRADE" >"$work/refused" 2>&1 && fail "there was more to upgrade"
grep -q "2012" "$work/refused" || fail "$(cat "$work/refused")"
cat >"$work/java.sql" <<'SQL'
SELECT COUNT(*), SUM(K) FROM T;
SELECT /*+ INDEX(T IV) */ COUNT(*), SUM(K) FROM T WHERE V > 'A' OR V IS NULL;
UPSERT INTO T VALUES (1000, 'java', 77, 'j');
SELECT /*+ INDEX(T IV) */ K, W FROM T WHERE V = 'java';
SELECT /*+ INDEX(T FV) */ K, W FROM T WHERE UPPER(V) = 'JAVA';
CREATE TABLE J (K INTEGER PRIMARY KEY, V VARCHAR);
UPSERT INTO J VALUES (1, 'j');
SQL
java_sql "$work/java.sql"
told "what Phoenix reads" "$(printf '%s\n' "${rows/,/|}" "${rows/,/|}" '1000|77' '1000|77')" \
  "$(grep -vE '^(>|\(|[A-Z])' "$work/java")"
told "what Phoenix wrote" 77,j "$(run -c "SELECT W, X FROM T WHERE K = 1000" | tail -1)"
run -c "UPSERT INTO J VALUES (2, 'bennu')" >/dev/null 2>&1 || fail "a table of Phoenix's is not written"

say "indexes that Phoenix's servers keep"
# Made over rows, and before there are any; Phoenix's servers are told of them with each write.
run -c "CREATE TABLE P (K INTEGER NOT NULL, R VARCHAR NOT NULL, V VARCHAR, W INTEGER, D DATE, N DECIMAL(10,2), X VARCHAR, CONSTRAINT PK PRIMARY KEY (K, R DESC)) SALT_BUCKETS=2" \
  -c "CREATE VIEW PV (Y INTEGER) AS SELECT * FROM P WHERE X = 'v'" \
  -c "CREATE IMMUTABLE TABLE M (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)" >/dev/null 2>&1 || fail "tables with Phoenix's classes"
# upserts SEED COUNT
upserts() {
  awk -v seed="$1" -v count="$2" 'BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) {
      k = int(rand() * 60); r = "r" int(rand() * 2); v = rand() < 0.2 ? "NULL" : "\x27" substr("abc", int(rand() * 3) + 1, 1) int(rand() * 4) "\x27"
      w = rand() < 0.2 ? "NULL" : int(rand() * 12); kind = int(rand() * 6)
      d = rand() < 0.3 ? "NULL" : "TO_DATE(\x27" 2020 + int(rand() * 3) "-0" int(rand() * 9) + 1 "-11 0" int(rand() * 9) ":30:00\x27)"
      n = rand() < 0.2 ? "NULL" : int(rand() * 1000) / 100 - 5; x = rand() < 0.5 ? "NULL" : rand() < 0.5 ? "\x27v\x27" : "\x27u\x27"
      if (kind < 3) printf "UPSERT INTO P VALUES (%d, \x27%s\x27, %s, %s, %s, %s, %s);\n", k, r, v, w, d, n, x
      if (kind == 3) printf "UPSERT INTO P (K, R, X) VALUES (%d, \x27%s\x27, %s);\n", k, r, x
      if (kind == 4) printf "UPSERT INTO PV (K, R, V, W, Y) VALUES (%d, \x27%s\x27, %s, %s, %d);\n", k, r, v, w, int(rand() * 5)
      if (kind == 5) printf "DELETE FROM P WHERE K = %d AND R = \x27%s\x27;\n", k, r
      if (i % 4 == 0) printf "UPSERT INTO M VALUES (%d, %s, %s);\n", 1000 * seed + i, v, w
    }
    printf "DELETE FROM M WHERE W = 3;\n"
  }'
}
upserts 1 150 >"$work/before.sql"
run -f "$work/before.sql" >/dev/null 2>"$work/errors" || fail "writes: $(tail -2 "$work/errors")"
of_p=(PU PS PE PR PD PN PC PL PI)
run -c "CREATE INDEX PU ON P (UPPER(V)) INCLUDE (W)" -c "CREATE INDEX PS ON P (W + 1, SUBSTR(R, 2), LENGTH(V))" \
  -c "CREATE INDEX PE ON P (W) INCLUDE (V) WHERE W > 5 OR V LIKE 'b%'" \
  -c "CREATE INDEX PR ON P (V DESC) INCLUDE (X) WHERE K IN (1, 2, 3, 20, 30) AND V IS NOT NULL AND NOT X = 'u'" \
  -c "CREATE INDEX PD ON P (FLOOR(D, 'DAY'), TRUNC(D, 'MONTH') DESC, YEAR(D))" \
  -c "CREATE INDEX PN ON P (N * 2, ROUND(N), COALESCE(W, 7))" \
  -c "CREATE INDEX PC ON P (CASE WHEN W > 5 THEN 'big' ELSE V END, V || '-' || R) INCLUDE (W)" \
  -c "CREATE LOCAL INDEX PL ON P (W) INCLUDE (V)" -c "CREATE UNCOVERED INDEX PI ON P (X, W)" \
  -c "CREATE INDEX PVY ON PV (Y) INCLUDE (W)" -c "CREATE INDEX MV ON M (V) INCLUDE (W)" -c "CREATE INDEX MU ON M (LOWER(V), W)" \
  >/dev/null 2>"$work/errors" || fail "making indexes: $(tail -2 "$work/errors")"
# alike WHEN: each index has what its table has.
alike() {
  local index
  for index in "${of_p[@]}"; do told "$1, CHECK INDEX $index" "" "$(run -c "CHECK INDEX $index ON P" 2>&1 | tail -n +2)"; done
  told "$1, CHECK INDEX PVY" "" "$(run -c "CHECK INDEX PVY ON PV" 2>&1 | tail -n +2)"
  told "$1, CHECK INDEX MV" "" "$(run -c "CHECK INDEX MV ON M" 2>&1 | tail -n +2)"
  told "$1, CHECK INDEX MU" "" "$(run -c "CHECK INDEX MU ON M" 2>&1 | tail -n +2)"
}
alike "made over rows"
upserts 2 300 >"$work/after.sql"
run -f "$work/after.sql" >/dev/null 2>"$work/errors" || fail "writes: $(tail -2 "$work/errors")"
alike "written by Bennu"
# What cannot be told to the servers is not made.
run -c "CREATE INDEX PT ON P (TO_CHAR(W, '000'))" >"$work/refused" 2>&1 && fail "an index that nobody keeps"
grep -q "cannot be described to Phoenix's servers" "$work/refused" || fail "$(cat "$work/refused")"
# Java writes and reads. Its writes of P pass by the indexes of views, and those of PV by PU: so it writes no rows of the view.
cat >"$work/java.sql" <<'SQL'
UPSERT INTO P VALUES (100, 'r1', 'Java', 9, TO_DATE('2021-05-06 07:08:09'), 1.25, 'j');
UPSERT INTO P VALUES (101, 'r1', NULL, NULL, NULL, NULL, 'j');
DELETE FROM P WHERE K < 5 AND X = 'u';
UPSERT INTO M VALUES (90000, 'java', 5);
SELECT /*+ INDEX(P PU) */ K, W FROM P WHERE UPPER(V) = 'JAVA' ORDER BY K;
SELECT /*+ INDEX(P PL) */ COUNT(*) FROM P WHERE W = 9;
SELECT /*+ INDEX(P PE) */ COUNT(*) FROM P WHERE W > 6;
SELECT /*+ INDEX(PV PVY) */ COUNT(*) FROM PV WHERE Y = 4;
SELECT /*+ INDEX(M MU) */ COUNT(*) FROM M WHERE LOWER(V) > 'b';
SQL
java_sql "$work/java.sql"
alike "written by Phoenix"
told "what Phoenix reads" "$(printf '%s\n' '100|9' "$(for query in "P WHERE W = 9" "P WHERE W > 6" "PV WHERE Y = 4" "M WHERE LOWER(V) > 'b'"; do
  run -c "SELECT /*+ NO_INDEX */ COUNT(*) FROM $query" | tail -1; done)")" "$(grep -vE '^(>|\(|[A-Z])' "$work/java")"
# Indexes that have their rows among those of others are rebuilt where they stand: after writes and deletes of which nobody
# told them.
run -c "ALTER INDEX PL ON P DISABLE" -c "ALTER INDEX PVY ON PV DISABLE" >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"
upserts 3 200 >"$work/unseen.sql"
run -f "$work/unseen.sql" >/dev/null 2>"$work/errors" || fail "writes: $(tail -2 "$work/errors")"
for index in "PL ON P" "PVY ON PV"; do
  run -c "CHECK INDEX $index" >"$work/differences" 2>&1
  for kind in "MISSING IN INDEX" "NOT IN TABLE"; do grep -q "$kind" "$work/differences" || fail "nothing of $index is $kind"; done
done
run -c "ALTER INDEX PL ON P REBUILD" -c "CHECK INDEX PVY ON PV REPAIR" >/dev/null 2>"$work/errors" || fail "rebuilding: $(cat "$work/errors")"
alike "rebuilt where they stand"
cat >"$work/java.sql" <<'SQL'
SELECT /*+ INDEX(P PL) */ COUNT(*), SUM(K) FROM P WHERE W > 3;
SELECT /*+ INDEX(PV PVY) */ COUNT(*), SUM(K) FROM PV WHERE Y > 1;
UPSERT INTO P VALUES (104, 'r1', 'j', 9, NULL, NULL, 'j');
SQL
java_sql "$work/java.sql"
alike "rebuilt, and written by Phoenix"
told "Phoenix by indexes that were rebuilt where they stand" "$(for query in "P WHERE K <> 104 AND W > 3" "PV WHERE Y > 1"; do
  run -c "SELECT /*+ NO_INDEX */ COUNT(*), SUM(K) FROM $query" | tail -1 | tr , '|'; done)" "$(grep -vE '^(>|\(|[A-Z])' "$work/java")"
# In the order in which they can go.
run -c "ALTER INDEX PU ON P REBUILD" -c "ALTER INDEX PS ON P DISABLE" -c "DROP INDEX PS ON P" -c "DROP INDEX PL ON P" \
  -c "DROP INDEX PVY ON PV" >/dev/null 2>"$work/errors" || fail "changing indexes: $(tail -2 "$work/errors")"
told "the rebuilt index" "" "$(run -c "CHECK INDEX PU ON P" 2>&1 | tail -n +2)"
cat >"$work/java.sql" <<'SQL'
SELECT /*+ INDEX(P PU) */ K, W FROM P WHERE UPPER(V) = 'JAVA' ORDER BY K;
UPSERT INTO P VALUES (103, 'r1', 'java', 10, NULL, NULL, 'j');
SELECT /*+ INDEX(P PU) */ K, W FROM P WHERE UPPER(V) = 'JAVA' ORDER BY K;
SQL
java_sql "$work/java.sql"
told "Phoenix by the rebuilt index" "$(printf '%s\n' '100|9' '100|9' '103|10')" "$(grep -vE '^(>|\(|[A-Z])' "$work/java")"

say "a local index, read while its regions are split and merged"
run -c "CREATE TABLE LX (K INTEGER PRIMARY KEY, V INTEGER, W VARCHAR)" -c "CREATE LOCAL INDEX LV ON LX (V) INCLUDE (W)" >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"
awk 'BEGIN { print "K,V,W"; for (k = 0; k < 4000; k++) printf "%d,%d,a text of some length\n", k, k % 2 }' >"$work/lx.csv"
timeout 120 "$bennu" load "$cluster" LX "$work/lx.csv" >"$work/loaded" 2>&1 || fail "$(cat "$work/loaded")"
query="SELECT COUNT(*), COUNT(DISTINCT K), SUM(K), COUNT(W) FROM LX WHERE V = 1"
run -c "EXPLAIN $query" | grep -qF 'OVER LV(LX)' || fail "the local index is not read: $(run -c "EXPLAIN $query")"
for i in {1..10}; do echo "$query;"; done >"$work/lx.sql"
# Answers of few rows, so that regions change between them.
while [[ ! -e $work/changed ]]; do run -D hbase.client.scanner.max.result.size=3000 -f "$work/lx.sql" || break; done >"$work/seen" 2>&1 &
reader=$!
shell() { timeout 60 "$bennu" shell "$cluster" -e "$1" >"$work/shell" 2>&1 || fail "$1 says $(cat "$work/shell")"; }
regions() { shell "list_regions 'LX'" && grep -oE 'LX,[^ ]*[.][0-9a-f]{32}' "$work/shell" | grep -oE '[0-9a-f]{32}'; }
has_regions() { [[ $(regions | wc -l) == "$1" ]]; }
# until_regions COUNT COMMAND: what has references to a parent's files is neither split nor merged.
until_regions() {
  shell "major_compact 'LX'"
  eventually "$2" timeout 60 "$bennu" shell "$cluster" -e "$2"
  eventually "LX never has $1 regions" has_regions "$1"
  sleep 1
}
# While no compaction has rewritten what the halves of a region read, the servers show wrong rows of local indexes.
shell "compaction_switch false"
eventually "a split" timeout 60 "$bennu" shell "$cluster" -e "split 'LX', \"\\x80\\x00\\x07\\xD0\""
eventually "LX never has 2 regions" has_regions 2
told "rows of halves" "2000,2000,4000000,2000" "$(run -c "$query" | tail -1)"
run -c "EXPLAIN $query" | grep -q 'FULL SCAN OVER LX' || fail "the local index is read: $(run -c "EXPLAIN $query")"
run -D hbase.client.operation.timeout=2000 -c "CHECK INDEX LV ON LX" >"$work/refused" 2>&1 && fail "halves were checked"
grep -q "run major_compact 'LX'" "$work/refused" || fail "$(cat "$work/refused")"
shell "compaction_switch true"
count=2
for key in '\x80\x00\x03\xE8' '\x80\x00\x0B\xB8'; do
  until_regions $((count += 1)) "split 'LX', \"$key\""
done
mapfile -t both < <(regions | head -2)
until_regions 3 "merge_region '${both[0]}', '${both[1]}'"
touch "$work/changed"
wait "$reader"
told "answers while regions changed" "2000,2000,4000000,2000" "$(grep -vE '^(COUNT.*)?$' "$work/seen" | sort -u)"
told "the local index" "" "$(run -c "CHECK INDEX LV ON LX" 2>&1 | tail -n +2)"
echo "   $(grep -c '^2000' "$work/seen") answers"

say "queries while the master stands still"
master=$(<"$PEER_HOME/master.pid")
mkfifo "$work/statements"
timeout 100 "$bennu" sql "$cluster" --format csv <"$work/statements" >"$work/answers" 2>"$work/errors" &
session=$!
exec 9>"$work/statements"
# round N: questions about tables that the session knows in the second round; N is the last answer.
round() {
  cat >&9 <<SQL
SELECT V FROM M WHERE K = 90000;
SELECT K FROM M WHERE LOWER(V) = 'java';
SELECT COUNT(*) FROM M;
$query;
SELECT 'round $1' AS ROUND;
SQL
}
round 1
eventually "no answer" grep -q "^round 1" "$work/answers"
kill -STOP "$master"
round 2
# A call of the master would wait for a minute.
for _ in {1..150}; do grep -q "^round 2" "$work/answers" && break; sleep 0.1; done
kill -CONT "$master"
grep -q "^round 2" "$work/answers" || fail "no answer without the master, only $(cat "$work/answers" "$work/errors")"
exec 9>&-
wait "$session"
told "errors" "" "$(cat "$work/errors")"
grep . "$work/answers" >"$work/lines"
told "both rounds" "$(sed '/^round 1/,$d' "$work/lines")" "$(sed '1,/^round 1/d; /^round 2/,$d' "$work/lines")"

echo "well: $checks checks"
