#!/usr/bin/env bash
# The same statements to Bennu and to the real Phoenix: rows, types, error codes and stored cells must
# be alike. See differential/README.md.
#   differential.sh PATH-OF-BENNU PATH-OF-PEERS_QUESTIONS [--seed N] [--cases N] [--minimize] …
set -euo pipefail
bennu=${1:?the path of the bennu program}
questions=${2:?the path of peers_questions}
shift 2
here=$(cd "$(dirname "$0")" && pwd)/differential
. "$(dirname "$0")/lib.sh"

say "the kit"
quietly "$kit" classpath
export PEER_CLASSES=$work/classes
quietly javac -nowarn -d "$PEER_CLASSES" -cp "$(tail -1 "$work/output")" "$here/Ask.java"

say "HBase starts"
# What compactions take away of deleted cells would differ from run to run.
export PEER_PROPS="${PEER_PROPS:-} hbase.regionserver.compaction.enabled=false"
quietly "$kit" start --fresh

say "sessions"
python3 "$here/differential.py" "$bennu" "$questions" "$@" || fail "Bennu and Phoenix differ"
