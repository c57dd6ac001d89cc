#!/usr/bin/env bash
# Installs what the build needs from Debian's own packages, and only what is missing. Asks for
# nothing when all is there. With --lint also what `make lint` and the fuzzers need, with --docs what
# `make docs` needs, with --peers what `make test-peers` needs beside a JDK and Maven.
set -euo pipefail

build_packages=(
  g++ cmake ninja-build ccache mold pkg-config libboost-dev protobuf-compiler libprotobuf-dev
  zlib1g-dev libsnappy-dev liblz4-dev libzstd-dev libpcre2-dev libssl-dev libhowardhinnant-date-dev libedit-dev libexpat1-dev libcli11-dev libfmt-dev
  libgtest-dev libgmock-dev nlohmann-json3-dev libbenchmark-dev libsqlite3-dev librocksdb-dev zstd python3 dpkg-dev file openssl libcrypt-dev libzookeeper-mt-dev zsh
)
lint_packages=(git clang-16 clang-tidy-16 clang-format-16 libclang-rt-16-dev strace)
docs_packages=(doxygen)
peers_packages=(python3-venv chromium iproute2)

packages=("${build_packages[@]}")
if [[ "${1:-}" == "--lint" ]]; then
  packages+=("${lint_packages[@]}")
elif [[ "${1:-}" == "--docs" ]]; then
  packages=("${docs_packages[@]}" python3)
elif [[ "${1:-}" == "--peers" ]]; then
  packages=("${peers_packages[@]}" python3)
elif [[ $# -gt 0 ]]; then
  echo "usage: $0 [--lint|--docs|--peers]" >&2
  exit 2
fi

explain_by_hand() {
  echo "Please install these (Debian's names) with your system's own means, then run make again:" >&2
  printf '  %s\n' "$@" >&2
  echo "docs/dependencies.md says what each is for." >&2
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Not a Debian: look for the tools and leave the libraries to CMake, which names what it misses.
  missing=()
  for tool in g++ cmake ninja pkg-config protoc python3; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if [[ ${#missing[@]} -gt 0 ]]; then
    echo "This system has no apt-get, and these tools are missing: ${missing[*]}" >&2
    explain_by_hand "${packages[@]}"
    exit 1
  fi
  exit 0
fi

missing=()
installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' | sed -n 's/^ii  *//p')
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "Packages are missing, and this is neither root nor is there a sudo." >&2
    explain_by_hand "${missing[@]}"
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing: ${missing[*]}"
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}
if ! install; then
  echo "Refreshing the package lists once, then trying again."
  if ! { "${as_root[@]}" apt-get update -q && install; }; then
    explain_by_hand "${missing[@]}"
    exit 1
  fi
fi
