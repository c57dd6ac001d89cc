#!/usr/bin/env bash
# What scripts rely on: output formats, acknowledgements, error lines, exit codes.
#   contract.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"

exits "a missing directory is created" 0 "$bennu" sql db -c "CREATE TABLE T (A INTEGER NOT NULL PRIMARY KEY, B VARCHAR, C DECIMAL(10,2), D DATE, E VARBINARY)"
check "ok for a definition" "ok" "$(cat out)"
exits "upsert" 0 "$bennu" sql db -c "UPSERT INTO T VALUES (1, 'x', 1.50, TO_DATE('2024-01-02 03:04:05'), X'00ff')"
check "one row" "1 row affected" "$(cat out)"
exits "several rows" 0 "$bennu" sql db -c "UPSERT INTO T (A, B) VALUES (2, 'a,\"b\"'), (3, 'tab\\tend')"
check "rows" "2 rows affected" "$(cat out)"

exits "arrays and documents" 0 "$bennu" sql db -c "CREATE TABLE AD (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR ARRAY, D DATE ARRAY, J JSON)"
exits "an array" 0 "$bennu" sql db -c "UPSERT INTO AD VALUES (1, ARRAY['a',NULL,'\"'], ARRAY[DATE '2020-01-01'], '{\"b\":[1]}')"
exits "arrays as json" 0 "$bennu" sql db --format json -c "SELECT V, D, J FROM AD"
check "arrays as json text" '[{"V":["a",null,"\""],"D":["2020-01-01 00:00:00"],"J":"{\"b\": [1]}"}]' "$(cat out)"
exits "arrays as csv" 0 "$bennu" sql db --format csv -c "SELECT V, J FROM AD"
check "arrays as csv text" $'V,J\n"[\'a\',NULL,\'""\']","{""b"": [1]}"' "$(cat out)"
exits "an index that is no INTEGER" 1 "$bennu" sql db -c "SELECT V[2 + 1] FROM AD"

exits "csv" 0 "$bennu" sql db --format csv -c "SELECT A, B, C, D, E FROM T ORDER BY A" -c "SELECT A FROM T WHERE A = 1"
check "csv text" $'A,B,C,D,E\n1,x,1.5,2024-01-02 03:04:05,00ff\n2,"a,""b""",,,\n3,tab\tend,,,\n\nA\n1' "$(cat out)"
exits "tsv" 0 "$bennu" sql db --format tsv -c "SELECT A, B, C FROM T ORDER BY A"
check "tsv text" $'A\tB\tC\n1\tx\t1.5\n2\ta,"b"\t\\N\n3\ttab\\tend\t\\N' "$(cat out)"
exits "json" 0 "$bennu" sql db --format json -c "SELECT A, B, C, E FROM T WHERE A < 3 ORDER BY A"
check "json text" '[{"A":1,"B":"x","C":1.5,"E":"00ff"},{"A":2,"B":"a,\"b\"","C":null,"E":null}]' "$(cat out)"
exits "one label twice" 0 "$bennu" sql db --format json -c "SELECT 1, 1, 2 AS \"1_1\", 1"
check "keys are distinct" '[{"1":1,"1_2":1,"1_1":2,"1_3":1}]' "$(cat out)"
exits "jsonl" 0 "$bennu" sql db --format jsonl -c "SELECT A, B, C, E FROM T WHERE A < 3 ORDER BY A" -c "SELECT A FROM T WHERE A = 99" -c "SELECT 1, 1"
check "an object in each line, nothing between results" $'{"A":1,"B":"x","C":1.5,"E":"00ff"}\n{"A":2,"B":"a,\\"b\\"","C":null,"E":null}\n{"1":1,"1_1":1}' "$(cat out)"
exits "line breaks in jsonl" 0 "$bennu" sql db --format jsonl -c "SELECT 'a\nb' AS V"
check "stay in their line" '{"V":"a\nb"}' "$(cat out)"
exits "markdown" 0 "$bennu" sql db --format markdown -c "SELECT A, B, C, D, E FROM T ORDER BY A"
check "markdown text" $'| A | B       |    C | D                   | E    |
|--:|---------|-----:|---------------------|------|
| 1 | x       |  1.5 | 2024-01-02 03:04:05 | 00ff |
| 2 | a,"b"   | NULL | NULL                | NULL |
| 3 | tab\tend | NULL | NULL                | NULL |' "$(cat out)"
exits "what Markdown takes for its own" 0 "$bennu" sql db --format markdown -c "SELECT 'a|b' AS \"X|Y\", 'one\ntwo\r\nthree' AS V, '<b>' AS W, 'c:\\\\d' AS Z" -c "SELECT A FROM T WHERE A = 99"
check "is escaped, and an empty line comes between tables" '| X\|Y | V                   | W    | Z     |
|------|---------------------|------|-------|
| a\|b | one<br>two<br>three | \<b> | c:\\d |

