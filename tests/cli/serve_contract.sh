#!/usr/bin/env bash
# What scripts rely on in `bennu serve`: the ready line, signals, exit codes, errors.
#   serve_contract.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT
# says NAME PATTERN FILE
says() {
  checks=$((checks + 1))
  if ! grep -qE -- "$2" "$3"; then
    failures=$((failures + 1))
    printf 'FAILED %s: nothing like %s in\n%s\n' "$1" "$2" "$(cat "$3")"
  fi
}
# ends NAME SIGNAL
ends() {
  local actual=0
  kill "$2" "$server"
  wait "$server" || actual=$?
  server=
  check "$1" 0 "$actual"
}

any=(--zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --phoenix-port 0)
start_server db "${any[@]}"
check "the ready file is the ready line" "$(cat served)" "$(cat ready)"
says "the ready line" '^ready zookeeper=127\.0\.0\.1:[0-9]+ master=127\.0\.0\.1:[0-9]+ regionserver=127\.0\.0\.1:[0-9]+ http=127\.0\.0\.1:[0-9]+ phoenix=127\.0\.0\.1:[0-9]+$' ready
port=$(sed -E 's/.* master=[^ ]*:([0-9]+) .*/\1/' ready)
fetch() { # fetch PATH: what the HTTP port answers
  exec 3<>"/dev/tcp/127.0.0.1/$(sed -E 's/.* http=[^ ]*:([0-9]+) .*/\1/' ready)"
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&3
  cat <&3 >page
  exec 3>&-
}
fetch /healthz
says "it is well" '^ok$' page
fetch /metrics
says "metrics" '^hbase_server_regions [0-9]+$' page
fetch '/jmx?qry=Hadoop:service=HBase,name=Master,sub=Server'
says "beans" '"tag.isActiveMaster" : "true"' page
ask() { # ask JSON: what the port for Phoenix's clients answers
  exec 3<>"/dev/tcp/127.0.0.1/$(port_of phoenix)"
  printf 'POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' "${#1}" "$1" >&3
  cat <&3 >page
  exec 3>&-
}
ask '{"request":"openConnection","connectionId":"c","info":{"AutoCommit":"true"}}'
says "a connection of Phoenix's" '"response":"openConnection"' page
ask '{"request":"createStatement","connectionId":"c"}'
statement=$(sed -nE 's/.*"statementId":([0-9]+).*/\1/p' page)
ask '{"request":"prepareAndExecute","connectionId":"c","statementId":'"$statement"',"sql":"SELECT 1 + 1 AS A","maxRowsInFirstFrame":-1,"maxRowCount":-1}'
says "SQL over it" '"rows":\[\[2\]\]' page
exits "a held directory" 3 "$bennu" sql db -c "SELECT 1"
says "the holder is named" "$server" err
exits "a taken port" 3 "$bennu" serve other --zk-port none --rs-port none --http-port none --phoenix-port none --master-port "$port"
says "the port is named" ":$port" err
kill -HUP "$server"
ends "SIGTERM ends it well" -TERM
check "nothing went wrong" "" "$(cat errors)"
exits "the directory opens when the server is gone" 0 "$bennu" sql db --format csv -c "SELECT 1 AS A"
check "and answers" $'A\n1' "$(cat out)"

start_server db --zk-port none --master-port none --rs-port 0 --http-port none --phoenix-port none
says "ports that are turned off are not told" '^ready regionserver=127\.0\.0\.1:[0-9]+$' ready
ends "SIGINT ends it well" -INT

mkdir memory && cd memory
start_server :memory: "${any[@]}"
where="localhost:$(port_of master)"
exits "a served store in memory is written" 0 "$bennu" shell "$where" -n -e "create 't', 'f'" -e "put 't', 'r', 'f:q', 'v'" -e "flush 't'"
exits "and read" 0 "$bennu" shell "$where" -n -e "get 't', 'r'"
says "the cell" 'f:q.*value=v' out
exits "exported to the disk" 0 "$bennu" export "$where" t files
exits "and loaded from there" 0 "$bennu" bulkload "$where" t "$PWD/files"
ends "it ends well" -TERM
check "nothing went wrong with it" "" "$(cat errors)"
check "nothing but what was asked for is on the disk" "errors files ready served" "$(ls -A | grep -vx -e out -e err | tr '\n' ' ' | sed 's/ $//')"
start_server :memory: "${any[@]}"
exits "another time it is empty" 1 "$bennu" shell "localhost:$(port_of master)" -n -e "get 't', 'r'"
ends "that ends as well" -TERM
cd ..

exits "an address that others reach" 2 "$bennu" serve db --listen 0.0.0.0 "${any[@]}"
says "why, and what to do" "allow-unauthenticated" err
exits "no address" 2 "$bennu" serve db --listen nowhere "${any[@]}"
exits "no port" 2 "$bennu" serve db --zk-port 70000
exits "no word" 2 "$bennu" serve db --zk-port off
mkdir foreign && echo hello >foreign/file
exits "a foreign directory" 3 "$bennu" serve foreign "${any[@]}"

