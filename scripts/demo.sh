#!/usr/bin/env bash
# The demonstration: builds the program, loads a year of flights into a fresh store and asks questions
# about them.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ! -x build/release/bin/bennu ]]; then
  echo "Compiling Bennu: six minutes or so on two cores, the first time; then a demonstration of ten seconds."
fi
scripts/build.sh release bennu
echo
echo "Built build/release/bin/bennu. Now it loads a year of real flights (350,000 rows) into a new store,"
echo "asks ten questions in SQL, makes an index for another one, and looks back in time: ten seconds or so."
exec examples/nycflights/run.sh build/release/bin/bennu "$@"
