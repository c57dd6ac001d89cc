#!/usr/bin/env bash
# Snapshots and backups on the command line.
#   snapshot.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
count() { "$bennu" sql "$1" --format csv -c "SELECT COUNT(*) AS N FROM T" 2>err | tail -1; }

"$bennu" sql db >/dev/null 2>&1 <<'SQL'
CREATE TABLE T (A INTEGER NOT NULL PRIMARY KEY, B VARCHAR);
UPSERT INTO T VALUES (1, 'one');
UPSERT INTO T VALUES (2, 'two');
SQL
exits "no snapshots yet" 0 "$bennu" snapshot db list --format csv
check "a heading" "NAME,TABLE,CREATED,TYPE,TTL,REGIONS,FILES,BYTES" "$(cat out)"
exits "take" 0 "$bennu" snapshot db take s1 t
check "ok" "ok" "$(cat out)"
exits "take with a time to live" 0 "$bennu" snapshot db take s2 T --ttl 3600
exits "list" 0 "$bennu" snapshot db list --format csv
check "the first" "s1,T,FLUSH,,1,1" "$(sed -n 2p out | cut -d, -f1,2,4-7)"
check "the second" "s2,T,FLUSH,3600,1,1" "$(sed -n 3p out | cut -d, -f1,2,4-7)"
exits "list as a table" 0 "$bennu" snapshot db list
check "aligned" "NAME TABLE" "$(grep NAME out | tr -s ' |' ' ' | sed 's/^ //' | cut -d' ' -f1,2)"
exits "describe" 0 "$bennu" snapshot db describe s1 --format csv
check "one file in family 0" "0" "$(tail -1 out | cut -d, -f2)"

exits "more rows" 0 "$bennu" sql db -c "UPSERT INTO T VALUES (3, 'three')"
check "three" 3 "$(count db)"
exits "restore" 0 "$bennu" snapshot db restore s1
check "two again" 2 "$(count db)"
exits "clone" 0 "$bennu" snapshot db clone s1 OTHER
exits "a view of the clone" 0 "$bennu" sql db --format csv -c \
  "CREATE VIEW OTHER (A INTEGER NOT NULL PRIMARY KEY, \"0\".B VARCHAR)" -c "SELECT A FROM OTHER"
exits "export" 0 "$bennu" snapshot db export s1 exported
exits "it is there" 0 "$bennu" snapshot exported list --format csv
check "by its name" "s1,T" "$(sed -n 2p out | cut -d, -f1,2)"
exits "restored there" 0 "$bennu" snapshot exported restore s1
exits "delete" 0 "$bennu" snapshot db delete s1

exits "a snapshot that is not there" 1 "$bennu" snapshot db describe s1
exits "nor to be cloned" 1 "$bennu" snapshot db clone s1 X
exits "a table that is not there" 1 "$bennu" snapshot db take s3 NONE
exits "a name that does not fit" 1 "$bennu" snapshot db take a/b T
exits "a snapshot of that name" 1 "$bennu" snapshot db take s2 T
exits "a table of that name" 1 "$bennu" snapshot db clone s2 T
exits "no store" 3 "$bennu" snapshot none list
exits "no action" 2 "$bennu" snapshot db
exits "no name" 2 "$bennu" snapshot db take
exits "help" 0 "$bennu" snapshot --help
check "with examples" 1 "$(grep -c 'snapshot data take' out)"

exits "backup" 0 "$bennu" backup db copy
check "ok" "ok" "$(cat out)"
check "the copy's rows" 2 "$(count copy)"
exits "the copy's snapshots" 0 "$bennu" snapshot copy list --format csv
check "one" "s2" "$(sed -n 2p out | cut -d, -f1)"
exits "the copy is sound" 0 "$bennu" check copy
exits "the original is sound" 0 "$bennu" check db
exits "a target that is full" 1 "$bennu" backup db copy
exits "no store to back up" 3 "$bennu" backup none copy2

# Beside a process that holds the store.
mkfifo hold
"$bennu" sql db <hold >held 2>&1 &
holder=$!
exec 3>hold
echo "UPSERT INTO T VALUES (9, 'nine');" >&3
until grep -q affected held || ! kill -0 "$holder" 2>/dev/null; do sleep 0.05; done
exits "backup beside it" 3 "$bennu" backup db copy3
check "the holder is named" 1 "$(grep -c "$holder" err)"
check "what to do is said" 1 "$(grep -c 'localhost:16000.*Admin::Backup' err)"
check "the hint ends where it should" 0 "$(grep -c 'HINT.*backs itself up' err)"
exits "list beside it" 0 "$bennu" snapshot db list
exec 3>&-
wait "$holder"

# A server does it itself, while it serves.
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT
cat >backups.xml <<END
<configuration><property><name>bennu.backup.root</name><value>$work</value></property></configuration>
END
start_server db --config backups.xml --zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --phoenix-port 0
master=127.0.0.1:$(port_of master)
exits "a row more" 0 "$bennu" shell "$master" -e "create 'h', 'f'" -e "put 'h', 'r', 'f:q', 'v'"
exits "backup of a server" 0 "$bennu" backup "$master" backed_up
check "ok" "ok" "$(cat out)"
exits "to a place that is full" 1 "$bennu" backup "$master" backed_up
check "which is said" 1 "$(grep -c 'is not empty' err)"
exits "to the store itself" 1 "$bennu" backup "$master" db/inner
exits "snapshot on a server" 0 "$bennu" snapshot "$master" take s4 h
exits "listed" 0 "$bennu" snapshot "$master" list --format csv
check "with those of before" "s2,s4" "$(sed 1d out | cut -d, -f1 | sort | paste -sd,)"
exits "exported" 0 "$bennu" snapshot "$master" export s4 exported
exits "a table in use is not restored" 1 "$bennu" snapshot "$master" restore s4
exits "cloned" 0 "$bennu" snapshot "$master" clone s4 h2
exits "deleted" 0 "$bennu" snapshot "$master" delete s4
exits "one that is not there" 1 "$bennu" snapshot "$master" delete s4
exits "options of directories" 2 "$bennu" backup "$master" x --memory 1g
exits "nobody there" 3 "$bennu" backup 127.0.0.1:1 x
check "the server goes on" 0 "$(kill -0 "$server"; echo $?)"
kill "$server"
wait "$server"
server=
exits "the row is in the backup" 0 "$bennu" shell backed_up -e "get 'h', 'r'"
check "with its value" 1 "$(grep -c 'value=v' out)"
check "with the rows of SQL" 3 "$(count backed_up)"
exits "and sound" 0 "$bennu" check backed_up
exits "the exported snapshot" 0 "$bennu" snapshot exported list --format csv
check "is there" 1 "$(grep -c '^s4,h,' out)"

echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
