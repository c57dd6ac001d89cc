"""DuckDB from PyPI's wheel, driven by the same lines as peer_driver (peers_bench.py, "Driver").

  duckdb_driver.py DIRECTORY

The times are taken around DuckDB's own calls; look-ups have some microseconds of Python in them.
"""
import datetime
import itertools
import os
import resource
import sys
import time

import duckdb

EPOCH = datetime.datetime(1970, 1, 1)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def text(value):
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return str((value - EPOCH) // datetime.timedelta(milliseconds=1))
    return str(value)


def value_of(field, kind):
    if field == "":
        return None
    if kind == "i":
        return int(field)
    if kind == "d":
        return float(field)
    if kind == "t":
        return EPOCH + datetime.timedelta(milliseconds=int(field))
    return field


class Driver:
    def __init__(self, directory):
        os.makedirs(directory, exist_ok=True)
        self.db = duckdb.connect(f"{directory}/bench.duckdb")

    def execute(self, sql):
        self.db.execute(sql)

    # The whole file by one statement: single rows through Python would measure Python.
    def load(self, sql, types, file, _batch):
        table = sql.split()[2]
        kinds = {"i": "BIGINT", "d": "DOUBLE", "t": "BIGINT", "s": "VARCHAR"}
        columns = ", ".join(f"'c{i:02}': '{kinds[kind]}'" for i, kind in enumerate(types))
        values = ", ".join(f"make_timestamp(c{i:02} * 1000)" if kind == "t" else f"c{i:02}"
                           for i, kind in enumerate(types))
        wall, cpu = time.perf_counter(), cpu_seconds()
        self.db.execute(f"INSERT INTO {table} SELECT {values} FROM read_csv('{file}', delim='\t', "
                        f"header=false, quote='', nullstr='', columns={{{columns}}})")
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        return self.db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0], wall, cpu

    def settle(self):
        self.db.execute("CHECKPOINT")

    def run(self, sql):
        wall, cpu = time.perf_counter(), cpu_seconds()
        rows = self.db.execute(sql).fetchall()
        return len(rows), time.perf_counter() - wall, cpu_seconds() - cpu

    def answer(self, sql, file):
        rows = self.db.execute(sql).fetchall()
        with open(file, "w", encoding="utf-8") as out:
            out.writelines("\t".join(map(text, row)) + "\n" for row in rows)
        return (len(rows),)

    def each(self, sql, types, file, count):
        with open(file, encoding="utf-8") as lines:
            keys = [[value_of(field, kind) for field, kind in zip(line.rstrip("\n").split("\t"), types)]
                    for line in itertools.islice(lines, int(count))]
        execute = self.db.execute
        for key in keys[:len(keys) // 4]:
            execute(sql, key).fetchall()
        micros, rows, total, cpu = [], 0, 0, cpu_seconds()
        for key in keys:
            start = time.perf_counter()
            result = execute(sql, key).fetchall()
            micros.append((time.perf_counter() - start) * 1e6)
            rows += len(result)
            total += sum(row[0] for row in result if isinstance(row[0], int))
        cpu = (cpu_seconds() - cpu) / len(keys) * 1e6
        micros.sort()
        return rows, total, micros[len(micros) // 2], micros[len(micros) * 99 // 100], cpu


def main():
    driver = Driver(sys.argv[1])
    for line in sys.stdin:
        name, *arguments = line.rstrip("\n").split("\t")
        try:
            answer = getattr(driver, name)(*arguments)
            print("\t".join(["ok", *map(str, answer or ())]), flush=True)
        except duckdb.Error as error:
            print("error\t" + " ".join(str(error).split()), flush=True)


main()
