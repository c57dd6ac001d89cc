#!/usr/bin/env python3
"""The interactive shell, driven through a pseudo-terminal as a person would.

    shell_test.py PATH-OF-BENNU
"""

import codecs
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

PATIENCE = 30  # seconds to wait for an expected text; generous, since machines are shared
CONTROL_C, CONTROL_D, UP = b"\x03", b"\x04", b"\x1b[A"
PROMPT = "bennu> "
RECOLOURED = "\x1b[K\r\n"  # ends the entered line when it stands there again in its colours


class Terminal:
    """A shell of bennu on a terminal of its own; what it printed gathers in .raw."""

    def __init__(self, program, directory, home, command="sql", locale="C.UTF-8", columns=200,
                 lines=50, pager="", options=()):
        environment = dict(os.environ, HOME=home, TERM="xterm", COLUMNS=str(columns),
                           LINES=str(lines), LC_ALL=locale, BENNU_PAGER=pager)
        environment.pop("NO_COLOR", None)
        # libedit never frees the names of functions that are added to it.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(program, [program, command, directory, *options], environment)
        self.raw = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.seen = 0

    def send(self, data):
        os.write(self.fd, data if isinstance(data, bytes) else data.encode())

    def expect(self, text, since=None):
        """Waits until 'text' stands in what came after the last expected text; returns up to it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            start = self.seen if since is None else since
            at = self.raw.find(text, start)
            if at >= 0:
                found = self.raw[start : at + len(text)]
                self.seen = at + len(text)
                return found
            left = deadline - time.monotonic()
            if left <= 0 or not self.read(left):
                raise AssertionError(f"expected {text!r}, got {self.raw[start:]!r}")

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other side is closed
            return False
        self.raw += self.decoder.decode(data)
        return bool(data)

    def run(self, line):
        """Types a line and returns what was printed until the next prompt."""
        self.send(line + "\n")
        self.expect("\n" if line[0] in "!\\" else RECOLOURED)
        return self.expect(PROMPT)

    def takes_lines(self):
        """Whether the terminal gathers whole lines, as it does while nobody edits one."""
        try:
            return bool(termios.tcgetattr(self.fd)[3] & termios.ICANON)
        except termios.error:  # the other side is closed
            return True

    def close(self):
        """Ends the input and returns the exit status."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            # libedit shows its prompt a moment before it takes the terminal over; an end of input
            # typed in between would be lost, or stand in the line like a letter.
            if not self.takes_lines():
                try:
                    self.send(CONTROL_D)
                except OSError:  # it has closed its side
                    pass
            self.read(0.2)
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError(f"the shell did not end: {self.raw.rstrip(chr(7))[-300:]!r}")


