#!/usr/bin/env python3
"""Records dialogues with Phoenix's query server, which tests/golden/avatica_golden_test.cc plays.

  record_dialogues.py URL FORM DIRECTORY [NAME…]

FORM is protobuf or json, and must be the form that the server speaks. Each dialogue becomes
DIRECTORY/FORM/NAME.json; without names all are recorded. tests/peers/README.md says how to start
the server. Needs phoenixdb, whose messages of protobuf are used.

A recording is a list of calls. A call has "send" and "receive": in JSON as they were, in protobuf by
the JSON mapping of the message, with the message's name in "request" and "response". "status" is that
of HTTP. "about" names a call, so that the test can refer to it. Of an exception's stack only the
first line is kept, and of a value in a row not what protobuf repeats for old clients.

The requests are written once, with the names of protobuf; as_json() turns them into Avatica's JSON.

JSON, BSON and VARBINARY_ENCODED columns have no recordings: no Phoenix that has them is published.
"""
import base64
import json
import os
import struct
import sys
import urllib.error
import urllib.request

from google.protobuf import json_format
from phoenixdb.avatica.proto import common_pb2, requests_pb2, responses_pb2

WIDTH = 600  # of a line in a recording: a column's description takes one
ADDRESS = "server:8765"  # what recordings call the server


class Number:
    """A number of JSON with a point or an exponent, with the digits it came with."""

    def __init__(self, text):
        self.text = text


def plain(value):
    """Returns the value as JSON in one line."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(name)}: {plain(part)}" for name, part in value.items())
        return "{" + inside + "}"
    if isinstance(value, list):
        return "[" + ", ".join(plain(part) for part in value) + "]"
    return json.dumps(value)


def pretty(value, indent=""):
    """Returns the value as JSON; what does not fit into a line is broken into its parts."""
    line = plain(value)
    fits = len(indent) + len(line) <= WIDTH and len(indent) > 1  # a call takes some lines
    if fits or not isinstance(value, (dict, list)) or not value:
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {pretty(part, deeper)}" for name, part in value.items()]
    else:
        parts = [pretty(part, deeper) for part in value]
    first, last = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return f"{first}\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}{last}"


def cleaned(value):
    """Returns an answer without the server's address and with one line of each exception's stack."""
    if isinstance(value, list):
        return [cleaned(part) for part in value]
    if not isinstance(value, dict):
        return value
    out = {name: cleaned(part) for name, part in value.items()}
    if "serverAddress" in out:
        out["serverAddress"] = ADDRESS
    if "scalarValue" in out or out.get("hasArrayValue"):
        # Avatica tells each value twice, for clients older than its 1.8.
        if out.pop("value") != out.get("arrayValue", [out.get("scalarValue")]):
            raise SystemExit("a value's two forms differ")
    if out.get("exceptions"):
        out["exceptions"] = [stack.split("\n")[0] for stack in out["exceptions"]]
    return out


# ---- values of parameters

NUMBERS = ("BYTE", "SHORT", "INTEGER", "LONG", "JAVA_SQL_DATE", "JAVA_SQL_TIME", "JAVA_SQL_TIMESTAMP")


class Parameter:
    def __init__(self, rep, value=None, component=None):
        self.rep, self.value, self.component = rep, value, component

    def protobuf(self):
        out = {"type": self.rep}
        if self.value is None:
            out["null"] = True
        elif self.rep == "ARRAY":
            out["componentType"] = self.component
            out["arrayValue"] = [element.protobuf() for element in self.value]
        elif self.rep == "BOOLEAN":
            out["boolValue"] = self.value
        elif self.rep in NUMBERS:
            out["numberValue"] = self.value
        elif self.rep == "FLOAT":
            out["numberValue"] = struct.unpack(">i", struct.pack(">f", self.value))[0]
        elif self.rep == "DOUBLE":
            out["doubleValue"] = self.value
        elif self.rep == "BYTE_STRING":
            out["bytesValue"] = base64.b64encode(self.value).decode()
        else:
            out["stringValue"] = self.value
        return out

    def json(self):
        if self.rep == "ARRAY" and self.value is not None:
            return {"type": self.rep, "componentType": self.component,
                    "value": [element.json()["value"] for element in self.value]}
        if self.rep == "BIG_DECIMAL":  # which Avatica's JSON does not have
            return {"type": "NUMBER", "value": Number(self.value)}
        if self.rep == "BYTE_STRING":
            return {"type": self.rep, "value": base64.b64encode(self.value).decode()}
        return {"type": self.rep, "value": self.value}


P = Parameter


def in_protobuf(value):
    """Returns the fields of a request with their parameters in the JSON mapping of protobuf."""
    if isinstance(value, Parameter):
        return value.protobuf()
    if isinstance(value, dict):
        return {name: in_protobuf(part) for name, part in value.items()}
    if isinstance(value, list):
        return [in_protobuf(part) for part in value]
    return value


# ---- requests in Avatica's own JSON

METADATA_PATTERNS = {
    "Schemas": ("catalog", "schemaPattern"),
    "Tables": ("catalog", "schemaPattern", "tableNamePattern"),
    "Columns": ("catalog", "schemaPattern", "tableNamePattern", "columnNamePattern"),
}
JSON_NAMES = {"DatabaseProperty": "databaseProperties", "Catalogs": "getCatalogs", "TableTypes": "getTableTypes",
              "TypeInfo": "getTypeInfo", "Schemas": "getSchemas", "Tables": "getTables", "Columns": "getColumns"}


def as_json(kind, fields):
    """Returns the request in Avatica's JSON."""
    out = {"request": JSON_NAMES.get(kind, kind[0].lower() + kind[1:])}
    if kind == "Execute":
        handle = fields["statementHandle"]
        values = fields.get("parameterValues", []) if fields.get("hasParameterValues") else None
        return out | {"statementHandle": handle,
                      "parameterValues": None if values is None else [value.json() for value in values],
                      "maxRowCount": fields["firstFrameMaxSize"]}
    out["connectionId"] = fields["connectionId"]
    if kind == "Prepare":
        out |= {"sql": fields["sql"], "maxRowCount": fields["maxRowsTotal"]}
    elif kind == "ConnectionSync":
        given = fields["connProps"]
        out["connProps"] = {"connProps": "connPropsImpl", "autoCommit": given.get("autoCommit"),
                            "readOnly": given.get("readOnly"), "transactionIsolation": given.get("transactionIsolation"),
                            "catalog": given.get("catalog"), "schema": given.get("schema"), "dirty": True}
    elif kind == "PrepareAndExecute":
        out |= {"statementId": fields["statementId"], "sql": fields["sql"], "maxRowsTotal": fields["maxRowsTotal"],
                "maxRowsInFirstFrame": fields["firstFrameMaxSize"]}
    elif kind == "Fetch":
        out |= {"statementId": fields["statementId"], "offset": fields["offset"],
                "fetchMaxRowCount": fields["frameMaxSize"]}
    elif kind == "ExecuteBatch":
        out |= {"statementId": fields["statementId"],
                "parameterValues": [[value.json() for value in row["parameterValues"]] for row in fields["updates"]]}
    elif kind == "SyncResults":
        state = fields["state"]
        names = {"STRING": "stringValue", "BOOL": "boolValue"}
        arguments = [argument.get(names.get(argument["type"])) for argument in state.get("args", [])]
        out |= {"statementId": fields["statementId"], "offset": fields["offset"],
                "state": {"type": state["type"], "sql": state.get("sql"), "metaDataOperation": state.get("op"),
                          "operationArgs": arguments}}
    elif kind in METADATA_PATTERNS:
        out |= {name: fields.get(name) for name in METADATA_PATTERNS[kind]}
        if kind == "Tables":
            out["typeList"] = fields.get("typeList")
    else:
        out |= fields
    return out


