#!/usr/bin/env bash
# Options of `bennu sql` that decide what its connection sees: --scn, and --tenant, which `bennu load` has as well.
#   sql_options.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
answer() { "$bennu" sql db --format csv "$@" 2>/dev/null; }
# names NAME PATTERN: standard error has this.
names() { check "$1" "yes" "$(grep -qE -- "$2" err && echo yes || cat err)"; }

# ---- --scn
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
names "the option is named" "--scn: '2024-13-01' is not a time; examples are 1714564800000"

# ---- --tenant
"$bennu" sql db >/dev/null <<'SQL'
CREATE TABLE bills (tenant VARCHAR NOT NULL, no INTEGER NOT NULL, amount DECIMAL(10,2)
  CONSTRAINT pk PRIMARY KEY (tenant, no)) MULTI_TENANT = true;
UPSERT INTO bills VALUES ('acme', 1, 10);
UPSERT INTO bills VALUES ('zeta', 1, 20);
SQL
check "a tenant sees its rows" $'NO,AMOUNT\n1,10' "$(answer --tenant acme -c 'SELECT * FROM bills')"
check "by -f" $'NO,AMOUNT\n1,20' "$(echo 'SELECT * FROM bills;' >q.sql; answer --tenant zeta -f q.sql)"
check "from standard input" $'NO,AMOUNT\n1,20' "$(answer --tenant zeta <q.sql)"
exits "it writes" 0 "$bennu" sql db --tenant acme -c "UPSERT INTO bills VALUES (2, 30)"
check "its rows" $'TENANT,NO\nacme,1\nacme,2\nzeta,1' "$(answer -c 'SELECT tenant, no FROM bills')"
exits "it makes a view" 0 "$bennu" sql db --tenant acme -c "CREATE VIEW mine AS SELECT * FROM bills WHERE no = 2"
check "that it sees" $'NO,AMOUNT\n2,30' "$(answer --tenant acme -c 'SELECT * FROM mine')"
exits "and others do not" 1 "$bennu" sql db --tenant zeta -c "SELECT * FROM mine"
exits "it makes no table" 1 "$bennu" sql db --tenant acme -c "CREATE TABLE own (k INTEGER PRIMARY KEY)"
names "as with Phoenix" '^ERROR 1030'
exits "a load" 0 "$bennu" load db bills - --tenant zeta <<<$'amount,no\n40,7\n50,8'
exits "a load in the table's order" 0 "$bennu" load db bills - --no-header --tenant zeta <<<'9,60'
exits "a load whose first line is a row" 0 "$bennu" load db bills - --tenant zeta <<<'10,70'
names "is found out" 'first line names no columns'
exits "a load into a view" 0 "$bennu" load db mine - --tenant acme --columns amount --no-header <<<'31'
check "are its rows" $'NO,AMOUNT\n1,20\n7,40\n8,50\n9,60\n10,70' "$(answer --tenant zeta -c 'SELECT * FROM bills')"
check "and the view's" $'NO,AMOUNT\n2,31' "$(answer --tenant acme -c 'SELECT * FROM mine')"
exits "the tenant's column is none of the file's" 1 "$bennu" load db bills - --tenant zeta <<<$'tenant,no,amount\nacme,1,1'
names "which is said" "no column 'tenant'; it has NO, AMOUNT"
exits "no tenant" 2 "$bennu" sql db --tenant '' -c "SELECT 1"
exits "no tenant for a load" 2 "$bennu" load db bills - --tenant '' </dev/null

echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
