#!/usr/bin/env bash
# The Debian packages of program and library: what is in them, that the program runs in a root with
# nothing but the package and the shared libraries that it asks for, that these are of packages which
# it depends on, that a program is built with the library's package, and that the completions know the
# commands.
#   package.sh BUILD-FOLDER [COMPILER]
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

# In a root of its own, which only root may change to.
root=$work/root
mkdir -p "$root/usr/bin" "$root/tmp"
cp "$bennu" "$root/usr/bin"
for file in $(ldd "$bennu" | grep -oE '/[^ ]+'); do
  mkdir -p "$root$(dirname "$file")"
  cp -L "$file" "$root$file"
done
if [[ $(id -u) == 0 ]] && command -v chroot >/dev/null; then
  answer=$(chroot "$root" /usr/bin/bennu sql /store --format csv -c "CREATE TABLE T (K DATE PRIMARY KEY)" \
    -c "UPSERT INTO T VALUES (DATE '2024-05-01 10:00:00')" -c "SELECT K FROM T")
  [[ $answer == *$'K\n2024-05-01 10:00:00' ]] || fail "in a root of its own it answers $answer"
  [[ -e $root/store/hbase.version ]] || fail "the store is not in the root"
else
  echo "not tried in a root of its own: that takes root's rights"
fi

# The library, as a user's project finds it.
source=$(cd "$(dirname "$0")/../../examples/embed" && pwd)
cmake -S "$source" -B "$work/embed" -DCMAKE_PREFIX_PATH="$work/tree/usr" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="${2:-c++}" >"$work/log" 2>&1 || { cat "$work/log"; fail "find_package(bennu)"; }
grep -q "bennu_DIR:PATH=$work/tree/usr/" "$work/embed/CMakeCache.txt" || fail "another bennu was found"
cmake --build "$work/embed" >"$work/log" 2>&1 || { cat "$work/log"; fail "building examples/embed"; }
answer=$("$work/embed/embed" "$work/embedded")
[[ $answer == *"JFK 2 flights"* ]] || fail "the program of the library answers $answer"

# Each shared library is of a package that the program's depends on, or of one that those bring.
depends=$(dpkg-deb -f "$program" Depends)
for name in libprotobuf libfmt libssl libedit libzookeeper; do
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
