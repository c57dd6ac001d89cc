#!/usr/bin/env bash
# What people who come from other systems write, and what they are told.
#   hints.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"

exits "a table" 0 "$bennu" sql db -c "CREATE TABLE t (k INTEGER PRIMARY KEY, name VARCHAR, d DATE, \"mixed\" VARCHAR)"

# hint STATEMENT PART-OF-THE-HINT
hint() {
  exits "$1" 1 "$bennu" sql db -c "$1"
  check "the hint of $1" "1" "$(grep '^HINT: ' err | grep -cF -- "$2")"
}

hint "DROP VIEW t" "DROP TABLE T"
exits "a view" 0 "$bennu" sql db -c "CREATE VIEW v AS SELECT * FROM t"
hint 'DROP TABLE "t"' "there is T"
hint 'ALTER TABLE "t" ADD x INTEGER' "there is T"
hint "DROP TABLE v" "DROP VIEW V"
hint "ALTER VIEW t ADD x INTEGER" "ALTER TABLE T"
exits "an index" 0 "$bennu" sql db -c "CREATE INDEX i ON t (name)"
hint "DROP TABLE i" "DROP INDEX I ON T"
hint "DROP VIEW i" "DROP INDEX I ON T"
hint "ALTER TABLE i ADD x INTEGER" "ALTER TABLE T"
hint "ALTER TABLE i SET TTL = 1" "ALTER TABLE T"
hint "CREATE INDEX j ON i (\"0:NAME\")" "I is an index of T: name T instead"
hint "CREATE VIEW w AS SELECT * FROM i" "I is an index of T: name T instead"
exits "no index" 0 "$bennu" sql db -c "DROP INDEX i ON t"
hint "INSERT INTO t VALUES (1)" "UPSERT INTO"
hint "UPDATE t SET name = 'x'" "UPSERT"
hint "MERGE INTO t" "ON DUPLICATE KEY"
hint "TRUNCATE TABLE t" "DELETE FROM"
hint "DESC t" "!describe"
hint "DESCRIBE t" "!describe"
hint "VALUES (1, 2)" "SELECT 1, 2"
hint "SET x = 1" "no variables"
hint "BEGIN" "!autocommit off"
hint "COPY t FROM 'f'" "bennu load"
hint ".tables" "!help"
hint "FOO BAR" "statements begin with"
hint "CREATE OR REPLACE TABLE u (k INTEGER PRIMARY KEY)" "IF NOT EXISTS"
hint "CREATE TABLE u AS SELECT * FROM t" "UPSERT INTO ... SELECT"
hint "CREATE TABLE u (k SERIAL PRIMARY KEY)" "sequence"
hint "CREATE TABLE u (k INT AUTO_INCREMENT PRIMARY KEY)" "SEQUENCE"
hint "CREATE TABLE u (k TEXT PRIMARY KEY)" "VARCHAR"
hint "CREATE TABLE u (order INTEGER PRIMARY KEY)" '"ORDER" in double quotes'
hint "SELECT LEFT(name, 2) FROM t" "SUBSTR"
hint "SELECT REPLACE(name, 'a', 'b') FROM t" "REGEXP_REPLACE"
hint "SELECT EXTRACT(YEAR FROM d) FROM t" "YEAR(d)"
hint "SELECT CONCAT(name, 'x') FROM t" "||"
hint "SELECT NVL(name, 'x') FROM t" "COALESCE"
hint "SELECT MOD(k, 2) FROM t" "%"
hint "SELECT CURRENT_DATE FROM t" "CURRENT_DATE()"
hint "SELECT d + INTERVAL '1 day' FROM t" "d + 7"
hint "SELECT k::VARCHAR FROM t" "CAST"
hint "SELECT ROW_NUMBER() OVER (ORDER BY k) FROM t" "window functions"
hint "SELECT SUM(k) OVER () FROM t" "window functions"
hint "SELECT k FROM t INTERSECT SELECT k FROM t" "IN (SELECT"
hint "SELECT k FROM t EXCEPT SELECT k FROM t" "NOT IN (SELECT"
hint "SELECT * FROM t JOIN t u USING (k)" "ON a.k = b.k"
hint "SELECT * FROM INFORMATION_SCHEMA.TABLES" "SHOW TABLES"
hint "SELECT * FROM t WHERE d > '2024-01-01'" "write DATE '2024-01-01'"
hint "SELECT * FROM t WHERE name = \"Ann\"" "single quotes: 'Ann'"
hint "SELECT 'it's' FROM t" "it''s"
hint "SELECT COUNT(* FROM t" "not closed"
hint "SELECT * FROM t LIMIT 10, 20" "OFFSET"
hint "SELECT TOP 5 * FROM t" "LIMIT"
hint "SELECT nmae FROM t" "there is NAME"
hint "SELECT mixed FROM t" 'there is "mixed"'
hint "UPSERT INTO t (k, name) VALUES (1, name)" "ON DUPLICATE KEY"
hint "UPSERT INTO t (k, name) VALUES (1, Ann)" "single quotes"
hint "SHOW DATABASES" "SCHEMAS"

