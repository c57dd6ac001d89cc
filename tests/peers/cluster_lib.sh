# What the tests of SQL over a real cluster have in common; sourced, in place of lib.sh, which it sources.
# Wants: bennu (the program), here (this folder).
. "$here/lib.sh"
cluster=hbase://127.0.0.1:$PEER_ZK_PORT/hbase

# run SQL…: prints the rows as CSV, with a header.
run() { timeout 120 "$bennu" sql "$cluster" --format csv "$@"; }
# told WHAT EXPECTED ACTUAL
told() {
  [[ $2 == "$3" ]] || fail "$1: expected '$2', got '$3'"
  checks=$((checks + 1))
}
# java_sql FILE: its statements by Java Phoenix; what they answer is in $work/java.
java_sql() {
  timeout 200 "$kit" sql "$1" >"$work/java" 2>"$work/errors" ||
    fail "Phoenix: $(grep -m1 Exception "$work/errors" || tail -3 "$work/java")"
}
