"""A walk through SQLAlchemy by phoenixdb's dialect. Prints what it gets, so that what two servers
answer can be compared.

    alchemy_walk.py HOST:PORT

The dialect speaks textual SQL, SELECT of SQLAlchemy's own making, and reflection. It does not know
UPSERT: rows are written as text.
"""
import datetime
import decimal
import sys

import sqlalchemy as sa


def title(text):
    print("==", text)


def shown(value):
    """A value with its Python type, the same on every server."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "bytes " + bytes(value).hex()
    if isinstance(value, list):
        return "[" + ", ".join(shown(one) for one in value) + "]"
    return f"{type(value).__name__} {value}"


def rows(result):
    print("  columns", ", ".join(result.keys()))
    for row in result:
        print("  row", " | ".join(shown(value) for value in row))


def fails(what, step):
    """What a failure tells a program; the rest is the server's own."""
    try:
        step()
        print(f"{what}: no error")
    except sa.exc.DBAPIError as error:
        print(f"{what}: {type(error).__name__}, {error.orig.code} ({error.orig.sqlstate})")


TABLES = [
    """CREATE TABLE A_TRIPS (
         CITY VARCHAR NOT NULL, DAY DATE NOT NULL, ID BIGINT NOT NULL, RIDER VARCHAR(20), PASSENGERS TINYINT,
         KM DECIMAL(8,2), SPEED DOUBLE, SHARED BOOLEAN, STARTED TIMESTAMP, NOTE VARBINARY,
         X.CODE CHAR(3), X.COUNTER UNSIGNED_LONG
         CONSTRAINT TRIPS_PK PRIMARY KEY (CITY, DAY DESC, ID))""",
    "CREATE TABLE A_CITIES (CITY VARCHAR NOT NULL PRIMARY KEY, COUNTRY VARCHAR)",
    # What the dialect has no types for: it is asked for as text alone.
    "CREATE TABLE A_OTHERS (K TIME NOT NULL PRIMARY KEY, B BINARY(3), A VARCHAR ARRAY, N INTEGER ARRAY)",
    "CREATE INDEX A_TRIPS_KM ON A_TRIPS (KM DESC) INCLUDE (RIDER)",
    "CREATE VIEW A_SHORT AS SELECT * FROM A_TRIPS WHERE KM < 3",
    "CREATE TABLE A_S.A_INNER (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)",
]
DROPS = [
    "DROP VIEW IF EXISTS A_SHORT",
    "DROP TABLE IF EXISTS A_TRIPS",
    "DROP TABLE IF EXISTS A_CITIES",
    "DROP TABLE IF EXISTS A_OTHERS",
    "DROP TABLE IF EXISTS A_S.A_INNER",
]


def write(engine):
    title("writing")
    upsert = sa.text(
        "UPSERT INTO A_TRIPS (CITY, DAY, ID, RIDER, PASSENGERS, KM, SPEED, SHARED, STARTED, NOTE, CODE, COUNTER)"
        " VALUES (:city, :day, :id, :rider, :passengers, :km, :speed, :shared, :started, :note, :code, :counter)")
    with engine.begin() as connection:
        result = connection.execute(upsert, {
            "city": "Quito", "day": datetime.date(2024, 2, 29), "id": 2**40, "rider": "Ana", "passengers": -3,
            "km": decimal.Decimal("12.50"), "speed": 31.25, "shared": True,
            "started": datetime.datetime(2024, 2, 29, 23, 59, 58, 125000), "note": b"\xff",
            "code": "abc", "counter": 5})
        print("one row", result.rowcount)
        connection.execute(upsert, [{
            "city": city, "day": datetime.date(1969, 12, 31), "id": number, "rider": None, "passengers": None,
            "km": decimal.Decimal(number) / 4, "speed": None, "shared": number % 2 == 0, "started": None,
            "note": None, "code": None, "counter": number} for city in ("Lima", "Quito") for number in range(1, 21)])
        connection.execute(sa.text("UPSERT INTO A_OTHERS VALUES (:k, :b, :a, :n)"), {
            "k": datetime.time(4, 5, 6), "b": b"\x00\x80\xff", "a": ["x", "y z"], "n": [-1, 2**31 - 1]})
        connection.execute(sa.text("UPSERT INTO A_CITIES VALUES (:city, :country)"),
                           [{"city": "Lima", "country": "Peru"}, {"city": "Quito", "country": "Ecuador"},
                            {"city": "Cusco", "country": "Peru"}])
    count = sa.text("SELECT COUNT(*) FROM A_CITIES")
    with engine.connect() as connection, engine.connect() as other:
        connection.execute(sa.text("UPSERT INTO A_CITIES VALUES ('Oslo', 'Norway')"))
        print("others before the commit", other.execute(count).scalar())
        connection.rollback()
        print("after a rollback", connection.execute(count).scalar())
        connection.execute(sa.text("DELETE FROM A_CITIES WHERE CITY = :city"), {"city": "Cusco"})
        connection.commit()
        print("others after a commit", other.execute(count).scalar())


