# Completion of bennu's commands, options and their values for bash. The help texts of the program say
# what there is.

# _bennu_help COMMAND…: the help text of a command.
_bennu_help() { bennu "$@" --help 2>/dev/null; }
# Of a help text: the names of its commands, and of its options. Examples are in neither part.
_bennu_commands() { sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
_bennu_options() {
  sed -n '/^Options:/,/^$/p' | grep -oE '^  --?[A-Za-z][A-Za-z,-]*' | tr -d ' ' | tr , '\n'
}
# _bennu_values OPTION: the values that the help text lists for an option, as in --format TEXT:{csv,tsv}.
_bennu_values() { sed -n "s/^  .*$1 TEXT:{\([^}]*\)}.*/\1/p" | tr , ' '; }

_bennu() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local -a words=()
  local i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -* ]] || words+=("${COMP_WORDS[i]}")
  done
  local offered=
  if ((${#words[@]} == 0)); then
    offered="$(_bennu_help | _bennu_commands) --help --version"
  elif [[ $before == --* ]]; then
    offered=$(_bennu_help "${words[0]}" | _bennu_values "$before")
  fi
  if [[ -z $offered && $word == -* ]]; then
    offered=$(_bennu_help "${words[0]}" | _bennu_options)
    # An action of `bennu snapshot DIR` has options of its own.
    if [[ ${words[0]} == snapshot && ${#words[@]} -ge 3 ]]; then
      offered+=" $(_bennu_help snapshot "${words[1]}" "${words[2]}" | _bennu_options)"
    fi
  elif [[ -z $offered && ${words[0]} == snapshot && ${#words[@]} -eq 2 ]]; then
    offered=$(_bennu_help snapshot | _bennu_commands)
  fi
  if [[ -n $offered ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$word")
  else
    compopt -o default
  fi
}
complete -F _bennu bennu