# ---- a server

class Server:
    def __init__(self, url, form):
        self.url, self.form = url, form

    def post(self, body):
        """Returns the status and the body of the answer."""
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url, body), timeout=100) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def call(self, kind, fields):
        """Sends a request; returns the call as it is recorded."""
        if self.form == "json":
            request = as_json(kind, fields)
            status, body = self.post(plain(request).encode())
            answer = json.loads(body, parse_float=Number)
            return {"send": request, "status": status, "receive": cleaned(answer)}
        request = json_format.ParseDict(in_protobuf(fields), getattr(requests_pb2, kind + "Request")())
        wire = common_pb2.WireMessage(name=f"org.apache.calcite.avatica.proto.Requests${kind}Request",
                                      wrapped_message=request.SerializeToString())
        status, body = self.post(wire.SerializeToString())
        wire = common_pb2.WireMessage.FromString(body)
        response = wire.name.split("$")[1]
        answer = getattr(responses_pb2, response).FromString(wire.wrapped_message)
        size = answer.ByteSize()
        answer.DiscardUnknownFields()
        if answer.ByteSize() != size:
            raise SystemExit(f"{response} has a field that phoenixdb does not know")
        return {"request": kind + "Request", "send": json_format.MessageToDict(request), "status": status,
                "response": response, "receive": cleaned(json_format.MessageToDict(answer))}


