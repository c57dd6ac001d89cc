# What the tests against the real HBase have in common; sourced. Sets: kit, work (removed at the
# end), and ports that nobody uses. A server that was started is stopped, whatever happens. What is
# fetched once lies in PEER_JARS, which tests that run at a time share; the rest in PEER_HOME.
kit=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/kit/peer
work=$(mktemp -d)
export PEER_HOME=${PEER_HOME:-$work/peer}
export PEER_JARS=${PEER_JARS:-$PEER_HOME}
mkdir -p "$PEER_HOME" "$PEER_JARS"
checks=0

fail() { echo "FAILED: $*" >&2; exit 1; }
say() { echo "== $* (at $SECONDS s)"; }
# A command whose failure ends the test (set -e) may have said nothing.
trap 'echo "FAILED: line $LINENO of ${BASH_SOURCE[0]##*/}: $BASH_COMMAND" >&2' ERR

. "$(dirname "${BASH_SOURCE[0]}")/serve.sh"
want "a JDK (11 or newer), Maven and util-linux" java javac mvn setsid

at_end() {
  local status=$?
  [[ -z $server ]] || kill -9 "$server" 2>/dev/null || true
  "$kit" stop >/dev/null 2>&1 || true
  if [[ $status -ne 0 && -s $PEER_HOME/server.log ]]; then
    echo "the server's last words:" >&2
    grep -E 'ERROR|FATAL|Exception' "$PEER_HOME/server.log" | tail -5 | cut -c1-400 >&2 || true
  fi
  [[ -z ${PEER_ZK_PORT:-} ]] || rmdir "$PEER_JARS/ports/$PEER_ZK_PORT" 2>/dev/null || true
  rm -rf "$work"
}
trap at_end EXIT

# As SIGKILL leaves it. Nobody may have waited for it: its number can stay for a while.
kill_server() {
  kill -9 "$(<"$PEER_HOME/pid")"
  rm "$PEER_HOME/pid"
  until is_free "$PEER_ZK_PORT"; do sleep 0.1; done
}

is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# Ports that nobody listens on, and that no other test has taken and not used yet: a folder holds them. With steps of 16 no
# port of one instance is one of another: they lie up to three above these, and 15,000 is no multiple of 16.
claim_ports() {
  until port=$((2304 + RANDOM % 560 * 16)) && mkdir -p "$PEER_JARS/ports" && mkdir "$PEER_JARS/ports/$port" 2>/dev/null; do :; done
  is_free $port && is_free $((port + 10000)) && is_free $((port + 15000)) && is_free $((port + 20000))
}
until claim_ports; do rmdir "$PEER_JARS/ports/$port"; done
export PEER_ZK_PORT=$port
export PEER_CLIENT_OPTS="-XX:TieredStopAtLevel=1 -Dpeer.url=jdbc:phoenix+zk:127.0.0.1:$port"
export PEER_SERVER_OPTS="-XX:TieredStopAtLevel=1"

# eventually COMPLAINT COMMAND…: repeats it until it succeeds, for two minutes.
eventually() {
  local complaint=$1 end=$((SECONDS + 120))
  shift
  until "$@" >"$work/tried" 2>&1; do
    ((SECONDS < end)) || fail "$complaint: $(tail -3 "$work/tried")"
    sleep 0.5
  done
}

# quietly COMMAND…: shows its output only when it fails.
quietly() {
  "$@" >"$work/output" 2>&1 || { grep -v "^[[:space:]]at " "$work/output" | tail -40 | cut -c1-500 >&2; fail "$(cut -c1-300 <<<"$*")"; }
}

# same WHAT EXPECTED ACTUAL: two files, or two directories of them, are alike.
same() {
  [[ -s $2 || -d $2 ]] || fail "$1: nothing to compare with in $2"
  diff -rq "$2" "$3" >"$work/difference" || {
    head -5 "$work/difference" >&2
    diff -r "$2" "$3" | head -20 | cut -c1-200 >&2 || true
    fail "$1: '$2' and '$3' differ"
  }
  checks=$((checks + 1))
  if [[ -d $2 ]]; then
    local cells
    cells=$(cat "$2"/*.cells | grep -vc '^#') || fail "$1: no cells"
    echo "   $1: $(ls "$2"/*.cells | wc -l) tables, $cells cells alike"
  else
    echo "   $1: $(wc -l <"$2") lines alike"
  fi
}

# compile_steps DIRECTORY: the Java programs there.
compile_steps() {
  quietly "$kit" classpath
  export PEER_CLASSES=$work/classes
  quietly javac -nowarn -d "$PEER_CLASSES" -cp "$(tail -1 "$work/output")" "$1"/*.java
}

# steps STEP…: of roots/Roots.java, by HBase's client.
steps() {
  quietly timeout 240 "$kit" java Roots "$@"
  sed -nE 's|^([a-z0-9_]+)(=.*)?: ([0-9.]+ s)$|\1 \3|p' "$work/output" | paste -sd , | sed 's/^/   /'
}

# HBase fills in what an attribute is by default; the store file tracker some time after its start.
defaults='^ +(IS_META = false|BLOCKCACHE = true|INDEX_BLOCK_ENCODING = NONE|IN_MEMORY = false'
defaults+='|KEEP_DELETED_CELLS = FALSE|MIN_VERSIONS = 0|REPLICATION_SCOPE = 0|TTL = 2147483647'
defaults+='|VERSIONS = 1|BLOOMFILTER = ROW|COMPRESSION = NONE|DATA_BLOCK_ENCODING = NONE|BLOCKSIZE = 65536'
defaults+='|hbase.store.file-tracker.impl = DEFAULT)$'
without_defaults() { local d; for d; do sed -i -E "/$defaults/d" "$d/catalog"; done; }
