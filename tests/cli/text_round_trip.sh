#!/usr/bin/env bash
# What `bennu sql` prints as csv and tsv loads back as it was, for every type; json, jsonl and
# markdown hold the same.
#   text_round_trip.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"

# Column and type of each type there is; the key is K.
types=(
  "C_INTEGER INTEGER" "C_BIGINT BIGINT" "C_SMALLINT SMALLINT" "C_TINYINT TINYINT"
  "C_UINT UNSIGNED_INT" "C_ULONG UNSIGNED_LONG" "C_USMALLINT UNSIGNED_SMALLINT"
  "C_UTINYINT UNSIGNED_TINYINT" "C_FLOAT FLOAT" "C_DOUBLE DOUBLE" "C_UFLOAT UNSIGNED_FLOAT"
  "C_UDOUBLE UNSIGNED_DOUBLE" "C_DECIMAL DECIMAL(20,5)" "C_BOOLEAN BOOLEAN" "C_DATE DATE"
  "C_TIME TIME" "C_TIMESTAMP TIMESTAMP" "C_UDATE UNSIGNED_DATE" "C_UTIME UNSIGNED_TIME"
  "C_UTIMESTAMP UNSIGNED_TIMESTAMP" "C_VARCHAR VARCHAR" "C_CHAR CHAR(6)" "C_BINARY BINARY(3)"
  "C_VARBINARY VARBINARY" "C_JSON JSON" "C_ENCODED VARBINARY_ENCODED" "C_BSON BSON"
  "A_INTEGER INTEGER ARRAY" "A_BIGINT BIGINT ARRAY" "A_DOUBLE DOUBLE ARRAY" "A_FLOAT FLOAT ARRAY"
  "A_DECIMAL DECIMAL ARRAY" "A_BOOLEAN BOOLEAN ARRAY" "A_DATE DATE ARRAY"
  "A_TIMESTAMP TIMESTAMP ARRAY" "A_VARCHAR VARCHAR ARRAY" "A_CHAR CHAR(4) ARRAY"
  "A_BINARY BINARY(2) ARRAY" "A_TINYINT TINYINT ARRAY"
  "A_TIME TIME ARRAY" "A_ULONG UNSIGNED_LONG ARRAY"
)
columns=$(printf ', %s' "${types[@]}")
for table in SOURCE FROM_CSV FROM_TSV; do
  echo "CREATE TABLE $table (K INTEGER NOT NULL PRIMARY KEY$columns);"
done >tables.sql
time="'2024-02-29 12:34:56.789'"
cat >rows.sql <<END
UPSERT INTO SOURCE VALUES (1, -2147483648, -9223372036854775808, -32768, -128, 2147483647,
  9223372036854775807, 32767, 127, 1.5E-7, -1.25E300, 0.1, 1.0E10, -123456789012345.6789, true,
  DATE $time, TIME $time, TIMESTAMP '2024-02-29 12:34:56.123456789', DATE $time, TIME $time,
  TIMESTAMP '2024-02-29 12:34:56.1', 'plain', 'ab', X'0001ff', X'00', '{"a":[1,null,"x\\\\"y"],"b":1.5}', X'00ff00ff',
  '{"a":[1,null,"x\\\\"y"],"big":9223372036854775807,"b":{"\$binary":{"base64":"AP8=","subType":"00"}}}',
  ARRAY[1,-2,3], ARRAY[9223372036854775807], ARRAY[1.5E0,-1E300], ARRAY[0.25], ARRAY[1.5,-2.25],
  ARRAY[true,false], ARRAY[DATE $time, DATE '1969-12-31'], ARRAY[TIMESTAMP $time],
  ARRAY['a',NULL,'it''s "quoted", [b]','NULL','',' x '], ARRAY['ab','abcd'],
  ARRAY[X'0102',X'2c5d',X'00ff'], ARRAY[1,-1], ARRAY[TIME $time], ARRAY[0,7]);
