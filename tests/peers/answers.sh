#!/usr/bin/env bash
# The unmodified Java client is answered alike by HBase and by `bennu serve`: options of operations,
# lists, metrics, switches, quotas, what a server without security says, the asynchronous Admin.
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

say "HBase"
quietly "$kit" start --fresh
answers "$work/hbase" "$PEER_ZK_PORT"
quietly "$kit" stop
say "bennu serve"
start "${any_ports[@]}"
answers "$work/bennu" "$(port zookeeper)"
finish
same "answers" "$work/hbase" "$work/bennu"
say "well"
