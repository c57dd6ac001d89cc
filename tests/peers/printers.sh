#!/usr/bin/env bash
# HBase's own printers read the files of a live Bennu directory: one whose process was killed with
# SIGKILL while it wrote, copied as it lay. They must find every cell that Bennu's inspectors find,
# and every row that was acknowledged.
#   printers.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
. "$(dirname "$0")/lib.sh"
peer=$kit

echo "== a store, written to and killed"
"$bennu" sql "$work/store" -c "CREATE TABLE P (K INTEGER NOT NULL, D VARCHAR NOT NULL, A.V VARCHAR,
  B.W DECIMAL(10,2) CONSTRAINT PK PRIMARY KEY (K, D DESC)) SALT_BUCKETS = 2"
# Half of the rows are flushed by an orderly end, half stay in the log of the process that dies.
for i in $(seq 1 200); do echo "UPSERT INTO P VALUES ($i, 'd$i', 'value $i', $i.25);"; done \
  | "$bennu" sql "$work/store" >/dev/null
mkfifo "$work/statements"
"$bennu" sql "$work/store" <"$work/statements" >"$work/acknowledged" &
writer=$!
exec 3>"$work/statements"
for i in $(seq 201 400); do echo "UPSERT INTO P VALUES ($i, 'd$i', 'value $i', $i.25);" >&3; done
echo "DELETE FROM P WHERE K = 7;" >&3
until [[ $(grep -c 'affected' "$work/acknowledged") -ge 201 ]]; do
  kill -0 "$writer" 2>/dev/null || fail "the writer ended by itself"
  sleep 0.1
done
kill -9 "$writer"; wait "$writer" 2>/dev/null || true
exec 3>&-
cp -r "$work/store" "$work/copy"

echo "== HFilePrettyPrinter"
files=0
while IFS= read -r file; do
  ours=$("$bennu" hfile "$file" --cells | tail -n +2 | wc -l)
  theirs=$("$peer" java org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter -e -k -m -f "file://$file" 2>&1) ||
    { echo "$theirs" >&2; fail "HFilePrettyPrinter refuses $file"; }
  count=$(grep -oE 'Scanned kv count -> [0-9]+' <<<"$theirs" | grep -oE '[0-9]+$')
  [[ "$count" == "$ours" ]] || fail "$file: HBase counts $count cells, Bennu $ours"
  grep -qE 'WARNING|Exception' <<<"$theirs" && { echo "$theirs" >&2; fail "HBase complains of $file"; }
  files=$((files + 1))
done < <(find "$work/copy/data/default/P" -type f -regextype posix-extended -regex '.*/[0-9a-f]{32}')
[[ $files -ge 4 ]] || fail "expected at least four HFiles of P (two regions, two families), found $files"
echo "$files files agree"

echo "== WALPrettyPrinter"
logs=0
while IFS= read -r log; do
  ours=$("$bennu" wal "$log" 2>/dev/null | grep -cE $'^\t[0-9a-f]+\t[AB]\t' || true)
  theirs=$("$peer" java org.apache.hadoop.hbase.wal.WALPrettyPrinter "$log" 2>&1) ||
    { echo "$theirs" >&2; fail "WALPrettyPrinter refuses $log"; }
  count=$(grep -cE 'column=(A|B):' <<<"$theirs" || true)
  [[ "$count" == "$ours" ]] || { head -50 <<<"$theirs" >&2; fail "$log: HBase shows $count cells of P, Bennu $ours"; }
  [[ $ours -gt 0 ]] && logs=$((logs + 1))
done < <(find "$work/copy/WALs" -type f)
[[ $logs -ge 1 ]] || fail "no log with rows of P"
echo "$logs logs agree"

echo "== the store opens again with every acknowledged row"
rows=$("$bennu" sql "$work/copy" --format csv -c "SELECT COUNT(*) FROM P" | tail -1)
[[ "$rows" == 399 ]] || fail "399 rows were acknowledged, $rows are there"
echo "all well"
