#!/usr/bin/env bash
# Every type, DESC, salt, encoding, and kind of view and index, made and written once by Java Phoenix and once by Bennu on the
# same cluster: the cells are the same, and each reads alike what it and the other wrote.
#   cluster_kinds.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster_lib.sh"
export PEER_SERVERS=2 PEER_HEAP=700m TZ=UTC
tables=(ASCENDING DESCENDING ENCODED NAMED SINGLE BASE VIEWED TENANTS)
views=(UPDATABLE CHILD READONLY)
indexes=(COVERED LOOKED_UP FUNCTIONAL OFIMMUTABLE)

say "a cluster with Phoenix"
quietly "$kit" start --fresh

say "made by Java"
sed 's/@/J/g' "$here/cluster_kinds.sql" >"$work/java.sql"
java_sql "$work/java.sql"
say "made by Bennu"
sed 's/@/B/g' "$here/cluster_kinds.sql" >"$work/bennu.sql"
run -f "$work/bennu.sql" >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"

say "cells"
# cells TABLE: its rows, columns and values; but for NULLs of columns that an index includes, which Bennu writes as values
# without bytes where Java deletes the column (docs/cluster.md).
cells() { timeout 60 "$bennu" shell "$cluster" -e "scan '$1'" | grep 'column=.*value=.' | sed -E 's/ timestamp=[^,]*,//'; }
for table in "${tables[@]}" "${indexes[@]}" _IDX_VIEWED; do
  java=J.$table own=B.$table
  [[ $table != _IDX_VIEWED ]] || java=_IDX_J.VIEWED own=_IDX_B.VIEWED
  cells "$java" >"$work/java_cells"
  cells "$own" >"$work/own_cells"
  same "cells of $table" "$work/java_cells" "$work/own_cells"
done

say "rows"
for who in J B; do
  for table in "${tables[@]}" "${views[@]}"; do echo "SELECT * FROM $who.$table;"; done >"$work/read_$who.sql"
  for query in "INDEX(BASE COVERED) */ V, W, D, K, R FROM $who.BASE WHERE V IS NOT NULL" \
    "INDEX(BASE LOOKED_UP) */ D, V FROM $who.BASE WHERE D IS NOT NULL" "INDEX(BASE LOCALLY) */ W, V, K FROM $who.BASE WHERE W > 3" \
    "INDEX(BASE FUNCTIONAL) */ UPPER(V), W + 1 FROM $who.BASE WHERE UPPER(V) > 'A'" \
    "INDEX(UPDATABLE OFVIEW) */ X, D, K FROM $who.UPDATABLE WHERE X > 7" \
    "INDEX(SINGLE OFIMMUTABLE) */ W, I, FA.AI, P FROM $who.SINGLE WHERE W > 'a'"; do
    echo "SELECT /*+ $query;"
  done >>"$work/read_$who.sql"
done
java_sql "$work/read_J.sql"
grep -vE '^(>|\()' "$work/java" >"$work/java_of_java"
java_sql "$work/read_B.sql"
grep -vE '^(>|\()' "$work/java" >"$work/java_of_bennu"
same "rows that Java reads" "$work/java_of_java" "$work/java_of_bennu"
run -f "$work/read_J.sql" >"$work/bennu_of_java"
run -f "$work/read_B.sql" >"$work/bennu_of_bennu"
same "rows that Bennu reads" "$work/bennu_of_java" "$work/bennu_of_bennu"
rows=$(grep -c '^(.* rows)$\|^(1 row)$' "$work/java") || fail "Java has read nothing"
told "results" "$(grep -c ';$' "$work/read_B.sql")" "$rows"
for index in COVERED LOOKED_UP LOCALLY FUNCTIONAL; do told "CHECK INDEX $index" "" "$(run -c "CHECK INDEX $index ON B.BASE" -c "CHECK INDEX $index ON J.BASE" 2>&1 | grep -vE '^(DIFFERENCE,.*)?$' || true)"; done
echo "well: $checks checks"
