#!/usr/bin/env bash
# The unmodified Java client is answered alike by HBase and by `bennu serve`: options of operations,
# lists, metrics, switches, quotas, what a server without security says, the asynchronous Admin; and
# scans with a filter that get rows in parts, whose answers are those that golden.filters is held to.
#   answers.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# answers FILE ZOOKEEPER-PORT
answers() {
  timeout 300 "$kit" java "$here/ClientAnswers.java" "$2" >"$work/output" 2>&1 || {
    tail -30 "$work/output" >&2
    fail "the client"
  }
  grep '^answer ' "$work/output" >"$1"
}

golden=$here/../golden/filters
# An error is alike when both have one: what it says is each one's own.
without_messages() { sed -E 's/"error":"[^"]*"/"error"/'; }

# parts FILE ZOOKEEPER-PORT
parts() {
  timeout 300 "$kit" java "$here/FilterParts.java" "$2" "$golden/flt.cells.tsv" >"$work/lines" \
    2>"$work/output" || {
    tail -30 "$work/output" >&2
    fail "the client that scans in parts"
  }
  without_messages <"$work/lines" >"$1"
}

say "HBase"
quietly "$kit" start --fresh
answers "$work/hbase" "$PEER_ZK_PORT"
parts "$work/hbase.parts" "$PEER_ZK_PORT"
quietly "$kit" stop
say "bennu serve"
start "${any_ports[@]}"
answers "$work/bennu" "$(port zookeeper)"
parts "$work/bennu.parts" "$(port zookeeper)"
finish
same "answers" "$work/hbase" "$work/bennu"
same "scans in parts" "$work/hbase.parts" "$work/bennu.parts"
without_messages <"$golden/parts.jsonl" >"$work/golden.parts"
same "scans in parts, as recorded" "$work/golden.parts" "$work/hbase.parts"
say "well"
