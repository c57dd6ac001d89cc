#!/usr/bin/env bash
# Tables that snapshots and imports make, and what SQL gets to know of them.
#   sql_definition.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
answer() { "$bennu" sql "$1" --format csv -c "$2" 2>&1; }
# names NAME PATTERN: standard error has this.
names() { check "$1" "yes" "$(grep -qE -- "$2" err && echo yes || cat err)"; }
# rows STORE TABLE: its rows in the catalog, cell by cell, without its name and without times.
rows() {
  "$bennu" shell "$1" -e "scan 'SYSTEM.CATALOG', {STARTROW => \"\\x00\\x00$2\", STOPROW => \"\\x00\\x00$2\\x01\"}" |
    grep column= | grep -vE 'LAST_DDL_TIMESTAMP|SYNC_INDEX_CREATED_DATE' |
    sed -E "s/^ *.x00.x00$2//; s/timestamp=[^,]*, //; s/ +/ /g"
}

definition='(A INTEGER NOT NULL, B VARCHAR NOT NULL, X.C DECIMAL(9,2), D VARCHAR DEFAULT '"'none'"', E CHAR(3)
  CONSTRAINT PK PRIMARY KEY (A, B DESC)) SALT_BUCKETS = 4, COLUMN_ENCODED_BYTES = 1, TTL = 100000'
"$bennu" sql db >/dev/null <<SQL
CREATE TABLE T $definition;
UPSERT INTO T VALUES (1, 'one', 1.5, 'd', 'e');
UPSERT INTO T (A, B) VALUES (2, 'two');
SQL
exits "a snapshot" 0 "$bennu" snapshot db take s1 T
exits "a clone without --sql" 0 "$bennu" snapshot db clone s1 PLAIN
check "ok" "ok" "$(cat out)"
names "says that SQL does not see it" '^note: SQL does not see PLAIN yet\. .*--sql.*CREATE TABLE PLAIN .*SHOW CREATE TABLE T'
exits "a clone with it" 0 "$bennu" snapshot db clone s1 COPY --sql
check "says nothing more" "" "$(cat err)"
check "its rows" "$(answer db 'SELECT * FROM T')" "$(answer db 'SELECT * FROM COPY')"
exits "rows of its own" 0 "$bennu" sql db -c "UPSERT INTO COPY (A, B, C) VALUES (3, 'three', 3)"
check "are written" $'N\n3' "$(answer db 'SELECT COUNT(*) AS N FROM COPY')"
check "and not into the source" $'N\n2' "$(answer db 'SELECT COUNT(*) AS N FROM T')"
exits "the store is sound" 0 "$bennu" check db

# What CREATE TABLE writes for the same definition.
exits "the same definition" 0 "$bennu" sql other -c "CREATE TABLE MADE $definition"
check "makes the same rows of the catalog" "$(rows other MADE)" "$(rows db COPY)"
check "of which there are many" yes "$([[ $(rows db COPY | wc -l) -ge 50 ]] && echo yes)"

# Columns that came and went: the qualifiers of the others stay what the cells have.
"$bennu" sql db >/dev/null <<'SQL'
ALTER TABLE T DROP COLUMN D;
ALTER TABLE T ADD Y.F VARCHAR, G BIGINT;
UPSERT INTO T (A, B, F, G) VALUES (5, 'five', 'f', 7);
SQL
exits "a later snapshot" 0 "$bennu" snapshot db take s2 T
exits "its clone" 0 "$bennu" snapshot db clone s2 LATER --sql
check "has the same rows" "$(answer db 'SELECT * FROM T')" "$(answer db 'SELECT * FROM LATER')"
qualifiers() { rows db "$1" | grep -E 'COLUMN_QUALIFIER|QUALIFIER_COUNTER'; }
check "and the same qualifiers" "$(qualifiers T)" "$(qualifiers LATER)"
for table in T LATER; do "$bennu" sql db -c "ALTER TABLE $table ADD H VARCHAR" >/dev/null; done
check "the next one, too" "$(qualifiers T)" "$(qualifiers LATER)"
exits "the earlier snapshot with the later columns" 0 "$bennu" snapshot db clone s1 EARLIER --sql
check "which are NULL" $'A,F,G\n1,,\n2,,' "$(answer db 'SELECT A, F, G FROM EARLIER ORDER BY A')"

# Names that SQL has to quote, and schemas.
exits "a name in lower case" 0 "$bennu" snapshot db clone s2 lower --sql
names "its name in SQL is said" '^note: in SQL the table.s name is "lower", with the double quotes$'
check "is quoted" $'N\n3' "$(answer db 'SELECT COUNT(*) AS N FROM "lower"')"
exits "a schema" 0 "$bennu" snapshot db clone s2 S.U --sql
check "is read" $'N\n3' "$(answer db 'SELECT COUNT(*) AS N FROM S.U')"

