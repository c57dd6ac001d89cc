"""Splits a class path for the archive of classes: split_path.py FOLDER reads FOLDER/classpath.txt. Jars go to path.txt, with
the kit's own one first. Files that are no jars, and jars whose manifest names others, go to last.txt: a JVM refuses an archive
that was made with such files."""

import os
import sys
import zipfile


def stands_alone(path):
    """Whether the file is a jar that names no others."""
    if not path.endswith(".jar"):
        return False
    with zipfile.ZipFile(path) as jar:
        try:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
        except KeyError:
            return True
    return not any(line.lower().startswith("class-path:") for line in manifest.splitlines())


def main():
    folder = sys.argv[1]

    def write(name, paths):
        # Whole or not at all: path.txt tells that all is there.
        whole = os.path.join(folder, name)
        with open(whole + ".new", "w", encoding="utf-8") as file:
            file.write(":".join(paths) + "\n")
        os.replace(whole + ".new", whole)

    with open(os.path.join(folder, "classpath.txt"), encoding="utf-8") as file:
        paths = file.read().strip().split(":")
    alone = [path for path in paths if stands_alone(path)]
    write("last.txt", [path for path in paths if path not in alone])
    write("path.txt", [os.path.join(folder, "kit.jar"), *alone])


main()
