#!/usr/bin/env python3
"""Compiles the sources below src/ with clang without making code, thread-safety analysis on.

    clang_syntax.py COMPILE_COMMANDS [--since COMMIT]

The product is built with g++, which knows nothing of GUARDED_BY; this is where the annotations are
checked. Exit status 1 when clang refuses a source.
"""
import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys

from compiled_sources import ROOT, compiled_entries

COMPILER = "clang++-16"
KEPT = ("-I", "-D", "-std=", "-W", "-isystem", "-f")
DROPPED = ("-fsanitize", "-Wno-restrict", "-Wno-maybe-uninitialized")


def clang_command(entry):
    """Turns g++'s command line into clang's, keeping what decides the meaning of the source."""
    words = shlex.split(entry["command"]) if "command" in entry else entry["arguments"]
    kept = []
    take_next = False
    for word in words:
        if take_next:
            kept.append(word)
            take_next = False
        elif word.startswith(KEPT) and not word.startswith(DROPPED):
            kept.append(word)
            take_next = word in ("-I", "-D", "-isystem")
    return [COMPILER, "-fsyntax-only", "-Wthread-safety", "-Werror", *kept, entry["file"]]


def check(item):
    path, entry = item
    done = subprocess.run(clang_command(entry), cwd=entry["directory"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return path, done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compile_commands")
    parser.add_argument("--since")
    arguments = parser.parse_args()
    entries = compiled_entries(os.path.join(ROOT, arguments.compile_commands), arguments.since)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for path, status, output in pool.map(check, entries.items()):
            if status != 0:
                failed += 1
                print(f"{path}:\n{output}")
    print(f"clang read {len(entries)} sources, refused {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