class Connection:
    """The calls of one connection, which are added to those of a dialogue."""

    def __init__(self, server, calls, name):
        self.server, self.calls, self.name = server, calls, name

    def call(self, kind, about=None, **fields):
        """Calls; returns the answer."""
        # An execution names its connection within the statement's handle.
        names = {} if kind == "Execute" else {"connectionId": self.name}
        call = self.server.call(kind, names | fields)
        self.calls.append(({"about": about} if about else {}) | call)
        return call["receive"]

    def open(self, autocommit=True, **info):
        self.call("OpenConnection", info=info)
        self.sync(hasAutoCommit=True, autoCommit=autocommit)
        return self

    def sync(self, about=None, **properties):
        return self.call("ConnectionSync", about, connProps=properties)

    def statement(self):
        return self.call("CreateStatement")["statementId"]

    def run(self, sql, statement=None, rows=-1, about=None, total=-1):
        """Runs SQL by a statement of its own, or by this one; returns the statement."""
        statement = self.statement() if statement is None else statement
        self.call("PrepareAndExecute", about, statementId=statement, sql=sql, maxRowsTotal=total, firstFrameMaxSize=rows)
        return statement

    def run_all(self, *statements):
        statement = self.statement()
        for sql in statements:
            self.run(sql, statement)
        self.call("CloseStatement", statementId=statement)

    def prepare(self, sql, about=None):
        """Returns the statement's handle; None when preparing failed."""
        return self.call("Prepare", about, sql=sql, maxRowsTotal=-1).get("statement")

    def execute(self, handle, *values, rows=-1, about=None, bound=True):
        # Clients send the columns and parameters, too, but a server only wants the statement's text.
        signature = {name: part for name, part in handle["signature"].items() if name not in ("columns", "parameters")}
        if self.server.form == "json":
            signature |= {"columns": [], "parameters": []}
        handle = handle | {"signature": signature}
        self.call("Execute", about, statementHandle=handle, firstFrameMaxSize=rows, hasParameterValues=bound,
                  parameterValues=list(values))

    def fetch(self, statement, offset, rows, about=None):
        self.call("Fetch", about, statementId=statement, offset=offset, frameMaxSize=rows)

    def batch(self, handle, *rows, about=None):
        self.call("ExecuteBatch", about, statementId=handle["id"], updates=[{"parameterValues": list(row)} for row in rows])

    def ask(self, operation, *arguments, about=None):
        """A question that has no request of its own."""
        statement = self.statement()
        args = [{"type": "NULL"} if value is None else
                {"type": "BOOL", "boolValue": value} if isinstance(value, bool) else
                {"type": "STRING", "stringValue": value} for value in arguments]
        self.call("SyncResults", statementId=statement, offset=0,
                  state={"type": "METADATA", "op": operation, "hasOp": True, "args": args, "hasArgs": True})
        self.fetch(statement, 0, 100, about)

    def metadata(self, kind, about=None, types=None, **patterns):
        fields = dict(patterns)
        for name in patterns:
            fields["has" + name[0].upper() + name[1:]] = True
        if types is not None:
            fields |= {"typeList": types, "hasTypeList": True}
        self.call(kind, about, **fields)

    def close(self):
        self.call("CloseConnection")


# ---- dialogues. Each makes its own tables, and drops them.

def connections(connect):
    """Connections and statements: opened, synchronised, closed, missing."""
    c = connect("connections")
    c.call("OpenConnection")
    c.call("OpenConnection", about="a connection is opened twice")
    c.sync(about="nothing is set")
    c.sync(hasAutoCommit=True, autoCommit=True, hasReadOnly=True, readOnly=False)
    c.sync(hasReadOnly=True, readOnly=True)
    c.run("CREATE TABLE D_CONNECTIONS (K INTEGER PRIMARY KEY)", about="a table is made by a read-only connection")
    c.sync(hasReadOnly=True, readOnly=False)
    c.sync(schema="D_SCHEMA")
    c.sync(transactionIsolation=2)
    c.sync(hasAutoCommit=True, autoCommit=False)
    c.call("DatabaseProperty")
    statement = c.statement()
    c.call("CloseStatement", statementId=statement)
    c.call("CloseStatement", statementId=statement)
    c.run("SELECT 1", statement, about="a closed statement")
    c.call("Commit")
    c.call("Rollback")
    c.close()
    c.close()
    for kind in ("CreateStatement", "DatabaseProperty", "Commit", "Rollback", "TableTypes"):
        c.call(kind)
    c.sync(hasAutoCommit=True, autoCommit=True)
    c.prepare("SELECT 1")
    c.call("PrepareAndExecute", about="a statement runs on a closed connection", statementId=999999, sql="SELECT 1", maxRowsTotal=-1, firstFrameMaxSize=-1)


