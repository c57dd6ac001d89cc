#!/usr/bin/env bash
# `bennu check --indexes`: an index that somebody wrote past is reported, and a sound one is not.
#   check_indexes.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"

cat >tables.sql <<END
CREATE TABLE T (K INTEGER PRIMARY KEY, A VARCHAR, B INTEGER);
CREATE INDEX I ON T (A) INCLUDE (B);
CREATE LOCAL INDEX L ON T (B);
CREATE INDEX IDLE ON T (B);
CREATE TABLE M (TENANT_ID VARCHAR NOT NULL, K INTEGER NOT NULL, A VARCHAR CONSTRAINT P PRIMARY KEY (TENANT_ID, K)) MULTI_TENANT=true;
UPSERT INTO T VALUES (1, 'one', 10);
UPSERT INTO T VALUES (2, 'two', 20);
UPSERT INTO T VALUES (3, 'three', 30);
ALTER INDEX IDLE ON T DISABLE;
UPSERT INTO T VALUES (4, 'four', 40);
END
exits "tables" 0 "$bennu" sql db -f tables.sql
exits "a tenant's view" 0 "$bennu" sql db --tenant acme -c "CREATE VIEW V AS SELECT * FROM M" \
  -c "CREATE INDEX VI ON V (A)" -c "UPSERT INTO V (K, A) VALUES (1, 'one')"
exits "sound" 0 "$bennu" check db --indexes
check "nothing to say" "0 faults, 0 warnings" "$(tail -1 out | sed 's/.*: //')"

exits "a write past the index" 0 "$bennu" shell db -n -e "deleteall 'I', \"two\\x00\\x80\\x00\\x00\\x02\"" \
  -e "put 'I', \"gone\\x00\\x80\\x00\\x00\\x09\", '0:_0', \"\\x01\"" \
  -e "deleteall 'T', \"\\x80\\x00\\x00\\x03\"" -e "put 'T', \"\\x80\\x00\\x00\\x07\", '0:x', 'y'"
exits "the files are sound" 0 "$bennu" check db
exits "an index is not" 3 "$bennu" check db --indexes
check "what is wrong" "FAULT  data/default/I  index I of T differs in 2 rows: \
row '\\x80\\x00\\x00\\x02' of the table is missing in it, its row 'gone\\x00\\x80\\x00\\x00\\x09' belongs to no row \
of the table; ALTER INDEX I ON T REBUILD makes it anew" "$(grep '^FAULT' out | head -1)"
cp -r db before
exits "as JSON" 3 "$bennu" check db --indexes --json
check "the same fault" "yes" "$(python3 -c 'import json
fault = [f for f in json.load(open("out"))["findings"] if f["path"] == "data/default/I"]
print("yes" if len(fault) == 1 and fault[0]["level"] == "FAULT" else fault)')"
check "no file has changed" "" "$(diff -r -x .bennu.lock db before)"
exits "made anew" 0 "$bennu" sql db -c "ALTER INDEX I ON T REBUILD"
exits "sound again" 0 "$bennu" check db --indexes

# The view of a tenant is found by its table.
index=$(ls db/data/default | grep '^_IDX_')
exits "its rows" 0 "$bennu" shell db -n -e "scan '$index'"
check "one" "1 row(s)" "$(grep 'row(s)' out)"
row=$(sed -n 's/^ \(.*\) column=.*/\1/p' out | head -1)
exits "taken away" 0 "$bennu" shell db -n -e "deleteall '$index', \"$row\""
exits "the tenant's index is not sound" 3 "$bennu" check db --indexes
check "whose it is" 1 "$(grep -c '^FAULT .*index VI of V of tenant acme differs in 1 rows' out)"
# One whose rows somebody takes away at once is not in use, and does not differ.
exits "emptied" 0 "$bennu" shell db -n -e "truncate '$index'"
exits "disabled" 0 "$bennu" check db --indexes
check "its state" "x" "$("$bennu" sql db --tenant acme --format csv -c \
  "SELECT INDEX_STATE FROM SYSTEM.CATALOG WHERE TABLE_NAME = 'VI' AND INDEX_STATE IS NOT NULL" | tail -1)"

printf '%d checks, %d failed\n' "$checks" "$failures"
[[ $failures -eq 0 ]]
