#!/usr/bin/env bash
# The demonstration: loads a year of flights into a fresh store and asks questions about them.
set -euo pipefail
cd "$(dirname "$0")/.."
exec examples/nycflights/run.sh build/release/bin/bennu "$@"