TYPES = (
    ("K", "INTEGER NOT NULL"), ("K2", "VARCHAR(7) NOT NULL"), ("BO", "BOOLEAN"), ("TI", "TINYINT"),
    ("SM", "SMALLINT"), ("BI", "BIGINT"), ("UT", "UNSIGNED_TINYINT"), ("US", "UNSIGNED_SMALLINT"),
    ("UI", "UNSIGNED_INT"), ("UL", "UNSIGNED_LONG"), ("FL", "FLOAT"), ("DO", "DOUBLE"), ("UF", "UNSIGNED_FLOAT"),
    ("UD", "UNSIGNED_DOUBLE"), ("DE", "DECIMAL(10,2)"), ("DF", "DECIMAL"), ("CH", "CHAR(3)"), ("VA", "VARCHAR"),
    ("DT", "DATE"), ("TM", "TIME"), ("TS", "TIMESTAMP"), ("XD", "UNSIGNED_DATE"), ("XT", "UNSIGNED_TIME"),
    ("XS", "UNSIGNED_TIMESTAMP"), ("BN", "BINARY(2)"), ("VB", "VARBINARY"), ("AV", "VARCHAR ARRAY"),
    ("AI", "INTEGER ARRAY"), ("AD", "DECIMAL ARRAY"), ("AB", "BOOLEAN ARRAY"), ("AO", "DOUBLE ARRAY[3]"),
    ("AT", "DATE ARRAY"))


def make_types(c, table):
    columns = ", ".join(f"{name} {sql}" for name, sql in TYPES)
    c.run_all(f"DROP TABLE IF EXISTS {table}",
              f"CREATE TABLE {table} ({columns} CONSTRAINT PK PRIMARY KEY (K, K2 DESC))")


def types(connect):
    """Values of every type, NULLs and arrays."""
    c = connect("types").open()
    make_types(c, "D_TYPES")
    c.run("UPSERT INTO D_TYPES VALUES (1, 'a', TRUE, -3, -300, -3000000000, 3, 300, 5, 6, 1.5, 2.5, 0.25, 1e100,"
          " 3.25, 12345678901234567890.5, 'ab', 'text', TO_DATE('2020-02-03'), TO_TIME('1970-01-01 04:05:06'),"
          " TO_TIMESTAMP('2020-02-03 04:05:06.789'), TO_DATE('2020-02-03'), TO_TIME('1970-01-01 04:05:06'),"
          " TO_TIMESTAMP('2020-02-03 04:05:06.789'), 'yy', 'zz', ARRAY['a', NULL, 'c'], ARRAY[1, 2], ARRAY[1.5, 2],"
          " ARRAY[TRUE, FALSE], ARRAY[0.5, 1.0, 1.5], ARRAY[TO_DATE('2020-02-03')])")
    c.run("UPSERT INTO D_TYPES (K, K2) VALUES (2, 'b')")
    c.run("UPSERT INTO D_TYPES (K, K2, TI, SM, BI, DE, VA, CH) VALUES (-2147483648, 'c', 127, 32767,"
          " 9223372036854775807, -12.50, '\u00e4\u20ac\"', ' a')")
    every = c.run("SELECT * FROM D_TYPES ORDER BY K, K2 DESC")
    c.run("SELECT K FROM D_TYPES WHERE K = 99", every)
    c.run("SELECT K + 1, K2 AS ALIAS, COUNT(*), NULL, 'x', K / 2, TRUE, 1.5 FROM D_TYPES WHERE K = 1 GROUP BY K, K2", every)
    c.run("SELECT BI * 2, DE + 1, UPPER(VA), AI[1], ARRAY_LENGTH(AI), TS, CAST(DT AS TIMESTAMP), SUM(DE) FROM D_TYPES"
          " WHERE K = 1 GROUP BY BI, DE, VA, AI, TS, DT", every)
    c.run("EXPLAIN SELECT * FROM D_TYPES WHERE K = 1", every, about="a plan")
    c.run("DELETE FROM D_TYPES WHERE K = 1", every)
    c.run("DROP TABLE D_TYPES", every)
    c.close()


