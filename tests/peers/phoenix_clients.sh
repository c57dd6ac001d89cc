#!/usr/bin/env bash
# Phoenix's clients get the same from `bennu serve` as from Phoenix's own query server: the thin JDBC
# driver in both forms of the protocol, sqlline, SQLAlchemy over phoenixdb, and Bennu's own shell.
# `bennu load URL` loads the same into both. phoenixdb's own tests run against `bennu serve`. HBase's
# client and Phoenix's thin driver write one table at the same time.
#   phoenix_clients.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
want "Python with venv" python3
query_server=
hbase_client=
trap 'kill -9 $query_server $hbase_client 2>/dev/null || true; at_end' EXIT

say "phoenixdb and SQLAlchemy"
python=$PEER_JARS/phoenixdb/bin/python
if [[ ! -x $python ]]; then
  quietly python3 -m venv "$PEER_JARS/phoenixdb"
  # Its package for Kerberos is compiled against MIT's library, and nothing here wants it.
  quietly "$python" -m pip install --quiet --no-deps phoenixdb==1.2.2
  quietly "$python" -m pip install --quiet requests==2.32.3 protobuf==5.29.3 SQLAlchemy==2.0.36 pytest==8.3.4
fi
export PYTHONPATH=$here/thin/python PYTHONDONTWRITEBYTECODE=1

say "jars"
thin=$PEER_JARS/thin
mkdir -p "$thin"
[[ -s $thin/classpath.txt && $thin/classpath.txt -nt $here/thin/pom.xml ]] ||
  quietly flock "$PEER_JARS/lock" mvn -q -B -f "$here/thin/pom.xml" -Dthin.home="$thin" process-resources
quietly "$kit" classpath
kit_path=$(tail -1 "$work/output")
thin_path=$(<"$thin/classpath.txt")
printf 'log4j.rootLogger=ERROR,C\nlog4j.appender.C=org.apache.log4j.ConsoleAppender\nlog4j.appender.C.target=System.err\nlog4j.appender.C.layout=org.apache.log4j.SimpleLayout\n' \
  >"$work/log4j.properties"
java=(java -XX:TieredStopAtLevel=1 "-Dlog4j.configuration=file:$work/log4j.properties")
mkdir "$work/classes"
quietly javac -nowarn -d "$work/classes" -cp "$thin_path" "$here"/thin/{ThinWalk,BothThin}.java

# start_query_server: Phoenix's own, over the running HBase; its port is in query_port.
start_query_server() {
  query_port=$((PEER_ZK_PORT + 1))
  until is_free "$query_port"; do query_port=$((query_port + 1)); done
  mkdir -p "$work/conf"
  # The page of JMX wants other classes than HBase's jars have.
  sed "s#</configuration>#<property><name>phoenix.queryserver.http.port</name><value>$query_port</value></property><property><name>phoenix.queryserver.jmxjsonendpoint.disabled</name><value>true</value></property></configuration>#" \
    "$PEER_HOME/conf/hbase-site.xml" >"$work/conf/hbase-site.xml"
  local jar extra
  jar=$(tr : '\n' <<<"$thin_path" | grep 'phoenix-queryserver-6')
  extra=$(tr : '\n' <<<"$thin_path" | grep -E 'javax.servlet-api|jetty' | paste -sd :)
  "${java[@]}" -Xmx700m -cp "$jar:$work/conf:$kit_path:$extra" \
    org.apache.phoenix.queryserver.server.QueryServer >"$work/query_server.log" 2>&1 &
  query_server=$!
  for _ in $(seq 1 600); do
    is_free "$query_port" || return 0
    kill -0 "$query_server" 2>/dev/null || break
    sleep 0.1
  done
  tail -5 "$work/query_server.log" >&2
  fail "Phoenix's query server does not serve"
}

