#!/usr/bin/env python3
"""SQL over a cluster of HBase's: Bennu and Java Phoenix ask the same table of the same HBase.

  cluster_sql_bench.py --bin build/release/bin --work build/bench/cluster_sql --results RESULTS.json
                       [--rows N] [--runs N] [--doc docs/benchmarks.md]

HBase has Phoenix's coprocessors, which Phoenix's queries use and Bennu's do not. Without a JDK and
Maven it says so, and leaves an empty list of results.
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

KEYS = 1_000_000
TABLE = """CREATE TABLE M (K BIGINT NOT NULL PRIMARY KEY, G INTEGER, S VARCHAR, V DECIMAL(10,2), N BIGINT) """ \
        """SPLIT ON (333333, 666666)"""
MORE = """CREATE TABLE L (K BIGINT NOT NULL PRIMARY KEY, V BIGINT) SPLIT ON (333333, 666666);
CREATE LOCAL INDEX LV ON L (V);
CREATE TABLE W (K BIGINT NOT NULL PRIMARY KEY, V BIGINT);
"""
# Those with a "?" are run with many keys.
QUERIES = [
    ("look_up", "SELECT G, S, V FROM M WHERE K = ?"),
    ("look_up_text", "SELECT G, S, V FROM M WHERE K = ?"),
    ("look_up_local", "SELECT K FROM L WHERE V = ?"),
    ("write_text", "UPSERT INTO W VALUES (?, 1)"),
    ("count", "SELECT COUNT(*) FROM M"),
    ("group_by", "SELECT G, COUNT(*), SUM(N), MAX(V) FROM M GROUP BY G"),
    ("filter_sum", "SELECT SUM(N) FROM M WHERE G = 7 AND S LIKE 'text 1%'"),
    ("order_limit", "SELECT K, V FROM M ORDER BY V DESC, K LIMIT 10"),
    ("range", "SELECT K, G, S, V, N FROM M WHERE K >= 400000 AND K < 450000"),
]
NAMES = {"look_up": "look-up by key, prepared", "look_up_text": "look-up by key, as text",
         "look_up_local": "look-up by a local index, as text", "write_text": "UPSERT of a row, as text",
         "count": "COUNT(*)", "group_by": "GROUP BY, 100 groups",
         "filter_sum": "filter on two columns, SUM", "order_limit": "ORDER BY … LIMIT 10",
         "range": "range of 50,000 rows by key, all columns", "first_answer": "first answer of a new process"}
KEYED = [name for name, query in QUERIES if "?" in query]


def write_rows(path, rows):
    """Every column as a function of the key, so that anybody can make the same."""
    with open(path, "w", encoding="ascii") as file:
        file.write("K,G,S,V,N\n")
        for row in range(rows):
            key = row * KEYS // rows
            file.write(f"{key},{key * 7919 % 100},text {key % 1000},{key * 31 % 100000 / 100:.2f},{key % 977}\n")


def ask(command, environment, queries):
    """{name: [milliseconds, processor milliseconds, rows, digest]}; microseconds for what has a key."""
    done = subprocess.run(command, env=environment, input=queries, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed with {done.returncode}: {done.stderr[-2000:]}")
    answers = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 5 and words[0] in NAMES:
            answers[words[0]] = [float(word) for word in words[1:]]
    return answers


def first_answer(command, environment, text, runs):
    """Seconds from the start of a process to its end, with one row asked for; the median."""
    times = []
    for _ in range(runs):
        begin = time.monotonic()
        subprocess.run(command, env=environment, input=text, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, text=True, check=True)
        times.append(time.monotonic() - begin)
    return sorted(times)[len(times) // 2]


def measure(options, hbase):
    """What Bennu says and what Phoenix says."""
    classes = options.work + "/classes"
    subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", hbase.kit("classpath"),
                    os.path.join(HERE, "JavaPhoenix.java")], check=True)
    target = f"hbase://127.0.0.1:{hbase.zk_port}/hbase"
    url = f"jdbc:phoenix+zk:127.0.0.1:{hbase.zk_port}"
    java = {**hbase.environment, "PEER_CLASSES": classes, "PEER_CLIENT_OPTS": f"-Dpeer.url={url}"}
    subprocess.run([KIT, "sql"], env=java, input=TABLE + ";\n" + MORE, text=True, check=True,
                   stdout=subprocess.DEVNULL)
    rows = options.work + "/rows.csv"
    write_rows(rows, options.rows)
    bennu = options.bin + "/bennu"
    subprocess.run([bennu, "load", target, "M", rows], check=True, stdout=subprocess.DEVNULL)
    # Rows in all regions, none of which is found, whatever the key.
    subprocess.run([bennu, "sql", target, "-c", "UPSERT INTO L SELECT K, -1 - K FROM M WHERE N = 0"], check=True,
                   stdout=subprocess.DEVNULL)
    # Both read files, whose statistics Phoenix has.
    subprocess.run([bennu, "shell", target, "-n"], input="flush 'M'\nmajor_compact 'M'\n", text=True, check=True,
                   stdout=subprocess.DEVNULL)
    time.sleep(10)
    subprocess.run([KIT, "sql"], env=java, input="UPDATE STATISTICS M;\n", text=True, check=True,
                   stdout=subprocess.DEVNULL)
    queries = "".join(f"{name} {query}\n" for name, query in QUERIES)
    counts = [str(options.runs), str(options.look_ups)]
    phoenix = ask([KIT, "java", "JavaPhoenix", url, *counts], java, queries)
    own = ask([options.bin + "/cluster_sql_bench", target, *counts], dict(os.environ), queries)
    one = "SELECT G FROM M WHERE K = 5"
    own["first_answer"] = [1e3 * first_answer([bennu, "sql", target, "-c", one], dict(os.environ), "", 5), 0, 1, 0]
    phoenix["first_answer"] = [1e3 * first_answer([KIT, "sql"], java, one + ";\n", 3), 0, 1, 0]
    for name, answer in own.items():
        # Look-ups are of other keys in either, all of which are there with so many rows.
        same = answer[2:] == phoenix[name][2:] or (name in KEYED and options.rows < KEYS)
        if not same:
            sys.exit(f"{name}: the answers differ: {answer[2:]} and {phoenix[name][2:]}")
    return own, phoenix


def results(own, phoenix):
    """As in results.json: Java Phoenix is the peer; ratios above 1 say that Bennu is better."""
    return [{"name": f"cluster_sql.{name}", "value": own[name][0], "unit": "us" if name in KEYED else "ms",
             "peer": "phoenix", "peer_value": phoenix[name][0],
             "ratio": round(phoenix[name][0] / own[name][0], 4), "cpu": own[name][1],
             "peer_cpu": phoenix[name][1]} for name in NAMES if name in own]


def markdown(lines, options):
    text = [f"{datetime.date.today()}; {options.rows:,} rows in three regions, medians of {options.runs} runs, "
            f"{options.look_ups:,} look-ups.", "",
            "| | Bennu | Java Phoenix | | client's processor time | Java Phoenix |", "|---|--:|--:|--:|--:|--:|"]
    for line in lines:
        unit = "µs" if line["unit"] == "us" else "ms"
        name = line["name"].removeprefix("cluster_sql.")
        cpu = ["", ""] if line["cpu"] == 0 else [f"{line['cpu']:,.1f} {unit}", f"{line['peer_cpu']:,.1f} {unit}"]
        text.append(f"| {NAMES[name]} | {line['value']:,.1f} {unit} | {line['peer_value']:,.1f} {unit} | "
                    f"{line['ratio']:.2f}× | {cpu[0]} | {cpu[1]} |")
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--work", default="build/bench/cluster_sql")
    parser.add_argument("--peer-home", default="build/peer")
    parser.add_argument("--results", default="build/bench/cluster_sql.json")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--look-ups", type=int, default=5_000)
    parser.add_argument("--doc", help="write the table between this document's marks")
    options = parser.parse_args()
    measure_hbase(options, "SQL over a cluster beside Java Phoenix",
                  lambda hbase: results(*measure(options, hbase)), markdown, "cluster_sql_bench")


if __name__ == "__main__":
    main()
