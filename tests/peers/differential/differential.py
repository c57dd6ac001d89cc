#!/usr/bin/env python3
"""Compares Bennu with the real Phoenix: sessions made up from seeds, their answers asked from a
running Phoenix (Ask.java), and held against Bennu by `bennu sqltest`. See README.md."""
import argparse
import collections
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
DIFFERENCE = re.compile(r"^FAILED \S*?:(\d+)\n", re.M)

LABELS = re.compile(r"\n  expected columns: (.*)\n  got columns: (.*)")


class Known:
    """Differences that are meant to be, from known.txt: name, pattern, reason."""

    def __init__(self, path):
        self.rules = []
        self.counts = collections.Counter()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = line.split("\t")
            if len(parts) != 3:
                sys.exit(f"{path}:{number}: wanted NAME, PATTERN and REASON with tabs between")
            self.rules.append((parts[0], re.compile(parts[1], re.S)))

    def explains(self, text, definitions, count=True):
        for name, pattern in self.rules:
            if pattern.search(definitions + text):
                self.counts[name] += count
                return True
        return False


class Phoenix:
    """The process that asks the real Phoenix."""

    def __init__(self):
        self.process = subprocess.Popen(
            [HERE.parent / "kit" / "peer", "java", "Ask"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._expect("ready")

    def _expect(self, word):
        line = self.process.stdout.readline().strip()
        if line != word:
            sys.exit(f"asking Phoenix: {line or 'the client ended; see client.log of the peer'}")

    def answer(self, questions, answers):
        self.process.stdin.write(f"{questions}\t{answers}\n")
        self.process.stdin.flush()
        self._expect("done")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Lab:
    def __init__(self, arguments, work):
        self.arguments = arguments
        self.work = work
        self.known = Known(HERE / "known.txt")
        self.phoenix = Phoenix()
        # Names that no table of this Phoenix has yet, also when it is asked by another run.
        self.run = f"{os.getpid():X}"
        self.asked = 0
        self.records = 0

    def prefix(self):
        self.asked += 1
        return f"D{self.run}_{self.asked}_"

    def questions(self, seed, prefix, theme=None):
        theme = theme or self.arguments.theme
        theme = [theme] if theme else []
        return subprocess.run([self.arguments.questions, str(seed), prefix, *theme], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def differences(self, questions):
        """Where Bennu's answers differ: pairs of the record's index and sqltest's text."""
        asked, answered = self.work / "asked", self.work / "answered.test"
        asked.write_text(questions)
        self.phoenix.answer(asked, answered)
        text = answered.read_text()
        store = self.work / "store"
        result = subprocess.run([self.arguments.bennu, "sqltest", "--dir", store, answered],
                                capture_output=True, text=True)
        shutil.rmtree(store, ignore_errors=True)
        if result.returncode not in (0, 1) or not re.search(r"\d+ passed, ", result.stdout):
            return [(0, f"bennu sqltest ended with {result.returncode}:\n{result.stderr}")], text
        records = records_of(text)
        ends = [m.start() for m in DIFFERENCE.finditer(result.stdout)] + [len(result.stdout)]
        found = []
        for begin, end in zip(ends, ends[1:]):
            block = result.stdout[begin:end].split("\nnote: ")[0]
            line = int(DIFFERENCE.match(block).group(1))
            index = "\n".join(text.splitlines()[:line]).count("\n\n")
            block = re.sub(r"\n\d+ passed, .*", "", block.split("\n", 1)[1]).rstrip()
            block = self.without_labels(block)
            bind = re.match(r"bind .*\n", records[index]) if index < len(records) else None
            if block:
                found.append((index, f"  {bind.group()}{block}" if bind else block))
        self.records += text.count("\n\n")
        return found, text

    def without_labels(self, block):
        """How Phoenix spells an expression as the label of its column is not compared, types are.
        Nothing when only labels differ."""
        match = LABELS.search(block)
        if not match:
            return block
        types = [[column.rsplit("=", 1)[1] for column in match.group(i).split("\t")] for i in (1, 2)]
        if types[0] != types[1]:
            return block
        self.known.counts["labels"] += 1
        rest = block[: match.start()] + block[match.end():]
        return rest if "\n  expected" in rest else ""

    @staticmethod
    def _sources_of(table, questions, tables, lines):
        sources = re.findall(rf"UPSERT INTO {table} [^\n]*SELECT [^\n]* FROM (\S+)", questions)
        return [line for name, line in zip(tables, lines) if name in sources and name != table]

    def unexplained(self, questions, found, count=True):
        """Of these, what no rule of known.txt tells. A rule's pattern is searched in the definitions
        of the statement's tables and the difference behind them."""
        tables = re.findall(r"^CREATE (?:IMMUTABLE )?(?:TABLE|VIEW) (\S+) .*", questions, re.M)
        lines = [line for line in questions.splitlines() if line.startswith("CREATE ")]
        fresh = []
        for index, text in found:
            used = [line for table, line in zip(tables, lines)
                    if re.search(rf"\b{table}\b", text) or table.endswith("V")]
            # Stored rows may come from other tables.
            if re.match(r"  \S+\n  expected:", text):
                used += self._sources_of(text.split()[0], questions, tables, lines)
            # A view is one of a table.
            used += [line for table, line in zip(tables, lines) if line not in used
                     and any(re.search(rf"\b{table}\b", view) for view in used)]
            if not self.known.explains(text, "".join(f"{line}\n" for line in used), count):
                fresh.append((index, text))
        return fresh


def signature(text, prefix):
    """What stays the same of a difference when rows and statements go: the statement's text, and
    the kind of difference."""
    statement = text.split("\n  expected")[0].replace(prefix, "@")
    kind = "columns" if "expected columns" in text else "error" if "ERROR" in text else "rows"
    return statement, kind


def records_of(questions):
    return [record for record in questions.split("\n\n") if record.strip()]


def minimize(lab, questions, prefix, index, text):
    """The least session that we find with the same difference at the same statement."""
    wanted = signature(text, prefix)
    records = records_of(questions)[: index + 1]
    target = records[-1]

    def still(candidate):
        fresh = lab.prefix()
        found, _ = lab.differences("\n\n".join(candidate).replace(prefix, fresh) + "\n\n")
        return any(signature(t, fresh) == wanted for _, t in found)

    # Questions change nothing.
    few = [r for r in records[:-1] if not r.startswith(("query", "cells", "raw-cells"))]
    records = few if still(few + [target]) else records[:-1]
    size = max(len(records) // 2, 1)
    deadline = time.monotonic() + lab.arguments.minimize_seconds
    while size >= 1 and time.monotonic() < deadline:
        at = 0
        while at < len(records) and time.monotonic() < deadline:
            shorter = records[:at] + records[at + size:]
            if still(shorter + [target]):
                records = shorter
            else:
                at += size
        size //= 2
    return "\n\n".join(records + [target]).replace(prefix, "T_") + "\n\n"


def shortened(text):
    """Of rows or cells, those that only one of them has."""
    match = re.fullmatch(r"(.*?)\n  expected:\n(.*?)\n?  got:\n(.*)", text, re.S)
    if not match:
        return text
    expected, got = match.group(2).split("\n"), match.group(3).split("\n")
    # What a cell's line says in Bennu has a timestamp, in Phoenix a *.
    got = [re.sub(r"^(    \w+ \w*:\w*) \d+ ", r"\1 * ", line) for line in got]
    if sorted(expected) == sorted(got):
        return text
    lines = [line for line in difflib.unified_diff(expected, got, lineterm="", n=0)
             if not line.startswith(("---", "+++", "@@"))]
    return match.group(1) + "\n  - Phoenix, + Bennu:\n" + "\n".join(lines)


def report(lab, seed, text, prefix):
    text = shortened(text)
    print(f"---- seed {seed}:\n{text.replace(prefix, f'S{seed}_')}", flush=True)


def fell_over(answers):
    """The index of the first change that Phoenix meant to make and broke off with an exception of
    its own."""
    for index, record in enumerate(records_of(answers)):
        if re.match(r"(bind .*\n)?statement error (UNCODED|ERROR 101 .*)\n(UPSERT|DELETE|CREATE) ", record):
            return index
    return None


# A change, or a look at what the changes before it have left.
CHANGE = re.compile(r"(bind .*\n)?statement .*\n(UPSERT|DELETE|CREATE|ALTER|DROP) |(raw-)?cells ")


def without_consequences(lab, questions, found, answers):
    """Of the differences those up to the first known one of a change, after which the tables differ."""
    records = records_of(answers)
    for number, (index, text) in enumerate(found):
        known = CHANGE.match(records[index]) and not lab.unexplained(questions, [(index, text)], False)
        if known and found[number + 1:]:
            lab.known.counts["what comes after a known difference of a change is not compared"] += 1
            return found[: number + 1]
    return found


def run_case(lab, seed, questions=None, theme=None):
    """The session of a seed; or a written one, whose tables have names of their own."""
    prefix = lab.prefix()
    questions = questions or lab.questions(seed, prefix, theme)
    found, answers = lab.differences(questions)
    fell = fell_over(answers)
    if fell is not None and any(index > fell for index, _ in found):
        lab.known.counts["Phoenix failed in a change; what comes after is not compared"] += 1
        found = [(index, text) for index, text in found if index < fell]
    found = without_consequences(lab, questions, found, answers)
    fresh = lab.unexplained(questions, found)
    for index, text in fresh:
        report(lab, seed, text, prefix)
        if records_of(answers)[index].startswith(("cells", "raw-cells")):
            print("---- what comes after other cells is not told")
            break
    if fresh and lab.arguments.keep:
        lab.arguments.keep.mkdir(parents=True, exist_ok=True)
        (lab.arguments.keep / f"{seed}.test").write_text(answers.replace(prefix, f"S{seed}_"))
    if fresh and lab.arguments.minimize:
        index, text = fresh[0]
        least = minimize(lab, questions, prefix, index, text)
        asked, answered = lab.work / "least", lab.work / "least.test"
        name = lab.prefix()
        asked.write_text(least.replace("T_", name))
        lab.phoenix.answer(asked, answered)
        print(f"---- seed {seed}, as little as shows it:")
        print(answered.read_text().replace(name, "T_"), flush=True)
    return len(fresh)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bennu", help="the bennu program")
    parser.add_argument("questions", help="the peers_questions program")
    parser.add_argument("--seed", type=int, default=1, help="of the first session")
    parser.add_argument("--cases", type=int, default=20, help="sessions, with following seeds")
    parser.add_argument("--session", type=pathlib.Path, action="append",
                        help="a file of questions instead of sessions from seeds; may be repeated")
    parser.add_argument("--theme", help="sessions of that one alone (general, joins, ...)")
    parser.add_argument("--also", action="append", metavar="THEME:SEED",
                        help="one more session, of that theme; may be repeated")
    parser.add_argument("--seconds", type=float, help="begin no further session after so long")
    parser.add_argument("--minimize", action="store_true", help="shorten what differs first")
    parser.add_argument("--minimize-seconds", type=float, default=60)
    parser.add_argument("--keep", type=pathlib.Path, help="a directory for answers that differ")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        lab = Lab(arguments, pathlib.Path(work))
        begin = time.monotonic()
        differing = sessions = 0
        for path in arguments.session or []:
            differing += run_case(lab, path.stem, path.read_text())
            sessions += 1
        seeds = range(arguments.seed, arguments.seed + (0 if arguments.session else arguments.cases))
        for seed in seeds:
            if arguments.seconds and time.monotonic() - begin > arguments.seconds:
                break
            differing += run_case(lab, seed)
            sessions += 1
            print(f"seed {seed}: {lab.records} records after {time.monotonic() - begin:.0f} s", flush=True)
        for also in arguments.also or []:
            theme, seed = also.split(":")
            differing += run_case(lab, int(seed), theme=theme)
            sessions += 1
            print(f"{also}: {lab.records} records after {time.monotonic() - begin:.0f} s", flush=True)
        lab.phoenix.close()
    for name, count in sorted(lab.known.counts.items()):
        print(f"known: {count:5} {name}")
    print(f"{sessions} sessions from seed {arguments.seed}: {lab.records} records, {differing} differ, "
          f"{lab.known.counts.total()} differ are known")
    return 1 if differing or not lab.records else 0


if __name__ == "__main__":
    sys.exit(main())
