#!/usr/bin/env bash
# `bennu load URL`: a file goes into a table behind a server as it does into one of a directory, with the same
# messages, and the same lines refused.
#   load_server.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT

# says NAME PATTERN FILE
says() { check "$1" yes "$(grep -Eq -- "$2" "$3" && echo yes || cat "$3")"; }

cat >tables.sql <<'SQL'
CREATE TABLE T (K INTEGER NOT NULL, L VARCHAR NOT NULL, X.V VARCHAR(3), Y.V DECIMAL(5,2), D DATE, TS TIMESTAMP, B VARBINARY,
  A VARCHAR ARRAY, J JSON, F DOUBLE, "lower" BOOLEAN CONSTRAINT PK PRIMARY KEY (K, L DESC));
CREATE TABLE S.M (T VARCHAR NOT NULL, K INTEGER NOT NULL, V VARCHAR CONSTRAINT PK PRIMARY KEY (T, K)) MULTI_TENANT = TRUE;
CREATE TABLE P (K INTEGER PRIMARY KEY, V VARCHAR);
CREATE TABLE N (K INTEGER PRIMARY KEY, D BSON, R BOOLEAN ARRAY, C CHAR(2), I TINYINT, T TIME);
CREATE VIEW W (E INTEGER) AS SELECT * FROM P;
SQL
cat >good.csv <<'CSV'
K,L,X.V,y.v,D,TS,B,A,J,F,lower
1,a,abc,1.50,2020-02-03,2020-02-03 04:05:06.789123,00ff,"[""x"", null]","{""a"": 1}",1e300,true
2,é,,,,,,,,,
-3,"q""q",,-999.99,1969-12-31 23:59:59.999,1969-12-31T23:59:59.999999Z,,,,-0.5,false
CSV
# Faults of the file, and those that only the table finds: a key without a value.
cat >bad.csv <<'CSV'
K,L,X.V
10,a,x
11,,y
q,c,z
12,d,long text
13,e,
,f,x
14,g,w,too many
15,h,v
CSV
cat >documents.csv <<'CSV'
K,D,R,C,I,T
1,"{""a"": {""b"": [1, null]}}","[true, false]",x,-128,01:02:03
2,,,,,
CSV
printf '1,x\n2,y\n' >tenant.csv
start_server store --zk-port none --master-port none --rs-port none --http-port none --phoenix-port 0
url=http://127.0.0.1:$(port_of phoenix)
exits "tables behind the server" 0 "$bennu" sql "$url" -f tables.sql
exits "tables of a directory" 0 "$bennu" sql db -f tables.sql

# both NAME ARGUMENT…: the load's exit code, messages and refused lines.
both() {
  local name=$1 code
  shift
  rm -f rejects
  "$bennu" load db "$@" >there.out 2>there.err
  code=$?
  mv rejects there.rejects 2>/dev/null || : >there.rejects
  exits "$name" "$code" "$bennu" load "$url" "$@"
  [[ -e rejects ]] || : >rejects
  local number='s/ in [0-9.]* s .*//'
  check "$name: what is printed" "$(sed "$number" there.out)" "$(sed "$number" out)"
  check "$name: what is said" "$(cat there.err)" "$(cat err)"
  check "$name: what is refused" "$(cat there.rejects)" "$(cat rejects)"
  for table in T N S.M W; do
    check "$name: $table" "$("$bennu" sql db --format csv -c "SELECT * FROM $table")" \
      "$("$bennu" sql "$url" --format csv -c "SELECT * FROM $table")"
  done
}
both "all types" T good.csv
check "they are there" 4 "$("$bennu" sql "$url" --format csv -c "SELECT * FROM T" | wc -l)"
both "documents" N documents.csv
both "a bad file" T bad.csv
says "stops at its first bad line" 'bad.csv \(rows in the table from this load: 1\): line 3: ' err
both "a bad file, in small batches" T bad.csv --batch 1
both "bad lines to a file" T bad.csv --skip-errors rejects
check "in their order" "3 4 5 7 8" "$(sed -nE 's/^# rejected, line ([0-9]+):.*/\1/p' rejects | paste -sd ' ')"
both "the same in small batches" T bad.csv --skip-errors rejects --batch 2
both "no header, some columns" T - --no-header --columns K,L,Y.V </dev/null
both "a tenant's rows" S.M tenant.csv --no-header --tenant acme
both "a view" W - </dev/null
printf 'K,V,E\n1,a,2\n' >view.csv
both "a view with a column of its own" W view.csv
both "a column that is not there" T - --columns NOPE --no-header </dev/null
says "is told with those that are" "no column 'NOPE'; it has K, L, V, V, D" err
both "an ambiguous one" T - --columns K,L,V --no-header </dev/null
says "with what it may be" '"X"."V", "Y"."V"' err
exits "no such table" 1 "$bennu" load "$url" NOPE good.csv
says "is told" 'ERROR 1012' err
exits "no server" 3 "$bennu" load http://127.0.0.1:1 T good.csv
says "is told with what to do" 'is a server running there' err
exits "options of a store" 2 "$bennu" load "$url" T good.csv --memory 1G
kill -TERM "$server"
wait "$server"
check "the server ends well" 0 $?
server=
echo "$checks checks, $failures failed"
[[ $failures -eq 0 ]]