UPSERT INTO SOURCE (K, C_VARCHAR, C_CHAR, A_VARCHAR) VALUES
  (2, '"', '"a"', ARRAY['"']), (3, 'say "hi", twice', 'a,b', ARRAY['a,b']),
  (4, 'tab\\tline\\nreturn\\r', '\\\\', ARRAY['\\t\\n\\\\']), (5, 'Zoë 日本語 🦩', '~', ARRAY['ü','日本']),
  (6, '\\\\N', '\\\\N', ARRAY['\\\\N']), (7, 'NULL', 'NULL', ARRAY['NULL']), (8, '5" disk', '#', NULL),
  (9, '# rejected', 'x''00''', NULL), (10, ' blanks ', '  b', NULL), (11, '', NULL, NULL),
  (12, '"a', 'x"', NULL), (13, 'end\\r', NULL, NULL);
UPSERT INTO SOURCE (K, C_DOUBLE, C_DATE, C_TIMESTAMP) VALUES
  (20, 4.9E-324, DATE '1582-10-15', TIMESTAMP '1969-12-31 23:59:59.999999999'),
  (21, -0.0, DATE '9999-12-31 23:59:59.999', TIMESTAMP '1582-10-15 00:00:00'),
  (22, 1, DATE '1582-10-04 01:02:03', TIMESTAMP '1500-02-29 10:00:00.999999999'),
  (23, 1, DATE '0001-01-01', TIMESTAMP '-0044-03-15 12:00:00');
END
exits "tables" 0 "$bennu" sql db -f tables.sql
exits "rows of every type" 0 "$bennu" sql db -f rows.sql

exits "csv" 0 "$bennu" sql db --format csv -c "SELECT * FROM SOURCE"
cp out source.csv
exits "loads back" 0 "$bennu" load db FROM_CSV source.csv
exits "tsv" 0 "$bennu" sql db --format tsv -c "SELECT * FROM SOURCE"
cp out source.tsv
exits "loads back with tabs" 0 "$bennu" load db FROM_TSV source.tsv --delimiter '\t'
for table in SOURCE FROM_CSV FROM_TSV; do
  exits "$table" 0 "$bennu" sql db --format vertical -c "SELECT * FROM $table"
  cp out "$table.out"
done
check "the rows" 17 "$(grep -c '^-\[ row' SOURCE.out)"
check "csv brings back what it was" "" "$(diff SOURCE.out FROM_CSV.out)"
check "tsv too" "" "$(diff SOURCE.out FROM_TSV.out)"

exits "json" 0 "$bennu" sql db --format json -c "SELECT * FROM SOURCE"
check "json holds it" "yes" "$(python3 - out <<'END'
import json, sys
rows = {row["K"]: row for row in json.load(open(sys.argv[1], encoding="utf-8"))}
first = rows[1]
wanted = {
    "C_BIGINT": -9223372036854775808, "C_DOUBLE": -1.25e300, "C_BOOLEAN": True, "C_BINARY": "0001ff",
    "C_TIMESTAMP": "2024-02-29 12:34:56.123456789", "C_VARCHAR": "plain", "C_CHAR": "ab",
    "C_ENCODED": "00ff00ff", "A_INTEGER": [1, -2, 3], "A_BOOLEAN": [True, False], "A_BINARY": ["0102", "2c5d", "00ff"],
    "A_VARCHAR": ["a", None, "it's \"quoted\", [b]", "NULL", None, " x "],
}
for name, value in wanted.items():
    if first[name] != value: print(name, first[name])
texts = {2: '"', 4: "tab\tline\nreturn\r", 5: "Zoë 日本語 🦩", 6: "\\N", 11: None}
for key, text in texts.items():
    if rows[key]["C_VARCHAR"] != text: print(key, rows[key]["C_VARCHAR"])
print("yes")
END
)"