def plain(text):
    """Without colours, cursor movements and carriage returns."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "")


def need(condition, what, output):
    if not condition:
        raise AssertionError(f"{what}: {output!r}")


def statements(shell):
    need("ok" in plain(shell.run("CREATE TABLE WEATHER (STATION VARCHAR PRIMARY KEY, HEAT DOUBLE);")),
         "a definition is acknowledged", shell.raw)
    shell.send("UPSERT INTO WEATHER\n")
    shell.expect(RECOLOURED)
    shell.expect("...> ")
    need("1 row affected" in plain(shell.run("VALUES ('north', 1.5);")),
         "a statement over two lines", shell.raw)
    need("1.5" in plain(shell.run("SELECT HEAT FROM WEATHER;")), "an answer", shell.raw)
    failed = plain(shell.run("SELECT NOPE FROM WEATHER;"))
    need("ERROR 504 (42703)" in failed and "\n       ^" in failed, "an error with a caret", failed)


def colours(shell):
    shell.run("SELECT 'text' FROM WEATHER;")
    need("\x1b[1;34mSELECT\x1b[0m" in shell.raw, "keywords are coloured", shell.raw)
    need("\x1b[32m'text'\x1b[0m" in shell.raw, "texts are coloured", shell.raw)


def completion(shell):
    """Keywords, tables and columns, in the case that was begun; the whole line stands coloured."""
    for typed, completed in (
            ("SELECT STA\tFR\tWEA\t;", "SELECT STATION FROM WEATHER ;"),
            ("select sta\tfr\twea\t;", "select station from weather ;"),
            # Tables behind FROM, columns of an alias, columns of the tables that are named alone.
            ("SELECT STATION FROM W\t;", "SELECT STATION FROM WEATHER ;"),
            ("SELECT x.STATION FROM WEATHER x WHERE x.HE\t> 1;",
             "SELECT x.STATION FROM WEATHER x WHERE x.HEAT > 1;"),
            ("SELECT STATION FROM WEATHER WHERE ST\t= 'north';",
             "SELECT STATION FROM WEATHER WHERE STATION = 'north';")):
        shell.send(typed + "\n")
        line = plain(shell.expect(RECOLOURED)).split("\n")[-2]
        need(line == PROMPT + completed, "completion", line)
        need("north" in plain(shell.expect(PROMPT)), "what was completed runs", shell.raw)


def history(shell):
    """A statement over lines comes back as one."""
    shell.send("SELECT STATION\n")
    shell.expect("...> ")
    shell.send("FROM WEATHER\n")
    shell.expect("...> ")
    shell.send("WHERE HEAT = 1.5;\n")
    need("north" in plain(shell.expect(PROMPT)), "a statement over lines", shell.raw)
    shell.send(UP)
    shell.expect("SELECT STATION FROM WEATHER WHERE HEAT = 1.5;")
    shell.send("\n")
    shell.expect(RECOLOURED)
    need("north" in plain(shell.expect(PROMPT)), "it runs again", shell.raw)
    # A line end within a text is part of a value, and what looks like a comment there is none.
    for line in ("UPSERT INTO WEATHER VALUES (", "'http://line1", "line2', -- warm"):
        shell.send(line + "\n")
        shell.expect("...> ")
    shell.send("7);\n")
    need("1 row affected" in plain(shell.expect(PROMPT)), "a text of two lines", shell.raw)
    shell.run("DELETE FROM WEATHER WHERE HEAT = 7;")
    shell.send(UP + UP)
    shell.expect("/* warm */ 7);")
    shell.send("\n")
    need("1 row affected" in plain(shell.expect(PROMPT)), "it runs again", shell.raw)
    stored = plain(shell.run("SELECT LENGTH(STATION) L, SUBSTR(STATION, 14) S FROM WEATHER "
                             "WHERE STATION = 'http://line1\\nline2';"))
    need(" 18 | line2" in stored, "with the same text", stored)
    shell.run("DELETE FROM WEATHER WHERE HEAT = 7;")
    shell.run("SELECT STATION FROM WEATHER WHERE HEAT = 1.5;")


def screen(program, directory, home):
    """What fits no screen goes below each other or to a pager; texts stand as they are."""
    shell = Terminal(program, directory, home, columns=100, lines=20, pager="sed s/^/page:/")
    shell.expect(PROMPT)
    texts = plain(shell.run("SELECT 'NULL' AS A, '  x ' AS B;"))
    need("\n NULL |   x\n" in texts, "texts as they are", texts)
    wide = plain(shell.run("SELECT '日本' AS A, 1 AS B UNION ALL SELECT 'abcd', 2;"))
    need("\n 日本 | 1\n abcd | 2\n" in wide, "wide characters are aligned", wide)
    plan = plain(shell.run("EXPLAIN SELECT COUNT(*) FROM WEATHER;"))
    need("\\u0020" not in plan and "    " in plan, "a plan's indents", plan)
    below = plain(shell.run("SELECT LPAD('x', 60, 'x') AS FIRST_COLUMN, LPAD('y', 60, 'y') AS B;"))
    need("-[ row 1 ]" in below and "FIRST_COLUMN | xxx" in below, "rows below each other", below)
    need("page:" not in below, "few lines need no pager", below)
    paged = plain(shell.run("SELECT K FROM MANY ORDER BY K LIMIT 30;"))
    need("page: 29\n" in paged and "page:(30 rows)\n" in paged, "a pager", paged)
    shell.run("!outputformat table")
    sideways = plain(shell.run("SELECT LPAD('x', 60, 'x') AS A, LPAD('y', 60, 'y') AS B;"))
    need("page: " + "x" * 60 + " | " + "y" * 60 in sideways, "a wide table is paged", sideways)
    need(shell.close() == 0, "the end", shell.raw)
    # A pager that the user leaves at once ends the result, and nothing else.
    shell = Terminal(program, directory, home, columns=100, lines=20, pager="head -n 3")
    shell.expect(PROMPT)
    left = plain(shell.run("SELECT K FROM MANY;"))
    need("ERROR" not in left and "19999" not in left, "a pager that is left", left)
    need("north" in plain(shell.run("SELECT STATION FROM WEATHER;")), "the shell stays", shell.raw)
    need(shell.close() == 0, "the end", shell.raw)


def leaving(program, directory, home):
    """Who would lose changes is asked; the words of other shells are known."""
    shell = Terminal(program, directory, home)
    shell.expect(PROMPT)
    shell.run("!autocommit off")
    shell.run("UPSERT INTO WEATHER VALUES ('lost', 2);")
    shell.send("!quit;\n")
    shell.expect("leave? (y/N) ")
    shell.send("n\n")
    need("!commit" in plain(shell.expect(PROMPT)), "what can be done", shell.raw)
    shell.send("exit\n")
    shell.expect("leave? (y/N) ")
    shell.send("y\n")
    need(shell.close() == 0, "the end", shell.raw)
    shell = Terminal(program, directory, home)
    shell.expect(PROMPT)
    need("lost" not in plain(shell.run("SELECT STATION FROM WEATHER;")), "given up", shell.raw)
    shell.send("quit;\n")
    need(shell.close() == 0, "quit", shell.raw)


def commands(shell):
    shell.send("!descr\tWEA\t\n")
    need("STATION" in plain(shell.expect(PROMPT)), "a command is completed, and its table", shell.raw)
    shell.send("help\n")
    need("!describe" in plain(shell.expect(PROMPT)), "help", shell.raw)
    for command in ("!tables", "\\dt"):
        need("WEATHER" in plain(shell.run(command)), command, shell.raw)
    for command in ("!describe weather", "\\d WEATHER"):
        described = plain(shell.run(command))
        need("STATION" in described and "VARCHAR" in described and "DOUBLE" in described, command,
             described)
    # A view has its parents' columns, and says what it is of.
    shell.run("CREATE VIEW WARM (NOTE VARCHAR, AREA DOUBLE) AS SELECT * FROM WEATHER WHERE HEAT > 20;")
    shell.run("CREATE VIEW WARMER AS SELECT * FROM WARM WHERE NOTE = 'x';")
    described = plain(shell.run("!describe WARM"))
    need("WARM  view, of WEATHER: SELECT * FROM" in described and "HEAT > 20" in described
         and re.search(r"STATION.*\n.*HEAT.*\n.*NOTE", described), "a view", described)
    described = plain(shell.run("!describe WARMER"))
    need("view, of WARM:" in described and described.count("STATION") == 1
         and re.search(r"STATION.*\n.*HEAT.*\n.*NOTE", described), "a view of a view", described)
    shell.run("ALTER VIEW WARMER DROP COLUMN AREA;")
    need("AREA" not in plain(shell.run("\\d WARMER")), "what it has dropped", shell.raw)
    for view in ("WARMER", "WARM"):
        shell.run(f"DROP VIEW {view};")
    need("!describe" in plain(shell.run("!help")), "!help", shell.raw)
    need("unknown command" in plain(shell.run("!nonsense")), "an unknown command", shell.raw)
    need("timing is on" in plain(shell.run("!timing on")), "!timing", shell.raw)
    need("ms" in plain(shell.run("SELECT 1;")), "the time of a statement", shell.raw)
    shell.run("!timing off")
    need("'maybe'" in plain(shell.run("!autocommit maybe")), "a bad argument is named", shell.raw)
    shell.run("!autocommit off")
    shell.run("UPSERT INTO WEATHER VALUES ('south', 2);")
    shell.run("!rollback")
    shell.run("!autocommit on")
    need("south" not in plain(shell.run("SELECT STATION FROM WEATHER;")), "!rollback", shell.raw)


def cancel(shell):
    """A statement that would run for minutes shows its progress and ends at Ctrl-C."""
    shell.send("SELECT COUNT(*) FROM MANY A JOIN MANY B ON A.G = B.G JOIN MANY C ON B.G = C.G;\n")
    shell.expect(RECOLOURED)
    start = shell.seen
    shell.expect("Ctrl-C")
    progress = plain(shell.raw[start:])
    need(" s" in progress, "the progress line tells the time", shell.raw[start:])
    need(re.search(r"[1-9][0-9]* rows read", progress), "... and the rows", shell.raw[start:])
    begin = time.monotonic()
    shell.send(CONTROL_C)
    cancelled = plain(shell.expect(PROMPT))
    need("ERROR" in cancelled and "cancel" in cancelled.lower(), "the statement is cancelled",
         cancelled)
    need(time.monotonic() - begin < PATIENCE, "soon", cancelled)
    need("north" in plain(shell.run("SELECT STATION FROM WEATHER;")), "the shell lives on", shell.raw)


def second_session(program, directory, home):
    with open(os.path.join(home, ".bennurc"), "w", encoding="utf-8") as file:
        file.write("!outputformat csv\n")
    shell = Terminal(program, directory, home)
    shell.expect(PROMPT)
    shell.send(UP)
    shell.expect("SELECT STATION FROM WEATHER;")  # history of the session before
    shell.send("\n")
    shell.expect(RECOLOURED)
    answer = plain(shell.expect(PROMPT))
    need("STATION\nnorth" in answer, "the rc file's format", answer)
    shell.send("!quit\n")
    need(shell.close() == 0, "!quit", shell.raw)


def characters(program, directory, home, locale):
    """What is typed is stored, whatever the user's locale; what is no UTF-8 is not run."""
    shell = Terminal(program, directory, home, locale=locale)
    need("Created" not in shell.expect(PROMPT), "an old store", shell.raw)
    shell.run("CREATE TABLE IF NOT EXISTS \"Größen\" (K VARCHAR PRIMARY KEY);")
    shell.run("UPSERT INTO \"Größen\" VALUES ('Zoë 日本語 🦩');")
    stored = plain(shell.run("SELECT K, LENGTH(K) AS L FROM \"Größen\";"))
    need(" Zoë 日本語 🦩 | 9" in stored, f"characters under {locale}", stored)
    shell.send(UP)
    shell.expect("Größen")
    shell.send("\n")
    shell.expect(RECOLOURED)
    need("日本語" in plain(shell.expect(PROMPT)), "... and from the history", shell.raw)
    # A Latin-1 terminal; the last byte before the Enter key would begin a character of UTF-8.
    for line in (b"UPSERT INTO \"Gr\xf6\xdfen\" VALUES ('Zo\xeb');\n", b"SELECT 1 -- \xe9\n"):
        shell.send(line)
        refused = shell.expect("not UTF-8")
        need("affected" not in refused + shell.expect(PROMPT), "Latin-1", shell.raw)
    need("\n        1\n" in plain(shell.run("SELECT COUNT(*) FROM \"Größen\";")), "not run", shell.raw)
    need(shell.close() == 0, "the end of input", shell.raw)