| A |
|--:|' "$(cat out)"
for format in jsonl markdown; do
  exits "$format keeps its output clean" 0 "$bennu" sql db --format $format --timing -c "UPSERT INTO T (A) VALUES (4)"
  check "nothing of $format on standard output" "" "$(cat out)"
  check "its acknowledgement is on standard error" "1 row affected" "$(head -1 err)"
done
exits "snapshots in jsonl" 0 "$bennu" snapshot db list --format jsonl
exits "csv keeps its output clean" 0 "$bennu" sql db --format csv -c "UPSERT INTO T (A) VALUES (4)"
check "nothing on standard output" "" "$(cat out)"
check "the acknowledgement is on standard error" "1 row affected" "$(cat err)"
exits "vertical" 0 "$bennu" sql db --format vertical -c "SELECT A, B FROM T WHERE A = 1"
check "vertical lines" $'A | 1\nB | x' "$(grep '|' out)"

exits "a failed statement" 1 "$bennu" sql db -c "SELECT NOPE FROM T"
check "first line of an error" "ERROR 504 (42703)" "$(head -1 err | cut -c1-17)"
check "the line of the statement" "SELECT NOPE FROM T" "$(sed -n 2p err)"
check "the caret" "       ^" "$(sed -n 3p err)"
exits "a statement out of time" 1 "$bennu" sql db --timeout 1 -c "SELECT COUNT(*) FROM (SELECT A.COLUMN_NAME N FROM SYSTEM.CATALOG A, SYSTEM.CATALOG B, SYSTEM.CATALOG C, SYSTEM.CATALOG D)"
check "its code" "ERROR 6000 (TIM01)" "$(head -1 err | cut -c1-18)"
check "and no heading of an answer that did not come" "" "$(cat out)"
exits "what runs" 0 "$bennu" sql db --format csv -c "SHOW STATEMENTS"
check "is at least this" "SHOW STATEMENTS" "$(tail -1 out | sed 's/.*,//')"
exits "nothing to cancel" 1 "$bennu" sql db -c "CANCEL STATEMENT 999"
exits "a script stops at the first error" 1 "$bennu" sql db -c "SELEC 1" -c "SELECT 7 AS SEVEN"
check "nothing after it" "" "$(cat out)"
exits "unless told to go on" 1 "$bennu" sql db --continue --format csv -c "SELEC 1" -c "SELECT 7 AS SEVEN"
check "what came after" $'SEVEN\n7' "$(cat out)"
cp -r db full
exits "and on a full disk" 3 env BENNU_FAILPOINTS=env.append=full@2,env.create=full@2 \
  "$bennu" sql full --continue --format csv -c "UPSERT INTO T (A) VALUES (100)" -c "SELECT 7 AS SEVEN"
check "readers go on" $'SEVEN\n7' "$(cat out)"
printf 'SELECT 1 AS A;\nSELECT 2 AS A;\n' | "$bennu" sql db --format csv >out 2>err
check "statements from standard input" $'A\n1\n\nA\n2' "$(cat out)"
printf 'SELECT 1 AS A;\nSELECT x;\n' >script.sql
exits "a file" 1 "$bennu" sql db --format csv -f script.sql
check "the line in the file" "LINE 2: SELECT x" "$(sed -n 2p err)"

