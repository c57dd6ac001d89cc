"""The tables, rows and questions of the benchmark beside other systems.

Metrics: series of 1,000 metrics, a value a minute for each, in three tables of the same rows: the date
as ROW_TIMESTAMP, the same salted, and a plain date. A quarter of them stands in a table with an index on
the value, which covers the questions, and half of these get another value. Flights: the demonstration's
year, repeated a year later as often as it takes. SQL is the same text for all systems but for
{moment:MILLIS}, which each writes in its own way, and for the definitions of tables and indexes.
"""
import csv
import datetime
import io
import os
import re
import subprocess

METRICS_A_MINUTE = 1000
FIRST_MILLIS = 1_600_000_020_000  # a whole minute
FLIGHTS_A_YEAR = 336_776
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../../examples/nycflights/data")


def mix(i):
    """SplitMix64, as bench/macro/data.h has it."""
    mask = (1 << 64) - 1
    z = (i + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


# ---- definitions: Phoenix's language, from which the others' follow

_METRICS = ("CREATE TABLE {name} (CREATED_DATE DATE NOT NULL, METRIC_ID CHAR(15) NOT NULL, "
            "METRIC_VALUE BIGINT CONSTRAINT PK PRIMARY KEY (CREATED_DATE{role}, METRIC_ID)){options}")
TABLES = {
    "METRICS": _METRICS.format(name="METRICS", role=" ROW_TIMESTAMP", options=""),
    "METRICS_SALTED": _METRICS.format(name="METRICS_SALTED", role=" ROW_TIMESTAMP",
                                      options=" SALT_BUCKETS = 8"),
    "METRICS_DATE": _METRICS.format(name="METRICS_DATE", role="", options=""),
    "METRICS_INDEXED": "CREATE TABLE METRICS_INDEXED (CREATED_DATE DATE NOT NULL, METRIC_ID CHAR(15) NOT NULL, "
                       "METRIC_VALUE BIGINT, HOST VARCHAR CONSTRAINT PK PRIMARY KEY (CREATED_DATE, METRIC_ID))",
    "FLIGHTS": "CREATE TABLE FLIGHTS (ORIGIN CHAR(3) NOT NULL, TIME_HOUR DATE NOT NULL, "
               "CARRIER CHAR(2) NOT NULL, FLIGHT INTEGER NOT NULL, PLAN.DEST VARCHAR, "
               "PLAN.TAILNUM VARCHAR, PLAN.DISTANCE INTEGER, PLAN.YEAR INTEGER, PLAN.MONTH TINYINT, "
               "PLAN.DAY TINYINT, PLAN.HOUR TINYINT, PLAN.MINUTE TINYINT, PLAN.SCHED_DEP_TIME SMALLINT, "
               "PLAN.SCHED_ARR_TIME SMALLINT, FACT.DEP_TIME SMALLINT, FACT.DEP_DELAY INTEGER, "
               "FACT.ARR_TIME SMALLINT, FACT.ARR_DELAY INTEGER, FACT.AIR_TIME INTEGER "
               "CONSTRAINT PK PRIMARY KEY (ORIGIN, TIME_HOUR DESC, CARRIER, FLIGHT)) "
               "SPLIT ON ('JFK', 'LGA')",
    "PLANES": "CREATE TABLE PLANES (TAILNUM VARCHAR NOT NULL, YEAR INTEGER, TYPE VARCHAR, "
              "MANUFACTURER VARCHAR, MODEL VARCHAR, ENGINES INTEGER, SEATS INTEGER, SPEED INTEGER, "
              "ENGINE VARCHAR CONSTRAINT PK PRIMARY KEY (TAILNUM))",
    "AIRLINES": "CREATE TABLE AIRLINES (CARRIER CHAR(2) NOT NULL, NAME VARCHAR "
                "CONSTRAINT PK PRIMARY KEY (CARRIER))",
}
INDEXES = {
    "METRICS_INDEXED": "CREATE INDEX METRICS_BY_VALUE ON METRICS_INDEXED (METRIC_VALUE) INCLUDE (HOST)",
}
# DuckDB cannot replace a row whose indexed columns change.
NOT_IN = {"METRICS_INDEXED": ("duckdb",)}
TYPES = {"METRICS": "tsi", "METRICS_SALTED": "tsi", "METRICS_DATE": "tsi", "METRICS_INDEXED": "tsis",
         "FLIGHTS": "stsissiiiiiiiiiiiii", "PLANES": "sisssiiis", "AIRLINES": "ss"}
FILES = {"METRICS": "metrics", "METRICS_SALTED": "metrics", "METRICS_DATE": "metrics",
         "METRICS_INDEXED": "metrics_indexed",
         "FLIGHTS": "flights", "PLANES": "planes", "AIRLINES": "airlines"}
FLIGHT_FIELDS = ("origin time_hour carrier flight dest tailnum distance year month day hour minute "
                 "sched_dep_time sched_arr_time dep_time dep_delay arr_time arr_delay air_time").split()


def definition(table, system):
    sql = TABLES[table]
    if system in ("bennu", "phoenix"):
        return sql
    sql = re.sub(r" ROW_TIMESTAMP| SALT_BUCKETS = \d+| SPLIT ON \(.*\)$| DESC", "", sql)
    sql = sql.replace(" CONSTRAINT", ", CONSTRAINT")
    sql = sql.replace("PLAN.", "").replace("FACT.", "").replace(" DATE NOT", " TIMESTAMP NOT")
    return sql + " WITHOUT ROWID" if system == "sqlite" else sql


def index_definition(table, system):
    """Of the table's index, or None."""
    sql = INDEXES.get(table)
    # SQLite keeps no values beside an index's key: they are columns of the key.
    return re.sub(r"\) INCLUDE \(", ", ", sql) if sql and system == "sqlite" else sql


def takes_part(table, system):
    return system not in NOT_IN.get(table, ())


def upsert(table, system):
    word = {"sqlite": "INSERT OR REPLACE", "duckdb": "INSERT"}.get(system, "UPSERT")
    return f"{word} INTO {table} VALUES ({', '.join('?' * len(TYPES[table]))})"


def phrase(sql, system):
    def moment(match):
        millis = int(match[1])
        if system == "sqlite":
            return str(millis)
        when = datetime.datetime.fromtimestamp(millis / 1000, datetime.timezone.utc)
        text = when.strftime("'%Y-%m-%d %H:%M:%S'")
        return f"TIMESTAMP {text}" if system == "duckdb" else f"TO_DATE({text})"
    return re.sub(r"\{moment:(\d+)\}", moment, sql)


# ---- rows: files of fields between tabs, an empty one is NULL, a moment is in milliseconds

def millis_of(text):
    when = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return int(when.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)


def demo_rows(name):
    text = subprocess.run(["zstd", "-dc", os.path.join(DATA, name + ".csv.zst")], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    return csv.DictReader(io.StringIO(text))


def metric(i):
    return (FIRST_MILLIS + i // METRICS_A_MINUTE * 60_000, f"METRIC{i % METRICS_A_MINUTE:09}",
            mix(i) % 50_000)


def write_metrics(path, count):
    with open(path, "w", encoding="utf-8") as out:
        for i in range(count):
            out.write("%d\t%s\t%d\n" % metric(i))


def write_indexed(path, updates_path, count):
    """Rows with a host, and other values for every other of them."""
    def lines(offset, step):
        for i in range(0, count, step):
            date, name, _ = metric(i)
            yield "%d\t%s\t%d\thost-%d\n" % (date, name, mix(i + offset) % 50_000, mix(i) % 100)
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(lines(0, 1))
    with open(updates_path, "w", encoding="utf-8") as out:
        out.writelines(lines(count, 2))


def write_flights(path, keys_path, count):
    flights = list(demo_rows("flights"))
    hours = {text: millis_of(text) for text in {flight["time_hour"] for flight in flights}}
    rows = [["" if flight[field] == "NA" else flight[field] for field in FLIGHT_FIELDS]
            for flight in flights]
    keys = []
    left = count
    with open(path, "w", encoding="utf-8") as out:
        for year in range(-(-count // len(rows))):
            later = year * 365 * 86_400_000
            for row, flight in zip(rows[:left], flights):
                row[1] = str(hours[flight["time_hour"]] + later)
                row[7] = str(int(flight["year"]) + year)
                out.write("\t".join(row) + "\n")
                keys.append(tuple(row[:4]))
            left -= len(rows)
    with open(keys_path, "w", encoding="utf-8") as out:
        for n in range(LOOK_UPS):
            out.write("\t".join(keys[mix(n) % len(keys)]) + "\n")


def write_small(path, name):
    with open(path, "w", encoding="utf-8") as out:
        for row in demo_rows(name):
            out.write("\t".join("" if value == "NA" else value for value in row.values()) + "\n")


def write_data(directory, rows):
    """All data files, for 'rows' metrics and as many flights. Returns the numbers of rows."""
    os.makedirs(directory, exist_ok=True)
    rows = max(rows // METRICS_A_MINUTE, 100) * METRICS_A_MINUTE
    done = os.path.join(directory, f"rows-{rows}")
    if not os.path.exists(done):
        for name in os.listdir(directory):
            os.remove(os.path.join(directory, name))
        write_metrics(f"{directory}/metrics", rows)
        write_indexed(f"{directory}/metrics_indexed", f"{directory}/metrics_updates", rows // 4)
        write_flights(f"{directory}/flights", f"{directory}/flight_keys", rows)
        for name in ("planes", "airlines"):
            write_small(f"{directory}/{name}", name)
        with open(f"{directory}/metric_keys", "w", encoding="utf-8") as out:
            for n in range(LOOK_UPS):
                out.write("%d\t%s\n" % metric(mix(n) % rows)[:2])
        with open(f"{directory}/metric_values", "w", encoding="utf-8") as out:
            for n in range(LOOK_UPS):
                out.write("%d\n" % (mix(n) % 50_000))
        with open(f"{directory}/metric_ranges", "w", encoding="utf-8") as out:
            for n in range(LOOK_UPS):
                date, _, value = metric(mix(n) % rows)
                first = value % (METRICS_A_MINUTE - 10)
                out.write(f"{date}\tMETRIC{first:09}\tMETRIC{first + 10:09}\n")
        open(done, "w", encoding="utf-8").close()
    return rows


# ---- questions

LOOK_UPS = 20_000


def metric_questions(rows):
    end = FIRST_MILLIS + rows // METRICS_A_MINUTE * 60_000
    minutes = rows // METRICS_A_MINUTE
    begin = FIRST_MILLIS + minutes // 2 * 60_000
    some = begin + max(minutes // 20, 1) * 60_000
    last = end - max(minutes // 100, 1) * 60_000
    dates = ", ".join("{moment:%d}" % (FIRST_MILLIS + minutes * n // 10 * 60_000) for n in range(10))
    ids = ", ".join(f"'METRIC{n * 97:09}'" for n in range(10))
    ranges = {
        "time_range_5_percent": "SELECT COUNT(*), SUM(METRIC_VALUE) FROM {t} WHERE "
            "CREATED_DATE >= {moment:%d} AND CREATED_DATE < {moment:%d}" % (begin, some),
        "newest_1_percent_by_metric": "SELECT METRIC_ID, MAX(METRIC_VALUE) FROM {t} WHERE "
            "CREATED_DATE >= {moment:%d} GROUP BY METRIC_ID" % last,
        "skip_scan_100_points": "SELECT COUNT(*), SUM(METRIC_VALUE) FROM {t} WHERE "
            f"CREATED_DATE IN ({dates}) AND METRIC_ID IN ({ids})",
    }
    everything = {
        "count_star": "SELECT COUNT(*) FROM {t}",
        "filtered_aggregate": "SELECT COUNT(*), SUM(METRIC_VALUE), MIN(METRIC_VALUE), "
            "MAX(CREATED_DATE) FROM {t} WHERE METRIC_VALUE > 40000",
        "group_by_1000": "SELECT METRIC_ID, COUNT(*), AVG(METRIC_VALUE) FROM {t} GROUP BY METRIC_ID",
        "group_by_50000": "SELECT METRIC_VALUE, COUNT(*), MAX(METRIC_ID) FROM {t} "
            "GROUP BY METRIC_VALUE",
        "top_10": "SELECT CREATED_DATE, METRIC_ID, METRIC_VALUE FROM {t} "
            "ORDER BY METRIC_VALUE DESC, CREATED_DATE, METRIC_ID LIMIT 10",
        "one_metric_of_all_times": "SELECT COUNT(*), SUM(METRIC_VALUE) FROM {t} WHERE "
            "METRIC_ID = 'METRIC000000500'",
    }
    by_index = {
        "everything_by_host": "SELECT HOST, COUNT(*), SUM(METRIC_VALUE) FROM {t} GROUP BY HOST",
        "values_1_percent": "SELECT HOST, COUNT(*), SUM(METRIC_VALUE) FROM {t} WHERE METRIC_VALUE >= 20000 "
            "AND METRIC_VALUE < 20500 GROUP BY HOST",
        "least_10_values": "SELECT METRIC_VALUE, CREATED_DATE, METRIC_ID, HOST FROM {t} "
            "ORDER BY METRIC_VALUE, CREATED_DATE, METRIC_ID LIMIT 10",
    }
    questions = {}
    for table, own in (("METRICS", everything | ranges), ("METRICS_SALTED", everything | ranges),
                       ("METRICS_DATE", ranges), ("METRICS_INDEXED", by_index)):
        for name, sql in own.items():
            questions[f"{table.lower()}.{name}"] = (table, sql.replace("{t}", table))
    return questions


def flight_questions():
    week = millis_of("2013-07-01T00:00:00Z")
    after = week + 7 * 86_400_000
    hours = ", ".join("{moment:%d}" % millis_of(text)
                      for text in ("2013-01-01T11:00:00Z", "2013-12-31T11:00:00Z"))
    return {"flights." + name: ("FLIGHTS", sql) for name, sql in {
        "count_star": "SELECT COUNT(*) FROM FLIGHTS",
        "filtered_aggregate": "SELECT COUNT(*), AVG(ARR_DELAY), MAX(DEP_DELAY) FROM FLIGHTS "
            "WHERE DISTANCE > 1000 AND MONTH = 7",
        "group_by_carrier": "SELECT CARRIER, COUNT(*), AVG(DEP_DELAY), MAX(ARR_DELAY) FROM FLIGHTS "
            "GROUP BY CARRIER",
        "group_by_tailnum": "SELECT TAILNUM, COUNT(*), SUM(DISTANCE) FROM FLIGHTS GROUP BY TAILNUM",
        "group_by_route": "SELECT ORIGIN, DEST, CARRIER, COUNT(*), SUM(AIR_TIME) FROM FLIGHTS "
            "GROUP BY ORIGIN, DEST, CARRIER",
        "count_distinct": "SELECT COUNT(DISTINCT TAILNUM) FROM FLIGHTS",
        "top_10": "SELECT ORIGIN, TIME_HOUR, CARRIER, FLIGHT, ARR_DELAY FROM FLIGHTS "
            "WHERE ARR_DELAY IS NOT NULL "
            "ORDER BY ARR_DELAY DESC, ORIGIN, TIME_HOUR, CARRIER, FLIGHT LIMIT 10",
        "week_of_all": "SELECT ORIGIN, COUNT(*), AVG(DEP_DELAY) FROM FLIGHTS WHERE "
            "TIME_HOUR >= {moment:%d} AND TIME_HOUR < {moment:%d} GROUP BY ORIGIN" % (week, after),
        "week_of_one_airport": "SELECT COUNT(*), SUM(DISTANCE) FROM FLIGHTS WHERE ORIGIN = 'JFK' AND "
            "TIME_HOUR >= {moment:%d} AND TIME_HOUR < {moment:%d}" % (week, after),
        "skip_scan": "SELECT ORIGIN, TIME_HOUR, CARRIER, FLIGHT, DEST FROM FLIGHTS WHERE "
            f"ORIGIN IN ('EWR', 'LGA') AND TIME_HOUR IN ({hours}) AND CARRIER = 'UA'",
        "join_airlines": "SELECT A.NAME, COUNT(*), AVG(F.ARR_DELAY) FROM FLIGHTS F "
            "INNER JOIN AIRLINES A ON F.CARRIER = A.CARRIER WHERE F.ARR_DELAY IS NOT NULL "
            "GROUP BY A.NAME",
        "join_planes": "SELECT P.MANUFACTURER, COUNT(*), SUM(F.DISTANCE) FROM FLIGHTS F "
            "INNER JOIN PLANES P ON F.TAILNUM = P.TAILNUM GROUP BY P.MANUFACTURER",
        "join_old_planes": "SELECT P.MANUFACTURER, COUNT(*), AVG(F.DEP_DELAY) FROM FLIGHTS F "
            "INNER JOIN PLANES P ON F.TAILNUM = P.TAILNUM WHERE P.YEAR < 1990 "
            "GROUP BY P.MANUFACTURER",
        "left_join_unknown_planes": "SELECT COUNT(*) FROM FLIGHTS F "
            "LEFT JOIN PLANES P ON F.TAILNUM = P.TAILNUM WHERE P.TAILNUM IS NULL",
        "semi_join": "SELECT COUNT(*) FROM FLIGHTS WHERE TAILNUM IN "
            "(SELECT TAILNUM FROM PLANES WHERE YEAR < 1990)",
    }.items()}


# name: table, SQL, types of the parameters, file of their values
def short_statements():
    by_key = "SELECT METRIC_VALUE FROM {t} WHERE CREATED_DATE = ? AND METRIC_ID = ?"
    by_range = ("SELECT METRIC_VALUE, METRIC_ID FROM {t} WHERE CREATED_DATE = ? AND METRIC_ID >= ? "
                "AND METRIC_ID < ?")
    statements = {}
    for table in ("METRICS", "METRICS_SALTED"):
        statements[f"{table.lower()}.look_up"] = (table, by_key.replace("{t}", table), "ts", "metric_keys")
        ranges = by_range.replace("{t}", table)
        statements[f"{table.lower()}.range_of_10"] = (table, ranges, "tss", "metric_ranges")
        statements[f"{table.lower()}.range_of_10_descending"] = (
            table, ranges + " ORDER BY CREATED_DATE DESC, METRIC_ID DESC", "tss", "metric_ranges")
    statements["metrics_indexed.look_up_by_value"] = (
        "METRICS_INDEXED", "SELECT METRIC_VALUE, HOST, METRIC_ID FROM METRICS_INDEXED WHERE METRIC_VALUE = ?", "i",
        "metric_values")
    statements["flights.look_up"] = (
        "FLIGHTS", "SELECT DISTANCE, DEST, DEP_DELAY FROM FLIGHTS WHERE ORIGIN = ? AND TIME_HOUR = ? AND "
        "CARRIER = ? AND FLIGHT = ?", "stsi", "flight_keys")
    return statements
