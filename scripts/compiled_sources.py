"""The sources below src/ that a build compiles, for the scripts that look at each of them."""
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def changed_paths(commit):
    """Returns the paths, relative to the root, that differ from 'commit' or are new."""
    commands = (["git", "diff", "--name-only", commit],
                ["git", "ls-files", "--others", "--exclude-standard"])
    paths = set()
    for command in commands:
        output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        paths.update(output.stdout.split())
    return paths


def compiled_entries(compile_commands, since=None):
    """Returns {path relative to the root: entry of the compilation database} of src/, sorted.

    With 'since' only those that changed after that commit, committed or not. A changed header counts
    for every source that lies beside it.
    """
    with open(compile_commands, encoding="utf-8") as file:
        database = json.load(file)
    entries = {}
    for entry in database:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if path.startswith("src" + os.sep) and os.path.exists(os.path.join(ROOT, path)):
            entries[path] = entry
    if since is not None:
        changed = changed_paths(since)
        touched = {os.path.dirname(path) for path in changed if path.endswith(".h")}
        entries = {path: entry for path, entry in entries.items()
                   if path in changed or os.path.dirname(path) in touched}
    return dict(sorted(entries.items()))
