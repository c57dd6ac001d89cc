#!/usr/bin/env bash
# Tables with indexes of every kind go from the real Phoenix to Bennu and back, and those of Bennu's
# to Phoenix and back, in one root directory. Each keeps up the indexes that the other made: whoever
# reads, a query by an index has the rows that the table has, with NO_INDEX as without, and Bennu
# finds no difference between them.
#   indexes.sh PATH-OF-BENNU
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)/indexes
. "$(dirname "$0")/lib.sh"
root=$PEER_HOME/data/hbase

queries() { "$bennu" sql "$root" --format tsv -f "$work/$1.sql" >"$2" || fail "the queries $1 of Bennu"; }
no_differences() {
  "$bennu" check "$root" --indexes >"$work/check" 2>&1 ||
    { cat "$work/check" >&2; fail "indexes that differ from their tables, $1"; }
  checks=$((checks + 1))
}

# Tables of Phoenix's are called P…, those of Bennu's B….
for file in phoenix more last queries plans; do
  cp "$here/$file.sql" "$work/p_$file.sql"
  sed -E 's/\bP([XSBVI])(_[A-Z])?\b/B\1\2/g' "$here/$file.sql" >"$work/b_$file.sql"
done

say "the kit"
compile_steps "$(dirname "$here")/roots"

say "Phoenix makes tables with indexes"
quietly "$kit" start --fresh
steps "sql=$work/p_phoenix.sql:$work/none" "sql=$work/p_queries.sql:$work/p1" \
  "sql=$work/p_plans.sql:$work/plans" flush
quietly "$kit" stop

say "Bennu reads and writes them, and makes its own"
no_differences "as Phoenix left them"
queries p_queries "$work/p1b"
same "Phoenix' tables in Bennu" "$work/p1" "$work/p1b"
queries p_plans "$work/plansb"
same "plans of changes" "$work/plans" "$work/plansb"
quietly "$bennu" sql "$root" -f "$work/p_more.sql"
quietly "$bennu" sql "$root" -f "$work/b_phoenix.sql"
no_differences "as Bennu left them"
queries p_queries "$work/p2b"
queries b_queries "$work/b2b"

say "Phoenix reads and writes all of them"
quietly "$kit" start
steps "sql=$work/p_queries.sql:$work/p2" "sql=$work/b_queries.sql:$work/b2" \
  "sql=$work/p_last.sql:$work/none" "sql=$work/b_more.sql:$work/none" \
  "sql=$work/p_queries.sql:$work/p3" "sql=$work/b_queries.sql:$work/b3" flush
quietly "$kit" stop
same "Phoenix' tables, written by Bennu" "$work/p2b" "$work/p2"
same "Bennu's tables in Phoenix" "$work/b2b" "$work/b2"

say "back in Bennu"
no_differences "as Phoenix left them the second time"
queries p_queries "$work/p3b"
queries b_queries "$work/b3b"
same "Phoenix' tables, written by both" "$work/p3" "$work/p3b"
same "Bennu's tables, written by both" "$work/b3" "$work/b3b"
quietly "$bennu" sql "$root" -f "$work/b_last.sql"
no_differences "in the end"
echo "all well: $checks comparisons, $SECONDS s"
