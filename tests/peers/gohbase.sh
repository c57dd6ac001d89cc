#!/usr/bin/env bash
# HBase's client for Go: its own integration tests, as published, against `bennu serve`; and a program that
# writes through it into a table with indexes, which afterwards have what the table has.
#   gohbase.sh PATH-OF-BENNU
set -euo pipefail
bennu=$(realpath "${1:?the path of the bennu program}")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/serve.sh"
want "Go 1.25 or newer" go
# These start further region servers.
others='TestChangingRegionServers|TestScannerRenewal$'
passes_min=100
work=$(mktemp -d)
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; tail -n 20 "$work/output" "$work/server.log" >&2; exit 1; }

version=$(cd "$here/gohbase" && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || version=none
[[ $version =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 25 ]] || {
  echo "SKIPPED: Go is $version here; this test wants Go 1.25 or newer" >&2
  exit 77
}
go_run() { (cd "$here/gohbase" && GOFLAGS=-mod=readonly timeout "$@"); }
go_run 400 go build -o "$work/indexed" . >"$work/output" 2>&1 || fail "the program"
go_run 400 go test -c -tags integration -o "$work/tests" github.com/tsuna/gohbase >"$work/output" 2>&1 ||
  fail "the client's tests"

# Its tests wait for scanners to end.
printf '<configuration><property><name>hbase.client.scanner.timeout.period</name><value>5000</value></property></configuration>\n' \
  >"$work/site.xml"
phoenix_port=0
start "${any_ports[@]}" --config "$work/site.xml"
hosts=localhost:$(port zookeeper)

echo "== writes into a table with indexes"
sql() { "$bennu" sql "http://127.0.0.1:$(port phoenix)" --format csv "$@" >"$work/rows" 2>"$work/output" || fail "$*"; }
sql -c "CREATE TABLE GO (K VARCHAR PRIMARY KEY, V VARCHAR, W VARCHAR, N UNSIGNED_LONG) COLUMN_ENCODED_BYTES=0;
  CREATE INDEX GO_V ON GO (V) INCLUDE (W); CREATE UNCOVERED INDEX GO_W ON GO (W); CREATE LOCAL INDEX GO_N ON GO (N);"
"$work/indexed" "$hosts" GO >"$work/output" 2>&1 || fail "the program"
grep -qx 'go-001 counts 5' "$work/output" || fail "a counter"
# Each question is asked of the table and of an index.
ask() {
  sql -c "SELECT /*+ $1 */ K, V, W, N FROM GO WHERE $2 ORDER BY K"
  [[ $(wc -l <"$work/rows") -ge $3 ]] || fail "$2: too few rows"
}
for question in "GO_V|V > 'a'|150" "GO_W|W >= 'w'|100" "GO_N|N > 0|5"; do
  IFS='|' read -r index condition rows <<<"$question"
  ask NO_INDEX "$condition" "$rows"
  mv "$work/rows" "$work/expected"
  ask "INDEX(GO $index)" "$condition" "$rows"
  diff "$work/expected" "$work/rows" >"$work/output" || fail "$index: not what the table has"
  sql -c "CHECK INDEX $index ON GO"
done
echo "   $(wc -l <"$work/expected") lines and three indexes alike"

echo "== the client's own tests"
status=0
(cd "$work" && timeout 300 ./tests -test.v -test.skip "$others" -host "$hosts") >"$work/output" 2>&1 || status=$?
grep -E '^--- FAIL' "$work/output" >&2 && fail "a test of the client"
[[ $status -eq 0 ]] || fail "the client's tests end with status $status"
passes=$(grep -cE '^ *--- PASS' "$work/output")
[[ $passes -ge $passes_min ]] || fail "only $passes tests pass"
finish
echo "well: $passes tests pass (at $SECONDS s)"