# walk PORT FORM OUTPUT
walk() {
  timeout 200 "${java[@]}" -cp "$work/classes:$thin_path" ThinWalk \
    "jdbc:phoenix:thin:url=http://127.0.0.1:$1;serialization=$2" walk >"$3" 2>"$work/errors" ||
    fail "the walk: $(tail -1 "$3") $(grep -v '^[[:space:]]at ' "$work/errors" | tail -3)"
}
# sqlline PORT OUTPUT: what it prints, without what takes time or names the place.
sqlline() {
  timeout 100 "${java[@]}" -cp "$thin_path" sqlline.SqlLine -d org.apache.phoenix.queryserver.client.Driver \
    -u "jdbc:phoenix:thin:url=http://127.0.0.1:$1;serialization=PROTOBUF" -n none -p none --color=false \
    --silent=false --fastConnect=true --force=true --historyFile="$work/history" --run="$here/thin/sqlline.sql" \
    >"$work/output" 2>&1 || true  # it counts the statements that are to fail
  [[ $(grep -c 'COUNT(1)' "$work/output") -ge 2 ]] || fail "sqlline: $(tail -3 "$work/output")"
  # Of an error its first line, with what Phoenix says.
  grep -vE 'rows? (selected|affected)|^[0-9]+/[0-9]+|Connect|jdbc:phoenix|Transaction isolation|^sqlline|^\s*at |log4j|jline' \
    "$work/output" | grep -vE '^(org|java)\.|^Caused by|^RuntimeException|\.\.\. [0-9]+ more|^$' |
    sed -E 's/^Error: .*(ERROR [0-9]+ \([0-9A-Z]+\): [^>]*) ->.*/Error: \1/; s/ +$//' >"$2"
}
# alchemy PORT OUTPUT
alchemy() {
  timeout 100 "$python" -W ignore "$here/thin/python/alchemy_walk.py" "127.0.0.1:$1" >"$2" 2>"$work/errors" ||
    fail "SQLAlchemy's walk: $(tail -1 "$2") $(tail -3 "$work/errors")"
}
# shell PORT OUTPUT: Bennu's own over the protocol.
shell() {
  timeout 100 "$bennu" sql "http://127.0.0.1:$1" --format csv --continue -f "$here/thin/shell.sql" >"$2" 2>"$work/errors" || true
  grep '^ERROR' "$work/errors" >>"$2" || true
}
# load PORT OUTPUT: `bennu load` of values of all types, and of lines that do not fit; what Bennu's shell and Java's driver
# read of it. The driver cannot read Phoenix's arrays of FLOAT, and takes the milliseconds of those of DATE for days.
load() {
  local url=http://127.0.0.1:$1 number='s/ in [0-9.]* s .*//'
  quietly "$bennu" sql "$url" -f "$here/thin/load.sql"
  quietly "$bennu" load "$url" LOADED "$here/thin/load.csv"
  sed "$number" "$work/output" >"$2"
  timeout 60 "$bennu" sql "$url" --format csv -c "SELECT * FROM LOADED ORDER BY K" >"$work/read" || fail "what was loaded"
  cat "$work/read" >>"$2"
  diff "$here/thin/load.csv" "$work/read" >"$work/output" || fail "a loaded file is read back as another: $(cut -c1-300 "$work/output")"
  timeout 60 "$bennu" load "$url" LOADED "$here/thin/load_bad.csv" --skip-errors "$work/rejects" >"$work/output" 2>&1 || true
  sed "$number" "$work/output" >>"$2"
  cat "$work/rejects" >>"$2"
  timeout 60 "${java[@]}" -cp "$work/classes:$thin_path" ThinWalk "jdbc:phoenix:thin:url=$url;serialization=PROTOBUF" \
    query "SELECT K, L, B, TI, S, I, UI, UL, F, D, DE, C, DT, T, TS, VB, BI, VA, IA, TA, SA, LA, DA, BA, TSA, V FROM LOADED ORDER BY K" >>"$2" 2>"$work/errors" || fail "what was loaded, to Java: $(head -3 "$work/errors")"
}
# answers PORT DIRECTORY: all of it.
answers() {
  mkdir "$2"
  walk "$1" PROTOBUF "$2/walk"
  sqlline "$1" "$2/sqlline"
  alchemy "$1" "$2/alchemy"
  shell "$1" "$2/shell"
  load "$1" "$2/load"
}

say "Phoenix's own query server"
quietly "$kit" start --fresh
start_query_server
answers "$query_port" "$work/theirs"
kill -9 "$query_server"
wait "$query_server" 2>/dev/null || true
query_server=
quietly "$kit" stop