def columns(connect):
    """How the columns of results are described: their names, tables, sizes, and whether they may be NULL."""
    c = connect("columns").open()
    c.run_all("DROP VIEW IF EXISTS D_COLUMNS_VIEW", "DROP TABLE IF EXISTS D_COLUMNS", "DROP TABLE IF EXISTS D_S.D_OTHER",
              "CREATE TABLE D_COLUMNS (K INTEGER PRIMARY KEY, V VARCHAR(9), \"low\" INTEGER, F.X DECIMAL(5,2))",
              "CREATE TABLE D_S.D_OTHER (K INTEGER PRIMARY KEY, W VARCHAR)",
              "CREATE VIEW D_COLUMNS_VIEW (Y DATE) AS SELECT * FROM D_COLUMNS WHERE K > 5")
    s = c.statement()
    for sql in ("SELECT * FROM D_COLUMNS", "SELECT * FROM D_S.D_OTHER", "SELECT * FROM D_COLUMNS_VIEW",
                "SELECT K, V AS A, \"low\", F.X, V || 'x' FROM D_COLUMNS", "SELECT T.K, T.V FROM D_COLUMNS T",
                "SELECT * FROM D_COLUMNS AS T", "SELECT \"K\", V AS \"a\", \"low\" + K FROM D_COLUMNS", "SELECT 1, 'x' AS C",
                "SELECT A.K, B.W, A.V AS N FROM D_COLUMNS A JOIN D_S.D_OTHER B ON A.K = B.K",
                "SELECT D_COLUMNS.K, W FROM D_COLUMNS LEFT JOIN D_S.D_OTHER ON D_COLUMNS.K = D_S.D_OTHER.K",
                "SELECT * FROM D_COLUMNS A JOIN D_S.D_OTHER B ON A.K = B.K",
                "SELECT * FROM (SELECT K, V AS N FROM D_COLUMNS)",
                "SELECT Q.K, COUNT(*) AS N FROM (SELECT K, V FROM D_COLUMNS LIMIT 5) Q GROUP BY Q.K",
                "SELECT K FROM D_COLUMNS UNION ALL SELECT K FROM D_S.D_OTHER", "SELECT DISTINCT V FROM D_COLUMNS",
                "SELECT V, COUNT(V), MIN(K), MAX(V), SUM(K), AVG(K), SUM(X) AS S FROM D_COLUMNS GROUP BY V",
                "SELECT CASE WHEN K > 1 THEN 1 ELSE 0 END, COALESCE(V, 'x'), CAST(K AS BIGINT), -K, K * 1.5, LENGTH(V),"
                " SUBSTR('abc', K), K IS NULL, K > 1 AND K < 5, LENGTH('a'), K - 1 AS D FROM D_COLUMNS",
                "SELECT V FROM D_COLUMNS WHERE K IN (SELECT K FROM D_S.D_OTHER)",
                "EXPLAIN SELECT 1", "SHOW TABLES", "SHOW CREATE TABLE D_COLUMNS", "SHOW SCHEMAS"):
        c.run(sql, s, rows=1, about=f"columns of: {sql}")
    c.run("CREATE INDEX D_COLUMNS_INDEX ON D_COLUMNS (V) INCLUDE (\"low\")", s)
    c.run("SELECT V, \"low\", K FROM D_COLUMNS WHERE V = 'x'", s, about="columns of a query by an index")
    c.run_all("DROP VIEW D_COLUMNS_VIEW", "DROP TABLE D_COLUMNS", "DROP TABLE D_S.D_OTHER")
    c.close()


def old_days(connect):
    """Days before 1970."""
    c = connect("old_days").open()
    c.run_all("DROP TABLE IF EXISTS D_DAYS", "CREATE TABLE D_DAYS (K INTEGER PRIMARY KEY, D DATE, T TIME, S TIMESTAMP)",
              "UPSERT INTO D_DAYS VALUES (1, TO_DATE('1960-01-02'), TO_TIME('1960-01-02 03:04:05'),"
              " TO_TIMESTAMP('1960-01-02 03:04:05.678'))",
              "UPSERT INTO D_DAYS (K, D) VALUES (2, TO_DATE('1960-01-02 03:04:05'))")
    c.run("SELECT D, S FROM D_DAYS WHERE K = 1")
    c.run("SELECT T FROM D_DAYS WHERE K = 1", about="a TIME before 1970")
    c.run("SELECT D FROM D_DAYS WHERE K = 2", about="a DATE before 1970 with a time")
    c.run("DROP TABLE D_DAYS")
    c.close()


def frames(connect):
    """Results in frames: to their end, past it, again, and of statements that are missing."""
    c = connect("frames").open()
    c.run_all("DROP TABLE IF EXISTS D_FRAMES", "CREATE TABLE D_FRAMES (K INTEGER PRIMARY KEY)",
              *(f"UPSERT INTO D_FRAMES VALUES ({key})" for key in range(1, 4)))
    s = c.run("SELECT K FROM D_FRAMES ORDER BY K", rows=1)
    c.fetch(s, 1, 1)
    c.fetch(s, 2, 1)
    c.fetch(s, 3, 1, about="the fetch that finds the end")
    c.fetch(s, 3, 1, about="a fetch past the end")
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s, rows=1)
    c.fetch(s, 1, -1)
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s, rows=1)
    c.fetch(s, 1, 1)
    c.fetch(s, 1, 1, about="a row is asked for again")
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s, rows=10)
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s, rows=3, about="a first frame with all rows")
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s, total=2)
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s, rows=0, about="a first frame without rows")
    c.run("UPSERT INTO D_FRAMES VALUES (4)", s)
    c.fetch(s, 0, 1, about="a fetch where no result is")
    c.fetch(999999, 0, 1)
    c.call("CloseStatement", statementId=999999)
    for shift in (4, 8, 16, 32, 64):
        c.run(f"UPSERT INTO D_FRAMES SELECT K + {shift} FROM D_FRAMES", s)
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s)
    c.fetch(s, 100, 100)
    c.run("SELECT K FROM D_FRAMES ORDER BY K", s, rows=110, about="a first frame of more than 100 rows")
    c.run("DROP TABLE D_FRAMES", s)
    c.close()


