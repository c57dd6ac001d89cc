#!/usr/bin/env python3
"""Eleven kinds of hostile clients at once; the server's memory stays within its bound.

    hostile_clients.py PATH-OF-BENNU

Each kind tries to make the server hold what it likes: messages that never end, answers that nobody
fetches, small bytes that become large ones. Meanwhile a client that behaves gets its row, and afterwards
the server is as it was. Talks to a server of its own on this machine, for some twenty seconds.
"""
import gzip
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

MB = 1 << 20
# bennu.wire.memory, for messages and answers, and as much again for calls; the rest is what thirty
# handlers have in their hands, and the program itself.
WIRE_MB = 64
RESIDENT_MB_MAX = 768
ATTACK_SECONDS = 12


# ---- protobuf by hand

def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def delimited(message):
    return varint(len(message)) + message


def call(number, method, parameter, cells=b"", header_more=b""):
    header = field(1, number) + field(3, method.encode()) + field(4, 1) + header_more
    if cells:
        header += field(5, field(1, len(cells)))
    body = delimited(header) + delimited(parameter) + cells
    return struct.pack(">I", len(body)) + body


def region(name):
    return field(1, 1) + field(2, name.encode())


def get(name, row):
    return field(1, region(name)) + field(2, field(1, row))


# ---- the server and its clients

class Server:
    def __init__(self, bennu, directory):
        self.bennu = bennu
        store = os.path.join(directory, "store")
        big = os.path.join(directory, "big")
        with open(big, "w", encoding="ascii") as script:
            script.write("create 't', 'f'\nput 't', 'small', 'f:q', 'v'\n")
            script.write(f"put 't', 'middle', 'f:q', '{'x' * 15000}'\n")
            for i in range(8):
                script.write(f"put 't', 'big', 'f:q{i}', '{'x' * MB}'\n")
        subprocess.run([bennu, "shell", store, big], check=True, timeout=120, stdout=subprocess.DEVNULL)
        meta = subprocess.run([bennu, "shell", store, "-e", "scan 'hbase:meta'"], check=True, timeout=60,
                              capture_output=True, text=True).stdout
        self.region = re.search(r"t,,\d+\.[0-9a-f]{32}\.", meta).group()
        config = os.path.join(directory, "site.xml")
        with open(config, "w", encoding="ascii") as file:
            file.write("<configuration>"
                       f"<property><name>bennu.wire.memory</name><value>{WIRE_MB}m</value></property>"
                       "<property><name>bennu.memory</name><value>64m</value></property>"
                       "</configuration>")
        ready = os.path.join(directory, "ready")
        self.process = subprocess.Popen(
            [bennu, "serve", store, "--config", config, "--zk-port", "0", "--master-port", "0",
             "--rs-port", "0", "--http-port", "none", "--phoenix-port", "none", "--ready-file", ready],
            stdout=subprocess.DEVNULL, stderr=open(os.path.join(directory, "log"), "w"))
        for _ in range(300):
            if os.path.exists(ready) and os.path.getsize(ready) > 0:
                break
            time.sleep(0.1)
        ports = dict(word.split("=") for word in open(ready, encoding="ascii").read().split()[1:])
        self.port = int(ports["regionserver"].rsplit(":", 1)[1])
        self.master = ports["master"]

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) // 1024
        return 0

    def connect(self, compressor=b""):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        header = field(1, field(1, b"stranger")) + field(2, b"ClientService")
        header += field(3, b"org.apache.hadoop.hbase.codec.KeyValueCodec")
        if compressor:
            header += field(4, compressor)
        client.sendall(b"HBas\x00\x50" + struct.pack(">I", len(header)) + header)
        return client


def never_ending(server):
    """Half of a message of 100 MB, and no more."""
    client = server.connect()
    client.sendall(struct.pack(">I", 100 * MB) + b"\x08" * (50 * MB))
    time.sleep(3)


def pipelined_gets(server):
    """Many Gets of a large row, whose answers are not read."""
    client = server.connect()
    client.sendall(b"".join(call(i, "Get", get(server.region, b"big")) for i in range(400)))
    time.sleep(3)


def pipelined_small_gets(server):
    """Many Gets of a row of 15 KB on many connections, whose answers are not read."""
    clients = [server.connect() for _ in range(100)]
    for client in clients:
        client.settimeout(1)
        try:
            client.sendall(b"".join(call(i, "Get", get(server.region, b"middle")) for i in range(600)))
        except OSError:
            pass
    time.sleep(3)
    for client in clients:
        client.close()


def large_multi(server):
    """One call whose answer would be 4 GB and more."""
    client = server.connect()
    action = field(3, field(1, 0) + field(3, field(1, b"big")))
    client.sendall(call(1, "Multi", field(1, field(1, region(server.region)) + action * 600)))
    time.sleep(3)