say "bennu serve"
phoenix_port=0
start "${any_ports[@]}"
answers "$(port phoenix)" "$work/ours"
# What docs/phoenix-clients.md says to differ: the words for a parameter that is missing.
sed -i 's/^a parameter that is missing: .*/a parameter that is missing: an error/' "$work/ours/walk"
for part in walk sqlline alchemy shell load; do same "$part" "$work/theirs/$part" "$work/ours/$part"; done
[[ $(wc -l <"$work/ours/walk") -ge 100 ]] || fail "the walk is short"
[[ $(wc -l <"$work/ours/alchemy") -ge 100 ]] || fail "SQLAlchemy's walk is short"

say "the same in JSON"
walk "$(port phoenix)" JSON "$work/json"
sed -i 's/^a parameter that is missing: .*/a parameter that is missing: an error/' "$work/json"
same "the walk in JSON" "$work/ours/walk" "$work/json"

say "a million rows"
timeout 200 "${java[@]}" -Xmx300m -cp "$work/classes:$thin_path" ThinWalk \
  "jdbc:phoenix:thin:url=http://127.0.0.1:$(port phoenix);serialization=PROTOBUF" rows 1000000 >"$work/rows" 2>"$work/errors" ||
  fail "many rows: $(grep -v '^[[:space:]]at ' "$work/errors" | tail -3)"
[[ $(<"$work/rows") == "1000000 rows" ]] || fail "many rows: $(<"$work/rows")"

say "HBase's client and Phoenix's thin driver write one table at the same time"
rounds=150
url=http://127.0.0.1:$(port phoenix)
quietly "$bennu" sql "$url" -c "CREATE TABLE BOTH (K VARCHAR PRIMARY KEY, A VARCHAR, B VARCHAR, N UNSIGNED_LONG) COLUMN_ENCODED_BYTES = 0" \
  -c "CREATE INDEX BOTH_A ON BOTH (A) INCLUDE (B)" -c "CREATE LOCAL INDEX BOTH_B ON BOTH (B)" \
  -c "UPSERT INTO BOTH (K, N) VALUES ('counter', 0)"
# What each of them has to read when both are done.
{
  echo "counter null null $((2 * rounds))"
  for client in hbase shared thin; do
    for round in $(seq 0 $((rounds - 1))); do
      [[ $client != shared ]] || { ((round < rounds - 10)) || echo "shared$((round % 10)) hbase$round thin$round null"; continue; }
      for row in 0 1 2 3 4; do
        printf '%s%03d.%d a.%s%d.%d b%d null\n' "$client" "$round" "$row" "$client" "$round" "$row" "$round"
      done
    done
  done
} | LC_ALL=C sort >"$work/both"
PEER_HOME=$work/hbase_client PEER_ZK_PORT=$(port zookeeper) timeout 200 "$kit" java "$here/thin/BothHBase.java" $rounds \
  >"$work/both_hbase" 2>"$work/hbase_errors" &
hbase_client=$!
timeout 200 "${java[@]}" -cp "$work/classes:$thin_path" BothThin "jdbc:phoenix:thin:url=$url;serialization=PROTOBUF" $rounds \
  >"$work/both_thin" 2>"$work/errors" || fail "the thin driver: $(head -3 "$work/errors")"
wait "$hbase_client" || fail "HBase's client: $(head -3 "$work/hbase_errors")"
hbase_client=
same "what the thin driver reads" "$work/both" "$work/both_thin"
same "what HBase's client reads" "$work/both" "$work/both_hbase"
check_index BOTH_A BOTH $((10 * rounds + 10))
check_index BOTH_B BOTH $((10 * rounds + 10))

finish

say "phoenixdb's own tests"
rm -rf "$work/store"  # they count tables
start "${any_ports[@]}"
PHOENIXDB_TEST_DB_URL=http://127.0.0.1:$(port phoenix)/ timeout 200 "$python" -m pytest -q -p no:cacheprovider \
  -W ignore --tb=line --pyargs phoenixdb.tests >"$work/output" 2>&1 || true
grep -qE '(^|[ ,])[0-9]+ passed' "$work/output" || fail "phoenixdb's tests: $(tail -3 "$work/output")"
! grep -E '^(FAILED|ERROR)' "$work/output" || fail "tests of phoenixdb fail"
tail -1 "$work/output"
finish
echo "well: $checks comparisons"
