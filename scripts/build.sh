#!/usr/bin/env bash
# Configures and builds one preset: scripts/build.sh [PRESET [TARGET…]]. The default is release, all.
# More CMake arguments may stand in BENNU_CMAKE_ARGS, the count of compile jobs in BENNU_JOBS.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true

arguments=()
if command -v ccache >/dev/null; then
  arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # Objects are shared between checkouts in different directories.
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
read -r -a more <<<"${BENNU_CMAKE_ARGS:-}"
arguments+=("${more[@]}")

# Its errors and warnings come on standard error; the rest is of no interest.
cmake --preset "$preset" "${arguments[@]}" >/dev/null

build=(cmake --build "build/$preset")
[[ -n "${BENNU_JOBS:-}" ]] && build+=(--parallel "$BENNU_JOBS")
[[ $# -gt 0 ]] && build+=(--target "$@")
exec "${build[@]}"
