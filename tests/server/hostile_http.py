#!/usr/bin/env python3
"""Hostile clients of the ports that speak HTTP; the server's memory stays within its bound.

    hostile_http.py PATH-OF-BENNU

First each kind of wrong request gets the answer that it must get, and a line in the log. Then each kind of client that wants the
server's memory or threads comes several at a time, while one that behaves is answered. Afterwards nothing
of them is left. Talks to a server of its own on this machine, for some twenty seconds.
"""
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

MB = 1 << 20
# bennu.wire.memory, for messages and answers, and as much again for calls; the rest is what handlers
# have in their hands, and the program itself.
WIRE_MB = 64
RESIDENT_MB_MAX = 640
ATTACK_SECONDS = 12
LOG_LINES_MAX = 1000
OPEN = {"request": "openConnection", "connectionId": "c"}


class Server:
    def __init__(self, bennu, directory):
        config = os.path.join(directory, "site.xml")
        with open(config, "w", encoding="ascii") as file:
            file.write("<configuration>"
                       f"<property><name>bennu.wire.memory</name><value>{WIRE_MB}m</value></property>"
                       "<property><name>bennu.memory</name><value>64m</value></property>"
                       "<property><name>hbase.ipc.max.request.size</name><value>33554432</value></property>"
                       "</configuration>")
        ready = os.path.join(directory, "ready")
        self.log = os.path.join(directory, "log")
        self.process = subprocess.Popen(
            [bennu, "serve", os.path.join(directory, "store"), "--config", config, "--zk-port", "none",
             "--master-port", "none", "--rs-port", "none", "--http-port", "0", "--phoenix-port", "0",
             "--ready-file", ready],
            stdout=subprocess.DEVNULL, stderr=open(self.log, "w", encoding="utf-8"))
        for _ in range(300):
            if os.path.exists(ready) and os.path.getsize(ready) > 0:
                break
            time.sleep(0.1)
        with open(ready, encoding="ascii") as file:
            ports = dict(word.split("=") for word in file.read().split()[1:])
        self.phoenix = int(ports["phoenix"].rsplit(":", 1)[1])
        self.pages = int(ports["http"].rsplit(":", 1)[1])

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) // 1024
        return 0

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def receive(client):
    """An answer, or what comes until the server ends the connection or is silent for three seconds."""
    client.settimeout(3)
    answer = b""
    try:
        while part := client.recv(1 << 20):
            answer += part
            header, end, body = answer.partition(b"\r\n\r\n")
            length = re.search(rb"Content-Length: (\d+)", header)
            if end and length and len(body) >= int(length.group(1)):
                break
    except OSError:
        pass
    return answer


def request(body=b"", method="POST", path="/", headers=(("Host", "localhost"),)):
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    if not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def call(port, message):
    """The answer to one message in JSON."""
    with connect(port) as client:
        client.sendall(request(json.dumps(message).encode(), headers=(("Host", "localhost"), ("Connection", "close"))))
        answer = b""
        while part := client.recv(1 << 20):
            answer += part
    header, _, body = answer.partition(b"\r\n\r\n")
    if not body.startswith(b"{"):
        raise OSError(f"refused: {header[:100]!r} {body[:100]!r}")
    return json.loads(body)


# ---- wrong requests: name, port, bytes, what the answer begins with (b"": the connection ends)

HOST = ("Host", "localhost")
NOT_LOGGED = "a connection nobody opened"


