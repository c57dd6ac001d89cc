#!/usr/bin/env bash
# `bennu sql URL` on a running server: the same statements print the same as on a directory.
#   sql_server.sh PATH-OF-BENNU
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT

# says NAME PATTERN FILE
says() { check "$1" yes "$(grep -Eq -- "$2" "$3" && echo yes || cat "$3")"; }

cat >script.sql <<'SQL'
CREATE TABLE T (K INTEGER NOT NULL, K2 VARCHAR(7) NOT NULL, B BOOLEAN, D DATE, TI TIME, TS TIMESTAMP,
  DE DECIMAL(10,2), C CHAR(4), VB VARBINARY, A INTEGER ARRAY, VA VARCHAR ARRAY, J JSON, F FLOAT
  CONSTRAINT PK PRIMARY KEY (K, K2 DESC));
UPSERT INTO T VALUES (1, 'a', TRUE, TO_DATE('1969-12-31 23:59:59.999'), TO_TIME('2020-02-03 04:05:06'),
  TO_TIMESTAMP('2020-02-03 04:05:06.789123'), 12.50, 'ab', 'zz', ARRAY[1, 2], ARRAY['x', 'y'],
  '{"a": [1, null]}', 1.1);
UPSERT INTO T (K, K2) VALUES (2, 'b'), (3, 'c');
SELECT * FROM T;
SELECT K + 1 AS N, UPPER(K2), NULL, COUNT(*) FROM T GROUP BY K, K2 ORDER BY K;
EXPLAIN SELECT * FROM T WHERE K = 1;
UPSERT INTO T (K, K2, C) VALUES (4, 'd', 'cd') RETURNING *;
DELETE FROM T WHERE K = 2;
CREATE INDEX I ON T (K2) INCLUDE (B);
SELECT K, NOPE FROM T;
SELEC;
UPSERT INTO T (K, K2) VALUES (5, NULL);
SELECT 1 / 0 FROM T;
DROP TABLE NOPE;
!autocommit off
UPSERT INTO T (K, K2) VALUES (6, 'f');
!rollback
UPSERT INTO T (K, K2) VALUES (7, 'g');
!commit
!autocommit on
SELECT K FROM T ORDER BY K;
!tables
!describe T
CREATE VIEW V (X INTEGER) AS SELECT * FROM T WHERE K > 1;
!describe V
DROP VIEW V;
!indexes
SQL
start_server store --zk-port none --master-port none --rs-port none --http-port 0 --phoenix-port 0
url=http://127.0.0.1:$(port_of phoenix)

for format in table vertical csv json; do
  rm -rf db
  "$bennu" sql db --format "$format" --continue -f script.sql >directory.out 2>directory.err
  directory=$?
  "$bennu" sql "$url" --format "$format" --continue -f script.sql >server.out 2>server.err
  check "$format: the same exit code" "$directory" $?
  check "$format: the same answers" "" "$(diff directory.out server.out)"
  check "$format: the same errors" "" "$(diff directory.err server.err)"
  exits "the table is dropped for the next time" 0 "$bennu" sql "$url" -c "DROP TABLE T"
done
check "answers of all kinds were compared" yes "$(grep -q '"J":' server.out && echo yes)"
says "errors have their places" '^LINE 14: SELECT K, NOPE FROM T$' server.err

exits "--connect is the same" 0 "$bennu" sql --connect "$url" --format csv -c "SELECT 1 AS A"
check "and answers" $'A\n1' "$(cat out)"
echo "SELECT 2 AS B;" >input
exits "statements from standard input" 0 "$bennu" sql "$url/" --format csv <input
check "are answered" $'B\n2' "$(cat out)"
exits "options of the connection" 1 "$bennu" sql "$url" --read-only -c "CREATE TABLE X (K INTEGER PRIMARY KEY)"
says "count" 'ERROR 518' err
exits "so does the time" 1 "$bennu" sql "$url" --scn 1000 -c "UPSERT INTO NOPE VALUES (1)"
exits "a statement that failed" 1 "$bennu" sql "$url" -c "SELECT * FROM NOPE"

