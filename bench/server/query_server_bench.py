#!/usr/bin/env python3
"""Phoenix's thin driver on `bennu serve`, on Phoenix's own query server over HBase, and on Bennu's gateway over the same
HBase, which take turns.

  query_server_bench.py --bennu build/release/bin/bennu --work build/bench/query_server
                        --results RESULTS.json [--rows N] [--look-ups N] [--batch N] [--rounds N]
                        [--doc docs/benchmarks.md]

All acknowledge a write once the operating system has it. The processor time of Phoenix's side and of the gateway's is that
with HBase together, as `bennu serve` is both; their memory is that of the query server and of the gateway alone. Without a JDK and Maven it says so, and leaves an empty list of results.
"""
import argparse
import datetime
import os
import socket
import subprocess
import sys
import time

from clients_bench import HERE, Absent, Bennu, HBase, finish, free_port, prepare

THIN = os.path.join(HERE, "../../tests/peers/thin")


def class_path(options):
    """Of the thin driver and of the query server, as Maven resolves it."""
    home = os.path.join(os.path.abspath(options.peer_home), "thin")
    os.makedirs(home, exist_ok=True)
    path = os.path.join(home, "classpath.txt")
    pom = os.path.join(THIN, "pom.xml")
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(pom):
        run = subprocess.run(["mvn", "-q", "-B", "-f", pom, f"-Dthin.home={home}", "process-resources"],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise Absent("Maven found no query server: " + run.stdout.strip()[-300:])
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


class QueryServer:
    """Phoenix's own, in a process of its own beside HBase's."""

    def __init__(self, options, hbase, thin_path):
        self.port = free_port()
        conf = options.work + "/conf"
        os.makedirs(conf)
        with open(hbase.home + "/conf/hbase-site.xml", encoding="utf-8") as file:
            site = file.read()
        more = "".join(f"<property><name>{name}</name><value>{value}</value></property>" for name, value in (
            ("phoenix.queryserver.http.port", self.port),
            # The page of JMX wants other classes than HBase's jars have.
            ("phoenix.queryserver.jmxjsonendpoint.disabled", "true")))
        with open(conf + "/hbase-site.xml", "w", encoding="utf-8") as file:
            file.write(site.replace("</configuration>", more + "</configuration>"))
        with open(conf + "/log4j.properties", "w", encoding="utf-8") as file:
            file.write("log4j.rootLogger=ERROR,C\nlog4j.appender.C=org.apache.log4j.ConsoleAppender\n"
                       "log4j.appender.C.layout=org.apache.log4j.SimpleLayout\n")
        jars = thin_path.split(":")
        own = [jar for jar in jars if "phoenix-queryserver-6" in jar]
        extra = [jar for jar in jars if "javax.servlet-api" in jar or "jetty" in jar]
        with open(options.work + "/query_server.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx1g", f"-Dlog4j.configuration=file:{conf}/log4j.properties", "-cp",
                 ":".join([*own, conf, hbase.kit("classpath"), *extra]),
                 "org.apache.phoenix.queryserver.server.QueryServer"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.pid = self.process.pid

    def stop(self):
        self.process.kill()
        self.process.wait()


class Gateway:
    """`bennu serve --cluster` over the same HBase: what Phoenix's query server is, in one process."""

    def __init__(self, options, hbase):
        self.process = subprocess.Popen(
            [options.bennu, "serve", "--cluster", f"hbase://127.0.0.1:{hbase.zk_port}/hbase", "--http-port", "none",
             "--phoenix-port", "0"], stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline()
        if "phoenix=" not in ready:
            sys.exit("bennu serve --cluster did not start")
        self.port = int(ready.split("phoenix=")[1].split()[0].rpartition(":")[2])
        self.pid = self.process.pid

    def stop(self):
        self.process.terminate()
        self.process.wait()


def await_port(server, seconds=60):
    """Until it listens."""
    for _ in range(seconds * 10):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", server.port)) == 0:
                return
        if server.process.poll() is not None:
            break
        time.sleep(0.1)
    raise Absent("Phoenix's query server does not serve")


def measure(options, thin_path, servers):
    classes = options.work + "/classes"
    subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", thin_path,
                    os.path.join(HERE, "ThinBench.java")], check=True)
    with subprocess.Popen(
            ["java", "-Xmx1g", "-cp", f"{classes}:{options.work}/conf:{thin_path}", "ThinBench",
             str(options.look_ups), str(options.rows), str(options.batch), str(options.rounds),
             *(f"{name}=http://127.0.0.1:{port}={','.join(map(str, pids))}"
               for name, port, pids in servers)],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as client:
        answers = []
        for line in client.stdout:
            if line.startswith(("workload ", "resident ")):
                print(line.rstrip(), flush=True)
                answers.append(line.split())
    if client.returncode != 0:
        sys.exit(f"the client failed with {client.returncode}")
    return answers


def results(answers):
    """As in results.json: Phoenix is the peer; ratios above 1 say that Bennu is better."""
    lines = []
    by_name = {}
    for kind, *rest in answers:
        name, server, figures = (rest[0], rest[1], rest[2:]) if kind == "workload" else ("resident", rest[0], rest[1:])
        by_name.setdefault(name, {})[server] = [float(figure) for figure in figures]
    for server, prefix, name in [(server, prefix, name) for server, prefix in (("bennu", ""), ("gateway", "gateway."))
                                 for name in by_name]:
        own, peer = by_name[name][server], by_name[name]["phoenix"]
        line = {"name": f"query_server.{prefix}{name}", "value": own[0], "unit": "/s" if len(own) > 1 else "MB",
                "peer": "phoenix", "peer_value": peer[0]}
        if len(own) == 1:
            line["ratio"] = round(peer[0] / own[0], 4)
        else:
            line["ratio"] = round(own[0] / peer[0], 4)
            for key, index in (("cpu_micros", 1), ("p50_micros", 2), ("p99_micros", 3), ("client_share", 4)):
                line[key], line["peer_" + key] = own[index], peer[index]
        lines.append(line)
    return lines


def markdown(lines, options):
    text = [f"{datetime.date.today()}; {options.rows:,} rows, {options.look_ups:,} look-ups, batches of "
            f"{options.batch:,} rows in messages of 1,000, medians of {options.rounds} rounds.", "",
            "| name | /s | Phoenix | | servers' processor time | Phoenix | client at work | Phoenix | p50 | Phoenix | p99 | Phoenix |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for line in lines:
        if line["unit"] == "MB":
            continue
        times = (f"{line['p50_micros']:.0f} µs | {line['peer_p50_micros']:.0f} µs | "
                 f"{line['p99_micros']:.0f} µs | {line['peer_p99_micros']:.0f} µs"
                 if line["p50_micros"] else " | | | ")
        text.append(f"| `{line['name'].removeprefix('query_server.')}` | {line['value']:,.0f} | "
                    f"{line['peer_value']:,.0f} | {line['ratio']:.1f}× | {line['cpu_micros']:.2f} µs | "
                    f"{line['peer_cpu_micros']:.1f} µs | {line['client_share']:.0%} | "
                    f"{line['peer_client_share']:.0%} | {times} |")
    text.append("")
    resident = {line["name"].removeprefix("query_server."): line for line in lines if line["unit"] == "MB"}
    if resident:
        text.append(f"Resident at the end: `bennu serve` {resident['resident']['value']:.0f} MB with the tables in it, the gateway "
                    f"{resident['gateway.resident']['value']:.0f} MB, Phoenix's query server "
                    f"{resident['resident']['peer_value']:.0f} MB.")
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bennu", default="build/release/bin/bennu")
    parser.add_argument("--work", default="build/bench/query_server")
    parser.add_argument("--peer-home", default="build/peer")
    parser.add_argument("--results", default="build/bench/query_server.json")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--look-ups", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--doc", help="write the table between this document's marks")
    options = parser.parse_args()
    prepare(options)
    begin = time.monotonic()
    lines = []
    started = []
    try:
        hbase = HBase(options)
        started.append(hbase)
        thin_path = class_path(options)
        phoenix = QueryServer(options, hbase, thin_path)
        started.append(phoenix)
        await_port(phoenix)
        bennu = Bennu(options, "phoenix", ["--zk-port", "none", "--master-port", "none", "--rs-port", "none",
                                           "--phoenix-port", "0"])
        started.append(bennu)
        gateway = Gateway(options, hbase)
        started.append(gateway)
        lines = results(measure(options, thin_path, [("phoenix", phoenix.port, [phoenix.pid, hbase.pid]),
                                                     ("gateway", gateway.port, [gateway.pid, hbase.pid]),
                                                     ("bennu", bennu.port, [bennu.pid])]))
    except Absent as reason:
        print(f"absent: Phoenix's query server beside `bennu serve`: {reason}", flush=True)
    finally:
        for server in reversed(started):
            server.stop()
    finish(options, lines, markdown, "query_server_bench")
    print(f"{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