def reflect(engine):
    title("reflection")
    inspector = sa.inspect(engine)
    print("schemas", [name for name in inspector.get_schema_names() if name in ("", "A_S", "SYSTEM")])
    print("tables", sorted(name for name in inspector.get_table_names() if name.startswith("A_")))
    print("tables of a schema", inspector.get_table_names("A_S"))
    print("views", [name for name in inspector.get_view_names() if name.startswith("A_")])
    print("has", inspector.has_table("A_TRIPS"), inspector.has_table("A_NOPE"), inspector.has_table("A_INNER", "A_S"))
    for table in ("A_TRIPS", "A_CITIES", "A_SHORT"):
        for column in inspector.get_columns(table):
            print(f"  {table}.{column['name']}", type(column["type"]).__name__, column["nullable"],
                  column["autoincrement"], column["comment"])
        print("  key", inspector.get_pk_constraint(table))
        print("  indexes", [(index["name"], index["unique"], len(index["column_names"]))
                            for index in inspector.get_indexes(table)])


def select(engine):
    title("SELECT by SQLAlchemy")
    cities = sa.Table("A_CITIES", sa.MetaData(), autoload_with=engine)
    trips = sa.Table("A_TRIPS", sa.MetaData(), autoload_with=engine)
    c = trips.c
    with engine.connect() as connection:
        rows(connection.execute(sa.text("SELECT * FROM A_TRIPS WHERE RIDER = :rider"), {"rider": "Ana"}))
        rows(connection.execute(sa.text("SELECT * FROM A_OTHERS")))
        rows(connection.execute(sa.select(cities).order_by(cities.c.CITY.desc())))
        rows(connection.execute(
            sa.select(c.CITY, c.ID, c.KM).where(c.KM > decimal.Decimal("4.5"), c.CITY == "Lima").order_by(c.ID)))
        rows(connection.execute(sa.select(c.ID).where(c.CITY == "Lima").order_by(c.ID).limit(3).offset(5)))
        rows(connection.execute(
            sa.select(c.ID, c.CITY).where(c.ID.in_([1, 7, 19]), c.SHARED == sa.literal(False)).order_by(c.CITY, c.ID)))
        rows(connection.execute(sa.select(c.DAY, c.ID).where(c.DAY == datetime.date(2024, 2, 29))))
        rows(connection.execute(
            sa.select(c.CITY, sa.func.count().label("N"), sa.func.sum(c.KM).label("KMS"), sa.func.max(c.ID).label("LAST"))
            .group_by(c.CITY).having(sa.func.count() > 1).order_by(c.CITY)))
        rows(connection.execute(
            sa.select(cities.c.COUNTRY, sa.func.count().label("N"))
            .join_from(cities, trips, cities.c.CITY == c.CITY).group_by(cities.c.COUNTRY).order_by(cities.c.COUNTRY)))
        rows(connection.execute(
            sa.select(c.CITY, c.ID).where(c.KM == sa.select(sa.func.max(c.KM)).scalar_subquery())))
        rows(connection.execute(
            sa.select(sa.case((c.KM < 2, sa.literal_column("'short'")), else_=c.RIDER).label("LENGTH"), c.RIDER)
            .where(sa.or_(c.RIDER.like("A%"), sa.and_(c.ID == 3, c.CITY == "Lima"))).order_by(c.ID)))
        rows(connection.execute(sa.union_all(sa.select(c.ID).where(c.ID == 1), sa.select(c.ID).where(c.ID == 2))
                                .order_by("ID")))
        rows(connection.execute(sa.select(sa.distinct(c.SHARED)).order_by(c.SHARED)))


def cursors(engine):
    title("results")
    with engine.connect() as connection:
        ids = sa.text("SELECT ID, CITY FROM A_TRIPS WHERE CITY = 'Lima' ORDER BY ID")
        result = connection.execute(ids)
        print("first", result.fetchone(), "then", result.fetchmany(2), "rest", len(result.fetchall()))
        print("mappings", dict(connection.execute(ids).mappings().first()))
        print("scalars", sum(connection.execute(ids).scalars()))
        print("partitions", [len(part) for part in connection.execute(ids).partitions(8)])
        print("none", connection.execute(sa.text("SELECT ID FROM A_TRIPS WHERE CITY = 'nowhere'")).first())


def errors(engine):
    title("errors")
    with engine.connect() as connection:
        def of(text):
            return lambda: connection.execute(sa.text(text)).fetchall()
        fails("no table", of("SELECT * FROM A_NOPE"))
        fails("no column", of("SELECT NOPE FROM A_TRIPS"))
        fails("syntax", of("SELECT ID FRM A_TRIPS"))
        fails("a table that exists", of("CREATE TABLE A_CITIES (K INTEGER PRIMARY KEY)"))
        fails("a key that is too short", of("UPSERT INTO A_CITIES VALUES (NULL, 'x')"))
        insert = sa.insert(sa.table("A_CITIES", sa.column("CITY"))).values(CITY="Oslo")
        fails("INSERT", lambda: connection.execute(insert))
        print("and on", connection.execute(sa.text("SELECT COUNT(*) FROM A_CITIES")).scalar())


def main():
    engine = sa.create_engine("phoenix://" + sys.argv[1])
    with engine.begin() as connection:
        for statement in DROPS + TABLES:
            connection.execute(sa.text(statement))
    write(engine)
    reflect(engine)
    select(engine)
    cursors(engine)
    errors(engine)
    engine.dispose()


main()
