#!/usr/bin/env bash
# The demonstration: examples/nycflights loads a year of flights and asks questions about them.
set -euo pipefail
cd "$(dirname "$0")/.."

for script in examples/nycflights/{demo,run}.sh; do
  [[ -x $script ]] && exec "$script" build/release/bin/bennu "$@"
done
echo "examples/nycflights is not in this checkout." >&2
exit 1