def wrong_requests():
    bomb = gzip.compress(bytes(200 * MB), 9)
    deep = b"[" * 200_000
    both = ("phoenix", "pages")
    return [
        ("garbage", both, bytes(range(128, 256)) * 4, b"HTTP/1.1 400"),
        ("TLS to a port without", both, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), b"HTTP/1.1 400"),
        ("another protocol", both, b"HBas\x00\x50" + bytes(300), b"HTTP/1.1 400"),
        ("HTTP/2's preface", both, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"HTTP/1.1 400"),
        ("a header without end", both, b"GET / HTTP/1.1\r\nX: " + b"x" * 40_000, b"HTTP/1.1 431"),
        ("many headers", both, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 10_000, b"HTTP/1.1 431"),
        ("two lengths", both, request(b"ab", headers=(HOST, ("Content-Length", 2), ("Content-Length", 3))), b"HTTP/1.1 400"),
        ("a length and chunks", both,
         request(b"0\r\n\r\n", headers=(HOST, ("Content-Length", 2), ("Transfer-Encoding", "chunked"))), b"HTTP/1.1 400"),
        ("a length below zero", both, request(headers=(HOST, ("Content-Length", -1))), b"HTTP/1.1 400"),
        ("a length without bound", both, request(headers=(HOST, ("Content-Length", 1 << 62))), b"HTTP/1.1 413"),
        ("a chunk that is no number", both,
         request(b"zz\r\nab\r\n", headers=(HOST, ("Transfer-Encoding", "chunked"))), b"HTTP/1.1 400"),
        ("a chunk without bound", both,
         request(b"ffffffffffffffff\r\n", headers=(HOST, ("Transfer-Encoding", "chunked"))), b"HTTP/1.1 4"),
        ("a line feed in a header", both, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\nb\r\n\r\n", b"HTTP/1.1 400"),
        ("no host", both, request(headers=()), b"HTTP/1.1 400"),
        ("two hosts", both, request(headers=(HOST, HOST)), b"HTTP/1.1 400"),
        ("another host (DNS rebinding)", both, request(headers=(("Host", "evil.example.com"),)), b"HTTP/1.1 421"),
        ("another site's page", both, request(headers=(HOST, ("Origin", "http://evil.example.com"))), b"HTTP/1.1 403"),
        ("a sandboxed page", both, request(headers=(HOST, ("Origin", "null"))), b"HTTP/1.1 403"),
        ("a path upwards", ("pages",), request(method="GET", path="/../../etc/passwd"), b"HTTP/1.1 404"),
        ("the same in disguise", ("pages",), request(method="GET", path="/%2e%2e/%2e%2e/etc/passwd"), b"HTTP/1.1 404"),
        ("an address as the path", ("pages",), request(method="GET", path="http://evil.example.com/etc"), b"HTTP/1.1 404"),
        ("an unknown coding", ("phoenix",), request(b"x", headers=(HOST, ("Content-Encoding", "br"))), b"HTTP/1.1 415"),
        ("a body that is no gzip", ("phoenix",), request(b"x", headers=(HOST, ("Content-Encoding", "gzip"))), b"HTTP/1.1 400"),
        ("a small body that becomes large", ("phoenix",), request(bomb, headers=(HOST, ("Content-Encoding", "gzip"))), b"HTTP/1.1 413"),
        ("no message", ("phoenix",), request(b"\xff" * 100), b"HTTP/1.1 500"),
        ("an empty message", ("phoenix",), request(b""), b"HTTP/1.1 500"),
        ("JSON of great depth", ("phoenix",), request(b'{"request":' + deep), b"HTTP/1.1 500"),
        ("protobuf of great depth", ("phoenix",), request(nested_protobuf()), b"HTTP/1.1 500"),
        # This one is a message like others: clients of a server that was started anew send it.
        (NOT_LOGGED, ("phoenix",),
         request(json.dumps({"request": "createStatement", "connectionId": "x"}).encode()), b"HTTP/1.1 500"),
    ]


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def nested_protobuf():
    """An ExecuteRequest whose parameter is an array of an array of …, 5,000 deep."""
    value = b""
    for _ in range(5000):
        value = b"\x42" + varint(len(value)) + value  # field 8, TypedValue.array_value
    body = b"\x12" + varint(len(value)) + value  # field 2, parameter_values
    name = b"org.apache.calcite.avatica.proto.Requests$ExecuteRequest"
    return b"\x0a" + varint(len(name)) + name + b"\x12" + varint(len(body)) + body


# ---- clients that want memory or threads

def slow_body(server):
    """Bodies of 30 MB of which half comes."""
    with connect(server.phoenix) as client:
        client.sendall(request(b" " * (15 * MB), headers=(HOST, ("Content-Length", 30 * MB))))
        time.sleep(3)


def slow_header(server):
    """A header that comes byte by byte."""
    with connect(server.phoenix) as client:
        for c in b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ":
            client.sendall(bytes([c]))
            time.sleep(0.05)


def slow_page(server):
    with connect(server.pages) as client:
        client.sendall(request(headers=(HOST, ("Content-Length", 30 * MB))) + b" " * (10 * MB))
        time.sleep(3)


def half_closed(server):
    """Says that it has nothing more to say, in the middle of a body."""
    with connect(server.phoenix) as client:
        client.sendall(request(b" " * MB, headers=(HOST, ("Content-Length", 2 * MB))))
        client.shutdown(socket.SHUT_WR)
        receive(client)


