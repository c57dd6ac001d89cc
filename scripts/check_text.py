#!/usr/bin/env python3
"""Looks through the project's files for what must not be in them, or must not be tracked.

Of tracked files: stores, dumps and what fuzzers leave behind; whoever tries the program in a clone may
have a store there that git does not know. In text, also of new files: paths of somebody's machine, markers of an
unfinished merge, files and clocks reached past Env, and, in C++ and scripts, tabs and blanks at the
end of a line. Recorded data (tests/golden, tests/sql, examples' data) is as it was recorded
and not looked at. Exit status 1 when something is found.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = (".h", ".cc", ".py", ".sh", ".cmake", ".proto")
TEXTS = SOURCES + (".md", ".txt", ".json", ".yml", ".yaml", "Makefile", "run")
RECORDED = ("tests/golden/", "tests/sql/", "tests/fuzz/corpus/", "tests/conformance/")
THIS = "scripts/check_text.py"

# What goes past Env (src/base/env.h), so that fault tests and replay by seed would not see it. The
# command line talks to the terminal itself.
PAST_ENV = re.compile(
    r"std::[io]?fstream|std::filesystem|\bfopen\(|::(?:open|write|read|rename|unlink)\(|"
    r"std::(?:this_thread::sleep|random_device)|_clock::now\(|\b(?:clock_gettime|gettimeofday|rand)\(")

# Names of what a run leaves behind: an input that a fuzzer stopped at, a dump, parts of a store.
LEFT_BEHIND = re.compile(
    r"^(?:(?:crash|leak|oom|timeout|slow-unit)-[0-9a-f]{40}|core(?:\.\d+)?|vgcore\.\d+|"
    r"hbase\.version|hbase\.id|\.bennu\.\w+|.*\.(?:orig|rej|swp|profraw))$")
KEPT_INPUTS = "tests/fuzz/"  # inputs that were found are kept there, by name

# What the call returns is gone before the first turn when it is an owner, as of what a store consists of,
# which flushes and compactions replace. Only C++23 keeps it alive. (Messages own their fields.)
OF_A_TEMPORARY = re.compile(
    r"\bfor \([^;]* : (?:[^;]*\w\([^()]*\)->\w+|\*(?!.*\bmutable_\w+\(\))[^;]*\w\([^()]*\))\) ?(?:\{|\w[^;]*;|$)")

RULES = (
    # (what it is, pattern, where it is looked for)
    ("a path of one machine", re.compile(r"(?<![\w.$}])/(?:work|home|root|Users|mnt)/[\w.]"),
     lambda path: True),
    ("a path in the temporary directory; use TMPDIR or mktemp",
     re.compile(r"(?<![\w.$}])/tmp/[\w.]"), lambda path: not path.startswith("tests/")),
    ("a merge marker", re.compile(r"^(?:<{7} |={7}$|>{7} )"), lambda path: True),
    ("a blank at the end of the line", re.compile(r"[ \t]+$"),
     lambda path: path.endswith(SOURCES)),
    ("a file, clock or random number past Env", PAST_ENV,
     lambda path: path.startswith("src/") and not path.startswith(("src/base/", "src/cli/"))),
    ("a loop over what a call's result points to; name the result first", OF_A_TEMPORARY,
     lambda path: path.endswith((".h", ".cc"))),
    ("a tab", re.compile(r"\t"), lambda path: path.endswith(SOURCES)),
)


def project_files(root):
    """Returns the sets of tracked and of new files, relative to the root, without ignored ones.

    Where there is no git, all files are new."""
    def listed(*options):
        done = subprocess.run(["git", "ls-files", *options], cwd=root, check=True,
                              capture_output=True, text=True)
        return set(done.stdout.splitlines())
    try:
        return listed("--cached"), listed("--others", "--exclude-standard")
    except (OSError, subprocess.CalledProcessError):
        found = set()
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in (".git", "build")]
            found.update(os.path.relpath(os.path.join(folder, name), root) for name in names)
        return set(), found


def findings(root):
    """Yields a line for each thing that is found below 'root'."""
    tracked, new = project_files(root)
    for path in sorted(tracked | new):
        full = os.path.join(root, path)
        if (path in tracked and LEFT_BEHIND.match(os.path.basename(path))
                and not path.startswith(KEPT_INPUTS) and os.path.exists(full)):
            yield f"{path}: left behind by a run; remove it"
        if path == THIS or path.startswith(RECORDED) or not path.endswith(TEXTS):
            continue
        if not os.path.isfile(full):
            continue
        with open(full, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                for what, pattern, applies in RULES:
                    if applies(path) and pattern.search(line.rstrip("\n")):
                        yield f"{path}:{number}: {what}: {line.strip()[:120]}"


def main():
    found = list(findings(ROOT))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
