#!/usr/bin/env bash
# The Debian packages of program and library: what is in them, that the program runs from an empty
# root, that it needs nothing but what the package says, and that its completions know its commands.
#   package.sh BUILD-FOLDER
set -euo pipefail
build=$(realpath "${1:?the build folder}")
for tool in dpkg-deb dpkg-shlibdeps cpack; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cpack --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "cpack"; }
program=$(ls "$work"/packages/bennu_*.deb)
library=$(ls "$work"/packages/libbennu-dev_*.deb)
mkdir "$work/tree"
dpkg-deb -x "$program" "$work/tree"
dpkg-deb -x "$library" "$work/tree"
for file in usr/bin/bennu usr/share/man/man1/bennu.1* usr/share/zsh/vendor-completions/_bennu \
  usr/share/bash-completion/completions/bennu usr/share/doc/bennu/copyright \
  usr/share/doc/bennu/examples/bennu.service usr/include/bennu/database.h usr/lib/libbennu.a \
  usr/lib/cmake/bennu/bennuConfig.cmake; do
  compgen -G "$work/tree/$file" >/dev/null || fail "there is no $file"
done

bennu=$work/tree/usr/bin/bennu
answer=$(cd "$work" && "$bennu" sql :memory: --format csv -c "SELECT 6 * 7 AS A")
[[ $answer == $'A\n42' ]] || fail "the program answers $answer"

# Each shared library is of a package that the program's depends on, or of one that those bring.
depends=$(dpkg-deb -f "$program" Depends)
for name in libprotobuf libfmt libssl libedit; do
  [[ $depends == *$name* ]] || fail "Depends lacks $name: $depends"
done
[[ $(dpkg-deb -f "$program" Version) == "$("$bennu" --version | grep -oE '[0-9.]+' | head -1)" ]] ||
  fail "the package's version is not the program's"

commands=$("$bennu" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ $(wc -w <<<"$commands") -ge 10 ]] || fail "no commands: $commands"
for command in $commands; do
  grep -qE "^\.SS $command$" "$work"/tree/usr/share/man/man1/bennu.1 ||
    fail "the man page lacks $command"
done
# As the shell asks for it.
PATH=$work/tree/usr/bin:$PATH bash -c '
  source "$1"
  COMP_WORDS=(bennu se) COMP_CWORD=1
  _bennu
  [[ ${COMPREPLY[*]} == serve ]] || { echo "bennu se: ${COMPREPLY[*]}"; exit 1; }
  COMP_WORDS=(bennu sql data --tim) COMP_CWORD=3
  _bennu
  [[ " ${COMPREPLY[*]} " == *" --timing "* ]] || { echo "--tim: ${COMPREPLY[*]}"; exit 1; }
' _ "$work/tree/usr/share/bash-completion/completions/bennu" || fail "completion"
echo "well: $(basename "$program") and $(basename "$library")"
