#!/usr/bin/env python3
"""Checks that a death is tried at every failpoint.

Each name in BENNU_FAILPOINT("..."), CrashPoint or PassFailpoint of src/ must stand in a list of points of
tests/crash/crash_test.cc, where a process is killed at each of them, or in ELSEWHERE below with the
test that tries it. The calls of the file system (EnvFailpoint, InjectedErrno) stand in the list of
tests/crash/crash_walk.cc, which dies at each of their passages. Code that serves several changes has its
points in a table, constexpr Points k…Points. A name that is in a list and no longer in src/ is told as well.

Exit status 1 when a rule is broken. Needs nothing but Python's standard library.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CRASH_TEST = "tests/crash/crash_test.cc"
CRASH_TESTS = (CRASH_TEST, "tests/crash/crash_walk.cc")

# Name: the test that tries it. It must name the point.
ELSEWHERE = {
    # `bennu check --repair` and the log after a failed append, where a test dies at each call.
    "env.truncate": "tests/base/failpoint_test.cc",
    # It needs rows of local indexes.
    "region.change.between_moved_files": "tests/bennu/local_indexes_test.cc",
    # Only behind a failed append.
    "wal.before_cut": "tests/engine/root/log_fault_test.cc",
}

USE = re.compile(r'\b(?:BENNU_FAILPOINT|CrashPoint|PassFailpoint|EnvFailpoint|InjectedErrno)\(\s*"([^"]+)"\s*\)')
# Points that one piece of code passes under several names.
TABLE = re.compile(r"constexpr Points k\w*Points\s*=\s*\{(.*?)\};", re.DOTALL)
LIST = re.compile(r"constexpr const char\* k\w*Points\[\]\s*=\s*\{(.*?)\};", re.DOTALL)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def points_in(text):
    """The names of points in a source's text."""
    tables = "".join(TABLE.findall(text))
    return USE.findall(text) + re.findall(r'"([^"]+)"', tables)


def used():
    """Name -> the file that has the point."""
    names = {}
    for folder, _, files in os.walk(os.path.join(ROOT, "src")):
        for name in sorted(files):
            if not name.endswith((".cc", ".h")):
                continue
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            # The header's comment shows how to use it.
            if path == os.path.join("src", "base", "failpoint.h"):
                continue
            for point in points_in(read(path)):
                names.setdefault(point, path)
    return names


def check(points, killed, elsewhere, text_of):
    """The problems, as lines. 'text_of' gives a test's text by its path."""
    problems = []
    if not points or not killed:
        problems.append(f"no points found in src/, or no list of them in {CRASH_TEST}")
    for name, path in sorted(points.items()):
        if name not in killed and name not in elsewhere:
            problems.append(f"{path}: nobody dies at {name}; add it to a list in {CRASH_TEST}, or to "
                            f"ELSEWHERE in scripts/check_failpoints.py with the test that tries it")
    for name in sorted(killed - points.keys()):
        problems.append(f"{CRASH_TEST}: {name} is in a list, and nowhere in src/")
    for name, path in sorted(elsewhere.items()):
        if name not in points:
            problems.append(f"scripts/check_failpoints.py: {name} is nowhere in src/")
        elif name in killed:
            problems.append(f"scripts/check_failpoints.py: {name} is in a list of {CRASH_TEST}")
        elif name not in text_of(path):
            problems.append(f"{path}: does not name {name}, as scripts/check_failpoints.py says")
    return problems


def main():
    lists = [text for path in CRASH_TESTS for text in LIST.findall(read(path))]
    killed = {name for text in lists for name in re.findall(r'"([^"]+)"', text)}
    problems = check(used(), killed, ELSEWHERE, read)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