def unread_scans(server):
    """Scans that are never read, on one connection."""
    client = server.connect()
    scan = field(1, region(server.region)) + field(2, field(9, 100 * MB)) + field(4, 1000)
    client.sendall(b"".join(call(i, "Scan", scan) for i in range(300)))
    time.sleep(3)


BOMB = gzip.compress(bytes(200 * MB), 9)


def bombs(server):
    """A small block of cells that inflates to 200 MB."""
    client = server.connect(b"org.apache.hadoop.io.compress.GzipCodec")
    block = struct.pack(">II", 200 * MB, len(BOMB)) + BOMB
    mutation = field(1, region(server.region)) + field(2, field(1, b"r") + field(2, 2) + field(8, 1))
    for raw in (BOMB, block):
        client.sendall(b"".join(call(i, "Mutate", mutation, raw) for i in range(20)))
    time.sleep(3)


def tiny_actions(server):
    """Actions of two bytes, of which each becomes an object, and a failure with its text."""
    client = server.connect()
    actions = field(1, field(1, region(server.region)) + b"\x1a\x00" * (8 * MB))
    client.sendall(call(1, "Multi", actions))
    time.sleep(3)


def tiny_mutations(server):
    """The same with mutations of nothing."""
    client = server.connect()
    actions = field(1, field(1, region(server.region)) + b"\x1a\x02\x12\x00" * (4 * MB))
    client.sendall(call(1, "Multi", actions))
    time.sleep(3)


def large_headers(server):
    """A header of 8 MB, again and again, whose memory a connection might keep."""
    client = server.connect()
    trace = field(2, field(1, 1) + field(3, field(1, b"k") + field(2, b"v" * (8 * MB))))
    for i in range(4):
        client.sendall(call(i, "Get", get(server.region, b"small"), header_more=trace))
    time.sleep(3)


def too_large(server):
    """A message past the bound of messages."""
    client = server.connect()
    client.sendall(struct.pack(">I", 0x7FFFFFFF) + delimited(field(1, 77) + field(3, b"Get")))
    client.settimeout(5)
    while client.recv(1 << 16):
        pass


def nonsense(server):
    """Random bytes where a message is expected."""
    client = server.connect()
    client.sendall(struct.pack(">I", MB) + os.urandom(MB))
    time.sleep(1)


KINDS = [never_ending, pipelined_gets, pipelined_small_gets, large_multi, unread_scans, bombs, tiny_actions, tiny_mutations,
         large_headers, too_large, nonsense]


def attack(server, kind, until):
    while time.monotonic() < until and server.process.poll() is None:
        try:
            kind(server)
        except OSError:  # the server ended the connection, as it may
            time.sleep(0.1)


def answered_in(server, seconds):
    """How long a Get of a small row takes; None: longer than that. What is busy is asked again."""
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        try:
            with server.connect() as client:
                client.settimeout(seconds)
                client.sendall(call(1, "Get", get(server.region, b"small")))
                frame = b""
                while len(frame) < 4 or len(frame) < 4 + struct.unpack(">I", frame[:4])[0]:
                    more = client.recv(1 << 16)
                    if not more:
                        break
                    frame += more
                if b"small" in frame:
                    return time.monotonic() - begin
        except OSError:
            pass
        time.sleep(0.05)
    return None


def main():
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        server = Server(sys.argv[1], directory)
        try:
            before = server.resident_mb()
            until = time.monotonic() + ATTACK_SECONDS
            threads = [threading.Thread(target=attack, args=(server, kind, until), daemon=True)
                       for kind in KINDS]
            for thread in threads:
                thread.start()
            peak, slowest = before, 0.0
            while time.monotonic() < until and server.process.poll() is None:
                peak = max(peak, server.resident_mb())
                took = answered_in(server, 10)
                if took is None:
                    failures.append("a Get of a small row was not answered within 10 s")
                    break
                slowest = max(slowest, took)
                time.sleep(0.02)
            for thread in threads:
                thread.join(timeout=30)
            print(f"resident: {before} MB before, {peak} MB at most (bound {RESIDENT_MB_MAX}); "
                  f"slowest Get of another client: {slowest * 1000:.0f} ms")
            if peak > RESIDENT_MB_MAX:
                failures.append(f"{peak} MB, more than {RESIDENT_MB_MAX}")
            if server.process.poll() is not None:
                failures.append(f"the server ended with {server.process.returncode}")
            elif answered_in(server, 10) is None:
                failures.append("no answer afterwards")
            else:
                server.process.send_signal(signal.SIGTERM)
                if server.process.wait(timeout=60) != 0:
                    failures.append("it did not stop well")
        finally:
            if server.process.poll() is None:
                server.process.kill()
        if failures:
            sys.stdout.write("".join(open(os.path.join(directory, "log"), errors="replace").readlines()[-20:]))
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
