#!/usr/bin/env bash
# Loads a year of flights into a fresh store and asks it questions.
#   run.sh PATH-OF-BENNU [STORE-DIRECTORY]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bennu=${1:?the path of the bennu program}
store=${2:-build/demo-data}

say() { printf '\n== %s\n' "$*"; }

say "A new store in $store"
rm -rf "$store"
"$bennu" sql "$store" -f "$here/schema.sql"

say "Loading a year of flights (NULL is written NA)"
for table in FLIGHTS WEATHER PLANES AIRPORTS AIRLINES; do
  printf '%-9s' "$table"
  "$bennu" load "$store" "$table" "$here/data/${table,,}.csv.zst" --null NA
done

say "Questions"
"$bennu" sql "$store" --timing --echo -f "$here/queries.sql"

say "The year of one plane: every flight is read for it, and then an index is"
year="SELECT COUNT(*) AS FLIGHTS, COUNT(DISTINCT DEST) AS AIRPORTS, AVG(ARR_DELAY) AS MEAN_DELAY FROM FLIGHTS WHERE TAILNUM = 'N725MQ'"
"$bennu" sql "$store" --timing --echo -c "$year" \
  -c "CREATE INDEX FLIGHTS_OF_PLANES ON FLIGHTS (TAILNUM) INCLUDE (DEST, ARR_DELAY)" \
  -c "EXPLAIN $year" -c "$year"

say "Looking back: the gate of a flight changes, and its past stays readable"
"$bennu" sql "$store" --echo -c "UPSERT INTO GATES VALUES ('AA', 1, 'B22')"
sleep 0.01; before=$(date +%s%3N); sleep 0.01
"$bennu" sql "$store" --echo -c "UPSERT INTO GATES VALUES ('AA', 1, 'C7')"
"$bennu" sql "$store" --echo -c "SELECT GATE FROM GATES WHERE CARRIER = 'AA' AND FLIGHT = 1"
echo "and as of the moment before the change:"
"$bennu" sql "$store" --echo --scn "$before" \
  -c "SELECT GATE FROM GATES WHERE CARRIER = 'AA' AND FLIGHT = 1"

say "On disk"
du -sh "$store" | cut -f1
echo "HFiles:"
find "$store/data/default" -type f -path '*/FLIGHTS/*' ! -name '.*' | grep -v '/\.' | head -3

cat <<END

Where to go on:
  $bennu sql $store            the shell, on this data (!tables, !describe FLIGHTS)
  $bennu hfile FILE --cells    what is in one of the files above; HBase's tools read them too
  docs/                        architecture, formats, what differs from HBase and Phoenix
END
