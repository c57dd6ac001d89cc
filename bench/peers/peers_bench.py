#!/usr/bin/env python3
"""Bennu's SQL beside Phoenix, DuckDB and SQLite: the same rows and questions in the same run.

  peers_bench.py --bin build/release/bin --work build/bench/peers --results RESULTS.json
                 [--rows N] [--systems sqlite,duckdb,phoenix] [--doc docs/benchmarks.md] [--only TEXT]

Every system runs in a process of its own; the runs of a question take turns. Answers are compared,
and the run fails when they differ. A system that cannot be had is named with the reason, and the rest
goes on.

Driver: a process reads commands, one a line with tabs between the fields, and answers each by a line
that begins with ok or error:
  execute SQL
  load SQL TYPES FILE ROWS-A-COMMIT   ok rows seconds cpu-seconds
  settle
  run SQL                             ok rows seconds cpu-seconds
  answer SQL FILE                     ok rows
  each SQL TYPES FILE COUNT           ok rows sum median-micros p99-micros cpu-micros
TYPES has a letter for each field: i, d, s, and t for milliseconds.
"""
import argparse
import datetime
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

import workload

HERE = os.path.dirname(os.path.abspath(__file__))
KIT = os.path.join(HERE, "../../tests/peers/kit/peer")
ROWS_A_COMMIT = 1000
TURN_SECONDS = 0.02
TURN_RUNS_MAX = 50


class Absent(Exception):
    """Why a system cannot be measured here."""


class System:
    """A driver's process."""

    def __init__(self, name, command, environment=None, more_pids=()):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, **(environment or {})})
        self.more_pids = list(more_pids)

    def ask(self, *command):
        self.process.stdin.write("\t".join(command) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n").split("\t")
        if answer[0] != "ok":
            sys.exit(f"{self.name}: {command[0]} {command[1] if command[1:] else ''}: {answer}")
        return [float(field) for field in answer[1:]]

    def cpu_seconds(self):
        """Of the driver and the servers behind it."""
        total = 0
        for pid in [self.process.pid, *self.more_pids]:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                fields = stat.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Phoenix(System):
    """The kit's server and a Java driver."""

    def __init__(self, options):
        for tool in ("java", "javac", "mvn", "setsid"):
            if shutil.which(tool) is None:
                raise Absent(f"there is no '{tool}' here; it wants a JDK (11 or newer) and Maven")
        port = free_port()
        home = os.path.abspath(options.peer_home)
        self.environment = {"PEER_HOME": home, "PEER_ZK_PORT": str(port), "PEER_HEAP": "4g",
                            "PEER_CLIENT_OPTS": f"-Xmx2g -Dpeer.url=jdbc:phoenix+zk:127.0.0.1:{port}"}
        os.makedirs(home, exist_ok=True)
        class_path = self.kit("classpath")
        classes = os.path.join(os.path.abspath(options.work), "classes")
        subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", class_path,
                        os.path.join(HERE, "PhoenixDriver.java")], check=True)
        self.environment["PEER_CLASSES"] = classes
        self.kit("start", "--fresh")
        with open(os.path.join(home, "pid"), encoding="utf-8") as pid:
            server = int(pid.read())
        super().__init__("phoenix", [KIT, "java", "PhoenixDriver"], self.environment, [server])

    def kit(self, *arguments):
        run = subprocess.run([KIT, *arguments], env={**os.environ, **self.environment}, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=False)
        if run.returncode != 0:
            raise Absent(f"'peer {arguments[0]}' failed: {(run.stderr + run.stdout).strip()[-300:]}")
        return (run.stdout.strip().splitlines() or [""])[-1]

    def stop(self):
        super().stop()
        self.kit("stop")


def free_port():
    """Of ZooKeeper; the kit takes two more at fixed distances."""
    for port in range(2400, 9000, 7):
        free = True
        for other in (port, port + 10000, port + 20000):
            with socket.socket() as probe:
                free = free and probe.connect_ex(("127.0.0.1", other)) != 0
        if free:
            return port
    raise Absent("no port is free")


def start_duckdb(options):
    python = os.path.join(options.venv, "bin/python")
    if not os.path.exists(python):
        made = subprocess.run([sys.executable, "-m", "venv", options.venv], capture_output=True,
                              check=False)
        if made.returncode != 0:
            raise Absent("python3 -m venv failed; Debian has it in python3-venv")
    have = subprocess.run([python, "-c", "import duckdb"], capture_output=True, check=False)
    if have.returncode != 0:
        got = subprocess.run([python, "-m", "pip", "-q", "install", "duckdb"], capture_output=True,
                             text=True, check=False)
        if got.returncode != 0:
            raise Absent("pip install duckdb failed: " + got.stderr.strip()[-200:])
    return System("duckdb", [python, os.path.join(HERE, "duckdb_driver.py"), options.work + "/duckdb"])


