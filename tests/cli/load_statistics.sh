#!/usr/bin/env bash
# Guide posts of tables that `bennu load` has filled: what UPDATE STATISTICS and a major compaction
# write to SYSTEM.STATS. The expected rows are those of Phoenix 5.2.1 for the same rows by UPSERT.
#   load_statistics.sh PATH-OF-BENNU
set -euo pipefail
. "$(dirname "$0")/lib.sh"

{
  echo H,K,V,W
  for ((i = 1; i <= 300; i++)); do
    printf -v v '%*s' $((i % 40)) ''
    w=$i
    ((i % 3)) || w=
    echo "h$((i % 7)),$((i * 37 % 1009 - 200)),${v// /v},$w"
  done
} >rows.csv

columns="(H VARCHAR NOT NULL, K INTEGER NOT NULL, A.V VARCHAR, B.W INTEGER, CONSTRAINT PK PRIMARY KEY (H, K))"
whole="A,68300080000292,3037,37
A,6831008000023b,3031,38
A,68320080000193,3003,37
A,68330080000116,3009,37
A,683400800000bf,3029,38
A,6835008000000c,3023,37
A,6836007fffff7f,3051,37
A,6836008000030f,3025,38
B,6833007fffff97,3026,89
B,68360080000006,3026,89"
buckets="A,006832008000015d,3003,36
A,006835007ffffff1,3004,37
A,016832008000028b,3012,37
A,0168350080000093,3019,36
A,026832008000005a,3012,36
A,02683400800002f0,3009,37
B,,3000,0"

# posts TABLE: family, key, bytes and rows of each.
posts() {
  "$bennu" sql db --format csv -c "SELECT COLUMN_FAMILY, GUIDE_POST_KEY, GUIDE_POSTS_WIDTH, GUIDE_POSTS_ROW_COUNT
    FROM SYSTEM.STATS WHERE PHYSICAL_NAME = '$1' AND COLUMN_FAMILY IS NOT NULL" | sed 1d
}
# plan SQL: the first line of it.
plan() { "$bennu" sql db --format tsv -c "EXPLAIN $1" | sed -n 2p | cut -f1; }

# loaded TABLE OPTIONS EXPECTED [ARGUMENT…]: of `bennu load`.
loaded() {
  local table=$1 options=$2 expected=$3
  shift 3
  exits "$table" 0 "$bennu" sql db -c "CREATE TABLE $table $columns GUIDE_POSTS_WIDTH=3000$options"
  exits "rows of $table" 0 "$bennu" load db "$table" rows.csv "$@"
  check "posts of $table without UPDATE STATISTICS" "" "$(posts "$table")"
  exits "statistics of $table" 0 "$bennu" sql db -c "UPDATE STATISTICS $table"
  check "posts of $table" "$expected" "$(posts "$table")"
  exits "$table without them" 0 "$bennu" sql db -c "DELETE FROM SYSTEM.STATS WHERE PHYSICAL_NAME = '$table'"
  exits "compaction of $table" 0 "$bennu" shell db -e "major_compact '$table'"
  check "posts of the compacted $table" "$expected" "$(posts "$table")"
}

loaded GPL "" "$whole"
loaded GPB "" "$whole" --batch 7
loaded GPS ", SALT_BUCKETS=3" "$buckets"

check "all rows" "CLIENT 9-CHUNK 299 ROWS 24208 BYTES PARALLEL 1-WAY FULL SCAN OVER GPL" \
  "$(plan "SELECT COUNT(*) FROM GPL")"
check "a range" "CLIENT 2-CHUNK 37 ROWS 3009 BYTES PARALLEL 1-WAY ROUND ROBIN RANGE SCAN OVER GPL ['h3']" \
  "$(plan "SELECT * FROM GPL WHERE H = 'h3'")"
check "a condition on another family" "CLIENT 3-CHUNK 178 ROWS 6052 BYTES PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER GPL" \
  "$(plan "SELECT W FROM GPL WHERE W > 3")"
check "buckets" "CLIENT 9-CHUNK 219 ROWS 18059 BYTES PARALLEL 3-WAY FULL SCAN OVER GPS" \
  "$(plan "SELECT COUNT(*) FROM GPS")"
check "ranges before a post of each bucket" \
  "CLIENT 3-CHUNK 110 ROWS 9032 BYTES PARALLEL 3-WAY ROUND ROBIN RANGE SCAN OVER GPS [X'00','h3'] - [X'02','h3']" \
  "$(plan "SELECT * FROM GPS WHERE H = 'h3'")"
check "ranges with one and before one" \
  "CLIENT 6-CHUNK 219 ROWS 18059 BYTES PARALLEL 3-WAY ROUND ROBIN SKIP SCAN ON 6 KEYS OVER GPS [X'00','h0'] - [X'02','h2']" \
  "$(plan "SELECT * FROM GPS WHERE H IN ('h0', 'h2')")"
check "ranges behind all" \
  "CLIENT 3-CHUNK 0 ROWS 0 BYTES PARALLEL 3-WAY ROUND ROBIN RANGE SCAN OVER GPS [X'00','h6'] - [X'02','h6']" \
  "$(plan "SELECT * FROM GPS WHERE H = 'h6'")"

echo "$checks checks, $failures failed"
[[ $failures -eq 0 ]]
