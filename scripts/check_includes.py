#!/usr/bin/env python3
"""Checks that includes go one way only.

ALLOWED below says which folders each folder of src/ may include; what those may include is allowed
too, and everybody may include the public headers. The linker enforces most of this already, since
each folder is a target, but headers slip past it. Also checked: the public headers include nothing
but each other and the standard library; include guards are named for their path; a header is
included by its path from the root.

Exit status 1 when a rule is broken. Needs nothing but Python's standard library.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

ALLOWED = {
    "base": [],
    "encoding": ["base"],
    "cell": ["encoding"],
    "filter": ["cell"],
    "hfile": ["cell"],
    "wal": ["hfile"],
    "api": ["filter"],
    # Each part of the engine knows only the one before.
    "engine/memstore": ["api", "hfile", "wal"],
    "engine/store": ["engine/memstore"],
    "engine/region": ["engine/store"],
    "engine/directory": ["engine/region"],
    "engine/core": ["engine/directory"],
    "engine/transfer": ["engine/core"],
    "engine/admin": ["engine/transfer"],
    "engine": ["engine/admin"],
    "rpc": ["api", "hfile"],
    "client": ["rpc"],
    # SQL stands on the data API alone: it does not know which engine answers.
    "sql/types": ["api"],
    "sql/keys": ["sql/types"],
    "sql/expr": ["sql/types"],
    "sql/functions": ["sql/expr"],
    "sql/parse": ["sql/types"],
    "sql/catalog": ["sql/parse", "sql/keys"],
    "sql/bind": ["sql/catalog", "sql/functions"],
    "sql/plan": ["sql/bind"],
    "sql/exec": ["sql/plan"],
    "sql/index": ["sql/exec"],
    "sql/session": ["sql/index"],
    "sql": ["sql/session"],
    # Avatica's messages, and values of SQL as they are told in them.
    "avatica": ["sql/types"],
    # A connection over a query server.
    "thin_client": ["avatica", "sql/exec"],
    # The front of the library, which the server holds its store by.
    "bennu": ["sql", "engine", "client", "thin_client"],
    "server/net": ["base"],
    "server/hbase": ["server/net", "rpc", "api", "engine"],
    "server/zookeeper": ["server/hbase"],
    # HTTP itself, for all that answers by it.
    "server/http": ["server/net"],
    "server/status": ["server/http", "server/hbase"],
    # Phoenix's clients: SQL in this process, whatever HBase's clients do beside it.
    "server/phoenix": ["server/http", "avatica", "bennu"],
    # The page of operators: both data models, and what is counted of them.
    "server/console": ["server/status", "bennu"],
    "server/config": ["server", "api"],
    "server": ["bennu", "server/console", "server/status", "server/phoenix", "server/zookeeper"],
    "check": ["engine", "sql/catalog"],
    # The shell of HBase's commands stands on the public headers, and on what operators ask of a
    # cluster, whatever answers behind them.
    "shell": ["encoding", "api"],
    "cli": ["bennu", "client", "server/config", "check", "shell"],
}

# Protobuf messages belong to the formats and the wire, not to values, cells or SQL.
PROTO_READERS = [
    "hfile", "wal", "filter", "api", "engine", "rpc", "client", "avatica", "thin_client", "server", "cli"
]

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
GUARD = re.compile(r"^#ifndef (\w+)\n#define (\w+)$", re.MULTILINE)
STANDARD = re.compile(r"^[a-z][a-z_0-9]*$")


def closure(folder):
    """Returns 'folder' and all that it may include, directly or through others."""
    seen = set()
    waiting = [folder]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += ALLOWED[name]
    return seen


def folder_of(path):
    """Returns the key of ALLOWED for a path below src/, the longest that fits, or None."""
    parts = path.split("/")[1:-1]
    while parts:
        if "/".join(parts) in ALLOWED:
            return "/".join(parts)
        parts.pop()
    return None


def source_files(top):
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, top))):
        for name in sorted(names):
            if name.endswith((".h", ".cc")):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def check_include(path, folder, reach, quoted):
    """Returns what is wrong with an include of 'quoted' in 'path', or None."""
    if quoted.startswith("bennu/"):
        return None
    if quoted.startswith("src/"):
        target = folder_of(quoted)
        if not os.path.exists(os.path.join(ROOT, quoted)):
            return f'includes "{quoted}", which is not there'
        if target not in reach:
            return f'includes "{quoted}": src/{folder} may not know src/{target}'
        return None
    if quoted.endswith(".pb.h"):
        if folder.split("/")[0] not in PROTO_READERS:
            return f'includes "{quoted}": src/{folder} is to know no protobuf messages'
        return None
    return f'includes "{quoted}": write the path from the root ("src/…" or "bennu/…")'


def check_guard(path, text):
    expected = "BENNU_" + re.sub(r"\W", "_", path.removeprefix("include/bennu/")).upper() + "_"
    found = GUARD.search(text)
    if found is None or found.group(1) != expected or found.group(2) != expected:
        return f"the include guard is not {expected}"
    return None


def includes_of(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1), found.group(2)


def check_source(path, text):
    folder = folder_of(path)
    if folder is None:
        return [(1, "lies in a folder that scripts/check_includes.py does not know")]
    reach = closure(folder)
    problems = []
    for number, quoted, _ in includes_of(text):
        problem = quoted and check_include(path, folder, reach, quoted)
        if problem:
            problems.append((number, problem))
    return problems


def check_public(text):
    problems = []
    for number, quoted, angled in includes_of(text):
        if quoted and not quoted.startswith("bennu/"):
            problems.append((number, f'a public header includes "{quoted}"'))
        if angled and not STANDARD.match(angled):
            problems.append((number, f"a public header includes <{angled}>, not of the standard"))
    return problems


def main():
    failed = False
    count = 0
    for top in ("include", "src"):
        for path in source_files(top):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                text = file.read()
            count += 1
            problems = check_public(text) if top == "include" else check_source(path, text)
            guard = check_guard(path, text) if path.endswith(".h") else None
            if guard:
                problems.append((1, guard))
            for number, problem in problems:
                print(f"{path}:{number}: {problem}")
                failed = True
    if count == 0:
        print("no sources found: the check looks in the wrong place")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
