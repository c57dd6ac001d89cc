#!/usr/bin/env bash
# Dialogues of the native client with a real cluster of three region servers: recorded, and then replayed as
# `make test` replays those of tests/client/dialogues.
#   dialogues.sh PATH-OF-DIALOGUES-TEST [--record]
# With --record they go to tests/client/dialogues, and are to be looked at and committed.
set -euo pipefail
dialogues=${1:?the path of dialogues_test}
here=$(cd "$(dirname "$0")" && pwd)
export PEER_SERVERS=3 PEER_HEAP=500m
if [[ ${2:-} == --record ]]; then
  # What is recorded names the usual ports, and no folder of this machine.
  export PEER_MASTER_PORT=16000 PEER_RS_PORT=16020
fi
. "$here/lib.sh"
export PEER_PROPS="hbase.master.hostname=localhost hbase.unsafe.regionserver.hostname=localhost"
folder=$work/dialogues
[[ ${2:-} != --record ]] || folder=$here/../client/dialogues
rm -rf "$folder"
mkdir -p "$folder"
export BENNU_DIALOGUES=$folder
master=localhost:${PEER_MASTER_PORT:-$((PEER_ZK_PORT + 10000))}

# run_all WHAT: all tests of dialogues, which tell what fails.
run_all() {
  timeout 300 "$dialogues" --gtest_filter='DialogueTest.*' >"$work/output" 2>&1 || {
    grep -vE '^\[ +(RUN|OK)' "$work/output" | head -60 | cut -c1-600 >&2
    fail "$1: $(grep -E 'FAILED TEST' "$work/output" || tail -1 "$work/output")"
  }
}

say "a cluster of three region servers"
quietly "$kit" start --fresh

say "recording"
BENNU_DIALOGUES_CLUSTER=$master,127.0.0.1:$PEER_ZK_PORT run_all "recording"

say "replaying"
run_all "replaying"
! grep -lF -- "$work" "$folder"/* || fail "dialogues name a folder of this machine"
[[ ${2:-} != --record ]] || ! grep -nwF -- "$(hostname)" "$folder"/* || fail "dialogues name this machine"
# It has nothing more to say.
for name in server1 server2 server3 master zookeeper; do "$kit" kill "$name"; done
echo "well: $(ls "$folder" | wc -l) dialogues, $(cat "$folder"/* | wc -c) bytes"
