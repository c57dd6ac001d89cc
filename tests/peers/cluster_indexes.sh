#!/usr/bin/env bash
# Indexes over a real cluster without Phoenix, which Bennu's clients keep in step by themselves:
# several write the same rows, some are killed, and a region server dies. Then Phoenix is installed.
#   cluster_indexes.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster_lib.sh"
export PEER_SERVERS=2 PEER_HEAP=600m TZ=UTC
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
for i in 0 1 2; do wait "${writers[$i]}" || fail "writer $((i + 1)): $(tail -3 "$work/writer$((i + 1))")"; done
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

echo "well: $checks checks"