def pipelined(server):
    """Many requests at once, whose answers are not read."""
    with connect(server.phoenix) as client:
        client.settimeout(3)
        one = request(json.dumps(OPEN).encode())
        try:
            for _ in range(100):
                client.sendall(one * 1000)
        except OSError:
            pass
        time.sleep(1)


def bombs(server):
    """Small bodies that become large ones."""
    body = request(BOMB, headers=(HOST, ("Content-Encoding", "gzip")))
    with connect(server.phoenix) as client:
        client.settimeout(3)
        try:
            for _ in range(20):
                client.sendall(body)
            receive(client)
        except OSError:
            pass


def many_values(server):
    """JSON of two bytes for a value, and batches of empty statements."""
    for body in MANY_VALUES:
        with connect(server.phoenix) as client:
            client.sendall(request(body, headers=(HOST, ("Content-Encoding", "gzip"))))
            receive(client)


def repeated_protobuf(count):
    """An ExecuteRequest of so many empty parameters."""
    body = b"\x12\x00" * count  # field 2, parameter_values
    name = b"org.apache.calcite.avatica.proto.Requests$ExecuteRequest"
    return b"\x0a" + varint(len(name)) + name + b"\x12" + varint(len(body)) + body


MANY_VALUES = [gzip.compress(body, 1) for body in (
    b'{"request":"x","a":[' + b"1," * (10 * MB) + b"1]}",
    b'{"request":"prepareAndExecuteBatch","connectionId":"c","statementId":1,"sqlCommands":['
    + b'"",' * (8 * MB) + b'""]}',
    repeated_protobuf(10 * MB))]
BOMB = gzip.compress(bytes(30 * MB), 9)


def unread_results(server):
    """Large frames, which are not read."""
    name = f"r{threading.get_ident()}{time.monotonic()}"
    call(server.phoenix, {"request": "openConnection", "connectionId": name})
    statement = call(server.phoenix, {"request": "createStatement", "connectionId": name}).get("statementId")
    if statement is None:
        time.sleep(0.1)  # there are as many connections as there may be
        return
    execute = {"request": "prepareAndExecute", "connectionId": name, "statementId": statement,
               "sql": "SELECT A.V FROM BIG A, BIG B", "maxRowsTotal": -1, "maxRowsInFirstFrame": 1_000_000}
    with connect(server.phoenix) as client:
        client.settimeout(3)
        # It does what it is there for: the first answer is large.
        client.sendall(request(json.dumps(execute).encode()))
        first = client.recv(MB)
        if first.startswith(b"HTTP/1.1 503"):
            return
        if len(first) < 1000:
            raise ValueError(f"no large frame: {first!r}")
        try:
            for _ in range(50):
                client.sendall(request(json.dumps(execute).encode()))
        except OSError:
            pass
        time.sleep(3)


def connections(server):
    """As many connections as it gets, left behind."""
    for i in range(200):
        call(server.phoenix, {"request": "openConnection",
                              "connectionId": f"c{threading.get_ident()}{i}{time.monotonic()}"})


def statements(server):
    """As many statements as it gets, left behind."""
    name = f"s{threading.get_ident()}{time.monotonic()}"
    call(server.phoenix, {"request": "openConnection", "connectionId": name})
    with connect(server.phoenix) as client:
        one = request(json.dumps({"request": "createStatement", "connectionId": name}).encode())
        client.settimeout(3)
        try:
            for _ in range(20):
                client.sendall(one * 100)
                client.recv(1 << 20)
        except OSError:
            pass


KINDS = (many_values, slow_body, slow_header, slow_page, half_closed, pipelined, bombs, unread_results, connections, statements)


def half_closed_request(server):
    """Its address and answer, when the client says in the middle of a body that it sends nothing more."""
    with connect(server.phoenix) as client:
        client.sendall(request(b" " * 1000, headers=(HOST, ("Content-Length", 2000))))
        client.shutdown(socket.SHUT_WR)
        return client.getsockname()[1], receive(client)


def unlogged(server, asked):
    """Those of 'asked' (name, port of the client, words) of which no line of the log tells."""
    with open(server.log, encoding="utf-8") as log:
        lines = log.read().splitlines()
    for name, port, words in asked:
        if not any(f"connection from 127.0.0.1:{port}: " in line and words in line for line in lines):
            yield f"{name}: no line of the log has its address and '{words}'"