def start(options):
    """Bennu first, then the peers that can be had; {name: reason} of the others."""
    driver = os.path.join(options.bin, "peer_driver")
    systems = [System("bennu", [driver, "bennu", options.work + "/bennu"])]
    absent = {}
    for name in options.systems.split(","):
        try:
            if name == "sqlite":
                systems.append(System(name, [driver, name, options.work + "/sqlite"]))
            elif name == "duckdb":
                systems.append(start_duckdb(options))
            elif name == "phoenix":
                systems.append(Phoenix(options))
            elif name:
                sys.exit(f"no such system: {name}")
        except Absent as reason:
            absent[name] = str(reason)
            print(f"absent: {name}: {reason}", flush=True)
    return systems, absent


class Report:
    def __init__(self):
        self.lines = []  # as in results.json
        self.table = []  # (name, {system: (value, unit, cpu)})

    def add(self, name, unit, figures):
        """figures: {system: (value, processor time in microseconds or 0)}, Bennu's first."""
        self.table.append((name, unit, figures))
        own, own_cpu = figures["bennu"]
        shown = f"{name:<44} {own:>12.3f} {unit:<4}"
        for peer, (value, cpu) in figures.items():
            if peer == "bennu":
                continue
            ratio = own / value if unit == "/s" else value / own
            line = {"name": name, "value": own, "unit": unit, "peer": peer, "peer_value": value,
                    "ratio": round(ratio, 4)}
            if own_cpu and cpu:
                line |= {"cpu_micros": round(own_cpu, 3), "peer_cpu_micros": round(cpu, 3)}
            self.lines.append(line)
            shown += f" {peer} {value:.3f} ({ratio:.2f}x)"
        print(shown, flush=True)


def rounded(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def markdown(report, systems, absent, rows):
    peers = [system.name for system in systems if system.name != "bennu"]
    versions = {"duckdb": "DuckDB", "sqlite": "SQLite", "phoenix": "Phoenix"}
    lines = [f"{datetime.date.today()}, {machine()}; {rows:,} metrics in each of three tables, "
             f"{rows:,} flights. Ratios above 1: Bennu is better, by wall time and, in brackets, by "
             "processor time of all threads."]
    lines += [f"Absent: {versions[name]} ({reason})." for name, reason in absent.items()]
    lines += ["", "| name | Bennu |" + "".join(f" {versions[peer]} | ratio |" for peer in peers),
              "|---|--:|" + "--:|--:|" * len(peers)]
    for name, unit, figures in report.table:
        space = "" if unit == "/s" else " "
        own, own_cpu = figures["bennu"]
        line = f"| `{name}` | {rounded(own)}{space}{unit} |"
        for peer in peers:
            if peer not in figures:
                line += " | |"
                continue
            value, cpu = figures[peer]
            ratio = own / value if unit == "/s" else value / own
            line += f" {rounded(value)}{space}{unit} | {rounded(ratio)}"
            line += f" ({rounded(cpu / own_cpu)}) |" if cpu and own_cpu else " |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")),
                     "unknown processor")
    return f"{os.cpu_count()} × {model}"


def write_document(path, text):
    """Between the marks of the document."""
    begin, end = "<!-- peers_bench: begin -->\n", "<!-- peers_bench: end -->\n"
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    head, rest = whole.split(begin)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + text + "\n" + end + rest.split(end)[1])


def fill(table, file, systems, options):
    """Writes a file's rows; {system: (rows a second, processor time a row)} and the number of rows."""
    figures = {}
    for system in systems:
        cpu = system.cpu_seconds()
        rows, seconds, own_cpu = system.ask("load", workload.upsert(table, system.name), workload.TYPES[table],
                                            f"{options.work}/data/{file}", str(ROWS_A_COMMIT))
        cpu = own_cpu or system.cpu_seconds() - cpu
        figures[system.name] = (rows / seconds, cpu / rows * 1e6)
    return figures, rows


def load(systems, options, report):
    for table in workload.TABLES:
        those = [system for system in systems if workload.takes_part(table, system.name)]
        for system in those:
            system.ask("execute", workload.definition(table, system.name))
            index = workload.index_definition(table, system.name)
            if index:
                system.ask("execute", index)
        figures, rows = fill(table, workload.FILES[table], those, options)
        if rows > 10_000:
            report.add(f"{table.lower()}.load", "/s", figures)
    those = [system for system in systems if workload.takes_part("METRICS_INDEXED", system.name)]
    report.add("metrics_indexed.update", "/s", fill("METRICS_INDEXED", "metrics_updates", those, options)[0])
    for system in systems:
        system.ask("settle")


def comparable(path, ordered):
    with open(path, encoding="utf-8") as file:
        rows = [[field.rstrip() for field in line.rstrip("\n").split("\t")] for line in file]
    return rows if ordered else sorted(rows)


def alike(one, other):
    """Numbers may differ in what an average's scale cuts off."""
    if one == other:
        return True
    try:
        a, b = float(one), float(other)
    except ValueError:
        return False
    return abs(a - b) <= 1.1e-4 + 1e-9 * abs(a)


