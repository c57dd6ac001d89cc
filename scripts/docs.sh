#!/usr/bin/env bash
# Makes pages of the public headers in build/docs/html, with Doxygen as docs/Doxyfile says. Fails on
# whatever Doxygen complains of, and on classes without a comment. Single members may be without one:
# their names say enough, or the comment of the member before them covers them.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v doxygen >/dev/null; then
  echo "doxygen is missing: install it with your system's own means, then run make docs again." >&2
  exit 1
fi
rm -rf build/docs
mkdir -p build/docs
if ! doxygen docs/Doxyfile 2>build/docs/messages.txt; then
  cat build/docs/messages.txt >&2
  exit 1
fi
if grep -vE '^$|warning: Member .* is not documented\.$' build/docs/messages.txt >&2; then
  echo "The comments of the public headers need the above; then run make docs again." >&2
  exit 1
fi
echo "Made build/docs/html/index.html"
