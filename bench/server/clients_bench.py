#!/usr/bin/env python3
"""The unmodified Java client against the real HBase and `bennu serve`, which take turns.

  clients_bench.py --bennu build/release/bin/bennu --work build/bench/clients --results RESULTS.json
                   [--rows N] [--operations N] [--rounds N] [--doc docs/benchmarks.md]

Both acknowledge a write once the operating system has it, as HBase's standalone server does, and have
the same room for cached blocks and memstores. Without a JDK and Maven it says so, and leaves an empty
list of results.
"""
import argparse
import datetime
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KIT = os.path.join(HERE, "../../tests/peers/kit/peer")
CONFIG = """<configuration>
  <property><name>hbase.wal.hsync</name><value>false</value></property>
  <property><name>bennu.memory</name><value>2g</value></property>
  <property><name>hfile.block.cache.size</name><value>0.4</value></property>
  <property><name>hbase.regionserver.global.memstore.size</name><value>0.4</value></property>
</configuration>
"""


class Absent(Exception):
    """Why HBase cannot be measured here."""


def free_port():
    """Of ZooKeeper; the kit takes two more at fixed distances."""
    for port in range(2403, 9000, 7):
        free = True
        for other in (port, port + 10000, port + 20000):
            with socket.socket() as probe:
                free = free and probe.connect_ex(("127.0.0.1", other)) != 0
        if free:
            return port
    raise Absent("no port is free")


class HBase:
    """The kit's server: ZooKeeper, master and region server in one process."""

    def __init__(self, options):
        for tool in ("java", "javac", "mvn", "setsid"):
            if shutil.which(tool) is None:
                raise Absent(f"there is no '{tool}' here; it wants a JDK (17 or newer) and Maven")
        self.home = os.path.abspath(options.peer_home)
        self.zk_port = free_port()
        self.environment = {**os.environ, "PEER_HOME": self.home, "PEER_ZK_PORT": str(self.zk_port),
                            "PEER_HEAP": "2g", "PEER_CLIENT_OPTS": "-Xmx1g"}
        os.makedirs(self.home, exist_ok=True)
        try:
            self.kit("start", "--fresh")
            with open(os.path.join(self.home, "pid"), encoding="utf-8") as pid:
                self.pid = int(pid.read())
        except Absent:
            self.stop()
            raise

    def kit(self, *arguments):
        run = subprocess.run([KIT, *arguments], env=self.environment, text=True, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode != 0:
            raise Absent(f"'peer {arguments[0]}' failed: {(run.stderr + run.stdout).strip()[-300:]}")
        return (run.stdout.strip().splitlines() or [""])[-1]

    def stop(self):
        subprocess.run([KIT, "stop"], env=self.environment, check=False, capture_output=True)


class Bennu:
    """`bennu serve` with these options for its ports; 'port' is the one that 'service' has."""

    def __init__(self, options, service, ports):
        config = options.work + "/config.xml"
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG)
        self.process = subprocess.Popen(
            [options.bennu, "serve", options.work + "/store", "--config", config, "--http-port", "none",
             *ports],
            stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline()
        if f"{service}=" not in ready:
            sys.exit("bennu serve did not start")
        self.port = int(ready.split(f"{service}=")[1].split()[0].rpartition(":")[2])
        self.pid = self.process.pid

    def stop(self):
        self.process.terminate()
        self.process.wait()


def measure(options, hbase, bennu):
    """The lines of the client as lists of words."""
    classes = options.work + "/classes"
    subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", hbase.kit("classpath"),
                    os.path.join(HERE, "ClientBench.java")], check=True)
    with subprocess.Popen(
            [KIT, "java", "ClientBench", str(options.rows), str(options.operations),
             str(options.rounds), f"hbase={hbase.zk_port}:{hbase.pid}",
             f"bennu={bennu.port}:{bennu.pid}"],
            env={**hbase.environment, "PEER_CLASSES": classes}, stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL, text=True) as client:
        answers = []
        for line in client.stdout:
            if line.startswith(("workload ", "resident ")):
                print(line.rstrip(), flush=True)
                answers.append(line.split())
    if client.returncode != 0:
        sys.exit(f"the client failed with {client.returncode}; see {hbase.home}/client.log")
    return answers