# property NAME VALUE
property() { printf '<property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
# site PROPERTIES: a file of them
site() { printf '<configuration>\n%s\n</configuration>\n' "$1" >site.xml; }
ports=$(for name in hbase.zookeeper.property.clientPort hbase.master.port hbase.regionserver.port \
  hbase.master.info.port phoenix.queryserver.http.port; do
  property "$name" 0
done)
exits "no file" 2 "$bennu" serve --config missing.xml
site "$ports$(property hbase.rootdir "file://$PWD/configured")$(property hbase.tmp.dir t)"
exits "a right file" 0 "$bennu" serve --config site.xml --check-config --master-port 12345
says "the directory" "^directory = $PWD/configured\$" out
says "options win" '^master port = 12345$' out
says "what is not read" 'site.xml: 1 properties are unknown and ignored: hbase.tmp.dir' err
check "nothing was made" "" "$(ls -d configured 2>/dev/null)"
site "$(property hbase.master.port x)$(property hbase.security.authentication kerberos)"
exits "a wrong file" 2 "$bennu" serve --config site.xml --check-config
says "the first error" "site.xml:2: hbase.master.port: 'x'" err
says "and the second" "site.xml:2: hbase.security.authentication: 'kerberos'" err
site "$ports$(property hbase.regionserver.ipc.address 0.0.0.0)"
exits "an open address in a file" 2 "$bennu" serve db --config site.xml --check-config
site "$ports$(property bennu.log.format json)$(property bennu.log.level info)"
start_server db --config site.xml
says "it serves" '^ready zookeeper=' ready
site "$ports$(property bennu.log.level info)$(property hbase.regionserver.maxlogs 5)"
kill -HUP "$server"
for _ in $(seq 1 300); do
  grep -q 'configuration was read again' errors && break
  sleep 0.1
done
says "the log is text again" '^[0-9 :.-]+ INFO SIGHUP: the configuration was read again$' errors
says "what waits for a restart" 'at the next start: hbase.regionserver.maxlogs$' errors
says "lines were objects" '^\{"time":"[0-9T:.Z-]+","level":"INFO","thread":"[^"]*","message":"' errors
ends "SIGTERM after a reload" -TERM

# Major compactions that clients ask for write guide posts of Phoenix's tables.
exits "a table of Phoenix's" 0 "$bennu" sql db -c "CREATE TABLE G (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)" \
  -c "UPSERT INTO G VALUES (1, 'a'), (2, 'b')"
site "$ports$(property phoenix.stats.guidepost.width x)"
exits "a width that is none" 2 "$bennu" serve db --config site.xml --check-config
says "which line" "site.xml:6: phoenix.stats.guidepost.width is 'x', not a number of bytes" err
site "$ports$(property phoenix.stats.guidepost.width 10)"
exits "a width" 0 "$bennu" serve db --config site.xml --check-config
check "is read" "" "$(cat err)"
start_server db --config site.xml
guide_posts() { "$bennu" shell "127.0.0.1:$(port_of master)" -e "scan 'SYSTEM.STATS'" | grep -c GUIDE_POSTS_ROW_COUNT; }
check "before" 0 "$(guide_posts)"
exits "a compaction" 0 "$bennu" shell "127.0.0.1:$(port_of master)" -e "flush 'G'" -e "major_compact 'G'"
for _ in $(seq 1 300); do
  [[ $(guide_posts) -gt 0 ]] && break
  sleep 0.1
done
check "a guide post for each row" 2 "$(guide_posts)"
ends "SIGTERM after compactions" -TERM
exits "they are there for SQL" 0 "$bennu" sql db --format csv \
  -c "SELECT GUIDE_POST_KEY, GUIDE_POSTS_ROW_COUNT FROM SYSTEM.STATS WHERE PHYSICAL_NAME = 'G' AND COLUMN_FAMILY IS NOT NULL"
check "all of them" 3 "$(wc -l <out)"
# The shell on the directory has the default's width, which is more than the table.
exits "the shell" 0 "$bennu" shell db -e "major_compact 'G'"
exits "SQL again" 0 "$bennu" sql db --format csv \
  -c "SELECT GUIDE_POST_KEY, GUIDE_POSTS_ROW_COUNT FROM SYSTEM.STATS WHERE PHYSICAL_NAME = 'G' AND COLUMN_FAMILY IS NOT NULL"
check "no guide post, but that it was looked" ",0" "$(tail -n +2 out)"

# Who wants the directory meanwhile is told of the server.
start_server held --zk-port none --rs-port none --http-port none --phoenix-port none --master-port 0
address=localhost:$(port_of master)
for command in "sql held -c 'SELECT 1'" "shell held -e list" "load held T -"; do
  exits "$command beside a server" 3 bash -c "'$bennu' $command </dev/null"
  check "is told where it is served" "1" "$(grep -c "in use by process $server, served at $address" err)"
  check "and what can be done" "1" "$(grep -c "^HINT: .*--read-only.*bennu shell $address" err)"
done
exits "reads beside it" 0 "$bennu" sql held --read-only -c "SELECT 1"
exits "goes through it" 0 "$bennu" shell "$address" -e list
ends "SIGTERM while it was held" -TERM

echo "$checks checks, $failures failed"
[[ $failures -eq 0 ]]
