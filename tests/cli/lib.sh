# What the scripts that test the command line have in common; sourced with the path of bennu. They run
# in a directory of their own, 'work', which is removed at the end.
bennu=$(realpath "${1:?the path of the bennu program}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checks=0
failures=0

# check NAME EXPECTED ACTUAL
check() {
  checks=$((checks + 1))
  if [[ "$2" != "$3" ]]; then
    failures=$((failures + 1))
    printf 'FAILED %s\n--- expected\n%s\n--- got\n%s\n' "$1" "$2" "$3"
  fi
}
# exits NAME CODE COMMAND…: its output is in the files out and err.
exits() {
  local name=$1 code=$2 actual=0
  shift 2
  timeout 60 "$@" >out 2>err || actual=$?
  check "$name: exit code ($(head -1 err))" "$code" "$actual"
}
# start_server ARGUMENT…: of `bennu serve`; returns when it is ready, or has ended. Its number is in
# 'server', what it printed in the files served, errors and ready.
start_server() {
  rm -f ready
  "$bennu" serve "$@" --ready-file ready >served 2>errors &
  server=$!
  for _ in $(seq 1 300); do
    [[ -s ready ]] && return
    kill -0 "$server" 2>/dev/null || return
    sleep 0.1
  done
}
# port_of NAME: of the ready line.
port_of() { sed -E "s/.* $1=[^ ]*:([0-9]+).*/\1/" ready; }
