#!/usr/bin/env python3
"""Looks whether what README.md and the pages below docs/ link to is there: files and headings.

    links.py
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import examples  # noqa: E402  (needs the path above)

LINK = re.compile(r"\]\(([^()\s]+)\)")


def anchors(path):
    """The names that GitHub gives to a page's headings."""
    found = set()
    for line in prose(path):
        heading = re.match(r"#+ +(.*)", line)
        if not heading:
            continue
        text = LINK.sub("]", heading.group(1)).lower()
        name = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
        number = 0
        unique = name
        while unique in found:
            number += 1
            unique = f"{name}-{number}"
        found.add(unique)
    return found


def prose(path):
    """The lines of a page that are in no fenced block, without what stands in backquotes."""
    fenced = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced:
                yield line if line.startswith("#") else re.sub(r"`[^`]*`", "", line)


def wrong_links(page):
    for line in prose(page):
        for target in LINK.findall(line):
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(full):
                yield f"{target}: no such file"
            elif anchor and anchor not in anchors(full):
                yield f"{target}: no such heading"


def main():
    count = 0
    findings = []
    for page in examples.pages():
        count += 1
        name = os.path.relpath(page, examples.ROOT)
        findings += [f"{name}: {wrong}" for wrong in wrong_links(page)]
    for finding in findings:
        print(finding)
    print(f"{count} pages, {len(findings)} wrong links")
    return 1 if findings or count < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
