#!/usr/bin/env python3
"""The console through the HTTP port of a running `bennu serve`.

    console_port.py PATH-OF-BENNU

What a browser gets and what others get at "/"; who may call the API: not pages of other sites, by
whatever name they reach the server; what is compressed; and that the server ends at once while a page
runs a long statement. Talks to a server of its own on this machine.
"""
import gzip
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time


def check(what, right):
    if not right:
        sys.exit(f"FAILED: {what}")
    print(f"well: {what}")


class Server:
    """A `bennu serve` with these arguments; a store's name is meant in the folder."""

    def __init__(self, program, folder, arguments):
        place = [os.path.join(folder, arguments[0])] if not arguments[0].startswith("-") else []
        ready = os.path.join(folder, f"ready-{len(os.listdir(folder))}")
        self.process = subprocess.Popen(
            [program, "serve", *place, *arguments[len(place):], "--ready-file", ready],
            stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not (os.path.exists(ready) and os.path.getsize(ready) > 0):
            if time.monotonic() > until or self.process.poll() is not None:
                sys.exit("FAILED: the server does not serve")
            time.sleep(0.05)
        with open(ready, encoding="ascii") as file:
            self.ports = {name: int(port) for name, port in re.findall(r"(\w+)=[^ ]*:(\d+)", file.read())}
        self.port = self.ports.get("http")

    def ask(self, method, path, headers=None, body=None, timeout=60):
        """Returns the status, the headers and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def post(self, call, body, token, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        status, _, content = self.ask("POST", "/api/v1/" + call, {"X-Bennu-Token": token, **named},
                                      json.dumps(body))
        return status, content


def walk(server):
    status, headers, body = server.ask("GET", "/")
    check("who asks for no HTML gets the list of pages",
          status == 200 and headers["Content-Type"].startswith("text/plain") and b"/metrics" in body)
    status, headers, body = server.ask("GET", "/", {"Accept": "text/html,*/*;q=0.8"})
    check("a browser gets the page", status == 200 and b"<!doctype html>" in body)
    check("which takes scripts from this server alone",
          "script-src 'self';" in headers["Content-Security-Policy"])
    token = re.search(rb'bennu-token" content="(\w+)"', body).group(1).decode()

    status, headers, body = server.ask("GET", "/console/app.js", {"Accept-Encoding": "gzip"})
    check("the script comes", status == 200 and headers["Content-Type"].startswith("text/javascript"))
    if headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    check("and is whole", len(body) > 100_000 and b"api/v1/" in body)
    tag = headers["ETag"]
    check("who has it gets no second copy",
          server.ask("GET", "/console/app.js", {"If-None-Match": tag})[0] == 304)

    own = f"127.0.0.1:{server.port}"
    status, _, body = server.ask("GET", "/api/v1/overview")
    check("the state may be read", status == 200 and json.loads(body)["regions"]["open"] >= 0)
    sql = {"sql": "CREATE TABLE T (K INTEGER PRIMARY KEY)"}
    check("without a token nothing is done", server.post("sql", sql, "")[0] == 403)
    check("nor for a page of another site",
          server.post("sql", sql, token, Origin="http://example.com")[0] == 403)
    check("nor under a name that is not the server's",
          server.ask("GET", "/api/v1/overview", {"Host": "example.com"})[0] in (403, 421))
    status, body = server.post("sql", sql, token, Origin=f"http://{own}")
    check("the page itself may", status == 200 and b"error" not in body)
    check("an unknown path is not found", server.ask("GET", "/nothing")[0] == 404)
    check("and an unknown call neither", server.ask("GET", "/api/v1/nothing")[0] == 404)
    check("a call has its method", server.ask("GET", "/api/v1/sql")[0] == 405)
    return token, json.loads(body)["session"]


def end_while_a_statement_runs(server, token, session):
    for step in range(13):
        rows = "VALUES (0)" if step == 0 else f"SELECT K + {2 ** (step - 1)} FROM T"
        server.post("sql", {"sql": "UPSERT INTO T " + rows, "session": session}, token)
    slow = "SELECT COUNT(*) FROM T A, T B, T C WHERE A.K + B.K + C.K < 0"

    def run():
        try:
            server.post("sql", {"sql": slow, "session": session}, token)
        except (OSError, http.client.HTTPException):
            pass  # the server closes the connection when it ends

    threading.Thread(target=run, daemon=True).start()
    until = time.monotonic() + 30
    while slow.encode() not in server.ask("GET", "/api/v1/statements")[2]:
        if time.monotonic() > until:
            sys.exit("FAILED: the statement does not run")
        time.sleep(0.05)
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    check("the server ends well while a page runs a statement", server.process.wait(40) == 0)
    check("and soon", time.monotonic() - began < 20)


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sys.argv[1], folder,
                        ["store", "--zk-port", "none", "--master-port", "none", "--rs-port", "none",
                         "--phoenix-port", "none", "--http-port", "0"])
        try:
            token, session = walk(server)
            end_while_a_statement_runs(server, token, session)
        finally:
            server.process.kill()
            server.process.wait()


if __name__ == "__main__":
    main()
