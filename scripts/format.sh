#!/usr/bin/env bash
# Formats every C++ source with clang-format 16; with --check changes nothing and fails where it
# would have.
set -euo pipefail
cd "$(dirname "$0")/.."

arguments=(-i)
[[ "${1:-}" == "--check" ]] && arguments=(--dry-run -Werror)
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' |
  xargs -0 --no-run-if-empty -n 40 -P 2 clang-format-16 "${arguments[@]}"
