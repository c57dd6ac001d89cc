#!/usr/bin/env python3
"""Runs clang-tidy over the sources below src/ that a build compiles, two at a time.

    run_tidy.py COMPILE_COMMANDS [--since COMMIT] [--seconds N]

Those that changed last come first. With --seconds no further source is begun after that time, and
the number of those left out is printed. Exit status 1 when there is a finding.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

from compiled_sources import ROOT, compiled_entries

JOBS = 2
# What clang-tidy says about itself.
CHATTER = re.compile(r"^\d+ warnings? (and|generated)|^Suppressed|^Use -header")


def newest_first(paths):
    """Returns the paths by the time of their last commit; what has none is the newest."""
    log = subprocess.run(["git", "log", "--format=", "--name-only", "--", "src"], cwd=ROOT,
                         check=False, capture_output=True, text=True).stdout
    rank = {}
    for path in log.split():
        rank.setdefault(path, len(rank) + 1)
    return sorted(paths, key=lambda path: rank.get(path, 0))


def tidy(path, build):
    """Returns (whether there is no finding, what to print) for one source."""
    done = subprocess.run(
        ["clang-tidy-16", "-p", build, "--quiet", "--extra-arg=-Wno-unknown-warning-option", path],
        cwd=ROOT, check=False, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if not CHATTER.match(line)]
    return done.returncode == 0, "\n".join(filter(None, [done.stdout.strip(), *errors]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compile_commands")
    parser.add_argument("--since")
    parser.add_argument("--seconds", type=float)
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds if arguments.seconds else None
    paths = newest_first(compiled_entries(arguments.compile_commands, arguments.since))
    build = os.path.dirname(arguments.compile_commands)

    def work(path):
        if end is not None and time.monotonic() > end:
            return None
        return tidy(path, build)

    failed = left_out = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for result in pool.map(work, paths):
            if result is None:
                left_out += 1
                continue
            well, text = result
            failed += not well
            if text:
                print(text, flush=True)
    if left_out:
        print(f"clang-tidy: no time for {left_out} of {len(paths)} sources, those unchanged longest")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
