#!/bin/sh
# run_folder.sh BENNU FOLDERS [MODE…]: runs the recordings of a folder, or of several with commas
# between, and compares the answers; with modes (`bennu sqltest --help`) under hostile circumstances.
# BENNU_SQL names the folder of all recordings when it is not the one beside this script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bennu=$1
folders=$2
shift 2
# Hostile runs make thousands of files that nobody needs: in memory where there is such a place.
if [ $# -gt 0 ] && [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
  export TMPDIR=/dev/shm
fi
modes=
for mode in "$@"; do modes="$modes --mode $mode"; done
paths=
for folder in $(echo "$folders" | tr ',' ' '); do
  paths="$paths ${BENNU_SQL:-$here/recorded}/$folder"
done
# shellcheck disable=SC2086  # the lists are made of words
exec "$bennu" sqltest --deviations "$here/deviations" --pending "$here/pending" $modes $paths