def compare_answers(name, sql, systems, options):
    answers = {}
    for system in systems:
        path = f"{options.work}/answer-{system.name}"
        system.ask("answer", workload.phrase(sql, system.name), path)
        answers[system.name] = comparable(path, "ORDER BY" in sql)
    own = answers["bennu"]
    for peer, rows in answers.items():
        same = len(rows) == len(own) and all(
            len(a) == len(b) and all(map(alike, a, b)) for a, b in zip(own, rows))
        if not same:
            odd = next((pair for pair in zip(own, rows) if not all(map(alike, *pair))), None)
            sys.exit(f"{name}: the answers of bennu and {peer} differ: {len(own)} and {len(rows)} rows, "
                     f"first {odd}")


def take_turn(system, sql, seconds, cpu):
    """One run, or as many as make a turn: short ones would find caches that others have filled."""
    walls, cpus = [], []
    before = system.cpu_seconds()
    while not walls or (sum(walls) < TURN_SECONDS and len(walls) < TURN_RUNS_MAX):
        _, wall, own_cpu = system.ask("run", sql)
        walls.append(wall)
        cpus.append(own_cpu)
    after = system.cpu_seconds()
    seconds += walls
    cpu += cpus if cpus[0] else [(after - before) / len(walls)] * len(walls)


def ask_question(name, question, systems, options, report):
    table, sql = question
    systems = [system for system in systems if workload.takes_part(table, system.name)]
    compare_answers(name, sql, systems, options)
    seconds = {system: [] for system in systems}
    cpu = {system: [] for system in systems}
    for system in systems:  # warm; what runs in a JVM takes more of it
        for _ in range(3 if system.name == "phoenix" else 1):
            system.ask("run", workload.phrase(sql, system.name))
    for run in range(options.runs):
        for system in systems:
            if run >= 3 and sum(seconds[system]) > 10:
                continue
            take_turn(system, workload.phrase(sql, system.name), seconds[system], cpu[system])
    report.add(name, "ms", {
        system.name: (statistics.median(seconds[system]) * 1e3,
                      statistics.median(cpu[system]) * 1e6) for system in systems})


def run_short(name, statement, systems, options, report):
    table, sql, types, file = statement
    systems = [system for system in systems if workload.takes_part(table, system.name)]
    file = f"{options.work}/data/{file}"
    figures, tails, found = {}, {}, {}
    for system in systems:
        # Few for the slow ones: a median of thousands is steady.
        count = workload.LOOK_UPS if system.name in ("bennu", "sqlite") else workload.LOOK_UPS // 5
        before = system.cpu_seconds()
        rows, total, median, tail, cpu = system.ask("each", sql, types, file, str(count))
        cpu = cpu or (system.cpu_seconds() - before) / (count * 1.25) * 1e6
        figures[system.name] = (median, cpu)
        tails[system.name] = (tail, 0)
        found[system.name] = (count, rows, total)
    # What Bennu answers to as many.
    expected = {}
    for system, (count, rows, total) in found.items():
        if count not in expected:
            expected[count] = ((rows, total) if system == "bennu"
                               else tuple(systems[0].ask("each", sql, types, file, str(count))[:2]))
        if (rows, total) != expected[count]:
            sys.exit(f"{name}: {system} found {rows:.0f} rows with a sum of {total:.0f}, "
                     f"bennu {expected[count][0]:.0f} with {expected[count][1]:.0f}")
    report.add(f"{name}.p50", "us", figures)
    report.add(f"{name}.p99", "us", tails)


def remove_stores(options):
    for name in ("bennu", "sqlite", "duckdb"):
        shutil.rmtree(f"{options.work}/{name}", ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--work", default="build/bench/peers")
    parser.add_argument("--venv", default="build/bench/venv")
    parser.add_argument("--peer-home", default="build/peer")
    parser.add_argument("--results", default="build/bench/peers.json")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--systems", default="sqlite,duckdb,phoenix")
    parser.add_argument("--only", default="", help="questions whose names contain this")
    parser.add_argument("--keep", action="store_true", help="leave the stores in WORK")
    parser.add_argument("--doc", help="write the table between this document's marks")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to stop"))  # servers stop, too
    remove_stores(options)
    begin = time.monotonic()
    rows = workload.write_data(f"{options.work}/data", options.rows)
    systems, absent = start(options)
    report = Report()
    try:
        load(systems, options, report)
        for name, question in (workload.metric_questions(rows) | workload.flight_questions()).items():
            if options.only in name:
                ask_question(name, question, systems, options, report)
        for name, statement in workload.short_statements().items():
            if options.only in name:
                run_short(name, statement, systems, options, report)
    finally:
        for system in systems:
            system.stop()
        if not options.keep:
            remove_stores(options)
    with open(options.results, "w", encoding="utf-8") as file:
        json.dump(report.lines, file, indent=1)
    table = markdown(report, systems, absent, rows)
    print("\n" + table)
    if options.doc:
        write_document(options.doc, table)
    print(f"{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