# A key, a column, an index, as other systems define them.
hint "CREATE TABLE u (k INTEGER, PRIMARY KEY (k))" "CONSTRAINT pk PRIMARY KEY ("
hint "CREATE TABLE u (k INTEGER, v VARCHAR)" "PRIMARY KEY"
hint "ALTER TABLE t ADD PRIMARY KEY (name)" "keeps the key"
hint "ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (name)" "keeps the key"
hint "ALTER TABLE t ADD COLUMN z INTEGER" "write ADD column type"
hint "ALTER TABLE t DROP name" "DROP COLUMN"
hint "DROP COLUMN name" "ALTER TABLE t DROP COLUMN"
hint "ADD COLUMN z INTEGER" "ALTER TABLE t ADD"
hint "CREATE INDEX ON t (name)" "an index needs a name"
hint "CREATE UNIQUE INDEX i ON t (name)" "CREATE INDEX"
hint "CREATE TABLE u (k INTEGER PRIMARY KEY) IF NOT EXISTS" "CREATE TABLE IF NOT EXISTS before"
hint "DROP TABLE t IF EXISTS" "DROP TABLE IF EXISTS before"
hint "SELECT k FROM t WHERE k = 1 AND NOT EXISTS" "NOT EXISTS (SELECT"
hint "LIST TABLES" "SHOW TABLES"
hint "CREATE TABLE u (k DOUBLE PRECISION PRIMARY KEY)" "DOUBLE"
hint "CREATE TABLE u (k VARCHAR2(10) PRIMARY KEY)" "VARCHAR"
for type in "TEXT VARCHAR" "INT INTEGER" "STRING VARCHAR" "DATETIME TIMESTAMP"; do
  hint "SELECT CAST(k AS ${type% *}) FROM t" "write ${type#* }"
done
hint "SELECT CAST(k AS DOUBLE PRECISION) FROM t" "the type is DOUBLE"
# Functions and moments.
hint "UPSERT INTO t (k, d) VALUES (1, CURRENT_DATE)" "CURRENT_DATE()"
hint "UPSERT INTO t (k, d) VALUES (1, CURRENT_TIMESTAMP)" "NOW()"
hint "SELECT CURRENT_DATE" "CURRENT_DATE()"
hint "SELECT CURRENT_TIMESTAMP" "NOW()"
hint "SELECT d + INTERVAL 1 DAY FROM t" "d + 7"
hint "SELECT POSITION('x' IN name) FROM t" "INSTR"
hint "SELECT SUBSTRING(name FROM 2 FOR 3) FROM t" "SUBSTR("
hint "SELECT NEXTVAL('s')" "NEXT VALUE FOR"
hint "SELECT * FROM t WHERE d > 2024-01-01" "DATE '2024-"
# Queries.
hint "SELECT k FROM t WHERE k IN (SELECT k FROM t EXCEPT SELECT k FROM t)" "NOT IN (SELECT"
hint "(SELECT k FROM t) INTERSECT (SELECT k FROM t)" "IN (SELECT"
hint "SELECT * FROM t NATURAL JOIN t u" "ON a.k = b.k"
hint "SELECT * FROM t CROSS JOIN t u" "FROM a, b"
hint "SELECT k FROM t FOR UPDATE" "leave FOR UPDATE out"
hint 'SELECT k FROM "t"' "there is T:"
exits "a table of small letters" 0 "$bennu" sql db -c 'CREATE TABLE "low" (k INTEGER PRIMARY KEY)'
hint "SELECT k FROM low" 'there is "low":'

# No hint is better than a wrong one.
exits "a sub-query as a column" 1 "$bennu" sql db -c "SELECT k, (SELECT 1) FROM t"
check "is not told to be quoted" "0" "$(grep -c 'double quotes' err)"
printf "%d checks, %d failed\n" "$checks" "$failures"
[[ $failures -eq 0 ]]
