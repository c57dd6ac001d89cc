#!/usr/bin/env bash
# All that can be said of the sources without running them:
#   scripts/lint.sh [format|text|includes|failpoints|threads|tidy]…     the default is all
# Threads and tidy look at each source by itself, by the commands of a configuration of its own in build/lint, where
# only the messages' sources are made. LINT_BASE=COMMIT keeps both to the sources changed since COMMIT. LINT_TIDY_SECONDS=N ends tidy after so long; it begins with
# the sources that changed last, and tells how many it did not come to.
set -uo pipefail
cd "$(dirname "$0")/.."

build=build/lint
steps=("$@")
[[ ${#steps[@]} -eq 0 ]] && steps=(format text includes failpoints threads tidy)

configured=
configure() {
  [[ -n $configured ]] && return
  cmake --preset release -B "$build" -DBENNU_UNITY=OFF -DBENNU_BUILD_TESTS=OFF -DBENNU_BUILD_BENCH=OFF >/dev/null &&
    cmake --build "$build" --target bennu_proto_sources >/dev/null && configured=yes
}

lint_format() { scripts/format.sh --check; }
lint_text() { python3 scripts/check_text.py; }
lint_includes() { python3 scripts/check_includes.py; }
lint_failpoints() { python3 scripts/check_failpoints.py; }

# A lock that is not held where GUARDED_BY wants it is an error here. No code is made, and the
# build's own flags are used but for the few that clang does not know.
lint_threads() {
  configure || return
  python3 scripts/clang_syntax.py "$build/compile_commands.json" ${LINT_BASE:+--since "$LINT_BASE"}
}

lint_tidy() {
  configure || return
  python3 scripts/run_tidy.py "$build/compile_commands.json" ${LINT_BASE:+--since "$LINT_BASE"} \
    ${LINT_TIDY_SECONDS:+--seconds "$LINT_TIDY_SECONDS"}
}

failed=()
for step in "${steps[@]}"; do
  begin=$SECONDS
  if "lint_$step"; then verdict=ok; else verdict=FAILED; failed+=("$step"); fi
  printf 'lint %-9s %s (%d s)\n' "$step" "$verdict" $((SECONDS - begin))
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint failed: ${failed[*]}" >&2
  exit 1
fi
