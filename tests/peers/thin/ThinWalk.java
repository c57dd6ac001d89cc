import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Arrays;
import java.util.Properties;

/**
 * A walk through JDBC by Phoenix's thin driver. Prints what it gets, so that what two servers answer
 * can be compared.
 *
 * <p>ThinWalk URL walk: all of it. ThinWalk URL rows N: writes N rows in batches and reads them back. ThinWalk URL query
 * SQL: what a query gives.
 */
public class ThinWalk {
  private static String url;

  private interface Step {
    void run() throws Exception;
  }

  private static Connection connect(String... properties) throws SQLException {
    Properties all = new Properties();
    for (int i = 0; i < properties.length; i += 2) all.setProperty(properties[i], properties[i + 1]);
    return DriverManager.getConnection(url, all);
  }

  private static void say(String text) {
    System.out.println(text);
  }

  private static void title(String text) {
    say("== " + text);
  }

  /** What a failure tells a program; the rest is the server's own. */
  private static void fails(String what, Step step) throws Exception {
    try {
      step.run();
      say(what + ": no error");
    } catch (SQLException | RuntimeException e) {
      String text = String.valueOf(e.getMessage());
      int at = text.indexOf("ERROR ");
      int end = text.indexOf(" ->", Math.max(at, 0));
      String words = text.equals("Statement canceled") ? text : "an error";
      say(what + ": " + (at < 0 ? words : text.substring(at, end < 0 ? text.length() : end)));
    }
  }

  private static String text(Object value) throws SQLException {
    if (value instanceof byte[]) return Arrays.toString((byte[]) value);
    if (value instanceof Array) return "array " + Arrays.deepToString((Object[]) ((Array) value).getArray());
    if (value instanceof BigDecimal) return ((BigDecimal) value).toPlainString();
    if (value instanceof Timestamp) return "timestamp " + ((Timestamp) value).getTime();
    if (value instanceof Time) return "time " + ((Time) value).getTime();
    if (value instanceof Date) return "date " + ((Date) value).getTime();
    return String.valueOf(value);
  }