exits "an option without an effect is refused" 1 "$bennu" sql db -c "CREATE TABLE U (A INTEGER PRIMARY KEY) PHYSICAL_TABLE_NAME = 'T'"
exits "wrong usage" 2 "$bennu" sql db --format xml
exits "a property" 0 "$bennu" sql db --conf phoenix.query.timeoutMs=60000 --conf hbase.hregion.memstore.flush.size=64m -c "SELECT 1"
exits "a property that nobody reads" 2 "$bennu" sql db --conf phoenix.nonsense=1 -c "SELECT 1"
exits "a property of the server's" 2 "$bennu" sql db --conf hbase.master.port=1 -c "SELECT 1"
exits "a value that cannot be" 2 "$bennu" sql db --conf phoenix.schema.isNamespaceMappingEnabled=perhaps -c "SELECT 1"
exits "no value" 2 "$bennu" sql db --conf hbase.wal.hsync -c "SELECT 1"
exits "a store's value that cannot be" 2 "$bennu" sql db --conf hbase.hstore.compaction.min=-3 -c "SELECT 1"
check "is told with its source, once" "ERROR: InvalidArgument: --conf hbase.hstore.compaction.min is '-3'; expected a number from 0 to 2147483647" "$(cat err)"
exits "an engine's value that cannot be" 2 "$bennu" sql db --conf hbase.hregion.max.filesize=5x -c "SELECT 1"
check "likewise" "ERROR: InvalidArgument: --conf hbase.hregion.max.filesize: '5x' is not a number of bytes, such as 1048576 or 256m" "$(cat err)"
exits "too little memory" 2 "$bennu" sql db --conf bennu.memory=10 -c "SELECT 1"
check "and what works" "ERROR: InvalidArgument: --conf bennu.memory: '10' is too little; the least that works is 1048576 (1m)" "$(cat err)"
exits "too little --memory" 2 "$bennu" sql db --memory 10 -c "SELECT 1"
exits "no memory at all" 2 "$bennu" sql db --memory 0 -c "SELECT 1"
exits "less than none" 2 "$bennu" sql db --memory -5 -c "SELECT 1"
exits "the least memory" 0 "$bennu" sql db --memory 1M -c "SELECT COUNT(*) FROM SYSTEM.CATALOG"
exits "wal.sync" 0 "$bennu" sql db --conf wal.sync=os -c "SELECT 1"
exits "no such sync" 2 "$bennu" sql db --conf wal.sync=never -c "SELECT 1"
# Every command that opens a store takes the same options, and refuses the same.
for command in "load db T -" "shell db" "snapshot db list" "backup db copied" "bulkload db t folder" \
  "export db t folder" "import db folder"; do
  # shellcheck disable=SC2086
  exits "$command: a property that nobody reads" 2 "$bennu" $command --conf foo.bar=1
  # shellcheck disable=SC2086
  exits "$command: too little memory" 2 "$bennu" $command --memory 10
  # shellcheck disable=SC2086
  exits "$command: a value that cannot be" 2 "$bennu" $command --conf hbase.busy.policy.minAge=x
done
exits "a store without namespaces" 3 "$bennu" sql db --conf phoenix.schema.isNamespaceMappingEnabled=true -c "SELECT 1"
check "its code" "ERROR 726 (43M10)" "$(head -1 err | cut -c1-17)"
exits "one with namespaces" 0 "$bennu" sql mapped --conf phoenix.schema.isNamespaceMappingEnabled=true -c "CREATE SCHEMA S" -c "CREATE TABLE S.T (A INTEGER PRIMARY KEY)"
check "HBase's table" "yes" "$([[ -d mapped/data/S/T && -d mapped/data/SYSTEM/CATALOG ]] && echo yes)"
exits "a load" 2 "$bennu" load mapped S.T - --conf nonsense=1
printf 'A\n1\n2\n' | "$bennu" load mapped S.T - --conf phoenix.schema.isNamespaceMappingEnabled=true >out 2>err
check "rows loaded" "loaded 2 rows" "$(tail -1 out | cut -c1-13)"
exits "checked" 0 "$bennu" check mapped
exits "opened without" 3 "$bennu" sql mapped -c "SELECT 1"
exits "no command" 2 "$bennu"
exits "help" 0 "$bennu" --help
exits "a missing script" 2 "$bennu" sql db -f no-such-file.sql
# A store that lost a file of its own is not "something else".
exits "a snapshot in a store" 0 "$bennu" sql lost -c "CREATE TABLE T (A INTEGER PRIMARY KEY)"
mkdir -p lost/.hbase-snapshot && rm lost/hbase.version
exits "a lost hbase.version" 3 "$bennu" sql lost -c "SELECT 1"
check "is named with its remedy" 1 "$(grep -c 'hbase.version is lost; .bennu check lost --repair' err)"
exits "which works" 0 "$bennu" check lost --repair
exits "the store is back" 0 "$bennu" sql lost -c "SELECT * FROM T"
mkdir other && touch other/file
exits "a directory of something else" 3 "$bennu" sql other -c "SELECT 1"
check "left as it was" "file" "$(ls other)"
exits "read-only, and nothing there" 3 "$bennu" sql nothing --read-only -c "SELECT 1"
check "nothing was created" "no" "$([[ -e nothing ]] && echo yes || echo no)"

