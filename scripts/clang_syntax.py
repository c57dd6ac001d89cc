#!/usr/bin/env python3
"""Compiles the sources below src/ with clang without making code, thread-safety analysis on.

    clang_syntax.py COMPILE_COMMANDS [--since COMMIT]

The product is built with g++, which knows nothing of GUARDED_BY; this is where the annotations are
checked. Each header beside these sources, and each public one, is read alone as well, so that none
leans on what its users include before it. Exit status 1 when clang refuses one.
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
    """Turns g++'s command line into clang's, without the source, keeping what decides its meaning."""
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
    return [COMPILER, "-fsyntax-only", "-Wthread-safety", "-Werror", *kept]


def commands(entries):
    """Returns {path: (command, directory)} for the sources and the headers that belong to them."""
    result = {}
    folders = {}
    for path, entry in entries.items():
        command = clang_command(entry)
        result[path] = (command + [entry["file"]], entry["directory"])
        folders.setdefault(os.path.dirname(path), (command, entry["directory"]))
    if folders:
        folders[os.path.join("include", "bennu")] = next(iter(folders.values()))
    for folder, (command, directory) in folders.items():
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.endswith(".h"):
                path = os.path.join(folder, name)
                alone = ["-include", os.path.join(ROOT, path), "-x", "c++", os.devnull]
                result[path] = (command + alone, directory)
    return result


def check(item):
    path, (command, directory) = item
    done = subprocess.run(command, cwd=directory, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return path, done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compile_commands")
    parser.add_argument("--since")
    arguments = parser.parse_args()
    entries = compiled_entries(os.path.join(ROOT, arguments.compile_commands), arguments.since)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for path, status, output in pool.map(check, commands(entries).items()):
            if status != 0:
                failed += 1
                print(f"{path}:\n{output}")
    print(f"clang read {len(entries)} sources and their headers, refused {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
