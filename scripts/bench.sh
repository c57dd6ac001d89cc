#!/usr/bin/env bash
# Runs the benchmarks; the macro ones also write build/bench/results.json. BENNU_BENCH_ROWS sets the
# rows of the storage benchmark, BENNU_BENCH_SQL_ROWS those of SQL beside its peers,
# BENNU_BENCH_SYSTEMS these peers, and BENNU_BENCH_DAY_USERS the users of the benchmark of one day,
# of 10,950 rows each; see docs/benchmarks.md.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=build/release/bin
out=build/bench
mkdir -p "$out"
"$bin/sql_bench" "$bin/bennu" "$out/scratch" "$out/sql.json"
"$bin/index_bench" "$out/scratch" "$out/index.json"
python3 bench/peers/peers_bench.py --bin "$bin" --work "$out/peers" --results "$out/peers.json" \
  --rows "${BENNU_BENCH_SQL_ROWS:-1000000}" --systems "${BENNU_BENCH_SYSTEMS-sqlite,duckdb,phoenix}"
"$bin/filter_bench" "$out/scratch" "$out/filter.json"
"$bin/day_bench" "$out/scratch" "$out/day.json" "${BENNU_BENCH_DAY_USERS:-100}"
"$bin/region_start" make "$out/scratch" 1000
"$bin/region_start" open "$out/scratch" "$out/regions.json"
rm -rf "$out/scratch"
"$bin/store_bench" "$out/scratch" "$out/store.json" ${BENNU_BENCH_ROWS:+--rows "$BENNU_BENCH_ROWS"}
"$bin/server_bench" "$bin/bennu" "$out/scratch" "$out/server.json"
python3 bench/server/clients_bench.py --bennu "$bin/bennu" --work "$out/clients" \
  --results "$out/clients.json"
python3 bench/client/native_bench.py --bin "$bin" --work "$out/native" --results "$out/native.json"
python3 bench/client/cluster_sql_bench.py --bin "$bin" --work "$out/cluster_sql" \
  --results "$out/cluster_sql.json"
python3 bench/server/query_server_bench.py --bennu "$bin/bennu" --work "$out/query_server" \
  --results "$out/query_server.json"
"$bin/hfile_bench" --benchmark_min_time=0.1

python3 - "$out" <<'END'
import json, sys
names = ("sql", "index", "peers", "filter", "day", "regions", "store", "server", "clients", "native", "cluster_sql",
         "query_server")
results = [line for name in names
           for line in json.load(open(f"{sys.argv[1]}/{name}.json", encoding="utf-8"))]
with open(f"{sys.argv[1]}/results.json", "w", encoding="utf-8") as file:
    file.write("[\n" + ",\n".join("  " + json.dumps(line) for line in results) + "\n]\n")
END
echo "results: $out/results.json"
