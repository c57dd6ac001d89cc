# `bennu serve` for tests that talk to it; sourced. Wants: bennu (the program), work (a folder) and the
# function fail. Sets server, its process, which the test ends. http_port,
# phoenix_port: none, unless a test wants one.
server=
http_port=none
phoenix_port=none

# want WHAT TOOL…: without these the test cannot run; 77 is what ctest takes for skipped.
want() {
  local what=$1 tool
  shift
  for tool; do
    command -v "$tool" >/dev/null && continue
    echo "SKIPPED: there is no '$tool' here; this test wants $what" >&2
    exit 77
  done
}

any_ports=(--zk-port 0 --master-port 0 --rs-port 0)

# start [OPTION…]: on $work/store; returns once it is ready.
start() {
  rm -f "$work/ready"
  "$bennu" serve "$work/store" "$@" --http-port "$http_port" --phoenix-port "$phoenix_port" --ready-file "$work/ready" \
    --verbose >>"$work/server.log" 2>&1 &
  server=$!
  for _ in $(seq 1 1200); do
    [[ -s $work/ready ]] && return
    kill -0 "$server" 2>/dev/null || fail "the server ended by itself"
    sleep 0.1
  done
  fail "the server is not ready after 120 s"
}

# port NAME: as the ready line has it (zookeeper, master, regionserver).
port() { sed -E "s/.* $1=[^ ]*:([0-9]+).*/\1/" "$work/ready"; }

# ask SQL…: each statement by the query server, which wants phoenix_port=0; rows without a head.
ask() {
  local sql
  for sql; do
    "$bennu" sql "http://127.0.0.1:$(port phoenix)" --format csv -c "$sql" 2>"$work/ask" | tail -n +2 ||
      fail "$sql: $(<"$work/ask")"
  done
}

# check_index INDEX TABLE ROWS: what clients wrote into the table is in its index, at least so many
# rows.
check_index() {
  local differences rows
  differences=$(ask "CHECK INDEX $1 ON $2")
  [[ -z $differences ]] || fail "index $1 is not as its table: $differences"
  rows=$(ask "SELECT COUNT(*) FROM $1")
  [[ $rows -ge $3 ]] || fail "index $1 has $rows rows, not $3"
  echo "   index $1: $rows rows, as its table"
}

# Its end, and its log, are as they should be.
finish() {
  kill -TERM "$server"
  wait "$server" || fail "the server did not end well"
  server=
  if grep -q ERROR "$work/server.log"; then fail "the server's log has errors"; fi
}
