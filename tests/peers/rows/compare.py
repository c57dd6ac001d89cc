#!/usr/bin/env python3
"""Compares what Rows.java printed of HBase and of Bennu; tells for each difference what came before in its case.

usage: compare.py HBASE BENNU
"""
import re
import sys

LINE = re.compile(r"case (\d+)\.(\d+) (table|step|answer): (.*)")
# Steps that change what the rows named in them hold.
CHANGE = re.compile(r"(Put|Delete|Increment|Append|mutations|check|batch|flush|compaction|split|merge|alter|snapshot|restore)")
SHOWN = 5


def read(path):
    """case → step → what it was and what was answered."""
    cases = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            found = LINE.match(line)
            if found:
                case, step, kind, text = found.groups()
                cases.setdefault(int(case), {}).setdefault(int(step), {})[kind] = text
    return cases


def results(answer):
    return re.split(r"(?<=\]) (?=\[)", answer)


def tell(case, step, hbase, bennu):
    print(f"case {case}, step {step}: {hbase[step]['step']}")
    ours = results(bennu.get(step, {}).get("answer", "no answer"))
    theirs = results(hbase[step]["answer"])
    print("   only HBase:", [each for each in theirs if each not in ours])
    print("   only Bennu:", [each for each in ours if each not in theirs])
    rows = {each[1:].split("/")[0] for each in set(ours) ^ set(theirs)}
    print("   table:", hbase[0]["table"])
    for before in range(1, step):
        text = hbase[before]["step"]
        named = any(f" {row} " in text for row in rows) or re.match("flush|compaction|split|merge|alter|snapshot|restore", text)
        if CHANGE.match(text) and named:
            print(f"   {before}: {text[:1000]}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    hbase, bennu = read(sys.argv[1]), read(sys.argv[2])
    compared = failed = different = 0
    for case, steps in hbase.items():
        for step in sorted(steps):
            if "answer" not in steps[step]:
                continue
            change = CHANGE.match(steps[step]["step"])
            if steps[step]["answer"] == "error IOException" and not change:
                failed += 1
                continue
            compared += 1
            ours = bennu.get(case, {}).get(step, {})
            if ours.get("step") != steps[step]["step"]:
                sys.exit(f"case {case}, step {step}: the two were asked different things")
            if ours.get("answer") != steps[step]["answer"]:
                different += 1
                if different <= SHOWN:
                    tell(case, step, steps, bennu[case])
    print(f"   {compared} answers compared, {different} differ; HBase failed over {failed} reads")
    if compared == 0:
        sys.exit("there was nothing to compare")
    return different != 0


if __name__ == "__main__":
    sys.exit(main())
