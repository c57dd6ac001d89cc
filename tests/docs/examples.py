#!/usr/bin/env python3
"""Runs the examples of README.md and the pages below docs/, and compares what they print.

    examples.py PATH-OF-BENNU [PAGE…]

What is an example, is told by the language of its fence:

  ```sql      statements for `bennu sql data`. A ```text block right behind them holds their output;
              without one they only have to succeed.
  ```console  commands behind `$ `, each with its output. Lines behind `bennu> ` and the other
              prompts are typed into the program that the command started, on a terminal.

Other blocks are not run; cpp_blocks.py compiles those of C++. A page begins in an empty directory, in which `examples` and
`build/release/bin/bennu` are what they are in a clone, and its examples run in order. In an output
`…` stands for anything within a line, and a line of nothing but `…` for any number of lines. A
command or statement may fail only where the page shows its ERROR.
"""

import concurrent.futures
import difflib
import glob
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 60  # seconds for one command; generous, since machines are shared
ANYTHING = "…"
LANGUAGES = ("", "cpp", "http", "json")  # of blocks that are not run here
PROMPT = re.compile(r"(bennu> |  \.\.\.> |bennu:\d+:\d+> )")
HERE_DOCUMENT = re.compile(r"<<\s*'?(\w+)'?")
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])|\r|\x07")
# A statement that takes over a second shows how far it is, and wipes that line afterwards.
PROGRESS = re.compile(r"\r[^\r\n]*\x1b\[K")
# `bennu serve` gets ports that nobody has; the page shows those of HBase.
WRAPPER = """#!/bin/sh
if [ "$1" = serve ]; then
  set -- "$@" --zk-port 0 --master-port 0 --rs-port 0 --http-port 0 --phoenix-port 0
fi
exec '{program}' "$@"
"""


class Example:
    """One command or block of statements, and what the page shows as its output."""

    def __init__(self, line, kind, text, expected):
        self.line = line          # of the page, from 1
        self.kind = kind          # "sql", "command", "session" or "server"
        self.text = text          # what is run
        self.expected = expected  # a list of lines; None: nothing is shown


def fences(page):
    """Yields (line, language, lines, whether only blank lines are between it and the last fence)."""
    begin, language, lines, adjacent = 0, None, [], False
    for number, line in enumerate(page.splitlines(), 1):
        if language is None:
            if line.startswith("```"):
                begin, language, lines = number, line[3:].strip(), []
            elif line.strip():
                adjacent = False
        elif line.startswith("```"):
            yield begin, language, lines, adjacent
            language, adjacent = None, True
        else:
            lines.append(line)
    if language is not None:
        raise ValueError(f"line {begin}: the block is not closed")


def console_examples(begin, lines):
    """The commands of a console block with the lines that belong to them."""
    examples = []
    at = 0
    while at < len(lines):
        line = begin + 1 + at
        if not lines[at].startswith("$ "):
            raise ValueError(f"line {line}: a console block begins with a command behind '$ '")
        command = lines[at][2:]
        at += 1
        here = HERE_DOCUMENT.search(command)
        while command.endswith("\\") or (here and command.split("\n")[-1] != here.group(1)):
            if at == len(lines):
                raise ValueError(f"line {line}: the command has no end")
            command += "\n" + lines[at]
            at += 1
        output = []
        while at < len(lines) and not lines[at].startswith("$ "):
            output.append(lines[at])
            at += 1
        kind = "command"
        if any(PROMPT.match(text) for text in output):
            kind = "session"
        elif re.match(r"\S*bennu serve ", command):
            kind = "server"
        examples.append(Example(line, kind, command, output))
    return examples


def examples_of(page):
    examples = []
    for begin, language, lines, adjacent in fences(page):
        if language == "sql":
            examples.append(Example(begin, "sql", "\n".join(lines) + "\n", None))
        elif language == "console":
            examples += console_examples(begin, lines)
        elif language == "text":
            # Anywhere else it would look like an output and be compared with nothing.
            if not (adjacent and examples and examples[-1].kind == "sql"
                    and examples[-1].expected is None):
                raise ValueError(f"line {begin}: a text block stands right behind a sql block")
            examples[-1].expected = lines
        elif language not in LANGUAGES:
            raise ValueError(f"line {begin}: a block of '{language}' is not known here")
    return examples


def matches(expected, actual):
    """Whether the lines are alike, ANYTHING aside."""
    pattern = ""
    for line in expected:
        if line.strip() == ANYTHING:
            pattern += r"(?:[^\n]*\n)+?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split(ANYTHING)) + "\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