def parameters(connect):
    """Statements that are prepared, with parameters of every type."""
    c = connect("parameters").open()
    make_types(c, "D_PARAMETERS")
    names = ", ".join(name for name, _ in TYPES)
    s = c.prepare(f"UPSERT INTO D_PARAMETERS ({names}) VALUES ({', '.join('?' * len(TYPES))})")
    c.execute(s, P("INTEGER", 1), P("STRING", "a"), P("BOOLEAN", True), P("BYTE", -3), P("SHORT", -300),
              P("LONG", -2 ** 63), P("BYTE", 3), P("SHORT", 300), P("INTEGER", 5), P("LONG", 6), P("DOUBLE", 1.5),
              P("DOUBLE", 2.5), P("DOUBLE", 0.25), P("DOUBLE", 1e100), P("BIG_DECIMAL", "-12.50"),
              P("BIG_DECIMAL", "12345678901234567890.5"), P("STRING", "ab"), P("STRING", "text"),
              P("JAVA_SQL_DATE", 18000), P("JAVA_SQL_TIME", 3600001), P("JAVA_SQL_TIMESTAMP", 1600000000123),
              P("JAVA_SQL_DATE", 18000), P("JAVA_SQL_TIME", 3600001), P("JAVA_SQL_TIMESTAMP", 1600000000123),
              P("BYTE_STRING", b"\x01\x02"), P("BYTE_STRING", b"\x00\xff"),
              P("ARRAY", [P("STRING", "x"), P("STRING", "y")], "STRING"),
              P("ARRAY", [P("INTEGER", 7), P("INTEGER", 8)], "INTEGER"),
              P("NULL"), P("ARRAY", [P("BOOLEAN", True)], "BOOLEAN"),
              P("ARRAY", [P("DOUBLE", 0.5)], "DOUBLE"), P("NULL"))
    c.run("SELECT COUNT(*) FROM D_PARAMETERS WHERE K = 1 AND K2 = 'a' AND BO AND TI = -3 AND SM = -300 AND"
          " BI = -9223372036854775807 - 1 AND UT = 3 AND US = 300 AND UI = 5 AND UL = 6 AND FL = 1.5 AND DO = 2.5 AND"
          " UF = 0.25 AND UD = 1e100 AND DE = -12.5 AND DF = 12345678901234567890.5 AND CH = 'ab' AND VA = 'text' AND"
          " DT = TO_DATE('2019-04-14') AND TM = TO_TIME('1970-01-01 01:00:00.001') AND"
          " TS = TO_TIMESTAMP('2020-09-13 12:26:40.123') AND XD = TO_DATE('2019-04-14') AND"
          " XT = TO_TIME('1970-01-01 01:00:00.001') AND XS = TO_TIMESTAMP('2020-09-13 12:26:40.123') AND"
          " AV = ARRAY['x', 'y'] AND AI = ARRAY[7, 8] AND AD IS NULL AND AO[1] = 0.5 AND AT IS NULL")
    c.run("SELECT BN, VB, AB FROM D_PARAMETERS")
    s = c.prepare("UPSERT INTO D_PARAMETERS (K, K2, BI, DE, TS, AI) VALUES (?, ?, ?, ?, ?, ?)")
    c.execute(s, P("INTEGER", 2), P("STRING", "b"), *[P("NULL")] * 4)
    c.execute(s, P("INTEGER", 3), P("STRING", "c"), *[P("OBJECT")] * 4)
    q = c.prepare("SELECT DE, AI FROM D_PARAMETERS WHERE K = ? AND K2 = ?")
    c.execute(q, P("INTEGER", 1), P("STRING", "a"))
    c.execute(q, P("LONG", 3), P("STRING", "c"))
    c.execute(q, P("INTEGER", 9), P("STRING", "b"))
    q = c.prepare("SELECT K FROM D_PARAMETERS WHERE K = ? AND K2 = ?")
    c.execute(q, bound=False, about="no parameter is given")
    c.execute(q, P("INTEGER", 1), about="one parameter is missing")
    c.execute(q, P("STRING", "no number"), P("STRING", "a"), about="a parameter of another type")
    c.execute(q | {"id": 999999}, P("INTEGER", 1), P("STRING", "a"), about="a missing statement is executed")
    r = c.prepare("SELECT K FROM D_PARAMETERS WHERE K > ? ORDER BY K")
    c.execute(r, P("LONG", 0), rows=1)
    c.fetch(r["id"], 1, 1)
    c.fetch(r["id"], 2, -1)
    for sql in ("SELECT K FROM D_PARAMETERS WHERE DE = ? AND TS < ? AND AI = ? AND VA LIKE ? LIMIT ?",
                "DELETE FROM D_PARAMETERS WHERE K IN (?, ?)"):
        c.prepare(sql)
    n = c.prepare("SELECT K FROM D_PARAMETERS WHERE K = 1")
    c.execute(n)
    c.prepare("SELECT * FROM D_NOPE", about="no such table is prepared")
    c.prepare("SELEC", about="nonsense is prepared")
    c.run("DROP TABLE D_PARAMETERS")
    c.close()