exits "jsonl" 0 "$bennu" sql db --format jsonl -c "SELECT * FROM SOURCE"
cp out jsonl.out
exits "json" 0 "$bennu" sql db --format json -c "SELECT * FROM SOURCE"
check "a line of jsonl is an object of json" "yes" "$(python3 - out jsonl.out <<'END'
import json, sys
array = json.load(open(sys.argv[1], encoding="utf-8"), parse_float=str)
lines = open(sys.argv[2], encoding="utf-8").read().split("\n")
objects = [json.loads(line, parse_float=str) for line in lines[:-1]]
print("yes" if objects == array and len(array) >= 11 and lines[-1] == "" else objects)
END
)"
# A reader of GitHub's tables: cells end at a | that no \ is before; then the escapes are undone.
exits "markdown" 0 "$bennu" sql db --format markdown -c "SELECT K, C_VARCHAR, C_BINARY FROM SOURCE WHERE K <> 10"
check "markdown holds it" "yes" "$(python3 - jsonl.out out <<'END'
import json, re, sys
wanted = {}
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    wanted[row["K"]] = [str(row[name]) if row[name] is not None else "NULL" for name in ("C_VARCHAR", "C_BINARY")]
del wanted[10]  # blanks at the ends are not kept
lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
if not re.fullmatch(r"\|-+:\|-+\|-+\|", lines[1]): print(lines[1])
found = {}
for line in lines[2:]:
    cells = [cell.strip(" ") for cell in re.findall(r"((?:\\.|[^|\\])*)\|", line)[1:]]
    plain = [re.sub(r"\\(.)", r"\1", cell.replace("<br>", "\n")) for cell in cells]
    found[int(plain[0])] = plain[1:]
for key, values in wanted.items():
    values[0] = re.sub("\r\n|\r", "\n", values[0])
    if found.get(key) != values: print(key, values, found.get(key))
print("yes")
END
)"

# Text that begins as the reason of a rejected line does, which `bennu load` passes over.
exits "tables by text" 0 "$bennu" sql db -c "CREATE TABLE MARKS (K VARCHAR PRIMARY KEY)" \
  -c "CREATE TABLE MARKS_CSV (K VARCHAR PRIMARY KEY)" -c "CREATE TABLE MARKS_TSV (K VARCHAR PRIMARY KEY)" \
  -c "UPSERT INTO MARKS VALUES ('# rejected, line 5')"
for format in csv tsv; do
  exits "a mark as $format" 0 "$bennu" sql db --format $format -c "SELECT * FROM MARKS"
  cp out marks.$format
  delimiter=','
  [[ $format == tsv ]] && delimiter='\t'
  exits "loads back" 0 "$bennu" load db MARKS_${format^^} marks.$format --delimiter "$delimiter"
  check "as a row" "loaded 1 rows" "$(tail -1 out | cut -c1-13)"
done

printf 'K,A_INTEGER\n100,"[1,x]"\n101,"[1"\n102,[]\n' >arrays.csv
exits "elements that do not fit" 0 "$bennu" load db FROM_CSV arrays.csv --skip-errors rejects.csv
check "are named" "yes" "$(grep -q "column A_INTEGER.*element 2: .*'x' is not a whole number" rejects.csv &&
  grep -q "'.1' is not an array: .* (byte 3)" rejects.csv && echo yes || cat rejects.csv)"

# What a client of HBase stored may be no UTF-8. Readers of JSON and Markdown refuse such bytes.
exits "a table for bytes" 0 "$bennu" sql db \
  -c "CREATE TABLE RAW (K VARCHAR PRIMARY KEY, V VARCHAR) COLUMN_ENCODED_BYTES=0"
exits "bytes in a text" 0 "$bennu" shell db -n -e "put 'RAW', 'a', '0:V', \"x\\xff\\xc3y\"" \
  -e "put 'RAW', 'a', '0:_0', 'x'"
for format in json jsonl markdown; do
  exits "as $format" 0 "$bennu" sql db --format $format -c "SELECT V FROM RAW"
  check "$format is UTF-8" "1" "$(iconv -f UTF-8 -t UTF-8 out | grep -c 'x��y')"
done
exits "as csv" 0 "$bennu" sql db --format csv -c "SELECT V FROM RAW"
check "csv has the bytes" " 78 ff c3 79" "$(tail -1 out | head -c 4 | od -An -tx1)"

printf '%d checks, %d failed\n' "$checks" "$failures"
[[ $failures -eq 0 ]]
