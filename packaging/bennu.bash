# Completion of bennu's commands and options for bash. What there is the program itself tells.
_bennu() {
  local word=${COMP_WORDS[COMP_CWORD]} command=
  local i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  if [[ -z $command ]]; then
    local commands
    commands=$(bennu --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
  elif [[ $word == -* ]]; then
    local options
    options=$(bennu "$command" --help 2>/dev/null | grep -oE '(^|[ ,])--?[a-z-]+' | tr -d ' ,')
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    compopt -o default
  fi
}
complete -F _bennu bennu