def results(answers):
    """As in results.json: HBase is the peer; ratios above 1 say that Bennu is better."""
    lines = []
    by_name = {}
    for kind, name, threads, server, *figures in answers:
        key = f"client.{name}.{threads}" if kind == "workload" else f"client.resident_{name}"
        by_name.setdefault(key, {})[server] = [float(figure) for figure in figures]
    for key, both in by_name.items():
        own, peer = both["bennu"], both["hbase"]
        if len(own) == 1:
            lines.append({"name": key, "value": own[0], "unit": "MB", "peer": "hbase",
                          "peer_value": peer[0], "ratio": round(peer[0] / own[0], 4)})
            continue
        # A run may be too short for the clock of processor time.
        lines.append({"name": key, "value": own[0], "unit": "/s", "peer": "hbase",
                      "peer_value": peer[0], "ratio": round(own[0] / peer[0], 4),
                      "cpu_micros": own[1], "peer_cpu_micros": peer[1],
                      "p50_micros": own[2], "peer_p50_micros": peer[2],
                      "p99_micros": own[3], "peer_p99_micros": peer[3]})
    return lines


def markdown(lines, options):
    text = [f"{datetime.date.today()}; {options.rows:,} rows of 1,000 bytes, {options.operations:,} "
            f"operations of a mix, medians of {options.rounds} rounds.", "",
            "| name | rows/s | HBase | server's processor time | HBase | | p50 | HBase | p99 | HBase |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for line in lines:
        name = line["name"].removeprefix("client.")
        if line["unit"] == "MB":
            continue
        own, peer = line["cpu_micros"], line["peer_cpu_micros"]
        ratio = f"{peer / own:.1f}×" if own else ""
        text.append(f"| `{name}` | {line['value']:,.0f} | {line['peer_value']:,.0f} | {own:.1f} µs | "
                    f"{peer:.1f} µs | {ratio} | {line['p50_micros']:.0f} µs | "
                    f"{line['peer_p50_micros']:.0f} µs | {line['p99_micros']:.0f} µs | "
                    f"{line['peer_p99_micros']:.0f} µs |")
    text.append("")
    text += [f"`{line['name'].removeprefix('client.')}`: {line['value']:.0f} MB, HBase "
             f"{line['peer_value']:.0f} MB." for line in lines if line["unit"] == "MB"]
    return "\n".join(text) + "\n"


def write_document(path, text, mark):
    """Between the document's marks of this name."""
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->\n"
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    head, rest = whole.split(begin)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + text + "\n" + end + rest.split(end)[1])


def prepare(options):
    """An empty folder for the work, whose absolute path it puts into the options."""
    options.work = os.path.abspath(options.work)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to stop"))  # servers stop, too
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)


def measure_hbase(options, what, lines_of, markdown_of, mark):
    """Starts HBase, lets 'lines_of' measure it, and finishes; without what it needs it says so."""
    prepare(options)
    begin = time.monotonic()
    lines = []
    try:
        hbase = HBase(options)
    except Absent as reason:
        print(f"absent: {what}: {reason}", flush=True)
    else:
        try:
            lines = lines_of(hbase)
        finally:
            hbase.stop()
    finish(options, lines, markdown_of, mark)
    print(f"{time.monotonic() - begin:.0f} s")


def finish(options, lines, markdown_of, mark):
    """Writes and prints what was measured, and removes the folder."""
    with open(options.results, "w", encoding="utf-8") as file:
        json.dump(lines, file, indent=1)
    if lines:
        table = markdown_of(lines, options)
        print("\n" + table)
        if options.doc:
            write_document(options.doc, table, mark)
    shutil.rmtree(options.work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bennu", default="build/release/bin/bennu")
    parser.add_argument("--work", default="build/bench/clients")
    parser.add_argument("--peer-home", default="build/peer")
    parser.add_argument("--results", default="build/bench/clients.json")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--doc", help="write the table between this document's marks")
    options = parser.parse_args()

    def lines_of(hbase):
        bennu = Bennu(options, "zookeeper", ["--zk-port", "0", "--master-port", "0", "--rs-port", "0",
                                              "--phoenix-port", "none"])
        try:
            return results(measure(options, hbase, bennu))
        finally:
            bennu.stop()

    measure_hbase(options, "HBase beside `bennu serve`", lines_of, markdown, "clients_bench")


if __name__ == "__main__":
    main()
