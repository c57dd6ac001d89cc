#!/usr/bin/env bash
# Runs the benchmarks; the macro ones also write build/bench/results.json.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=build/release/bin
mkdir -p build/bench
"$bin/sql_bench" "$bin/bennu" build/bench/scratch build/bench/results.json
"$bin/hfile_bench" --benchmark_min_time=0.1
"$bin/filter_bench" build/bench/scratch build/bench/filter_results.json
echo "results: build/bench/results.json, build/bench/filter_results.json"
