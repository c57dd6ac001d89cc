#!/usr/bin/env bash
# Options of `bennu sql` that decide what its connection sees: --scn.
#   sql_options.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
answer() { "$bennu" sql db --format csv "$@" 2>/dev/null; }
# names NAME PATTERN: standard error has this.
names() { check "$1" "yes" "$(grep -qE -- "$2" err && echo yes || cat err)"; }

# 2024-05-01 12:00:00 UTC is 1714564800 seconds after 1970 (date -ud).
noon=1714564800000
exits "a table of then" 0 "$bennu" sql db --scn $noon -c "CREATE TABLE g (k INTEGER PRIMARY KEY, v VARCHAR) VERSIONS = 9"
check "making it brings no notice" "" "$(cat err)"
exits "a row" 0 "$bennu" sql db --scn '2024-05-01 12:00:01' -c "UPSERT INTO g VALUES (1, 'a')" -c "UPSERT INTO g VALUES (2, 'a')"
names "the notice" "^note: rows written at SCN 1714564801000 \(2024-05-01 12:00:01\) may be hidden by newer ones"
check "comes once" 1 "$(grep -c 'note: ' err)"
for text in 2024-05-01T12:00:02Z 2024-05-01T12:00:02 '2024-05-01 12:00:02' '2024-05-01 14:00:02+02:00' 1714564802000; do
  check "$text sees it" $'N\n2' "$(answer --scn "$text" -c 'SELECT COUNT(*) AS N FROM g')"
done
check "the moment itself does not" $'N\n0' "$(answer --scn 2024-05-01T12:00:01Z -c 'SELECT COUNT(*) AS N FROM g')"
check "a fraction" $'N\n2' "$(answer --scn 2024-05-01T12:00:01.001Z -c 'SELECT COUNT(*) AS N FROM g')"
exits "a query" 0 "$bennu" sql db --scn 2024-05-02 -c "SELECT * FROM g"
check "brings no notice" "" "$(cat err)"
exits "a delete" 0 "$bennu" sql db --scn 2024-05-02 -c "DELETE FROM g WHERE k = 2"
names "brings it" '^note: rows written at SCN 1714608000000 \(2024-05-02 00:00:00\)'
exits "a delete that finds nothing" 0 "$bennu" sql db --scn 2024-05-03 -c "DELETE FROM g WHERE v = 'none'"
check "does not" "" "$(cat err)"
exits "without --scn" 0 "$bennu" sql db -c "UPSERT INTO g VALUES (1, 'now')"
check "there is none" "" "$(cat err)"
exits "below a newer value" 0 "$bennu" sql db --scn 2024-05-02 -c "UPSERT INTO g (k, v) VALUES (1, 'old')"
check "which stays" $'V\nnow' "$(answer -c 'SELECT v FROM g WHERE k = 1')"
for text in yesterday '' 12:00 -5 1960-01-01 99999999999999999999 2024-13-01; do
  exits "no time: '$text'" 2 "$bennu" sql db "--scn=$text" -c "SELECT 1"
done
names "the option is named" "--scn: '2024-13-01' is no time; 1714564800000"

echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