# Typing errors make no stores.
for command in sql serve shell; do
  exits "$command below a directory that is not there" 3 "$bennu" $command no/such/store
  check "which is named" 1 "$(grep -c 'there is no directory .*no/such, .*mkdir -p' err)"
done
exits "serve of an address" 2 "$bennu" serve localhost:16000
check "what takes one is told" 1 "$(grep -c "'localhost:16000' is the address of a server.*bennu shell" err)"
for cluster in localhost:1 hbase://localhost:1/hbase hbase+rpc://localhost:1 jdbc:phoenix:localhost:1; do
  exits "sql of a cluster that is not there: $cluster" 3 "$bennu" sql "$cluster" -D hbase.rpc.timeout=2000 -c "SELECT 1"
  check "which is named" 1 "$(grep -c "^ERROR.*localhost:1" err)"
done
exits "a property that means nothing" 2 "$bennu" sql hbase://localhost:1 -D no.such.property=1 -c "SELECT 1"
for cluster in 'hbase://localhost:1/hbase?no.such=1' 'jdbc:phoenix:localhost:1;no.such=1'; do
  exits "a property of a target that means nothing" 2 "$bennu" sql "$cluster" -c "SELECT 1"
  check "which is named" 1 "$(grep -c "the target's property no.such: " err)"
done
exits "a directory and a cluster" 2 "$bennu" serve somewhere --cluster hbase://localhost:1
for address in zk1,zk2,zk3:2181:/hbase http:localhost localhost:; do
  exits "sql $address" 2 "$bennu" sql "$address" -c "SELECT 1"
  check "$address: what takes one is told" 1 "$(grep -c "is the address of a server.*bennu shell" err)"
done
printf 'K\n1\n' >f.csv
exits "load into a cluster that is not there" 3 "$bennu" load localhost:1 T f.csv
exits "check of an address" 2 "$bennu" check localhost:16000
check "what takes one is told" 1 "$(grep -c "is the address of a server" err)"
exits "an import of nothing" 1 "$bennu" import no nofolder
exits "a load of no HFiles" 1 "$bennu" bulkload no T nofolder --create
exits "an import below nothing" 3 "$bennu" import no/such/store other
check "nothing was made" "no no no no no" "$(for name in no localhost:16000 hbase: localhost: jdbc:phoenix:localhost; do [[ -e $name ]] && echo yes || echo no; done | xargs)"
exits "a directory that looks so" 0 "$bennu" sql ./localhost:16000 -c "SELECT 1"

# A second opener gets the holder's pid; a reader may look beside it.
mkfifo hold
"$bennu" sql db <hold >held.out 2>&1 &
holder=$!
exec 3>hold
echo "UPSERT INTO T (A, B) VALUES (50, 'held');" >&3
until grep -q affected held.out; do
  kill -0 "$holder" 2>/dev/null || break
  sleep 0.05
done
exits "a held directory" 3 "$bennu" sql db -c "SELECT 1"
check "the holder's pid" "yes" "$(grep -q "process $holder" err && echo yes || cat err)"
exits "read-only beside the holder" 0 "$bennu" sql db --read-only --format csv -c "SELECT B FROM T WHERE A = 50"
check "sees what is on disk" $'B\nheld' "$(cat out)"
exec 3>&-
wait "$holder"

