#!/usr/bin/env bash
# Root directories go from a real HBase to Bennu, back, and to and fro; HFiles are bulk-loaded; HBase's
# printers read what Bennu wrote. What one has acknowledged or shown, the other must show alike: every
# cell of every table, raw and as readers see it, descriptors, regions, and rows of Phoenix' SQL.
#   roots.sh PATH-OF-BENNU PATH-OF-PEERS_STORE
set -euo pipefail
bennu=${1:?the path of the bennu program}
store=${2:?the path of peers_store}
here=$(cd "$(dirname "$0")" && pwd)/roots
. "$(dirname "$0")/lib.sh"
root=$PEER_HOME/data/hbase
# By which Java names files: some tables' names are not English.
export LC_ALL=C.UTF-8
codings="NONE PREFIX DIFF FAST_DIFF ROW_INDEX_V1"
# References of splits and merges stay what they are, and raw scans too.
export PEER_PROPS="hbase.regionserver.compaction.enabled=false"

queries() { "$bennu" sql "$1" --format tsv -f "$2" >"$3" || fail "queries of $2 over $1"; }
dump() { "$store" dump "$1" "$2" || fail "Bennu cannot read $1"; }

say "the kit"
compile_steps "$here"

say "HBase makes tables of every kind, and is killed"
quietly "$kit" start --fresh
steps make "sql=$here/phoenix.sql:$work/none" "sql=$here/queries.sql:$work/sql1" flush \
  tail "dump=$work/hbase1"
kill_server
cp -r "$root" "$work/killed"
dump "$work/killed" "$work/bennu1"
same "after a kill of HBase" "$work/hbase1" "$work/bennu1"
queries "$work/killed" "$here/queries.sql" "$work/sql1b"
same "Phoenix' tables" "$work/sql1" "$work/sql1b"

say "HBase splits, merges, takes a snapshot, and is stopped; Bennu goes on in its directory"
quietly "$kit" start
steps regions "dump=$work/hbase2" "sql=$here/queries.sql:$work/sql2"
quietly "$kit" stop
find "$root/data" -name '*.[0-9a-f]*' -type f | grep -qE '/[0-9a-f]{32}\.[0-9a-f]{32}$' ||
  fail "HBase left no reference to test with"
dump "$root" "$work/bennu2"
same "after a clean stop of HBase" "$work/hbase2" "$work/bennu2"
queries "$root" "$here/queries.sql" "$work/sql2b"
same "Phoenix' tables" "$work/sql2" "$work/sql2b"
quietly "$store" extend "$root"
quietly "$bennu" sql "$root" -f "$here/bennu.sql"
queries "$root" "$here/bennu_queries.sql" "$work/sql3b"
queries "$root" "$here/queries.sql" "$work/sql4b"
dump "$root" "$work/bennu3"

say "HBase opens it again"
quietly "$kit" start
steps "dump=$work/hbase3" "sql=$here/bennu_queries.sql:$work/sql3" "sql=$here/queries.sql:$work/sql4" \
  change "dump=$work/hbase4"
quietly "$kit" stop
without_defaults "$work"/{hbase,bennu}3
same "what Bennu left" "$work/bennu3" "$work/hbase3"
same "Bennu's SQL tables" "$work/sql3b" "$work/sql3"
same "Phoenix' own" "$work/sql4b" "$work/sql4"
dump "$root" "$work/bennu4"
without_defaults "$work"/{hbase,bennu}4
same "back in Bennu, with HBase's changes" "$work/hbase4" "$work/bennu4"

say "a directory of Bennu's own, with an unflushed log: HBase's printers"
own=$work/own
"$bennu" sql "$own" -f "$here/bennu.sql" >/dev/null
quietly "$store" make "$own"
cp -r "$own" "$work/own_killed"
dump "$own" "$work/bennu5"
hfiles() { find "$1/data" -type f -regextype posix-extended -regex '.*/[0-9a-f]{32}'; }
hfiles "$own" | while IFS= read -r file; do
  printf '%s\t%d\n' "$file" $(($("$bennu" hfile "$file" --cells | wc -l) - 1))
done >"$work/hfiles"
find "$work/own_killed/WALs" -type f | while IFS= read -r file; do
  printf '%s\t%d\n' "$file" "$("$bennu" wal "$file" | grep -cE $'^\t[0-9a-f]+\t' || true)"
done >"$work/wals"

for table in $codings; do
  quietly "$bennu" export "$own" "made:$table" "$work/exported/$table" --raw --file-size 20000
done
find "$work/exported" -mindepth 3 -type f -not -path '*/.*' | while IFS= read -r file; do
  printf '%s\t%d\n' "$file" $(($("$bennu" hfile "$file" --cells | wc -l) - 1))
done >"$work/exported_files"

say "it takes the place of HBase's root directory"
rm -rf "$root/data"
cp -r "$own/data" "$own/WALs" "$root/"
mkdir -p "$work/bulk"
for table in "$own"/data/made/[A-Z]*; do
  find "$table" -mindepth 2 -maxdepth 2 -type d -name 'in_*' | while IFS= read -r family; do
    mkdir -p "$work/bulk/$(basename "$table")/$(basename "$family")"
    find "$family" -regextype posix-extended -regex '.*/[0-9a-f]{32}' -exec cp -t \
      "$work/bulk/$(basename "$table")/$(basename "$family")" {} +
  done
done
quietly "$kit" start
queries "$own" "$here/bennu_queries.sql" "$work/sql5b"
steps "dump=$work/hbase5" as_phoenix_5_2 "sql=$here/bennu_queries.sql:$work/sql5" \
  "hfiles=$work/hfiles" "wals=$work/wals" "hfiles=$work/exported_files" \
  "bulkload=$work/bulk:bulk" "bulkload=$work/exported:exported" "dump=$work/hbase6"
quietly "$kit" stop
without_defaults "$work"/{hbase,bennu}5
same "Bennu's directory in HBase" "$work/bennu5" "$work/hbase5"
same "Bennu's SQL tables" "$work/sql5b" "$work/sql5"
echo "   $(wc -l <"$work/hfiles") HFiles and $(wc -l <"$work/wals") logs printed by HBase, counts alike"
[[ $(wc -l <"$work/hfiles") -ge 130 && -s $work/wals ]] || fail "fewer files than expected"
[[ $(wc -l <"$work/exported_files") -ge 25 ]] || fail "fewer exported files than expected"
for table in $codings; do
  for way in bulk exported; do
    same "bulk-loaded, $table × every compression, $way" "$work/bennu5/made.$table.cells" \
      "$work/hbase6/$way.$table.cells"
  done
done
echo "all well: $checks comparisons, $SECONDS s"