  private static void print(ResultSet rows) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    for (int i = 1; i <= columns.getColumnCount(); ++i) {
      say("  column " + columns.getColumnLabel(i) + " " + columns.getColumnTypeName(i) + " "
          + columns.getColumnType(i) + " " + columns.getPrecision(i) + "," + columns.getScale(i) + " "
          + columns.getColumnClassName(i) + " of " + columns.getTableName(i) + ", " + columns.getColumnName(i));
    }
    printRows(rows);
  }

  private static void printRows(ResultSet rows) throws SQLException {
    int count = rows.getMetaData().getColumnCount();
    while (rows.next()) {
      StringBuilder line = new StringBuilder("  row");
      for (int i = 1; i <= count; ++i) line.append(" | ").append(text(rows.getObject(i)));
      say(line.toString());
    }
    rows.close();
  }

  private static void types() throws Exception {
    title("types");
    try (Connection c = connect(); Statement s = c.createStatement()) {
      c.setAutoCommit(true);
      s.execute("DROP TABLE IF EXISTS W_TYPES");
      s.execute("CREATE TABLE W_TYPES (K INTEGER NOT NULL, K2 VARCHAR(7) NOT NULL, B BOOLEAN, T TINYINT,"
          + " S SMALLINT, L BIGINT, UL UNSIGNED_LONG, UI UNSIGNED_INT, F FLOAT, D DOUBLE, DE DECIMAL(10,2),"
          + " C CHAR(3), DT DATE, TI TIME, TS TIMESTAMP, VB VARBINARY, BI BINARY(2), VA VARCHAR ARRAY,"
          + " IA INTEGER ARRAY, X.V VARCHAR CONSTRAINT PK PRIMARY KEY (K, K2 DESC))");
      say("rows " + s.executeUpdate("UPSERT INTO W_TYPES VALUES (1, 'a', TRUE, -3, -300, -3000000000, 5, 6, 1.5,"
          + " 2.5, 3.25, 'ab', TO_DATE('2020-02-03'), TO_TIME('1970-01-01 04:05:06'),"
          + " TO_TIMESTAMP('2020-02-03 04:05:06.789'), 'zz', 'yy', ARRAY['a', NULL], ARRAY[1, 2], 'v')"));
      say("rows " + s.executeUpdate("UPSERT INTO W_TYPES (K, K2) VALUES (2, 'b')"));
      print(s.executeQuery("SELECT * FROM W_TYPES ORDER BY K"));
      ResultSet rows = s.executeQuery("SELECT L, DE, TS, V FROM W_TYPES ORDER BY K");
      rows.next();
      say("long " + rows.getLong(1) + " decimal " + rows.getBigDecimal("DE").toPlainString() + " moment "
          + rows.getTimestamp(3).getTime() + " text " + rows.getString("V") + " " + rows.wasNull());
      rows.next();
      say("long " + rows.getLong(1) + " " + rows.wasNull());
      rows.close();
    }
  }

  private static void prepared() throws Exception {
    title("prepared statements");
    try (Connection c = connect()) {
      c.setAutoCommit(true);
      try (PreparedStatement p = c.prepareStatement(
              "UPSERT INTO W_TYPES (K, K2, B, L, D, DE, DT, TI, TS, VB, IA) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
        ParameterMetaData parameters = p.getParameterMetaData();
        for (int i = 1; i <= parameters.getParameterCount(); ++i) {
          say("  parameter " + parameters.getParameterType(i) + " " + parameters.getParameterTypeName(i));
        }
        p.setInt(1, 10);
        p.setString(2, "p");
        p.setBoolean(3, true);
        p.setLong(4, Long.MIN_VALUE);
        p.setDouble(5, -0.5);
        p.setBigDecimal(6, new BigDecimal("-12.50"));
        p.setDate(7, new Date(86_400_000L * 18_000));
        p.setTime(8, new Time(3_600_000L));
        p.setTimestamp(9, new Timestamp(1_600_000_000_123L));
        p.setBytes(10, new byte[] {0, -1});
        p.setArray(11, c.createArrayOf("INTEGER", new Object[] {7, 8}));
        say("rows " + p.executeUpdate());
        p.setInt(1, 11);
        for (int i = 3; i <= 11; ++i) p.setNull(i, Types.VARCHAR);
        say("rows " + p.executeUpdate());
      }
      try (PreparedStatement p = c.prepareStatement("SELECT * FROM W_TYPES WHERE K = ? AND K2 = ?")) {
        for (int k = 9; k < 12; ++k) {
          p.setInt(1, k);
          p.setString(2, "p");
          printRows(p.executeQuery());
        }
        p.clearParameters();
        fails("a parameter that is missing", () -> p.executeQuery());
      }
    }
  }

  private static void batches() throws Exception {
    title("batches and transactions");
    try (Connection c = connect(); Connection other = connect()) {
      say("autocommit " + c.getAutoCommit());
      other.setAutoCommit(true);
      try (Statement s = other.createStatement()) {
        s.execute("DROP TABLE IF EXISTS W_BATCH");
        s.execute("CREATE TABLE W_BATCH (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)");
      }
      c.setAutoCommit(false);
      try (PreparedStatement p = c.prepareStatement("UPSERT INTO W_BATCH VALUES (?, ?)")) {
        for (int k = 0; k < 250; ++k) {
          p.setInt(1, k);
          p.setString(2, "v" + k);
          p.addBatch();
        }
        int[] counts = p.executeBatch();
        say("batch of " + counts.length + ", first " + counts[0]);
      }
      count(other, "before the commit");
      c.commit();
      count(other, "after the commit");
      try (Statement s = c.createStatement()) {
        s.addBatch("DELETE FROM W_BATCH WHERE K >= 100");
        s.addBatch("UPSERT INTO W_BATCH VALUES (1000, 'x')");
        say("batch " + s.executeBatch().length);
        c.rollback();
        count(other, "after a rollback");
      }
      try (Statement s = other.createStatement()) {
        s.setFetchSize(7);
        int seen = 0;
        try (ResultSet rows = s.executeQuery("SELECT K FROM W_BATCH ORDER BY K")) {
          while (rows.next()) seen += rows.getInt(1) == seen ? 1 : 1000;
        }
        say("frames of seven: " + seen);
        s.setMaxRows(12);
        seen = 0;
        try (ResultSet rows = s.executeQuery("SELECT K FROM W_BATCH")) {
          while (rows.next()) ++seen;
        }
        say("at most twelve: " + seen);
      }
      try (Statement one = other.createStatement(); Statement two = other.createStatement();
          ResultSet up = one.executeQuery("SELECT K FROM W_BATCH ORDER BY K");
          ResultSet down = two.executeQuery("SELECT K FROM W_BATCH ORDER BY K DESC")) {
        int alike = 0;
        while (up.next() && down.next()) alike += up.getInt(1) + down.getInt(1) == 249 ? 1 : 0;
        say("two results at a time: " + alike);
      }
    }
  }

  private static void count(Connection c, String when) throws SQLException {
    try (Statement s = c.createStatement()) {
      count(s, when);
    }
  }

  private static void count(Statement s, String when) throws SQLException {
    try (ResultSet rows = s.executeQuery("SELECT COUNT(*) FROM W_BATCH")) {
      rows.next();
      say(when + ": " + rows.getLong(1) + " rows");
    }
  }

  private static void cancels() throws Exception {
    title("cancelling");
    try (Connection c = connect(); Statement s = c.createStatement()) {
      s.setFetchSize(7);
      ResultSet rows = s.executeQuery("SELECT K FROM W_BATCH ORDER BY K");
      for (int i = 0; i < 10; ++i) rows.next();
      say("the tenth row " + rows.getInt(1));
      s.cancel();
      fails("a row of what was cancelled", () -> say("  " + rows.next()));
      fails("closing it", () -> rows.close());
      fails("the statement again", () -> count(s, "after the cancel"));
      s.cancel();
      fails("cancelled before it runs", () -> count(s, "it runs"));
    }
    try (Connection c = connect();
        PreparedStatement p = c.prepareStatement("SELECT V FROM W_BATCH WHERE K < ? ORDER BY K")) {
      p.setFetchSize(7);
      p.setInt(1, 90);
      ResultSet rows = p.executeQuery();
      rows.next();
      Thread other = new Thread(() -> {
        try {
          p.cancel();
        } catch (SQLException e) {
          say("cancelling from another thread: " + e.getMessage());
        }
      });
      other.start();
      other.join();
      fails("a prepared one, cancelled by another thread", () -> {
        int seen = 1;
        while (rows.next()) ++seen;
        say("  " + seen + " rows");
      });
      p.close();
      fails("when it is closed", () -> p.cancel());
      count(c, "the connection");
    }
  }

  private static void errors() throws Exception {
    title("errors");
    try (Connection c = connect(); Statement s = c.createStatement()) {
      c.setAutoCommit(true);
      fails("no table", () -> s.executeQuery("SELECT * FROM W_NOPE"));
      fails("no column", () -> s.executeQuery("SELECT NOPE FROM W_BATCH"));
      fails("syntax", () -> s.executeQuery("SELECT K FRM W_BATCH"));
      fails("a division", () -> s.executeQuery("SELECT K / 0 FROM W_BATCH").next());
      fails("a key without a value", () -> s.execute("UPSERT INTO W_BATCH VALUES (NULL, 'x')"));
      fails("preparing", () -> c.prepareStatement("SELECT * FROM W_NOPE"));
      fails("an alien type", () -> s.execute("CREATE TABLE W_NOPE (K TEXT PRIMARY KEY)"));
    }
    try (Connection c = connect(); Statement s = c.createStatement()) {
      c.setReadOnly(true);
      fails("a read-only connection", () -> s.execute("CREATE TABLE W_NOPE (K INTEGER PRIMARY KEY)"));
    }
    try (Connection c = connect("CurrentSCN", "1000"); Statement s = c.createStatement()) {
      fails("before the table was", () -> s.executeQuery("SELECT * FROM W_BATCH"));
    }
  }

  private static void metadata() throws Exception {
    title("metadata");
    try (Connection c = connect(); Statement s = c.createStatement()) {
      c.setAutoCommit(true);
      s.execute("DROP VIEW IF EXISTS W_VIEW");
      s.execute("DROP TABLE IF EXISTS W_META");
      s.execute("CREATE TABLE W_META (A INTEGER NOT NULL, B VARCHAR NOT NULL, C DECIMAL(10,3), D CHAR(3),"
          + " E DATE ARRAY, F.G VARCHAR DEFAULT 'g' CONSTRAINT W_PK PRIMARY KEY (A, B DESC)) SALT_BUCKETS = 3");
      s.execute("CREATE VIEW W_VIEW (H DATE) AS SELECT * FROM W_META WHERE A = 5");
      s.execute("CREATE INDEX W_INDEX ON W_META (C DESC) INCLUDE (D)");
      s.execute("CREATE SEQUENCE IF NOT EXISTS W_SEQUENCE");
      DatabaseMetaData m = c.getMetaData();
      say("product " + m.getDatabaseProductName() + ", driver " + m.getDriverName());
      say("types of tables");
      printRows(m.getTableTypes());
      say("tables");
      printRows(m.getTables(null, null, "W\\_META", null));
      printRows(m.getTables(null, "", "W_VIEW", new String[] {"VIEW"}));
      printRows(m.getTables(null, null, "W_SEQUENCE", new String[] {"SEQUENCE"}));
      printRows(m.getTables(null, null, "W_INDEX", new String[] {"INDEX"}));
      printRows(m.getTables(null, null, "W_META", new String[] {"VIEW"}));
      say("columns");
      printRows(m.getColumns(null, null, "W_META", null));
      printRows(m.getColumns(null, null, "W_VIEW", "H"));
      printRows(m.getColumns(null, "", "W_META", "_"));
      say("keys");
      printRows(m.getPrimaryKeys(null, null, "W_META"));
      say("indexes");
      printRows(m.getIndexInfo(null, null, "W_META", false, false));
      say("schemas");
      printRows(m.getSchemas(null, "SYS%"));
      s.execute("DROP INDEX W_INDEX ON W_META");
    }
  }

  private static void rows(int count) throws Exception {
    try (Connection c = connect(); Statement s = c.createStatement()) {
      c.setAutoCommit(true);
      s.execute("DROP TABLE IF EXISTS W_ROWS");
      s.execute("CREATE TABLE W_ROWS (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR, D DECIMAL(10,2))");
      try (PreparedStatement p = c.prepareStatement("UPSERT INTO W_ROWS VALUES (?, ?, ?)")) {
        for (int k = 0; k < count; ++k) {
          p.setInt(1, k);
          p.setString(2, "value " + k);
          p.setBigDecimal(3, BigDecimal.valueOf(k, 2));
          p.addBatch();
          if (k % 10_000 == 9_999 || k + 1 == count) p.executeBatch();
        }
      }
      s.setFetchSize(1000);
      int seen = 0;
      try (ResultSet r = s.executeQuery("SELECT K, V, D FROM W_ROWS")) {
        while (r.next()) {
          boolean right = r.getInt(1) == seen && r.getString(2).equals("value " + seen)
              && r.getBigDecimal(3).compareTo(BigDecimal.valueOf(seen, 2)) == 0;
          if (!right) throw new AssertionError("row " + seen + " is " + r.getInt(1) + ", " + r.getString(2));
          ++seen;
        }
      }
      say(seen + " rows");
    }
  }

  public static void main(String[] args) throws Exception {
    url = args[0];
    Class.forName("org.apache.phoenix.queryserver.client.Driver");
    if (args[1].equals("rows")) {
      rows(Integer.parseInt(args[2]));
      return;
    }
    if (args[1].equals("query")) {
      try (Connection c = connect(); Statement s = c.createStatement()) {
        printRows(s.executeQuery(args[2]));
      }
      return;
    }
    types();
    prepared();
    batches();
    cancels();
    errors();
    metadata();
  }
}