printf 'a,B,c,d\n100,hundred,1.25,2020-02-29T12:00:00Z\n101,NA,,\n' >rows.csv
exits "load" 0 "$bennu" load db T rows.csv --null NA
check "its last line" "loaded 2 rows in" "$(tail -1 out | cut -c1-16)"
exits "loaded rows" 0 "$bennu" sql db --format csv -c "SELECT A, B, C, D FROM T WHERE A >= 100"
check "their values" $'A,B,C,D\n100,hundred,1.25,2020-02-29 12:00:00\n101,,,' "$(cat out)"
printf 'A,B\n200,fine\nx,bad\n201,fine\n' >bad.csv
exits "a bad line stops the load" 1 "$bennu" load db T bad.csv
check "the line, column and value" "yes" "$(grep -q 'line 3' err && grep -q 'column A' err && grep -q "'x'" err && echo yes || cat err)"
# A load fills memstores and no operator of a query: the least memory makes it slower at most.
seq -f '%.0f,longer than some rows of the other files' 5000 25000 >many.csv
exits "a table of many rows" 0 "$bennu" sql db -c "CREATE TABLE MANY (K INTEGER PRIMARY KEY, V VARCHAR)"
exits "a load with the least memory" 0 "$bennu" load db MANY many.csv --no-header --memory 1M
check "has all rows" "loaded 20001 rows in" "$(tail -1 out | cut -c1-20)"
exits "skipping bad lines" 0 "$bennu" load db T bad.csv --skip-errors rejects.txt
check "the good rows" "loaded 2 rows in" "$(tail -1 out | cut -c1-16)"
check "the bad line is kept, below the header" $'A,B\nx,bad' "$(grep -v '^#' rejects.txt)"
check "with its reason" 1 "$(grep -c "^# rejected, line 3: .*column A.*'x'" rejects.txt)"
sed -i 's/^x,/202,/' rejects.txt
exits "which is passed over when the line is mended" 0 "$bennu" load db T rejects.txt
exits "the mended row" 0 "$bennu" sql db --format csv -c "SELECT B FROM T WHERE A = 202"
check "is there" $'B\nbad' "$(cat out)"
check "that lines were passed over is told" "yes" "$("$bennu" load db T rejects.txt | grep -qx "ignored 1 lines that begin with '# rejected, line '" && echo yes)"
exits "the loaded file as that of rejected lines" 1 "$bennu" load db T bad.csv --skip-errors ./bad.csv
check "is left alone" 4 "$(wc -l <bad.csv)"
printf '\xef\xbb\xbfA,B\n210,mark\n' >mark.csv
exits "a byte order mark" 0 "$bennu" load db T mark.csv
printf 'A,B\n211,Zo\xeb\n' >latin.csv
exits "a file in Latin-1" 1 "$bennu" load db T latin.csv
check "the line, column and byte" "ERROR: latin.csv (rows in the table from this load: 0): line 2: column B: byte 3 of the value (0xEB) is not UTF-8" "$(head -1 err)"
printf 'A,\xebB\n211,Zo\n' >latin-name.csv
exits "a column's name in Latin-1" 1 "$bennu" load db T latin-name.csv
check "the line and byte" "ERROR: latin-name.csv: line 1: byte 1 of the column's name (0xEB) is not UTF-8" "$(head -1 err)"
printf '\xff\xfeA\0,\0B\0\n\0' >utf16.csv
exits "a file in UTF-16" 1 "$bennu" load db T utf16.csv
check "is told to be another encoding" 1 "$(grep -c 'is text in UTF-16' err)"
printf '\xef\xbb\xbfSELECT 5 AS A;\r\nSELECT\n'"  'Zo\xeb' AS A;\n" >latin.sql
exits "a script in Latin-1" 1 "$bennu" sql db --format csv -f latin.sql
check "runs as far as it is UTF-8, its mark aside" $'A\n5' "$(cat out)"
check "and is told" $'ERROR: byte 6 of the line (0xEB) is not UTF-8\nLINE 3:   \'Zo\xeb\' AS A' "$(head -2 err)"
printf '\xef\xbb\xbflist\n' >mark.txt
exits "a mark before HBase's commands" 0 "$bennu" shell db -n mark.txt
gzip -k rows.csv && zstd -q -k rows.csv
for file in rows.csv.gz rows.csv.zst; do
  exits "load $file" 0 "$bennu" load db T "$file" --null NA
done
exits "a column that is not there" 1 "$bennu" load db T rows.csv --no-header --columns A,NOPE,C,D
check "names it" "yes" "$(grep -q NOPE err && echo yes || cat err)"
exits "a table that is not there" 1 "$bennu" load db NOPE rows.csv

