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
start() {
  rm -f ready
  "$bennu" serve "$@" --ready-file ready >served 2>errors &
  server=$!
  for _ in $(seq 1 300); do
    [[ -s ready ]] && return
    kill -0 "$server" 2>/dev/null || return
    sleep 0.1
  done
}
# ends NAME SIGNAL
ends() {
  local actual=0
  kill "$2" "$server"
  wait "$server" || actual=$?
  server=
  check "$1" 0 "$actual"
}

any=(--zk-port 0 --master-port 0 --rs-port 0)
start db "${any[@]}"
check "the ready file is the ready line" "$(cat served)" "$(cat ready)"
says "the ready line" '^ready zookeeper=127\.0\.0\.1:[0-9]+ master=127\.0\.0\.1:[0-9]+ regionserver=127\.0\.0\.1:[0-9]+$' ready
port=$(sed -E 's/.* master=[^ ]*:([0-9]+) .*/\1/' ready)
exits "a held directory" 3 "$bennu" sql db -c "SELECT 1"
says "the holder is named" "$server" err
exits "a taken port" 3 "$bennu" serve other --zk-port none --rs-port none --master-port "$port"
says "the port is named" ":$port" err
kill -HUP "$server"
ends "SIGTERM ends it well" -TERM
check "nothing went wrong" "" "$(cat errors)"
exits "the directory opens when the server is gone" 0 "$bennu" sql db --format csv -c "SELECT 1 AS A"
check "and answers" $'A\n1' "$(cat out)"

start db --zk-port none --master-port none --rs-port 0
says "ports that are turned off are not told" '^ready regionserver=127\.0\.0\.1:[0-9]+$' ready
ends "SIGINT ends it well" -INT

exits "an address that others reach" 2 "$bennu" serve db --listen 0.0.0.0 "${any[@]}"
says "why, and what to do" "allow-unauthenticated" err
exits "no address" 2 "$bennu" serve db --listen nowhere "${any[@]}"
exits "no port" 2 "$bennu" serve db --zk-port 70000
exits "no word" 2 "$bennu" serve db --zk-port off
mkdir foreign && echo hello >foreign/file
exits "a foreign directory" 3 "$bennu" serve foreign "${any[@]}"

echo "$checks checks, $failures failed"
[[ $failures -eq 0 ]]
