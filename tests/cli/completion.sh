#!/usr/bin/env bash
# What the completion for bash offers.
#   completion.sh PATH-OF-BENNU COMPLETION-FILE
set -uo pipefail
completion=$(realpath "${2:?the completion file}")
. "$(dirname "$0")/lib.sh"
PATH=$(dirname "$bennu"):$PATH
# The completion of file names is the shell's own; outside a prompt there is no `compopt`.
compopt() { COMPREPLY=(FILES); }
. "$completion"

# offers "WORDS" EXPECTED: for the last word, which may be empty.
offers() {
  IFS=' ' read -ra COMP_WORDS <<<"$1"
  [[ $1 == *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _bennu
  check "$1" "$2" "${COMPREPLY[*]}"
}

offers "bennu sn" "snapshot"
offers "bennu --v" "--version"
offers "bennu load --f" ""  # --format stands in the examples only
offers "bennu load -c" ""
offers "bennu load --no" "--no-header"
offers "bennu load --he" "--help"
offers "bennu export -D" "-D"
offers "bennu backup --conf" "--conf --config"
offers "bennu sql --format js" "json jsonl"
offers "bennu sql db --format ta" "table"
offers "bennu sql --tenant " "FILES"
offers "bennu snapshot db re" "restore"
offers "bennu snapshot db clone --sq" "--sql"
offers "bennu load d" "FILES"
printf "%d checks, %d failed\n" "$checks" "$failures"
[[ $failures -eq 0 ]]