# A view of an HBase table.
"$bennu" shell db -e "create 'h', 'f', 'g'" -e "put 'h', 'r', 'f:q', 'v'" -e "snapshot 'h', 'sh'" >/dev/null
exits "a clone of what SQL does not know" 0 "$bennu" snapshot db clone sh h1
names "says how it would" '^note: SQL does not see h1 yet\. CREATE VIEW "h1" \("ROW" VARBINARY PRIMARY KEY, "f"\."QUALIFIER" VARBINARY, "g"\."QUALIFIER" VARBINARY\) shows it'
statement=$(sed -E 's/^note: SQL does not see h1 yet. (.*) shows it.*/\1/; s/QUALIFIER/q/g' err)
exits "the statement runs" 0 "$bennu" sql db -c "$statement"
check "and shows the row" $'ROW,q\n72,76' "$(answer db 'SELECT "ROW", "f"."q" FROM "h1"')"
exits "not with --sql" 1 "$bennu" snapshot db clone sh h2 --sql
names "it says why" 'SQL knows no table h in this store.*Nothing was changed'
exits "and made nothing" 1 "$bennu" shell db -n -e "describe 'h2'"
exits "a view of it" 0 "$bennu" sql db -c 'CREATE VIEW "h" (k VARCHAR PRIMARY KEY, "f"."q" VARCHAR)'
exits "goes over to the clone" 0 "$bennu" snapshot db clone sh h2 --sql
check "with the row" $'K,q\nr,v' "$(answer db 'SELECT * FROM "h2"')"

# The table of an index is no table of SQL's.
exits "an index" 0 "$bennu" sql db -c "CREATE TABLE WITH_INDEX (K INTEGER PRIMARY KEY, V VARCHAR)" \
  -c "CREATE INDEX IX ON WITH_INDEX (V)" -c "UPSERT INTO WITH_INDEX VALUES (1, 'v')"
exits "a snapshot of its table" 0 "$bennu" snapshot db take si IX
exits "a clone of it" 0 "$bennu" snapshot db clone si IX_COPY
names "says what it is" '^note: IX_COPY holds the rows of the index IX\..*CREATE INDEX'
check "and offers nothing that is refused" 0 "$(grep -cE -- '--sql|CREATE TABLE' err)"

# What cannot be is said before anything is changed.
exits "a name that SQL has" 1 "$bennu" snapshot db clone s2 COPY --sql
names "is named" 'has a table or view COPY already'
exits "a name without a name in SQL" 1 "$bennu" snapshot db clone s2 default2:x --sql
names "is explained" 'no name for the HBase table default2:x.*isNamespaceMappingEnabled'
exits "a name of the system's" 1 "$bennu" snapshot db clone s2 SYSTEM.X --sql
exits "a snapshot that is not there" 1 "$bennu" snapshot db clone none X --sql
"$bennu" sql db -c "DROP TABLE T" -c "CREATE TABLE T (K BIGINT PRIMARY KEY)" >/dev/null
exits "another table of that name" 1 "$bennu" snapshot db clone s2 AGAIN --sql
names "is not taken for it" 'table T was made after these rows were written'
exits "nothing is left of these" 0 "$bennu" shell db -e "list"
check "no table of theirs" 0 "$(grep -cE '^(default2:x|SYSTEM.X|X|AGAIN)$' out)"
exits "a server" 2 "$bennu" snapshot 127.0.0.1:1 clone s2 X --sql
names "is refused" '^ERROR.*--sql works on a directory only, and 127\.0\.0\.1:1 is a server.*bennu sql 127\.0\.0\.1:1'
exits "a cluster" 2 "$bennu" snapshot hbase://127.0.0.1:1/hbase clone s2 X --sql
names "as well" '--sql works on a directory only, and hbase://127\.0\.0\.1:1/hbase is a server.*CREATE VIEW or CREATE TABLE'

# Imports.
exits "export" 0 "$bennu" export db COPY files
exits "import under another name" 0 "$bennu" import db files --table MOVED --sql
check "says nothing more" "" "$(cat err)"
check "has the rows" "$(answer db 'SELECT * FROM COPY')" "$(answer db 'SELECT * FROM MOVED')"
check "and the definition" "$(rows db COPY)" "$(rows db MOVED)"
exits "import without --sql" 0 "$bennu" import db files --table UNSEEN
names "says so" '^note: SQL does not see UNSEEN yet'
exits "into what SQL knows" 0 "$bennu" import db files
check "there is nothing to say" "" "$(cat err)"
exits "where SQL does not know it" 1 "$bennu" import other files --sql
names "it says what to do" 'SQL knows no table COPY in this store.*without --sql'
exits "a server" 2 "$bennu" import 127.0.0.1:1 files --sql
names "is refused" '--sql works on a directory only, and 127\.0\.0\.1:1 is a server'
exits "a cluster" 2 "$bennu" import hbase://127.0.0.1:1/hbase files --sql
names "is refused as well" 'hbase://127\.0\.0\.1:1/hbase is a server.*CREATE VIEW or CREATE TABLE.*bennu sql hbase://127\.0\.0\.1:1/hbase'
exits "a new store" 3 "$bennu" import fresh files --sql
check "is not made for that" no "$([[ -e fresh ]] && echo yes || echo no)"
exits "without --sql" 0 "$bennu" import fresh files
names "a view is named" 'CREATE VIEW COPY \("ROW" VARBINARY PRIMARY KEY, "0"'

echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
