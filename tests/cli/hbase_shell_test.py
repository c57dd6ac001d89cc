#!/usr/bin/env python3
"""`bennu shell` at a prompt, driven through a pseudo-terminal as a person would.

    hbase_shell_test.py PATH-OF-BENNU
"""

import os
import shutil
import subprocess
import sys
import tempfile

from shell_test import CONTROL_C, UP, Terminal, need, plain


def run(shell, line, number):
    """Types a line, waits for the next prompt (that of line 'number') and returns what came."""
    start = len(shell.raw)
    shell.send(line + "\n")
    shell.expect(f"bennu:{number:03}:0> ", since=start)
    return plain(shell.raw[start:])


def first_session(shell):
    shell.expect("bennu:001:0> ")
    need("=> Hbase::Table - weather" in run(shell, "create 'weather', 'f'", 2), "create", shell.raw)
    run(shell, "put 'weather', 'north', 'f:heat', '1.5', 1704067200000", 3)
    shell.send("scan 'weather', {\n")
    shell.expect("bennu:004:1* ")
    scanned = run(shell, "LIMIT => 5}", 5)
    need(f" {'north':<50} column=f:heat, timestamp=2024-01-01T00:00, value=1.5\n" in scanned,
         "a statement over two lines, in columns", scanned)
    failed = run(shell, "scan 'none'", 6)
    need("ERROR: Unknown table none!" in failed and "help \"scan\"" in failed, "an error", failed)
    # Tab completes verbs, and tables in quotes, with the quote's end.
    counted = run(shell, "coun\t'wea\t", 7)
    need("count 'weather'" in counted and "=> 1" in counted, "completion", counted)
    shell.send("put 'weather, 5\n")
    shell.expect("bennu:008:0' ")
    shell.send(CONTROL_C)
    shell.expect("bennu:008:0> ")
    dropped = run(shell, "drop_all 'w.*'\nn", 9)
    need("Drop the above 1 tables (y/n)?" in dropped, "a question", dropped)
    need("=> [\"many\", \"weather\"]" in run(shell, "list", 10), "the answer", shell.raw)


def new_store(program, work, home):
    """A typing error makes a store: it is told."""
    shell = Terminal(program, os.path.join(work, "typo"), home, "shell")
    shell.expect("Created a new store in")
    shell.send("exit\n")
    need(shell.close() == 0, "exit", shell.raw)
    ports = [word for name in ("zk", "master", "rs", "http", "phoenix")
             for word in (f"--{name}-port", "0")]
    server = Terminal(program, os.path.join(work, "typo2"), home, "serve", options=ports)
    server.expect("Created a new store in")
    server.expect("ready ")
    server.send(CONTROL_C)
    need(server.close() == 0, "the end of the server", server.raw)


def interrupt(shell):
    """Ctrl-C stops a count and the shell lives on."""
    shell.send("count 'many', 1\n")
    shell.expect("Current count: 10,")
    shell.send(CONTROL_C)
    shell.expect("ERROR: interrupted")
    shell.expect("bennu:011:0> ")


def main():
    program = os.path.abspath(sys.argv[1])
    os.environ["TZ"] = "UTC"
    work = tempfile.mkdtemp(prefix="bennu-shell-")
    home = os.path.join(work, "home")
    directory = os.path.join(work, "db")
    os.mkdir(home)
    try:
        puts = "".join(f"put 'many', '{i:06}', 'f:q', 'v'\n" for i in range(20000))
        subprocess.run([program, "shell", directory, "-n", "-q"], check=True,
                       input=("create 'many', 'f', {DURABILITY => 'ASYNC_WAL'}\n" + puts).encode(),
                       stdout=subprocess.DEVNULL)
        shell = Terminal(program, directory, home, "shell")
        first_session(shell)
        interrupt(shell)
        shell.send("exit\n")
        need(shell.close() == 0, "exit", shell.raw)
        again = Terminal(program, directory, home, "shell")
        again.expect("bennu:001:0> ")
        again.send(UP + UP)
        again.expect("count 'many', 1")  # history of the session before
        again.send(CONTROL_C)
        again.expect("bennu:001:0> ")
        run(again, "put 'weather', 'Zoë 日本語', 'f:heat', 'ü', 1704067200000", 2)
        row = r"Zo\xC3\xAB \xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E"
        scanned = run(again, "scan 'weather', {ROWPREFIXFILTER => 'Zo'}", 3)
        need(row in scanned and r"value=\xC3\xBC" in scanned, "characters outside ASCII", scanned)
        need(again.close() == 0, "the end of input", again.raw)
        new_store(program, work, home)
    finally:
        shutil.rmtree(work)
    print("the shell does what it should")


if __name__ == "__main__":
    main()
