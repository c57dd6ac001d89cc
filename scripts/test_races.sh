#!/usr/bin/env bash
# The tests in which several threads work on the same data, under ThreadSanitizer. A race ends the
# test that has it.
set -euo pipefail
cd "$(dirname "$0")/.."

folders=(base hfile wal engine contract server client bennu)
scripts/build.sh tsan "${folders[@]/#/tests_}" stress bennu

export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
labels=$(IFS='|'; echo "${folders[*]}|stress")
ctest --test-dir build/tsan -L "^($labels)\$" -LE '^(peers|long)$' -j2 --output-on-failure