class Screen:
    """What a program has shown on a terminal, as plain text."""

    def __init__(self, terminal, deadline):
        self.terminal = terminal
        self.deadline = deadline
        self.raw = b""

    def read(self):
        """Takes what the program shows next; False when it has ended or the time is up."""
        if time.monotonic() > self.deadline:
            return False
        if select.select([self.terminal], [], [], 0.2)[0]:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:  # the other side is closed
                return False
            self.raw += data
            return bool(data)
        return True

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def text(self):
        return ESCAPES.sub("", PROGRESS.sub("", self.raw.decode(errors="replace")))

    def at_prompt(self):
        """Whether the program waits for a line: nothing stands behind its prompt."""
        text = self.text()
        return PROMPT.fullmatch(text[text.rfind("\n") + 1:]) is not None


class Page:
    """The directory in which a page's examples run, and the shell that runs its commands."""

    def __init__(self, program, folder):
        self.folder = folder
        self.commands = os.path.join(folder, "build", "release", "bin")
        os.makedirs(self.commands)
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        os.symlink(program, os.path.join(self.commands, "bennu"))
        home = os.path.join(folder, "home")
        os.mkdir(home)
        self.environment = dict(
            os.environ, HOME=home, BENNU_PAGER="", NO_COLOR="1", TERM="dumb", COLUMNS="400", LINES="100",
            LC_ALL="C.UTF-8", TZ="UTC", PATH=self.commands + ":" + os.environ["PATH"])
        # libedit never frees the names of functions that are added to it.
        self.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.shell = subprocess.Popen(
            ["bash", "--norc"], cwd=folder, env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def close(self):
        self.shell.stdin.close()
        try:
            self.shell.wait(5)
        except subprocess.TimeoutExpired:
            self.shell.kill()
            self.shell.wait()
        self.shell.stdout.close()

    def run(self, example):
        """Returns (the lines it printed, whether it succeeded)."""
        if example.kind == "sql":
            return self.run_sql(example.text)
        if example.kind == "session":
            typed = [PROMPT.sub("", line, count=1) for line in example.expected
                     if PROMPT.match(line)]
            return self.run_session(example.text, typed)
        if example.kind == "server":
            return self.run_server(example.text, len(example.expected))
        return self.run_command(example.text)

    def run_sql(self, text):
        done = subprocess.run(["bennu", "sql", "data", "--continue"], cwd=self.folder,
                              env=self.environment, input=text.encode(), timeout=PATIENCE,
                              executable=os.path.join(self.commands, "bennu"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout.decode().splitlines(), done.returncode == 0

    def run_command(self, command):
        mark = f"end-of-{time.monotonic_ns()}"
        script = f"{{ {command}\n}} </dev/null; printf '\\n%s %s\\n' {mark} $?\n"
        self.shell.stdin.write(script.encode())
        self.shell.stdin.flush()
        output = b""
        deadline = time.monotonic() + PATIENCE
        while True:
            found = re.search(rb"\n" + mark.encode() + rb" (\d+)\n", output)
            if found:
                lines = output[:found.start()].decode().splitlines()
                return lines, found.group(1) == b"0"
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.shell.stdout], [], [], left)[0]:
                self.shell.kill()
                raise AssertionError(f"does not end: {command}")
            data = os.read(self.shell.stdout.fileno(), 65536)
            if not data:
                raise AssertionError(f"ended the shell: {command}")
            output += data

    def run_session(self, command, typed):
        """Types the lines as a person would, each at its prompt; returns all that was to be seen."""
        terminal, far_side = pty.openpty()
        program = subprocess.Popen(["bash", "-c", "exec " + command], cwd=self.folder,
                                   env=self.environment, stdin=far_side, stdout=far_side,
                                   stderr=far_side, start_new_session=True)
        os.close(far_side)
        try:
            return self.type_lines(program, Screen(terminal, time.monotonic() + PATIENCE), typed)
        finally:
            program.kill()
            program.wait()
            os.close(terminal)

    @staticmethod
    def type_lines(program, screen, typed):
        for line in typed:
            while not screen.at_prompt():
                if not screen.read():
                    raise AssertionError(f"no prompt for {line!r}: {screen.text()[-300:]!r}")
            # libedit takes the terminal over a moment after it shows the prompt.
            time.sleep(0.05)
            lines = screen.text().count("\n")
            screen.type(line + "\n")
            while screen.text().count("\n") == lines and screen.read():
                pass
        end = None  # of what counts: the prompt behind the last answer is not on the page
        while time.monotonic() < screen.deadline:
            if end is None and screen.at_prompt():
                end = screen.text().rfind("\n") + 1
                time.sleep(0.05)
                screen.type("\x04")
            if not screen.read():
                ended = program.wait(PATIENCE)
                return screen.text()[:end].rstrip("\n").split("\n"), ended == 0
        raise AssertionError(f"does not end: {screen.text()[-300:]!r}")

    def run_server(self, command, count):
        server = subprocess.Popen(["bash", "-c", "exec " + command], cwd=self.folder,
                                  env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        lines = []
        deadline = time.monotonic() + PATIENCE
        while len(lines) < count and time.monotonic() < deadline:
            line = server.stdout.readline().decode()
            if not line:
                break
            lines.append(line.rstrip("\n"))
        server.send_signal(signal.SIGTERM)
        server.stdout.read()
        ended = server.wait(PATIENCE)
        server.stdout.close()
        return lines, ended == 0


def without_ports(lines):
    return [re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", line) for line in lines]


def check_example(page, example):
    """Returns what is wrong with it, as text; nothing when the page is right."""
    actual, succeeded = page.run(example)
    expected = example.expected
    if example.kind == "server":
        actual, expected = without_ports(actual), without_ports(expected)
    may_fail = expected is not None and any(line.startswith("ERROR") for line in expected)
    if not succeeded and not may_fail:
        return "failed:\n" + "\n".join(actual)
    if expected is None or matches(expected, actual):
        return ""
    return "\n".join(difflib.unified_diff([line.rstrip() for line in expected],
                                          [line.rstrip() for line in actual],
                                          "on the page", "from the program", lineterm=""))


def check_page(program, path):
    """Runs the examples of one page; returns (their number, a text for each that is wrong)."""
    name = os.path.relpath(path, ROOT)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        examples = examples_of(text)
    except ValueError as error:
        return 1, [f"{name}: {error}\n"]
    if not examples:
        return 0, []
    findings = []
    folder = tempfile.mkdtemp(prefix="bennu-docs-")
    page = Page(program, folder)
    try:
        for example in examples:
            try:
                wrong = check_example(page, example)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                wrong = str(error)
            if wrong:
                findings.append(f"{name}:{example.line}: {example.text.rstrip()}\n{wrong}\n")
    finally:
        page.close()
        shutil.rmtree(folder, ignore_errors=True)
    return len(examples), findings


def pages():
    found = [os.path.join(ROOT, "README.md")]
    for pattern in ("docs/**/*.md", "examples/**/*.md"):
        found += sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))
    return found


# Pages that are wrong, each in one way; the test would be worth nothing if it took one of them.
WRONG_PAGES = {
    "an answer": "```sql\nSELECT 1 + 1 AS N;\n```\n```text\n N\n---\n 3\n(1 row)\n```\n",
    "a line too few": "```sql\nSELECT 1 AS N;\n```\n\n```text\n N\n---\n 1\n```\n",
    "a line too many": "```sql\nSELECT 1 AS N;\n```\n```text\n N\n---\n 1\n(1 row)\n(1 row)\n```\n",
    "a statement that fails": "```sql\nSELECT NOPE;\n```\n",
    "an error that does not come":
        "```sql\nSELECT 1 AS N;\n```\n```text\nERROR 504 (42703): …\n…\n```\n",
    "a command's output": "```console\n$ echo a\nb\n```\n",
    "a command that fails": "```console\n$ false\n```\n",
    "an output that belongs to nothing": "```sql\nSELECT 1;\n```\nIts answer:\n```text\n 2\n```\n",
    "a misspelt language": "```Sql\nSELECT 1;\n```\n",
    "a block that is not closed": "```sql\nSELECT 1;\n",
    "a command without an end": "```console\n$ cat <<END\na\n```\n",
    "a session's answer":
        "```console\n$ bennu sql data\n…\nbennu> SELECT 1 AS N;\n N\n---\n 2\n(1 row)\n```\n",
}
RIGHT_PAGE = """
```sql
SELECT 1 + 1 AS N;
SELECT NOPE FROM SYSTEM.CATALOG;
```

```text
 N
---
 2
(1 row)
ERROR 504 (42703): …
…
```

```console
$ a=1
$ echo $a; cat <<END
b
END
1
b
$ bennu sql data
…
bennu> SELECT
  ...> 1 AS N;
 N
---
 1
(1 row)
```
"""


def check_this_test(program):
    """Returns a text for each page above that is judged wrongly."""
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.md")
        for name, text in [("a right page", RIGHT_PAGE), *WRONG_PAGES.items()]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            count, wrong = check_page(program, path)
            if name == "a right page" and wrong:
                findings.append("a right page is refused: " + wrong[0])
            elif name != "a right page" and (count == 0 or not wrong):
                findings.append(f"a page with {name} that is wrong is accepted\n")
    return findings


def make_wrapper(program, folder):
    """Made before any thread starts a process, which would inherit the file while it is written."""
    path = os.path.join(folder, "bennu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(WRAPPER.format(program=program))
    os.chmod(path, 0o755)
    return path


def main():
    chosen = [os.path.abspath(page) for page in sys.argv[2:]]
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        program = make_wrapper(os.path.abspath(sys.argv[1]), folder)
        findings = check_this_test(program) if not chosen else []
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            for count, wrong in pool.map(lambda page: check_page(program, page), chosen or pages()):
                total += count
                findings += wrong
    for finding in findings:
        print(finding)
    print(f"{total} examples, {len(findings)} wrong")
    return 1 if findings or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
