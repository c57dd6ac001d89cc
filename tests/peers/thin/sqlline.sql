!set outputformat csv
DROP TABLE IF EXISTS SL_T;
CREATE TABLE SL_T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR, D DATE, DE DECIMAL(10,2));
UPSERT INTO SL_T VALUES (1, 'a', TO_DATE('2020-02-03'), 1.50);
UPSERT INTO SL_T VALUES (2, NULL, NULL, NULL);
SELECT * FROM SL_T ORDER BY K;
!outputformat table
SELECT K, V FROM SL_T ORDER BY K;
!tables SL_T
!describe SL_T
!outputformat vertical
!columns SL_T
!indexes SL_T
!primarykeys SL_T
!sql SELECT COUNT(*) FROM SL_T;
SELECT * FROM SL_NOPE;
!metadata getTableTypes
!autocommit off
UPSERT INTO SL_T VALUES (3, 'c', NULL, NULL);
!rollback
SELECT COUNT(*) FROM SL_T;
!autocommit on
DROP TABLE SL_T;
!quit