# Damage: the file and the place are named, the exit code is 3, and the rest stays as it is.
# hold DIRECTORY COPY: fills a store and copies it while it is open, as a crash would leave it.
hold() {
  "$bennu" sql "$1" <hold >held.out 2>&1 &
  local writer=$!
  exec 3>hold
  echo "CREATE TABLE T (A INTEGER NOT NULL PRIMARY KEY, B VARCHAR);" >&3
  for i in {1..300}; do echo "UPSERT INTO T VALUES ($i, 'value $i');" >&3; done
  until [[ $(grep -c affected held.out) -ge 300 ]]; do
    kill -0 "$writer" 2>/dev/null || break
    sleep 0.05
  done
  cp -r "$1" "$2"
  exec 3>&-
  wait "$writer"
}
# overwrite FILE OFFSET BYTES
overwrite() { printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

hold crash crashed
cp -r crashed torn && cp -r crashed damaged
log=$(ls -S torn/WALs/*/* | head -1)
truncate -s -15 "$log"
exits "a log torn by a crash" 0 "$bennu" sql torn --format csv -c "SELECT COUNT(*) AS N FROM T"
check "is replayed up to the tear" $'N\n299' "$(cat out)"
check "which is told" "yes" "$(grep -q "$log ends within an entry" err && echo yes || cat err)"
log=$(ls -S damaged/WALs/*/* | head -1)
middle=$(($(stat -c %s "$log") - 5000))
overwrite "$log" "$middle" '\0\0\0\0\0\0\0\0'
overwrite "$log" $((middle + 300)) '\xff\xff\xff\xff'
before=$(md5sum <"$log")
exits "a log damaged in the middle" 3 "$bennu" sql damaged -c "SELECT COUNT(*) FROM T"
check "the file, the offset and the command" "yes" \
  "$(grep -q "$log, offset [0-9]*: .*bennu wal FILE --skip-damage" err && echo yes || cat err)"
check "left as it was" "$before" "$(md5sum <"$log")"
exits "wal of a damaged log" 3 "$bennu" wal "$log"
exits "skipping the damage" 0 "$bennu" wal "$log" --skip-damage
check "the last value, behind it, is shown" "yes" "$(grep -q 76616c756520333030 out && echo yes || tail -1 out)"
cp -r crash broken
table=$(ls -S broken/data/default/T/*/0/* | head -1)
overwrite "$table" 200 '\xff\xff\xff'
exits "a damaged HFile" 3 "$bennu" sql broken -c "SELECT COUNT(*) FROM T"
check "the file and the place" "yes" "$(grep -q "HFile $table at offset [0-9]*: CRC32C" err && echo yes || cat err)"
exits "a check of it" 3 "$bennu" check broken
check "a line names file and block" "yes" \
  "$(grep -q "^FAULT  ${table#broken/}:[0-9]*  .*CRC32C.*→" out && echo yes || cat out)"
check "the totals" "yes" \
  "$(tail -1 out | grep -qE '^checked [0-9]+ files, [0-9]+ bytes in [0-9.]+ s: [1-9][0-9]* faults, [0-9]+ warnings$' && echo yes || cat out)"
exits "the same as JSON" 3 "$bennu" check broken --json
check "one object" "yes" "$(python3 -c 'import json,sys; print("yes" if json.load(open("out"))["faults"] > 0 else "no")')"
cp -r broken mended
exits "a repair" 0 "$bennu" check mended --repair
check "the loss is told" "yes" "$(grep -q '^LOST  ' out && echo yes || cat out)"
exits "a check after it" 0 "$bennu" check mended
check "nothing is left" "yes" "$(tail -1 out | grep -q ': 0 faults, 0 warnings$' && echo yes || cat out)"
exits "the store opens" 0 "$bennu" sql mended --format csv -c "SELECT COUNT(*) AS N FROM T"
exits "a check of nothing" 3 "$bennu" check nowhere
truncate -s -20 "$table"
exits "a truncated HFile" 3 "$bennu" sql broken -c "SELECT COUNT(*) FROM T"
check "the file" "yes" "$(grep -q "HFile $table" err && echo yes || cat err)"

rm "$table"
exits "a missing HFile" 3 "$bennu" sql broken -c "SELECT COUNT(*) FROM T"
check "the file, and what it held" "yes" "$(grep -q "$table (300 rows" err && echo yes || cat err)"
rm "$(dirname "$table")/.store-files"
exits "the loss accepted" 0 "$bennu" sql broken --format csv -c "SELECT COUNT(*) AS N FROM T"
check "without its rows" $'N\n0' "$(cat out)"

mkdir memory && cd memory
exits "a store in memory" 0 "$bennu" sql :memory: --format csv -c "CREATE TABLE M (A INTEGER PRIMARY KEY)" \
  -c "UPSERT INTO M VALUES (1), (2)" -c "SELECT COUNT(*) AS N FROM M"
check "what is in it" $'N\n2' "$(cat out)"
exits "is gone" 1 "$bennu" sql :memory: -c "SELECT COUNT(*) FROM M"
check "with its tables" "ERROR 1012 (42M03)" "$(head -1 err | cut -c1-18)"
exits "HBase's shell on one" 0 "$bennu" shell :memory: -n -e "create 't', 'f'" -e "put 't', 'r', 'f:q', 'v'" -e "count 't'"
for command in "sql :memory: --read-only -c SELECT+1" "shell :memory: --read-only -n -e list" "load :memory: T -" \
  "snapshot :memory: list" "check :memory:" "backup :memory: copy" "export :memory: t copy" \
  "import :memory: copy" "bulkload :memory: t copy"; do
  # shellcheck disable=SC2086
  exits "$command" 3 "$bennu" ${command//+/ }
done
rm out err
check "nothing came onto the disk" "" "$(ls -A)"
mkdir ./:memory:
exits "a directory of that name" 0 "$bennu" sql ./:memory: -c "CREATE TABLE M (A INTEGER PRIMARY KEY)"
check "is a store" "yes" "$([[ -e :memory:/hbase.version ]] && echo yes)"
cd ..

exits "hfile of nothing" 3 "$bennu" hfile no-such-file
exits "wal of something else" 3 "$bennu" wal rows.csv

# Commands of the shell stand in scripts, too; they fail and stop as statements do.
exits "a command behind -c" 0 "$bennu" sql commands -c "CREATE TABLE T (K INTEGER PRIMARY KEY)" -c '\d T'
check "its answer" "1" "$(grep -c 'K .*INTEGER  key 1  not null' out)"
printf '!tables\nSELECT 1 AS A;\n!quit;\nSELECT 2 AS B;\n' >script.sql
exits "a script with commands" 0 "$bennu" sql commands -f script.sql
check "it ends where it says so" "1 0" "$(grep -c '^ A$' out) $(grep -c '^ B$' out)"
exits "an unknown command" 1 "$bennu" sql commands -c '!nonsense' -c 'SELECT 1'
check "is told, and stops" "ERROR: unknown command !nonsense 0" "$(head -1 err) $(grep -c . out)"
"$bennu" sql commands -c "CREATE TABLE U (K INTEGER PRIMARY KEY, A INTEGER)" -c "CREATE INDEX OF_U ON U (A)" \
  -c "CREATE TABLE S.U (K INTEGER PRIMARY KEY, A INTEGER)" -c "CREATE INDEX OF_SU ON S.U (A)" >/dev/null
exits "indexes" 0 "$bennu" sql commands --format csv -c '!indexes'
check "are listed" $'TABLE_SCHEM,DATA_TABLE_NAME,TABLE_NAME,INDEX_STATE\n,U,OF_U,a\nS,U,OF_SU,a' "$(cat out)"
exits "indexes of a table" 0 "$bennu" sql commands --format csv -c '!indexes u'
check "are its own" $'TABLE_SCHEM,DATA_TABLE_NAME,TABLE_NAME,INDEX_STATE\n,U,OF_U,a' "$(cat out)"
exits "with its schema" 0 "$bennu" sql commands --format csv -c '\di s.u'
check "likewise" $'TABLE_SCHEM,DATA_TABLE_NAME,TABLE_NAME,INDEX_STATE\nS,U,OF_SU,a' "$(cat out)"
exits "indexes of no table" 1 "$bennu" sql commands -c '!indexes nope'
check "are an error" "ERROR: there is no table NOPE" "$(head -1 err)"
printf '!run self.sql\n' >self.sql
exits "a script that runs itself" 1 "$bennu" sql commands -f self.sql
check "ends" "1" "$(grep -c 'scripts call each other more than 16 levels deep' err)"
exits "changes that are not committed" 0 "$bennu" sql commands -c '!autocommit off' -c "UPSERT INTO T VALUES (1)"
check "are told" "warning: uncommitted changes are discarded" "$(cat err)"
printf '\n!help\nSELECT nope;\n' >lines.sql
exits "lines are counted" 1 "$bennu" sql commands -f lines.sql
check "commands among them" "1" "$(grep -c '^LINE 3: ' err)"

printf '%d checks, %d failed\n' "$checks" "$failures"
[[ $failures -eq 0 ]]
