#!/usr/bin/env bash
# Tests under the address and undefined-behaviour sanitizers:
#   scripts/sanitize.sh [strangers|all|build]
# 'strangers', the default, are the tests of what reads bytes that others wrote and of what many threads
# share, and the fuzzers; 'all' are all quick tests. 'build' only builds what 'strangers' runs.
#
# One build by clang serves twice: for the fuzzers and for the sanitizers. It also analyses the use of locks.
# Left out in either case are tests that look at sources or at installed files, where nothing of ours runs,
# and what takes its time: the crash tests, whose programs die before they could be asked for leaks, and the
# suites under hostile circumstances but the one with most threads.
set -euo pipefail
cd "$(dirname "$0")/.."

scope=${1:-strangers}
# Folders of tests/: what comes from files, the wire and the command line.
strangers=(avatica base cell filter hfile wal client server shell golden thin_client)
# The engine's threads, which read what others flush, merge and split meanwhile, are labelled so.
threads=engine_concurrent_test
# A leak is a fault as well; a fault ends the test at once.
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
# Without it a report names no functions. Debian's clang looks for one of its own version only.
if symbolizer=$(command -v llvm-symbolizer-16 || command -v llvm-symbolizer); then
  export ASAN_SYMBOLIZER_PATH=$symbolizer
fi
tests=(ctest --test-dir build/fuzz -j"$(nproc)" --output-on-failure)

build() { scripts/build.sh fuzz "${strangers[@]/#/tests_}" "$threads" fuzzers bennu; }

case $scope in
  build)
    build
    ;;
  strangers)
    build
    labels=$(IFS='|'; echo "${strangers[*]}|threads")
    "${tests[@]}" -L "^($labels)\$" -LE '^(peers|long|install|fuzz)$'
    ;;
  all)
    scripts/build.sh fuzz
    "${tests[@]}" -LE '^(peers|long|lint|install|fuzz)$' \
      -E '^(crash\..*|sql\.hostile\.(split|salted|flushed|compacted|reopened|killed))$'
    ;;
  *)
    echo "usage: $0 [strangers|all|build]" >&2
    exit 2
    ;;
esac
