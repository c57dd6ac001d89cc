#!/usr/bin/env bash
# bennu export, import and bulkload as scripts see them: last lines, exit codes, errors.
#   transfer.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
# says NAME PATTERN FILE: the last line of the file is this, as a whole.
says() { check "$1" "yes" "$(tail -1 "$3" | grep -qxE "$2" && echo yes || tail -1 "$3")"; }
# names NAME PATTERN: standard error has this.
names() { check "$1" "yes" "$(grep -qE -- "$2" err && echo yes || cat err)"; }
answer() { "$bennu" sql "$1" --format csv -c "$2"; }

{
  echo 'CREATE TABLE T (A INTEGER NOT NULL PRIMARY KEY, X.B VARCHAR, Y.C VARCHAR);'
  for i in {1..200}; do echo "UPSERT INTO T VALUES ($i, 'b$i', 'c$i');"; done
  echo 'DELETE FROM T WHERE A > 190;'
} >fill.sql
"$bennu" sql db -f fill.sql >/dev/null

exits "export" 0 "$bennu" export db T files
says "its last line" 'exported [0-9]+ cells into 2 files \([0-9]+ bytes\) in [0-9.]+ s' out
check "no progress without a terminal" "" "$(cat err)"
check "HBase's layout" $'.tabledesc\nX\nY' "$(ls -A files)"
exits "a second time into the same folder" 1 "$bennu" export db T files
names "says so" "files is not empty"
exits "an export of nothing" 1 "$bennu" export db NOPE other
names "names the table" "no table NOPE"
exits "a store that is not there" 3 "$bennu" export nowhere T other
exits "a bad table name" 2 "$bennu" export db 'a b' other
exits "a negative time" 2 "$bennu" export db T other --min-time -1

# A table that is there may be named in any of the two ways; the exact name comes first.
cp -r db named
exits "an export in lower case" 0 "$bennu" export named t in_lower
check "is of the same cells" "$("$bennu" hfile files/X/* --cells)" "$("$bennu" hfile in_lower/X/* --cells)"
exits "a table that differs in case" 0 "$bennu" shell named -e "create 't', 'f'" -e "put 't', 'r', 'f:q', 'v'" -e "create 'events_2024', 'f'"
exits "its export" 0 "$bennu" export named t exact
check "is of its own cells" $'.tabledesc\nf' "$(ls -A exact)"
exits "bulkload" 0 "$bennu" bulkload named t exact
exits "what is in no table of this name" 1 "$bennu" bulkload named event_2024 exact
names "names that are close are told" 'no table event_2024; did you mean events_2024\?'
exits "an export of a slip" 1 "$bennu" export named Event2024 other
names "is told the same" 'no table Event2024; did you mean events_2024\?'
exits "a snapshot of a slip" 1 "$bennu" snapshot named take s EVENTS_202
names "is told the same" 'no table EVENTS_202; did you mean events_2024\?'
exits "a far name" 1 "$bennu" export named something_else other
check "brings none" 0 "$(grep -c 'did you mean' err)"
"$bennu" sql named -c 'CREATE TABLE "lines" (K INTEGER PRIMARY KEY)' >/dev/null
for name in lines '"lines"'; do
  exits "load into $name" 0 "$bennu" load named "$name" - <<<$'K\n1'
done
"$bennu" sql named -c 'CREATE TABLE lines (K INTEGER PRIMARY KEY)' >/dev/null
exits "load, where SQL's reading is a table too" 0 "$bennu" load named lines - <<<$'K\n7'
check "takes that" $'K\n7' "$(answer named 'SELECT K FROM lines')"
exits "load of a slip" 1 "$bennu" load named line - <<<$'K\n7'
names "is told what there is" '^HINT: did you mean LINES or lines\?'

# The catalogue and the table make the whole of it in another store.
exits "export of the catalogue" 0 "$bennu" export db SYSTEM.CATALOG catalog --raw
exits "import makes the store and the table" 0 "$bennu" import copy catalog
exits "import" 0 "$bennu" import copy files
says "its last line" 'loaded 2 files \([0-9]+ cells, [0-9]+ bytes\) into 1 regions in [0-9.]+ s' out
check "SQL reads it" "$(answer db 'SELECT * FROM T')" "$(answer copy 'SELECT * FROM T')"
check "all rows" $'N\n190' "$(answer copy 'SELECT COUNT(*) AS N FROM T')"
exits "again does no harm" 0 "$bennu" import copy files
check "the same rows" $'N\n190' "$(answer copy 'SELECT COUNT(*) AS N FROM T')"

