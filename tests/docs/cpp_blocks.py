#!/usr/bin/env python3
"""Compiles the C++ examples of README.md and the pages below docs/ against the public headers.

    cpp_blocks.py COMPILER

A block is either a whole source, or statements of a function that returns a bennu::Status; its
#include lines come first either way. Nothing is linked or run: examples/ has whole programs.
"""

import concurrent.futures
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DEFINES = re.compile(r"^(?:class|struct|namespace|int main|template)\b", re.MULTILINE)


def source(block):
    """The block as a source of its own."""
    lines = block.splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    rest = "\n".join("" if line.startswith("#include") else line for line in lines)
    if DEFINES.search(rest):
        return block
    return "\n".join(includes + ["bennu::Status Example() {", rest, "return bennu::Status::Ok();", "}"])


def problem(compiler, page, text, start):
    """Returns what the compiler says of the block at 'start', or nothing."""
    line = text.count("\n", 0, start) + 1
    done = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-I", os.path.join(ROOT, "include"), "-x", "c++", "-"],
        input=source(BLOCK.match(text, start).group(1)), capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{os.path.relpath(page, ROOT)}:{line}:\n{done.stderr}"


def main():
    compiler = sys.argv[1]
    pages = [os.path.join(ROOT, "README.md")]
    pages += sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
    blocks = []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        blocks += [(page, text, found.start()) for found in BLOCK.finditer(text)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [one for one in pool.map(lambda block: problem(compiler, *block), blocks) if one]
    print("\n".join(problems) or f"{len(blocks)} blocks compile")
    return 1 if problems or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
