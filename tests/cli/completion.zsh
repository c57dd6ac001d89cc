#!/usr/bin/env zsh
# What the completion for zsh offers.
#   completion.zsh PATH-OF-BENNU COMPLETION-FILE
path=(${1:A:h} $path)
typeset -a offered
typeset -i checks=0 failures=0
# The completion system's own functions, which stand in no shell without a prompt: those that
# _bennu calls note what they are given.
compadd() { [[ $1 == -a ]] && offered+=("${(@P)2}") }
_describe() { offered+=("${(@)${(@P)2}%%:*}") }
_files() { offered+=(FILES) }
PREFIX=- CURRENT=2
typeset -a words=(bennu -)
autoload_text="$(<$2)"
# The file ends with a call, as compinit wants it.
eval "${autoload_text%_bennu \"\$@\"}"

# offers "WORDS" EXPECTED…: for the last word, which may be empty, of what begins with it.
offers() {
  words=("${(@s: :)1}")
  CURRENT=$#words PREFIX=$words[-1] offered=()
  _bennu
  local found="${(j: :)${(@M)offered:#($PREFIX*|FILES)}}"
  checks+=1
  [[ $found == "$2" ]] && return
  failures+=1
  print -r -- "FAILED: $1: expected '$2', got '$found'"
}

offers "bennu sn" "snapshot"
offers "bennu load --no" "--no-header"
offers "bennu load --f" ""  # --format stands in the examples only
offers "bennu export -D" "-D"
offers "bennu backup --conf" "--conf --config"
offers "bennu sql --format js" "json jsonl"
offers "bennu sql db --format ta" "table"
offers "bennu sql --tenant " "FILES"
offers "bennu snapshot db re" "restore"
offers "bennu snapshot db clone --sq" "--sql"
offers "bennu load d" "FILES"
print "$checks checks, $failures failed"
((failures == 0))