def main():
    program = os.path.abspath(sys.argv[1])
    work = tempfile.mkdtemp(prefix="bennu-shell-")
    home = os.path.join(work, "home")
    directory = os.path.join(work, "db")
    os.mkdir(home)
    try:
        rows = "\n".join(f"{i},{i % 2}" for i in range(20000))
        subprocess.run([program, "sql", directory, "-c",
                        "CREATE TABLE MANY (K INTEGER NOT NULL PRIMARY KEY, G INTEGER)"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([program, "load", directory, "MANY", "-", "--no-header"], check=True,
                       input=rows.encode(), stdout=subprocess.DEVNULL)
        shell = Terminal(program, directory, home)
        shell.expect(PROMPT)
        statements(shell)
        colours(shell)
        completion(shell)
        history(shell)
        commands(shell)
        cancel(shell)
        need(shell.close() == 0, "the end of input", shell.raw)
        second_session(program, directory, home)
        os.remove(os.path.join(home, ".bennurc"))
        leaving(program, directory, home)
        screen(program, directory, home)
        made = Terminal(program, os.path.join(work, "new"), home)
        need("Created a new store in" in made.expect(PROMPT), "a new store is told", made.raw)
        need(made.close() == 0, "the end of input", made.raw)
        for locale in ("C.UTF-8", "C", "no_SUCH.locale"):
            characters(program, directory, home, locale)
    finally:
        shutil.rmtree(work)
    print("the shell does what it should")


if __name__ == "__main__":
    main()
