#!/usr/bin/env python3
"""The HTTP port of a gateway, a `bennu serve --cluster`, over a running `bennu serve`.

    gateway_port.py PATH-OF-BENNU

What programs get at the port, that the console reads and runs SQL over the cluster, that both go on to
answer when the cluster is gone, and that the gateway ends well then. Talks to servers of its own on
this machine.
"""
import json
import re
import signal
import sys
import tempfile
import time

from console_port import Server, check


def token_of(server):
    _, _, page = server.ask("GET", "/", {"Accept": "text/html"})
    return re.search(rb'bennu-token" content="(\w+)"', page).group(1).decode()


def walk(gateway):
    status, _, body = gateway.ask("GET", "/")
    check("programs get the list of pages", status == 200 and b"/metrics" in body and b"/jmx" not in body)
    check("the gateway is well", gateway.ask("GET", "/healthz")[0] == 200)
    check("it has no beans of HBase's", gateway.ask("GET", "/jmx")[0] == 404)
    token = token_of(gateway)
    # Values of the sequences are reserved, and cannot be given back when the cluster is gone.
    sequences = [sql for name in ("S1", "S2", "S3") for sql in (f"CREATE SEQUENCE {name}", f"SELECT NEXT VALUE FOR {name}")]
    for sql in ("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR)", "UPSERT INTO T VALUES (1, 'one')", *sequences):
        status, body = gateway.post("sql", {"sql": sql}, token)
        check(sql, status == 200 and b"error" not in body)
    status, body = gateway.post("sql", {"sql": "SELECT V FROM T"}, token)
    check("the console's SQL reads the cluster", json.loads(body).get("rows") == [["one"]])
    status, body = gateway.post("rowkey", {"table": "T", "values": ["1"]}, token)
    check("keys are explained", json.loads(body)["key"]["hex"] == "80000001")
    status, _, body = gateway.ask("GET", "/metrics")
    count = re.search(rb"^bennu_sql_statement_time_seconds_count (\d+)", body, re.M)
    check("statements are counted", status == 200 and int(count.group(1)) >= 3)
    overview = json.loads(gateway.ask("GET", "/api/v1/overview")[2])
    check("the overview has the cluster",
          overview["cluster"].startswith("hbase+rpc://") and overview["servers"]["live"] == 1)
    tables = json.loads(gateway.ask("GET", "/api/v1/tables")[2])["tables"]
    check("tables have their names of SQL", "T" in [table.get("sql_name") for table in tables])
    check("flushes are the cluster's to tell", json.loads(gateway.ask("GET", "/api/v1/maintenance")[2]) == {})
    check("slow statements are told", "calls" not in json.loads(gateway.ask("GET", "/api/v1/slow")[2]))


def main():
    program = sys.argv[1]
    none = ["--zk-port", "none", "--rs-port", "none", "--phoenix-port", "none"]
    with tempfile.TemporaryDirectory() as folder:
        cluster = Server(program, folder, ["store", *none, "--http-port", "none", "--master-port", "0"])
        gateway = Server(program, folder, ["--cluster", f"hbase+rpc://127.0.0.1:{cluster.ports['master']}",
                                           "--phoenix-port", "none", "--http-port", "0"])
        try:
            walk(gateway)
            cluster.process.kill()
            cluster.process.wait(timeout=60)
            begin = time.monotonic()
            while True:
                overview = json.loads(gateway.ask("GET", "/api/v1/overview")[2])
                if "cluster_error" in overview:
                    break
                check("the cluster's end is seen", time.monotonic() - begin < 60)
                time.sleep(0.2)
            check("the rest is told all the same", overview["memory"]["resident_bytes"] > 0)
            check("and the gateway is well itself", gateway.ask("GET", "/healthz")[0] == 200)
            gateway.process.send_signal(signal.SIGTERM)
            begin = time.monotonic()
            check("it ends well", gateway.process.wait(timeout=60) == 0)
            check("and soon, though it cannot give back what it reserved", time.monotonic() - begin < 15)
        finally:
            for server in (gateway, cluster):
                server.process.kill()


if __name__ == "__main__":
    main()