def transactions(connect):
    """Batches of both kinds, commit and rollback."""
    c, other = connect("transactions").open(autocommit=False), connect("transactions_other").open()
    other.run_all("DROP TABLE IF EXISTS D_BATCH", "CREATE TABLE D_BATCH (K INTEGER PRIMARY KEY, V VARCHAR)")
    count = other.statement()
    s = c.prepare("UPSERT INTO D_BATCH VALUES (?, ?)")
    c.batch(s, *([P("INTEGER", key), P("STRING", f"v{key}")] for key in range(3)))
    other.run("SELECT COUNT(*) FROM D_BATCH", count)
    c.call("Commit")
    other.run("SELECT COUNT(*) FROM D_BATCH", count)
    t = c.statement()
    c.call("PrepareAndExecuteBatch", statementId=t,
           sqlCommands=["UPSERT INTO D_BATCH VALUES (20, 'x')", "DELETE FROM D_BATCH WHERE K = 0"])
    c.call("Rollback")
    other.run("SELECT COUNT(*) FROM D_BATCH", count)
    c.call("PrepareAndExecuteBatch", statementId=t, sqlCommands=["UPSERT INTO D_BATCH VALUES (21, 'x')"])
    c.call("Commit")
    other.run("SELECT K, V FROM D_BATCH ORDER BY K", count)
    c.call("PrepareAndExecuteBatch", about="a batch with nonsense", statementId=t, sqlCommands=["UPSER"])
    c.call("PrepareAndExecuteBatch", about="a batch with a query", statementId=t, sqlCommands=["SELECT * FROM D_BATCH"])
    c.call("PrepareAndExecuteBatch", about="a batch by a missing statement", statementId=999999,
           sqlCommands=["UPSERT INTO D_BATCH VALUES (22, 'x')"])
    c.batch(s, [P("INTEGER", 30), P("STRING", "a")], [P("NULL"), P("STRING", "b")], about="a batch with a missing key")
    c.call("Rollback")
    c.batch({"id": 999999}, [P("INTEGER", 30), P("STRING", "a")])
    other.run("UPSERT INTO D_BATCH VALUES (40, 'at once')", count)
    other.run("UPSERT INTO D_BATCH SELECT K + 100, V FROM D_BATCH", count)
    other.run("DELETE FROM D_BATCH WHERE K > 1000", count)
    c.run("SELECT COUNT(*) FROM D_BATCH", t)
    other.run("DROP TABLE D_BATCH", count)
    c.close()
    other.close()


def errors(connect):
    """What fails."""
    c = connect("errors").open()
    c.run_all("DROP TABLE IF EXISTS D_ERRORS",
              "CREATE TABLE D_ERRORS (K INTEGER PRIMARY KEY, V VARCHAR(3), D DECIMAL(4,2))",
              "UPSERT INTO D_ERRORS VALUES (1, 'a', 1)")
    s = c.statement()
    for sql in ("SELECT * FROM D_NOPE", "SELECT NOPE FROM D_ERRORS", "SELECT K FRM D_ERRORS", "SELEC",
                "SELECT K / 0 FROM D_ERRORS", "UPSERT INTO D_ERRORS VALUES (NULL, 'x', 1)",
                "UPSERT INTO D_ERRORS VALUES (2, 'long', 1)", "UPSERT INTO D_ERRORS VALUES (2, 'x', 12345.678)",
                "UPSERT INTO D_ERRORS VALUES ('text', 'x', 1)", "UPSERT INTO D_ERRORS VALUES (1)",
                "SELECT * FROM D_ERRORS WHERE V = 1", "CREATE TABLE D_ERRORS (K INTEGER PRIMARY KEY)",
                "CREATE TABLE D_NOPE (K TEXT PRIMARY KEY)", "DROP TABLE D_NOPE", "DROP VIEW D_ERRORS",
                "SELECT TO_DATE('no date') FROM D_ERRORS", "SELECT NO_FUNCTION(K) FROM D_ERRORS",
                "SELECT K, COUNT(*) FROM D_ERRORS", "SELECT NEXT VALUE FOR D_NOPE FROM D_ERRORS"):
        c.run(sql, s, about=f"fails: {sql}")
    c.run("SELECT K FROM D_ERRORS WHERE K = ?", s, about="parameters that are not given")
    c.run("SELECT 1", 999999, about="a missing statement runs")
    c.run("DROP TABLE D_ERRORS", s)
    c.close()


