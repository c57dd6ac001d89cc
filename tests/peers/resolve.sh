#!/usr/bin/env bash
# What the tests share, before several of them want it at a time: the kit's jars and its archive of classes, in PEER_JARS.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/serve.sh"
want "a JDK (11 or newer) and Maven" java javac mvn
PEER_HOME=$(mktemp -d)
export PEER_HOME
trap 'rm -rf "$PEER_HOME"' EXIT
rm -rf "$PEER_JARS/ports"
"$here/kit/peer" classpath >/dev/null
archive=$PEER_JARS/classes.jsa
echo "well: $(tr : '\n' <"$PEER_JARS/path.txt" | wc -l) jars, $(
  [[ -f $archive ]] && echo "an archive of $(stat -c %s "$archive") bytes" || echo "no archive")"