def attack(server, kind, until, problems):
    while time.monotonic() < until:
        try:
            kind(server)
        except OSError:
            pass  # it is thrown out, which is what it is there for
        except Exception as problem:  # pylint: disable=broad-except
            problems.append(f"{kind.__name__}: {problem!r}")
            return


def main():
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        server = Server(sys.argv[1], directory)
        try:
            asked = []
            for name, ports, sent, expected in wrong_requests():
                for port in ports:
                    with connect(getattr(server, port)) as client:
                        try:
                            client.sendall(sent)
                        except OSError:
                            pass
                        answer = receive(client)
                        code = answer[len("HTTP/1.1 "):][:3].decode("ascii", "replace")
                        asked.append((f"{name} on {port}", client.getsockname()[1], f"refused with {code}: "))
                    if name == NOT_LOGGED:
                        asked.pop()
                    if not answer.startswith(expected):
                        failures.append(f"{name} on {port}: {answer[:100]!r} in place of {expected!r}")
                    if server.process.poll() is not None:
                        sys.exit(f"{name} on {port} ended the server")
            address, answer = half_closed_request(server)
            if not answer.startswith(b"HTTP/1.1 400"):
                failures.append(f"half a body: {answer[:100]!r}")
            asked.append(("half a body", address, "left within a message"))
            failures += unlogged(server, asked)
            for sql in ("CREATE TABLE BIG (K INTEGER PRIMARY KEY, V VARCHAR)",
                        *(f"UPSERT INTO BIG VALUES ({i}, LPAD('x', 10000, 'x'))" for i in range(300))):
                if sql.startswith("CREATE"):
                    call(server.phoenix, {"request": "openConnection", "connectionId": "setup",
                                          "info": {"AutoCommit": "true"}})
                    call(server.phoenix, {"request": "createStatement", "connectionId": "setup"})
                done = call(server.phoenix, {"request": "prepareAndExecute", "connectionId": "setup",
                                             "statementId": 1, "sql": sql, "maxRowsTotal": -1})
                if done.get("response") == "error":
                    failures.append(f"{sql[:40]}: {done['errorMessage'][:100]}")
                    break
            quiet = server.open_files()
            problems = []
            until = time.monotonic() + ATTACK_SECONDS
            threads = [threading.Thread(target=attack, args=(server, kind, until, problems))
                       for kind in KINDS for _ in range(3)]
            for thread in threads:
                thread.start()
            most = served = refused = 0
            slowest = 0.0
            while any(thread.is_alive() for thread in threads):
                most = max(most, server.resident_mb())
                begin = time.monotonic()
                try:
                    with connect(server.pages) as client:
                        client.sendall(request(method="GET", path="/healthz", headers=(HOST, ("Connection", "close"))))
                        served += receive(client).startswith(b"HTTP/1.1 200")
                except OSError:
                    refused += 1
                slowest = max(slowest, time.monotonic() - begin)
                time.sleep(0.2)
            for thread in threads:
                thread.join()
            failures += problems
            if server.process.poll() is not None:
                sys.exit("the server has ended")
            if most > RESIDENT_MB_MAX:
                failures.append(f"the server held {most} MB, more than {RESIDENT_MB_MAX}")
            if served == 0 or refused > 0:
                failures.append(f"health was told {served} times and refused {refused} times")
            for _ in range(100):
                if server.open_files() <= quiet + 2:
                    break
                time.sleep(0.1)
            if server.open_files() > quiet + 2:
                failures.append(f"{server.open_files()} files are open afterwards, {quiet} before")
            again = call(server.phoenix, {"request": "prepareAndExecute", "connectionId": "setup",
                                          "statementId": 1, "sql": "SELECT COUNT(*) FROM BIG", "maxRowsTotal": -1})
            if again.get("response") == "error":
                failures.append(f"afterwards: {again['errorMessage'][:100]}")
            print(f"{len(wrong_requests())} wrong requests; at most {most} MB; health told {served} times, "
                  f"in at most {slowest:.1f} s")
        finally:
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(timeout=60)
        if server.process.returncode != 0:
            failures.append(f"the server ended with {server.process.returncode}")
        with open(server.log, encoding="utf-8") as log:
            lines = log.read().splitlines()
        # A hundred at once, ten a second, and what else there is to tell.
        if len(lines) > LOG_LINES_MAX:
            failures.append(f"the log has {len(lines)} lines")
        if not any("such lines before it were left out" in line for line in lines):
            failures.append("the log does not tell that lines were left out")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
