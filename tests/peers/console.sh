#!/usr/bin/env bash
# The console of `bennu serve` in Chromium: a query and its error, pages of rows, a plan, charts that
# move, the parts of a key, keyboard, a narrow window, texts that one can read in both themes, and no error
# in the browser's console; then the same page of a gateway.
#   console.sh PATH-OF-BENNU [FOLDER-FOR-SCREENSHOTS]
set -euo pipefail
bennu=${1:?the path of the bennu program}
here=$(cd "$(dirname "$0")" && pwd)
images=${2:-}
work=$(mktemp -d)
fail() { echo "FAILED: $*" >&2; exit 1; }
. "$here/serve.sh"
want "Node.js (18 or newer), npm and Chromium" node npm chromium
load=
gateway=
trap 'kill -9 $load $gateway $server 2>/dev/null || true; rm -rf "$work"' EXIT

driver=${PEER_JARS:-$work}/console
mkdir -p "$driver"
cp "$here"/console/{package.json,package-lock.json,*.mjs} "$driver"
[[ -d $driver/node_modules/playwright-core ]] ||
  npm --prefix "$driver" ci --no-audit --no-fund --ignore-scripts >"$work/output" 2>&1 ||
  fail "npm: $(tail -3 "$work/output")"

# What is compiled into the program is what its sources make.
sources=${PEER_JARS:-$work}/console-sources
mkdir -p "$sources"
cp -r "$here"/../../console/{package.json,package-lock.json,tsconfig.json,bundle.mjs,src} "$sources"
bundle() {
  { [[ $sources/node_modules -nt $here/../../console/package-lock.json ]] ||
    npm --prefix "$sources" ci --no-audit --no-fund --ignore-scripts; } && npm --prefix "$sources" run bundle
}
bundle >"$work/output" 2>&1 || fail "the bundle: $(tail -3 "$work/output")"
diff -r "$sources/dist" "$here/../../console/dist" >"$work/output" || fail "console/dist is not what its sources make"

http_port=0
phoenix_port=0
start "${any_ports[@]}"
"$bennu" sql "http://127.0.0.1:$(port phoenix)" <"$here/console/tables.sql" >"$work/output" 2>&1 ||
  fail "the tables: $(tail -3 "$work/output")"
# A client of HBase, so that its charts move too.
flush() {
  printf "flush 'SHOP.ORDERS'\nflush 'SHOP.CUSTOMERS'\nmajor_compact 'SHOP.ORDERS'\n" |
    "$bennu" shell "127.0.0.1:$(port master)" -n >"$work/output" 2>&1
}
flush || fail "flushes: $(tail -3 "$work/output")"
awk 'BEGIN { for (i = 0; i < 100000; ++i) printf "put \"SHOP.NOTES\", \"n%d\", \"0:TEXT\", \"note\"\nget \"SHOP.NOTES\", \"n%d\"\n", i, i }' \
  >"$work/load"
"$bennu" shell "127.0.0.1:$(port master)" -n <"$work/load" >/dev/null 2>&1 &
load=$!

mkdir -p "${images:-$work/images}"
timeout 100 node "$driver/walk.mjs" "http://127.0.0.1:$(port http)" "$(command -v chromium)" "${images:-$work/images}" ||
  fail "the walk through the console"
kill "$load" 2>/dev/null || true

# The same page over a cluster, for which the server stands.
"$bennu" serve --cluster "hbase+rpc://127.0.0.1:$(port master)" --http-port 0 --phoenix-port none \
  --ready-file "$work/gateway" >>"$work/server.log" 2>&1 &
gateway=$!
for _ in $(seq 1 300); do
  [[ -s $work/gateway ]] && break
  kill -0 "$gateway" 2>/dev/null || fail "the gateway ended by itself"
  sleep 0.1
done
timeout 100 node "$driver/gateway.mjs" "http://$(sed -E 's/.*http=([^ ]*).*/\1/' "$work/gateway")" "$(command -v chromium)" \
  "${images:-$work/images}" || fail "the walk through a gateway's console"
kill -TERM "$gateway"
wait "$gateway" || fail "the gateway did not end well"
gateway=
finish