exits "no server" 3 "$bennu" sql http://127.0.0.1:1 -c "SELECT 1"
says "is said, with what to do" 'no server|bennu serve' err
exits "another server" 3 "$bennu" sql "http://127.0.0.1:$(port_of http)" -c "SELECT 1"
says "is said to be one" 'no query server of Phoenix' err
exits "a URL that is none" 2 "$bennu" sql http://:80 -c "SELECT 1"
exits "options of a store" 2 "$bennu" sql "$url" --memory 1G -c "SELECT 1"
says "are refused by name" '\-\-memory' err
exits "a held directory" 3 "$bennu" sql store -c "SELECT 1"
says "names the URL" "bennu sql http://localhost:$(port_of phoenix)" err

# A statement that runs ends with Ctrl-C.
exits "a table" 0 "$bennu" sql "$url" -c "CREATE TABLE L (K INTEGER PRIMARY KEY)"
for k in $(seq 1 300); do echo "UPSERT INTO L VALUES ($k);"; done >many.sql
exits "with rows" 0 "$bennu" sql "$url" -f many.sql
endless="SELECT COUNT(*) FROM L A, L B, L C, L D WHERE A.K + B.K + C.K + D.K < 0"
# start_endless: runs it in the background, as 'client'; returns once the server runs it.
start_endless() {
  "$bennu" sql "$url" -c "$endless" >out 2>err &
  client=$!
  for _ in $(seq 1 200); do
    "$bennu" sql "$url" --format csv -c "SHOW STATEMENTS" | grep -q 'L D' && break
    sleep 0.05
  done
}
start_endless
kill -INT "$client"
wait "$client"
check "an interrupted statement" 1 $?
says "is cancelled" 'cancelled' err
"$bennu" sql "$url" --format csv -c "SHOW STATEMENTS" >out
check "on the server, too" 0 "$(grep -c 'L D' out)"

# On a terminal one sees how far a statement is, as of a directory.
for place in "$url" db; do
  [[ $place == db ]] && "$bennu" sql db -c "CREATE TABLE L (K INTEGER PRIMARY KEY)" -f many.sql >out
  python3 "$here/terminal_output.py" 'running for [0-9]+ s, [0-9]+ rows read.*Ctrl-C cancels' \
    "$bennu" sql "$place" -c "$endless" >out 2>err
  check "progress of $place is shown" 0 "$?$(cat out err)"
done

# A property that nobody would read is not passed over.
for property in phoenix.query.timeoutMS=1 hbase.rpc.timeout=1 hbase.rpc.tls.keystore.location=k.pem nonsense=1; do
  exits "-D $property" 2 "$bennu" sql "$url" -D "$property" -c "SELECT 1"
  says "is named" "-D ${property%=*}: this means nothing to a connection to a query server" err
  exits "a load with it" 2 "$bennu" load "$url" L many.sql -D "$property"
  says "names it too" "-D ${property%=*}: this means nothing" err
done
exits "a file of a cluster's properties" 2 "$bennu" sql "$url" --config site.xml -c "SELECT 1"
exits "properties of the connection" 0 "$bennu" sql "$url" -D phoenix.query.timeoutMs=60000 -D Consistency=STRONG -c "SELECT 1"

# A client that dies leaves nothing behind.
start_endless
kill -9 "$client"
wait "$client" 2>/dev/null
for _ in $(seq 1 200); do
  "$bennu" sql "$url" --format csv -c "SHOW STATEMENTS" >out
  grep -q 'L D' out || break
  sleep 0.05
done
check "a client's statement ends with the client" 0 "$(grep -c 'L D' out)"
says "which the log tells" 'the client left, and its statement is cancelled: SELECT COUNT' errors
kill -TERM "$server"
wait "$server"
check "the server ends well" 0 $?
server=
echo "$checks checks, $failures failed"
[[ $failures -eq 0 ]]
