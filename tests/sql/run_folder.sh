#!/bin/sh
# run_folder.sh BENNU FOLDER: runs the recordings of a folder and compares the answers.
# BENNU_SQL names the folder of all recordings when it is not the one beside this script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec "$1" sqltest --deviations "$here/deviations" --pending "$here/pending" \
  "${BENNU_SQL:-$here/recorded}/$2"
