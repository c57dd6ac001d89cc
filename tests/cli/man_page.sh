#!/usr/bin/env bash
# The man page: it has each command of `bennu --help` and each option of each of them, and nothing that
# is not there.
#   man_page.sh PATH-OF-BENNU MAN-PAGE
set -uo pipefail
page=$(realpath "${2:?the man page}")
. "$(dirname "$0")/lib.sh"

# options COMMAND…: what --help tells of, one a line, without --help itself, which the page explains for all.
options() {
  "$bennu" "$@" --help | sed -n '/^Options:/,/^$/p' | grep -oE '^  --?[A-Za-z][A-Za-z,-]*' | tr -d ' ' |
    tr , '\n' | grep -vxE -- '-h|--help' | sort -u
}
commands() { "$bennu" "$@" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
# Without what only sets the type, and with plain hyphens.
plain=$(sed -e 's/\\-/-/g' -e 's/\\f[BIR]//g' "$page")
# section NAME: the text of one command.
section() { awk -v name="$1" '/^\.SS / { in_it = $2 == name } in_it' <<<"$plain"; }
words() { grep -oE -- '(^|[][ ,."()])--?[A-Za-z][A-Za-z-]*' | grep -oE -- '--?[A-Za-z][A-Za-z-]*' | sort -u; }

check "there are commands" yes "$([[ $(commands | wc -l) -ge 10 ]] && echo yes)"
common=$(section COMMON | words)
for command in $(commands); do
  check "$command is there" 1 "$(grep -cx "\.SS $command" <<<"$plain")"
  wanted=$(
    options "$command"
    # The commands of a command want a directory before them.
    for action in $([[ $command == snapshot ]] && commands snapshot); do options snapshot x "$action"; done
  )
  text=$(section "$command")
  known=$(words <<<"$text"; echo "$common")
  for option in $wanted; do
    check "$command: $option" yes "$(grep -qxF -e "$option" <<<"$known" && echo yes || echo missing)"
  done
  for option in $(words <<<"$text"); do
    check "$command: $option is one of its options" yes \
      "$(grep -qxF -e "$option" <<<"$wanted" && echo yes || echo no)"
  done
done
for action in $(commands snapshot); do
  check "snapshot $action" yes "$(section snapshot | grep -qw "$action" && echo yes)"
done
for option in $(options); do
  check "$option" yes "$(words <<<"$plain" | grep -qxF -e "$option" && echo yes)"
done
if command -v man >/dev/null && command -v groff >/dev/null; then
  check "no complaint of the formatter" "" "$(groff -man -Tutf8 -ww -z "$page" 2>&1)"
fi

echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