exits "parts" 0 "$bennu" export db T part --start '\x80\x00\x00\x05' --stop '\x80\x00\x00\x08'
exits "a table of another name" 0 "$bennu" import copy part --table ns:part
exits "export from there" 0 "$bennu" export copy ns:part again
check "has the same cells" "$("$bennu" hfile part/X/* --cells)" "$("$bennu" hfile again/X/* --cells)"
check "of three rows" "6" "$("$bennu" hfile part/X/* --cells | grep -c '^80')"

# A load into what is there: newer than it, and files go when asked.
"$bennu" sql copy -c "DELETE FROM T WHERE A <= 100" >/dev/null
exits "bulkload" 0 "$bennu" bulkload copy ns:part files --move
says "its last line" 'loaded 2 files \([0-9]+ cells, [0-9]+ bytes\) into 1 regions in [0-9.]+ s' out
check "the files were moved" "" "$(ls files/X files/Y | grep -v : | tr -d '\n')"
exits "nothing left to load" 1 "$bennu" bulkload copy ns:part files
names "says so" "no HFiles in "
exits "a table to be made" 0 "$bennu" bulkload fresh T part --create
exits "without being told" 1 "$bennu" bulkload fresh OTHER part
names "names the table" "no table OTHER"

# What is wrong is named, and nothing is loaded.
mkdir -p wrong && cp -r part/X wrong/Z
exits "a family that the table lacks" 1 "$bennu" bulkload copy T wrong
names "names file and family" "wrong/Z/[0-9a-f]{32}: table T has no family 'Z' \(it has X, Y\)"
mkdir -p mixed && cp -r part/X mixed/Y
exits "cells of another family" 1 "$bennu" bulkload copy T mixed
names "names file, offset and family" "mixed/Y/[0-9a-f]{32}: a cell of family 'X' in the block at offset 0"
mkdir -p damaged && cp -r part/X damaged/X
file=$(ls damaged/X/*)
printf '\xff\xff' | dd of="$file" bs=1 seek=60 conv=notrunc status=none
exits "a damaged file" 3 "$bennu" bulkload copy T damaged
names "names file and offset" "damaged/X/[0-9a-f]{32} at offset 0"
check "the table is as it was" $'N\n90' "$(answer copy 'SELECT COUNT(*) AS N FROM T')"

exits "what was loaded is sound" 0 "$bennu" check copy

# Killed in the middle: all of the region or nothing, and the rest can be loaded.
"$bennu" sql copy -c "DELETE FROM T" >/dev/null
"$bennu" export db T whole >/dev/null
for point in bulkload.before_journal bulkload.between_moves bulkload.before_marker; do
  rm -rf killed && "$bennu" import killed catalog >/dev/null
  "$bennu" sql killed -c "SELECT 1" >/dev/null
  exits "killed at $point" 137 bash -c "BENNU_FAILPOINTS=$point=kill@1 '$bennu' import killed whole --table T; exit \$?"
  # A repair takes nothing away that the load still needs.
  exits "check after $point" 0 "$bennu" check killed --repair
  rows=$(answer killed 'SELECT COUNT(*) AS N FROM T' | tail -1)
  b=$(answer killed 'SELECT COUNT(B) AS N FROM T' | tail -1)
  c=$(answer killed 'SELECT COUNT(C) AS N FROM T' | tail -1)
  check "all or nothing at $point" "yes" \
    "$([[ "$rows $b $c" == "190 190 190" || "$rows $b $c" == "0 0 0" ]] && echo yes || echo "$rows $b $c")"
  [[ $point == *moves ]] && check "decided at $point" "190" "$rows"
  exits "and again after $point" 0 "$bennu" import killed whole
  check "whole after $point" $'N\n190' "$(answer killed 'SELECT COUNT(*) AS N FROM T')"
done

# Into a server, which takes the files where they lie. A border of T2 is within them.
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT
start_server store --zk-port 0 --master-port 0 --rs-port 0 --http-port none --phoenix-port none
master=127.0.0.1:$(port_of master)
at() { "$bennu" shell "$master" -n -e "$1" | grep -v '^Took'; }
at "create 'T2', 'X', 'Y', SPLITS => [\"\\x80\\x00\\x00\\x32\", \"\\x80\\x00\\x00\\x64\"]" >/dev/null
at "create 'T3', 'X', 'Y'" >/dev/null
cells() { at "scan '$1'" | grep -E 'column=|row\(s\)' | sed -E 's/ row\(s\).*//' | sort; }
rows=$(find whole -type f -not -name '.*' | wc -l)
exits "bulkload into a server" 0 "$bennu" bulkload "$master" T2 whole
says "its last line" 'loaded 2 files \([0-9]+ cells, [0-9]+ bytes\) into 3 regions in [0-9.]+ s' out
check "the files are there" "$rows" "$(find whole -type f -not -name '.*' | wc -l)"
check "and nothing beside them" "$(ls -A files)" "$(ls -A whole)"
check "nor in the store" "" "$(ls -A store/staging 2>/dev/null)"
exits "again" 0 "$bennu" bulkload "$master" T2 whole
check "without harm" "yes" "$(at "count 'T2'" | grep -q '190 row' && echo yes)"
exits "files that are moved" 0 "$bennu" bulkload "$master" T3 whole --move
check "are gone" "" "$(find whole/X whole/Y -type f)"
check "the same cells" "$(cells T2)" "$(cells T3)"
check "all of them" "yes" "$([[ $(cells T3 | wc -l) -gt 380 ]] && echo yes)"
exits "a table that a server lacks" 1 "$bennu" bulkload "$master" OTHER part
exits "a family that the server's table lacks" 1 "$bennu" bulkload "$master" T2 wrong
names "names file and family" "wrong/Z/[0-9a-f]{32}: table T2 has no family 'Z'"
exits "a damaged file for a server" 3 "$bennu" bulkload "$master" T2 damaged
at "disable 'T3'" >/dev/null
exits "a table that is disabled" 1 "$bennu" bulkload "$master" T3 part
exits "a table to be made on a server" 0 "$bennu" bulkload "$master" T4 part --create
check "with the folder's rows" "$("$bennu" hfile part/X/* --cells | grep -c '^80')" "$(cells T4 | grep -c 'column=X')"
exits "an import into a server" 0 "$bennu" import "$master" part --table new:T5
check "makes namespace and table" "$(cells T4)" "$(cells new:T5)"
check "as they were exported" "$("$bennu" shell copy -n -e "describe 'ns:part'" | grep NAME)" \
  "$(at "describe 'new:T5'" | grep NAME)"
exits "an import of nothing" 1 "$bennu" import "$master" nowhere
exits "an export from a server" 0 "$bennu" export "$master" new:T5 served_part
check "has what the folder had" "$("$bennu" hfile part/X/* --cells)" "$("$bennu" hfile served_part/X/* --cells)"
exits "a second time into the same folder" 1 "$bennu" export "$master" new:T5 served_part
exits "it can be imported" 0 "$bennu" import "$master" served_part --table new:T6
check "as it was" "$(cells new:T5)" "$(cells new:T6)"
exits "rows of a server" 0 "$bennu" export "$master" new:T5 served_rows --start '\x80\x00\x00\x06'
check "from there on" "$("$bennu" hfile part/X/* --cells | grep -c '^80000006\|^80000007')" \
  "$("$bennu" hfile served_rows/X/* --cells | grep -c '^80')"
exits "no such table of a server" 1 "$bennu" export "$master" NOPE none
exits "a property that means nothing" 2 "$bennu" bulkload "$master" T2 part -D hbase.no.such=1
exits "no server" 3 "$bennu" bulkload 127.0.0.1:1 T2 part
# A link is read and stays, as does what it leads to; the store has a copy.
mkdir -p linked/X && cp part/X/* elsewhere && ln -s ../../elsewhere linked/X/link
exits "a link that is to be moved" 0 "$bennu" bulkload "$master" T6 linked --move --create
check "stays, with its file" "yes" "$([[ -L linked/X/link && -s elsewhere ]] && echo yes)"
exits "a link into a store" 0 "$bennu" bulkload copy T6 linked --move --create
check "stays, too" "yes" "$([[ -L linked/X/link && -s elsewhere ]] && echo yes)"
rm elsewhere
exits "a link that leads nowhere" 1 "$bennu" bulkload "$master" T6 linked
names "says so" "linked/X/link is a symbolic link that leads nowhere"
rm linked/X/link && mkfifo linked/X/fifo
exits "a FIFO" 1 timeout 20 "$bennu" bulkload "$master" T6 linked --move
names "says so" "linked/X/fifo is a FIFO"
check "the rows are the server's" "$("$bennu" hfile part/X/* --cells | grep -c '^80')" \
  "$(cells T6 | grep -c 'column=X')"
check "no link in a store" "" "$(find store copy -type l)"
kill -TERM "$server"
wait "$server"
check "the server's end" 0 $?
server=
exits "what it took is sound" 0 "$bennu" check store

for command in bulkload export import; do
  exits "$command --help" 0 "$bennu" $command --help
  check "$command has examples" "yes" "$(grep -q Examples out && echo yes || echo no)"
done

printf '%d checks, %d failed\n' "$checks" "$failures"
[[ $failures -eq 0 ]]
