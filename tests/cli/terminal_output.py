#!/usr/bin/env python3
"""Runs a command on a terminal until it has printed what matches, then types Ctrl-C.

    terminal_output.py PATTERN COMMAND ARGUMENT…

Exit status 0 when the pattern was seen and the command has ended by itself afterwards. Else it
prints what was seen.
"""
import os
import pty
import re
import select
import signal
import sys
import time

PATIENCE = 60  # seconds; generous, since machines are shared


def main():
    pattern, *command = sys.argv[1:]
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["COLUMNS"] = "200"
        os.execv(command[0], command)
    seen = b""
    interrupted = False
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # the command has closed its side
                break
        if not interrupted and re.search(pattern.encode(), seen):
            os.write(terminal, b"\x03")
            interrupted = True
    else:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not interrupted or status < 0:
        print(f"exit status {status}, seen: {seen!r}")
        sys.exit(1)


main()