def make_metadata(c):
    c.run_all("DROP VIEW IF EXISTS D_S.D_VIEW", "DROP TABLE IF EXISTS D_S.D_META", "DROP SEQUENCE IF EXISTS D_S.D_SEQ",
              "CREATE TABLE D_S.D_META (A INTEGER NOT NULL, B VARCHAR NOT NULL, C DECIMAL(10,3), D CHAR(3), E DATE ARRAY,"
              " F.G VARCHAR DEFAULT 'g' CONSTRAINT D_PK PRIMARY KEY (A, B DESC)) SALT_BUCKETS = 3",
              "CREATE VIEW D_S.D_VIEW (V DATE) AS SELECT * FROM D_S.D_META WHERE A = 5",
              "CREATE INDEX D_INDEX ON D_S.D_META (C DESC) INCLUDE (D)", "CREATE SEQUENCE D_S.D_SEQ")


def drop_metadata(c):
    c.run_all("DROP VIEW D_S.D_VIEW", "DROP TABLE D_S.D_META", "DROP SEQUENCE D_S.D_SEQ")
    c.close()


def lists(connect):
    """Short lists that DatabaseMetaData asks for."""
    c = connect("lists").open()
    make_metadata(c)
    c.metadata("Catalogs")
    c.metadata("TableTypes")
    c.metadata("TypeInfo")
    c.metadata("Schemas")
    c.metadata("Schemas", schemaPattern="D\\_%")
    c.ask("GET_PRIMARY_KEYS", None, "D_S", "D_META", about="primary keys")
    c.ask("GET_TABLE_TYPES")
    c.ask("GET_IMPORTED_KEYS", None, "D_S", "D_META", about="imported keys")
    s = c.statement()
    c.call("SyncResults", about="the result of a query is made anew", statementId=s, offset=1,
           state={"type": "SQL", "sql": "SELECT TABLE_TYPE FROM SYSTEM.CATALOG WHERE TABLE_SCHEM = 'D_S' AND"
                  " TABLE_TYPE IS NOT NULL ORDER BY TABLE_TYPE", "hasSql": True})
    c.fetch(s, 1, 100)
    drop_metadata(c)


def metadata(connect):
    """Tables, columns, keys and indexes."""
    c = connect("metadata").open()
    make_metadata(c)
    c.metadata("Tables", schemaPattern="D_S", tableNamePattern="D\\_META")
    c.metadata("Tables", schemaPattern="D_S", tableNamePattern="D\\_SEQ", types=["VIEW", "SEQUENCE"])
    c.metadata("Columns", schemaPattern="D_S", tableNamePattern="D_META")
    c.metadata("Columns", schemaPattern="D_S", tableNamePattern="D_VIEW", columnNamePattern="V")
    c.ask("GET_PRIMARY_KEYS", None, "D_S", "D_NOPE", about="primary keys of a missing table")
    c.ask("GET_INDEX_INFO", None, "D_S", "D_META", False, False)
    drop_metadata(c)


def tenants(connect):
    """A tenant's connection."""
    c = connect("tenants").open()
    c.run_all("DROP TABLE IF EXISTS D_TENANTS CASCADE",
              "CREATE TABLE D_TENANTS (T VARCHAR NOT NULL, K INTEGER NOT NULL, V VARCHAR CONSTRAINT PK PRIMARY KEY (T, K))"
              " MULTI_TENANT = TRUE", "UPSERT INTO D_TENANTS VALUES ('other', 1, 'x')")
    t = connect("tenants_one").open(TenantId="one")
    t.run_all("CREATE VIEW D_OF_TENANT AS SELECT * FROM D_TENANTS", "UPSERT INTO D_OF_TENANT VALUES (2, 'mine')")
    t.run("SELECT * FROM D_OF_TENANT")
    c.run("SELECT * FROM D_TENANTS")
    t.metadata("Catalogs")
    t.ask("GET_PRIMARY_KEYS", None, None, "D_OF_TENANT", about="primary keys of a tenant's view")
    t.run_all("DROP VIEW D_OF_TENANT")
    c.run_all("DROP TABLE D_TENANTS")
    t.close()
    c.close()


DIALOGUES = (connections, types, columns, old_days, frames, parameters, transactions, errors, lists, metadata, tenants)


def main():
    url, form, directory, *names = sys.argv[1:]
    server = Server(url, form)
    os.makedirs(os.path.join(directory, form), exist_ok=True)
    # A server's first statement has the number 0, which the JSON mapping of protobuf leaves out.
    first = Connection(server, [], "first").open()
    first.call("CreateStatement")
    first.close()
    for dialogue in DIALOGUES:
        if names and dialogue.__name__ not in names:
            continue
        calls = []
        dialogue(lambda name, calls=calls: Connection(server, calls, name))
        with open(os.path.join(directory, form, dialogue.__name__ + ".json"), "w", encoding="utf-8") as out:
            out.write(pretty(calls) + "\n")
        print(f"{dialogue.__name__}: {len(calls)} calls")


main()
