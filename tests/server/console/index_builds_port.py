#!/usr/bin/env python3
"""Indexes that are being built, as /metrics and the console's calls show them.

    index_builds_port.py PATH-OF-BENNU

One that a statement builds, one that the background builds and one that is cancelled are seen while
they run, and counted when they have ended. Talks to a server of its own on this machine.
"""
import json
import sys
import tempfile
import threading
import time

from console_port import Server, check
from gateway_port import token_of

ROWS = 1 << 17  # so that a building takes longer than it takes to ask for it


class Watcher:
    def __init__(self, server):
        self.server = server
        self.token = token_of(server)
        self.has_statistics = False

    def run(self, sql):
        status, body = self.server.post("sql", {"sql": sql}, self.token)
        return json.loads(body) if status == 200 else {"error": body.decode()}

    def do(self, sql):
        answer = self.run(sql)
        check(sql[:70], "error" not in answer)

    def metrics(self):
        """Values by name with labels."""
        text = self.server.ask("GET", "/metrics")[2].decode()
        return dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("bennu_index"))

    def ended(self, outcome):
        return int(self.metrics()[f'bennu_index_builds_total{{outcome="{outcome}"}}'])

    def maintenance(self):
        return json.loads(self.server.ask("GET", "/api/v1/maintenance")[2])["index_builds"]

    def see(self, index, until):
        """Looks until the index is seen being built; False when 'until' is true before."""
        labels = f'{{table="T",index="{index}"}}'
        end = time.monotonic() + 60
        while time.monotonic() < end:
            metrics = self.metrics()
            rows = int(metrics.get("bennu_index_build_rows" + labels, 0))
            if rows > 0:
                expected = int(metrics.get("bennu_index_build_expected_rows" + labels, 0))
                check("statistics tell how many rows there are", (expected > ROWS // 2) == self.has_statistics)
                return metrics["bennu_index_builds_running"] == "1" and rows <= ROWS
            if until():
                return False
        return False

    def build(self, sql, index, meanwhile=None):
        """Runs the statement until it was seen at work."""
        for _ in range(20):
            answers = []
            thread = threading.Thread(target=lambda: answers.append(self.run(sql)))
            thread.start()
            seen = self.see(index, lambda: answers)
            if seen and meanwhile:
                meanwhile()
            thread.join()
            if seen:
                return answers[0]
            self.do(f"DROP INDEX IF EXISTS {index} ON T")
        sys.exit(f"FAILED: {sql} was never seen at work")


def cancel(watcher):
    statements = json.loads(watcher.server.ask("GET", "/api/v1/statements")[2])["statements"]
    for statement in statements:
        if "I_CANCELLED" in statement["text"]:
            watcher.server.post("statements/cancel", {"id": statement["id"]}, watcher.token)


def walk(watcher):
    none = watcher.metrics()
    check("there is nothing at first", none["bennu_index_builds_running"] == "0")
    check("nor in the console", watcher.maintenance() ==
          {"completed": 0, "failed": 0, "cancelled": 0, "running": []})
    watcher.do("CREATE TABLE T (K INTEGER PRIMARY KEY, V INTEGER, W VARCHAR)")
    watcher.do("UPSERT INTO T VALUES (0, 0, 'w')")
    size = 1
    while size < ROWS:
        watcher.do(f"UPSERT INTO T SELECT K + {size}, V + {size}, W FROM T")
        size *= 2

    answer = watcher.build("CREATE INDEX I_SYNC ON T (V)", "I_SYNC")
    check("a statement's index is seen while it is built", "error" not in answer)
    completed = watcher.ended("completed")
    check("and counted at its end", completed >= 1)
    metrics = watcher.metrics()
    check("with its rows", int(metrics["bennu_index_build_rows_total"]) >= ROWS * completed)
    check("it runs no longer", metrics["bennu_index_builds_running"] == "0" and
          not any(name.startswith("bennu_index_build_rows{") for name in metrics))

    watcher.do('UPDATE STATISTICS T SET "phoenix.stats.guidepost.width" = 100000')
    watcher.has_statistics = True
    watcher.build("CREATE INDEX I_COUNTED ON T (W, V)", "I_COUNTED")

    completed = watcher.ended("completed")
    watcher.do("CREATE INDEX I_LATER ON T (V, W) ASYNC")
    check("one of the background is seen", watcher.see("I_LATER", lambda: watcher.ended("completed") > completed))
    end = time.monotonic() + 60
    while watcher.ended("completed") == completed and time.monotonic() < end:
        for running in watcher.maintenance()["running"]:
            check("the console says so", running["background"] and running["index"] == "I_LATER" and
                  running["table"] == "T" and running["ms"] >= 0)
    check("and counted", watcher.ended("completed") == completed + 1)

    answer = watcher.build("CREATE INDEX I_CANCELLED ON T (K, V, W)", "I_CANCELLED", lambda: cancel(watcher))
    check("one that is cancelled in the console ends so", "ancelled" in json.dumps(answer))
    check("and is counted as such", watcher.ended("cancelled") == 1 and
          watcher.maintenance()["cancelled"] == 1)

    failed = watcher.run("CREATE INDEX I_FAILS ON T (1 / (V - 7))")
    check("one that cannot be built fails", "error" in failed)
    check("and is counted as well", watcher.ended("failed") == 1)


def main():
    none = ["--zk-port", "none", "--master-port", "none", "--rs-port", "none", "--phoenix-port", "none"]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sys.argv[1], folder, ["store", *none, "--http-port", "0"])
        try:
            walk(Watcher(server))
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
