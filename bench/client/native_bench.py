#!/usr/bin/env python3
"""The native client beside HBase's Java client, each in a process of its own, against the same HBase.

  native_bench.py --bin build/release/bin --work build/bench/native --results RESULTS.json
                  [--rows N] [--rounds N] [--threads N] [--doc docs/benchmarks.md]

Without a JDK and Maven it says so, and leaves an empty list of results.
"""
import argparse
import datetime
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../server"))
from clients_bench import KIT, measure_hbase  # noqa: E402


def run(command, environment, log):
    """What a client says: {workload: [rows a second, microseconds a row]}, and {"peak": [MB]}."""
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed with {done.returncode}: {done.stderr[-2000:]}; see {log}")
    answers = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if words[:1] == ["workload"]:
            answers[words[1]] = [float(word) for word in words[2:]]
        elif words[:1] == ["peak"]:
            answers["peak"] = [float(words[1])]
    return answers


def measure(options, hbase):
    """What the native client says and what the Java client says."""
    classes = options.work + "/classes"
    subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", hbase.kit("classpath"),
                    os.path.join(HERE, "JavaClient.java")], check=True)
    counts = [str(options.rows), str(options.rounds), str(options.threads)]
    log = hbase.home + "/client.log"
    # The heap is Java's own choice, as in most programs.
    environment = {**hbase.environment, "PEER_CLASSES": classes, "PEER_CLIENT_OPTS": ""}
    java = run([KIT, "java", "JavaClient", str(hbase.zk_port), *counts], environment, log)
    native = run([options.bin + "/native_client_bench", f"127.0.0.1:{hbase.zk_port + 10000}", *counts],
                 dict(os.environ), log)
    return native, java


def results(native, java):
    """As in results.json: the Java client is the peer; ratios above 1 say that the native is better."""
    lines = []
    for name in ("put", "get", "scan"):
        own, peer = native[name], java[name]
        lines.append({"name": f"native.{name}", "value": own[0], "unit": "/s", "peer": "hbase-client",
                      "peer_value": peer[0], "ratio": round(own[0] / peer[0], 4),
                      "cpu_micros": own[1], "peer_cpu_micros": peer[1]})
    own, peer = native["peak"][0], java["peak"][0]
    lines.append({"name": "native.peak", "value": own, "unit": "MB", "peer": "hbase-client",
                  "peer_value": peer, "ratio": round(peer / own, 4)})
    return lines


def markdown(lines, options):
    text = [f"{datetime.date.today()}; {options.rows:,} rows of five cells with 100 bytes each in four "
            f"regions, {options.threads} threads, medians of {options.rounds} rounds.", "",
            "| name | rows/s | Java client | | processor time | Java client | |",
            "|---|--:|--:|--:|--:|--:|--:|"]
    for line in lines:
        if line["unit"] == "MB":
            continue
        own, peer = line["cpu_micros"], line["peer_cpu_micros"]
        text.append(f"| `{line['name'].removeprefix('native.')}` | {line['value']:,.0f} | "
                    f"{line['peer_value']:,.0f} | {line['ratio']:.2f}× | {own:.1f} µs | {peer:.1f} µs | "
                    f"{own / peer:.2f} |")
    peak = lines[-1]
    text += ["", f"Most memory: {peak['value']:.0f} MB, the Java client {peak['peer_value']:.0f} MB."]
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--work", default="build/bench/native")
    parser.add_argument("--peer-home", default="build/peer")
    parser.add_argument("--results", default="build/bench/native.json")
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--doc", help="write the table between this document's marks")
    options = parser.parse_args()
    measure_hbase(options, "the native client beside HBase's",
                  lambda hbase: results(*measure(options, hbase)), markdown, "native_bench")


if __name__ == "__main__":
    main()
