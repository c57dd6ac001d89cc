#!/usr/bin/env bash
# Apache HBase's own tests of its client, as published, against `bennu serve`: see hbase_tests/README.md. Fails when a
# method does not pass that hbase_tests/outcomes.txt does not list.
#   hbase_tests.sh PATH-OF-BENNU quick|all|CLASS…      a CLASS as in hbase_tests/classes.txt
set -euo pipefail
bennu=$(realpath "${1:?the path of the bennu program}")
shift
[[ $# -ge 1 ]] || { echo "quick, all, or classes" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
tests=$here/hbase_tests
. "$here/serve.sh"
want "a JDK (11 or newer) and Maven" java javac jar mvn
work=$(mktemp -d)
export PEER_HOME=${PEER_HOME:-$work/peer}
export PEER_JARS=${PEER_JARS:-$PEER_HOME}
workers=()
# More than there are cores: most of a test's time is spent in waiting.
workers_count=4
# A class in which something hangs ends its process, so the limits bound the time of the whole run.
if [[ $1 == quick ]]; then method_seconds=40 class_seconds=100; else method_seconds=120 class_seconds=420; fi

at_end() {
  local worker
  # A worker is the leader of its group: its Java ends the servers that it has started.
  for worker in "${workers[@]}"; do kill -TERM -- "-$worker" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap at_end EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
quietly() { "$@" >"$work/output" 2>&1 || { tail -n 20 "$work/output" >&2; fail "$1"; }; }

echo "== jars"
mkdir -p "$PEER_HOME" "$PEER_JARS" "$work/conf" "$work/claims" "$work/java"
quietly "$here/kit/peer" classpath
kit_path=$(tail -1 "$work/output")
extra=$PEER_JARS/hbase_tests_classpath.txt
if [[ ! -s $extra || $tests/pom.xml -nt $extra ]]; then
  quietly flock "$PEER_JARS/lock" mvn -q -B -f "$tests/pom.xml" process-resources -Dpeer.home="$PEER_JARS"
  touch "$extra"
fi
quietly javac -nowarn -d "$work/java" -cp "$kit_path:$(<"$extra")" "$tests"/peers/*.java
jar cfm "$work/agent.jar" "$tests/MANIFEST.MF" -C "$work/java" .
cp "$tests/hbase-site.xml" "$tests/log4j.properties" "$work/conf"

# "-METHOD" leaves a method out; behind the word "quick" only then.
case $1 in
quick) sed -nE '/^#/d; s/^(.*) quick/\1/p' "$tests/classes.txt" ;;
all) sed -E '/^#/d; s/ quick.*//' "$tests/classes.txt" ;;
*) printf '%s\n' "$@" ;;
esac >"$work/classes"
: >"$work/results"

# The files of 'conf' come before those of the kit.
export PEER_CLASSES_FIRST=$work/conf:$work/agent.jar:$(<"$extra")
# work_as NAME: until all classes are taken. Statuses 3 and 4 ask for a new process.
work_as() {
  local status=3
  # One test changes the files below target/test-classes.
  mkdir -p "$work/in-$1/target/test-classes"
  cp "$tests/hbase-site.xml" "$work/in-$1/target/test-classes"
  cp "$tests/hbase-site.xml" "$work/in-$1/target/test-classes/override-hbase-site.xml"
  cd "$work/in-$1"
  while [[ $status -eq 3 || $status -eq 4 ]]; do
    status=0
    PEER_CLIENT_OPTS="-Xmx1536m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -javaagent:$work/agent.jar
      -Dlog4j.configuration=file:$work/conf/log4j.properties -Dpeers.work=$work -Dpeers.bennu=$bennu -Dpeers.log=$work/client-$1.log -Dpeers.server.log=$work/server-$1.log
      -Djava.io.tmpdir=$work -Duser.home=$work/in-$1 -Dtest.build.data.basedirectory=$work/data-$1" \
      "$here/kit/peer" java peers.Runner "$1" "$work/classes" "$work/results" "$method_seconds" "$class_seconds" \
      >>"$work/output-$1" 2>&1 || status=$?
  done
  return "$status"
}

echo "== $(wc -l <"$work/classes") classes"
set -m
for ((i = 1; i <= workers_count; i++)); do
  work_as "$i" &
  workers+=($!)
done
set +m
for worker in "${workers[@]}"; do
  wait "$worker" || { tail -n 20 "$work"/output-* >&2; fail "a process that runs the tests ended by itself"; }
done
workers=()
[[ -z ${HBASE_TESTS_KEEP:-} ]] || cp "$work"/results "$work"/output-* "$work"/server-*.log "$HBASE_TESTS_KEEP"

# Counts of single classes have no bound.
"$here/kit/peer" java peers.Verdict "$work/classes" "$work/results" "$tests/outcomes.txt" "$1" ||
  fail "methods that are not listed do not pass, or too few do (at $SECONDS s)"
echo "well (at $SECONDS s)"
