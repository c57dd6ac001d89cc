#!/usr/bin/env bash
# Stores of every shape, and snapshots, go from one to the other: tables compacted by time and by
# stripes, loaded, split, merged, cloned, restored. Each takes snapshots that the other lists, clones,
# restores; HBase's SnapshotInfo and ExportSnapshot read Bennu's. Every cell must come out alike.
#   shapes.sh PATH-OF-BENNU PATH-OF-PEERS_STORE
set -euo pipefail
bennu=${1:?the path of the bennu program}
store=${2:?the path of peers_store}
here=$(cd "$(dirname "$0")" && pwd)/roots
. "$(dirname "$0")/lib.sh"
root=$PEER_HOME/data/hbase
# References and links stay what they are until a compaction is asked for.
export PEER_PROPS="hbase.regionserver.compaction.enabled=false"

dump() { "$store" dump "$1" "$2" || fail "Bennu cannot read $1"; }
cells_only() { local d; for d; do rm -f "$d/catalog"; done; }
snapshots() { "$bennu" snapshot "$1" list --format tsv | tail -n +2 | cut -f 1,2,4; }
placed() { quietly "$kit" java Shapes "$1"; }

say "the kit"
compile_steps "$here"

say "HBase makes tables with each engine, takes snapshots, and is stopped"
quietly "$kit" start --fresh
steps shapes "snapshots=$work/list1" clones=theirs_cloned "dump=$work/hbase1"
quietly "$kit" stop
dump "$root" "$work/bennu1"
same "what HBase made" "$work/hbase1" "$work/bennu1"
snapshots "$root" >"$work/list1b"
same "HBase's snapshots, listed" "$work/list1" "$work/list1b"
cp -r "$root" "$work/copy"
quietly "$store" clones "$work/copy" by_bennu
dump "$work/copy" "$work/bennu1c"
for table in "$work"/hbase1/theirs_cloned.*.cells; do
  same "HBase's snapshot $(basename "$table"), cloned" "$table" \
    "$work/bennu1c/by_bennu.${table##*/theirs_cloned.}"
done

say "Bennu goes on in its directory: tables of every shape, and snapshots of them"
quietly "$store" shapes "$root" "$work/scratch"
dump "$root" "$work/bennu2"
snapshots "$root" >"$work/list2b"
placed "$work/stripes"
grep "^shapes:" "$work/stripes" >"$work/stripes_ours"
same "stripes as HBase's engine places them" "$here/stripes.txt" "$work/stripes_ours"
rm -r "$work/copy"
cp -r "$root" "$work/copy"
quietly "$store" clones "$work/copy" asked
quietly "$store" restores "$work/copy"
dump "$work/copy" "$work/bennu3"

say "HBase opens it"
quietly "$kit" start
mkdir "$work/target"
"$bennu" sql "$work/target" -c "SELECT 1" >/dev/null
steps "dump=$work/hbase2" "snapshots=$work/list2" clones=asked restores "dump=$work/hbase3" \
  "export=shot_first,split_shot,striped_shot,theirs_split:$work/target" \
  compact=shapes:tiered,shapes:striped,shapes:cloned_split,shapes:loaded \
  "dump=$work/hbase4"
quietly "$kit" stop
without_defaults "$work"/{hbase,bennu}2
same "what Bennu made" "$work/bennu2" "$work/hbase2"
same "all snapshots, listed" "$work/list2b" "$work/list2"
# Names of regions differ from here on.
cells_only "$work"/{hbase,bennu}3
same "clones of each snapshot, and all of them restored" "$work/bennu3" "$work/hbase3"

say "back in Bennu"
dump "$root" "$work/bennu4"
without_defaults "$work"/{hbase,bennu}4
same "restored, cloned and compacted by HBase" "$work/hbase4" "$work/bennu4"
quietly "$store" clones "$work/target" asked
dump "$work/target" "$work/bennu5"
for table in "$work"/bennu5/asked.*.cells; do
  same "exported by HBase: $(basename "$table")" "$work/bennu3/$(basename "$table")" "$table"
done
"$bennu" check "$root" >"$work/check" || { tail -5 "$work/check" >&2; fail "bennu check"; }
echo "all well: $checks comparisons, $SECONDS s"
