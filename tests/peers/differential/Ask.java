import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** Asks the real Phoenix. Each line of standard input names two files: questions, and where their
 *  answers are to go; a line comes back when they are there. Questions are records of `bennu sqltest`
 *  without the answers ("statement", "query nosort", "cells T"), answers are such a file. */
public class Ask {
  static final String URL = System.getProperty("peer.url");
  static Connection hbase;

  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    hbase = ConnectionFactory.createConnection(HBaseConfiguration.create());
    try (java.sql.Connection first = DriverManager.getConnection(URL, impatient())) {
      System.out.println("ready");
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      String[] paths = line.split("\t");
      try {
        String answers = new Ask().answer(Files.readString(Path.of(paths[0])));
        Files.writeString(Path.of(paths[1]), answers);
        System.out.println("done");
      } catch (Exception e) {
        System.out.println("failed: " + e);
      }
    }
    System.exit(0);  // the client leaves threads behind
  }

  final StringBuilder out = new StringBuilder();
  final Map<String, java.sql.Connection> connections = new HashMap<>();
  String current = "main";

  String answer(String questions) throws Exception {
    try {
      open("main", "");
      for (String record : questions.split("\n\n+")) {
        record = record.strip();
        if (record.isEmpty()) continue;
        if (record.startsWith("#")) {
          out.append(record).append("\n\n");
          continue;
        }
        // What comes later must not have the timestamp of what was before.
        Thread.sleep(1);
        record(record);
        out.append('\n');
      }
    } finally {
      for (java.sql.Connection c : connections.values()) c.close();
    }
    return out.toString();
  }

  /** A server that fails over a statement fails again: without this it is asked for a minute. */
  static Properties impatient() {
    Properties p = new Properties();
    p.setProperty("hbase.client.retries.number", "2");
    p.setProperty("hbase.client.pause", "50");
    return p;
  }

  void open(String name, String properties) throws SQLException {
    Properties p = impatient();
    for (String pair : properties.split(",")) {
      int at = pair.indexOf('=');
      if (at > 0) p.setProperty(pair.substring(0, at), pair.substring(at + 1));
    }
    java.sql.Connection connection = DriverManager.getConnection(URL, p);
    connection.setAutoCommit(true);
    java.sql.Connection old = connections.put(name, connection);
    if (old != null) old.close();
    current = name;
  }

  void record(String record) throws Exception {
    List<String> binds = new ArrayList<>();
    if (record.startsWith("bind ")) {
      int line = record.indexOf('\n');
      out.append(record, 0, line + 1);
      binds = parts(record.substring(5, line));
      record = record.substring(line + 1);
    }
    int end = record.indexOf('\n');
    String head = end < 0 ? record : record.substring(0, end);
    String sql = end < 0 ? "" : record.substring(end + 1);
    String[] words = head.split(" ");
    java.sql.Connection connection = connections.get(current);
    switch (words[0]) {
      case "connection":
        out.append(head).append('\n');
        if (words.length > 2 || !connections.containsKey(words[1])) {
          open(words[1], words.length > 2 ? words[2] : "");
        }
        current = words[1];
        break;
      case "autocommit":
        connection.setAutoCommit(words[1].equals("on"));
        out.append(head).append('\n');
        break;
      case "commit":
      case "rollback":
        finish(connection, words[0].equals("commit"));
        break;
      case "cells": cells(words[1], false, words.length > 2); break;
      case "raw-cells": cells(words[1], true, words.length > 2); break;
      default: statement(connection, sql, binds, words.length > 1 && words[1].equals("rowsort"));
    }
  }

  void finish(java.sql.Connection connection, boolean commit) throws SQLException {
    String word = commit ? "commit" : "rollback";
    try {
      if (commit) connection.commit(); else connection.rollback();
      out.append(word).append(" ok\n");
    } catch (SQLException e) {
      connection.rollback();
      out.append(word).append(" error ").append(code(e)).append('\n').append(message(e)).append('\n');
    }
  }

  void statement(java.sql.Connection connection, String sql, List<String> binds, boolean sort) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < binds.size(); i++) bind(statement, i + 1, binds.get(i));
      if (statement.execute()) {
        rows(statement.getResultSet(), sql, sort, text);
      } else {
        int count = statement.getUpdateCount();
        boolean counts = sql.startsWith("UPSERT") || sql.startsWith("DELETE");
        text.append(counts ? "statement count " + count : "statement ok").append('\n').append(sql).append('\n');
      }
      out.append(text);
    } catch (SQLException | RuntimeException | StackOverflowError | AssertionError e) {
      out.append("statement error ").append(code(e)).append('\n').append(sql).append('\n');
      out.append(message(e)).append('\n');
      if (connection.getAutoCommit()) connection.rollback();
    }
  }

  // ---- parameters: TYPE VALUE, TYPE VALUE
  /** What is between commas that stand neither in a text nor in an array. */
  static List<String> parts(String list) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean quoted = false;
    int depth = 0;
    for (char c : list.toCharArray()) {
      if (c == '\'') quoted = !quoted;
      if (!quoted && c == '[') depth++;
      if (!quoted && c == ']') depth--;
      if (c == ',' && !quoted && depth == 0) {
        parts.add(part.toString().trim());
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    if (!part.toString().isBlank()) parts.add(part.toString().trim());
    return parts;
  }

  static void bind(PreparedStatement statement, int index, String parameter) throws SQLException {
    int space = parameter.indexOf(' ');
    String type = parameter.substring(0, space), text = parameter.substring(space + 1).trim();
    if (text.equals("NULL")) {
      statement.setNull(index, java.sql.Types.NULL);
    } else if (type.endsWith("[]")) {
      String element = type.substring(0, type.length() - 2);
      Object[] values = parts(text.substring(1, text.length() - 1)).stream().map(t -> parsed(element, t)).toArray();
      statement.setArray(index, statement.getConnection().createArrayOf(element, values));
    } else if (type.equals("VARBINARY")) {
      statement.setBytes(index, (byte[]) parsed(type, text));
    } else {
      statement.setObject(index, parsed(type, text));
    }
  }

  static Object parsed(String type, String text) {
    if (text.equals("NULL")) return null;
    switch (type) {
      case "TINYINT": return Byte.valueOf(text);
      case "SMALLINT": return Short.valueOf(text);
      case "INTEGER": return Integer.valueOf(text);
      case "BIGINT": return Long.valueOf(text);
      case "DECIMAL": return new BigDecimal(text);
      case "DOUBLE": return Double.valueOf(text);
      case "FLOAT": return Float.valueOf(text);
      case "BOOLEAN": return Boolean.valueOf(text);
      case "VARBINARY": return java.util.HexFormat.of().parseHex(text.substring(2, text.length() - 1));
      case "DATE": return new java.sql.Date(java.time.Instant.parse(text).toEpochMilli());
      case "TIME": return new java.sql.Time(java.time.Instant.parse(text).toEpochMilli());
      case "TIMESTAMP": return Timestamp.from(java.time.Instant.parse(text));
      default: return text.substring(1, text.length() - 1).replace("''", "'");
    }
  }

  static void rows(ResultSet rows, String sql, boolean sort, StringBuilder text) throws SQLException {
    ResultSetMetaData head = rows.getMetaData();
    int count = head.getColumnCount();
    List<String> types = new ArrayList<>();
    StringBuilder letters = new StringBuilder(), columns = new StringBuilder();
    for (int i = 1; i <= count; i++) {
      String type = head.getColumnTypeName(i);
      types.add(type);
      letters.append(letter(type));
      String label = head.getColumnLabel(i).replaceAll("^\\$\\d+(\\.\\$\\d+)?$", "\\$*");
      columns.append(i > 1 ? "\t" : "").append(text(label)).append('=').append(type);
    }
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      StringBuilder line = new StringBuilder();
      for (int i = 1; i <= count; i++) {
        boolean document = types.get(i - 1).equals("JSON") || types.get(i - 1).equals("BSON");
        line.append(i > 1 ? "\t" : "").append(value(document ? rows.getString(i) : rows.getObject(i), false));
      }
      lines.add(line.toString());
    }
    if (sort) lines.sort((a, b) -> Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)));
    text.append("query ").append(letters).append(sort ? " rowsort\n" : " nosort\n").append(sql);
    text.append("\n# columns: ").append(columns).append("\n----\n");
    for (String line : lines) text.append(line).append('\n');
  }

  /** Without timestamps ('timed': with them), since what Phoenix takes from the clock is not the same twice. */
  void cells(String table, boolean raw, boolean timed) {
    out.append(raw ? "raw-cells " : "cells ").append(table).append('\n');
    Scan scan = new Scan();
    if (raw) scan.setRaw(true).readAllVersions();
    try (Table t = hbase.getTable(TableName.valueOf(table)); ResultScanner scanner = t.getScanner(scan)) {
      for (Result result : scanner) {
        for (Cell c : result.rawCells()) {
          byte[] bytes = CellUtil.cloneValue(c);
          out.append(hex(CellUtil.cloneRow(c))).append(' ').append(hex(CellUtil.cloneFamily(c))).append(':')
              .append(hex(CellUtil.cloneQualifier(c)))
              .append(' ').append(timed ? String.valueOf(c.getTimestamp()) : "*").append(' ').append(c.getType()).append(' ')
              .append(bytes.length == 0 ? "-" : hex(bytes)).append('\n');
        }
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      out.append("# no such table\n");
    }
  }

  // ---- errors: the first exception with a code of Phoenix among the causes
  static SQLException coded(Throwable e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof SQLException && ((SQLException) t).getErrorCode() != 0) return (SQLException) t;
    }
    return null;
  }

  static String code(Throwable e) {
    SQLException coded = coded(e);
    return coded == null ? "UNCODED" : "ERROR " + coded.getErrorCode() + " (" + coded.getSQLState() + ")";
  }

  static String message(Throwable e) {
    Throwable told = coded(e) == null ? e : coded(e);
    String line = String.valueOf(told).split("\n")[0];
    return "# message: " + (line.length() > 300 ? line.substring(0, 300) : line);
  }

  // ---- values, as tests/sql/recorded has them
  static char letter(String type) {
    if (type.endsWith("ARRAY")) return 'A';
    switch (type.replace("UNSIGNED_", "")) {
      case "INTEGER": case "INT": case "BIGINT": case "LONG": case "SMALLINT": case "TINYINT": return 'I';
      case "DECIMAL": case "FLOAT": case "DOUBLE": return 'R';
      case "BOOLEAN": return 'B';
      case "DATE": case "TIME": case "TIMESTAMP": return 'D';
      case "BINARY": case "VARBINARY": case "VARBINARY_ENCODED": return 'X';
      case "JSON": case "BSON": return 'J';
      default: return 'T';
    }
  }

  static String value(Object v, boolean element) throws SQLException {
    if (v == null) return "NULL";
    if (v instanceof byte[]) return "x'" + hex((byte[]) v) + "'";
    if (v instanceof BigDecimal) return ((BigDecimal) v).toPlainString();
    if (v instanceof Double) return floating(v.toString(), (Double) v, false);
    if (v instanceof Float) return floating(v.toString(), (Float) v, true);
    if (v instanceof Timestamp) return instant(Math.floorDiv(((Timestamp) v).getTime(), 1000L), ((Timestamp) v).getNanos());
    if (v instanceof java.util.Date) {
      long millis = ((java.util.Date) v).getTime();
      return instant(Math.floorDiv(millis, 1000L), (int) Math.floorMod(millis, 1000L) * 1000000);
    }
    if (v instanceof java.sql.Array) {
      Object array = ((java.sql.Array) v).getArray();
      StringBuilder s = new StringBuilder("[");
      for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++) {
        s.append(i > 0 ? "," : "").append(value(java.lang.reflect.Array.get(array, i), true));
      }
      return s.append(']').toString();
    }
    if (v instanceof String && element) return "'" + text((String) v).replace("'", "''") + "'";
    return text(v.toString());
  }

  static String instant(long seconds, int nanos) {
    LocalDateTime t = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    int year = t.getYear();
    String sign = year < 0 ? "-" : year > 9999 ? "+" : "";
    String s = sign + String.format("%04d-%02d-%02dT%02d:%02d:%02d", Math.abs(year), t.getMonthValue(),
        t.getDayOfMonth(), t.getHour(), t.getMinute(), t.getSecond());
    return nanos == 0 ? s : s + String.format(".%09d", nanos).replaceAll("0+$", "");
  }

  /** Java 17's own text can have more digits than are needed to read the number back. */
  static String floating(String text, double d, boolean single) {
    int e = text.indexOf('E');
    if (Double.isNaN(d) || Double.isInfinite(d) || d == 0) return text;
    BigDecimal exact = new BigDecimal(Math.abs(d));
    BigDecimal shortest = exact;
    for (int digits = 1; digits <= 17; digits++) {
      shortest = exact.round(new java.math.MathContext(digits, java.math.RoundingMode.HALF_EVEN));
      if (single ? shortest.floatValue() == (float) Math.abs(d) : shortest.doubleValue() == Math.abs(d)) break;
    }
    shortest = shortest.stripTrailingZeros();
    String sign = d < 0 ? "-" : "";
    if (e < 0) return sign + (shortest.scale() <= 0 ? shortest.toPlainString() + ".0" : shortest.toPlainString());
    String digits = shortest.unscaledValue().toString();
    return sign + digits.charAt(0) + "." + (digits.length() > 1 ? digits.substring(1) : "0") + "E"
        + (digits.length() - 1 - shortest.scale());
  }

  static String text(String s) {
    if (s.isEmpty()) return "(empty)";
    StringBuilder b = new StringBuilder();
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      boolean pair = Character.isSurrogate(c)
          && (Character.isHighSurrogate(c) ? i + 1 < s.length() && Character.isLowSurrogate(s.charAt(i + 1))
                                           : i > 0 && Character.isHighSurrogate(s.charAt(i - 1)));
      if (c == '\\') b.append("\\\\");
      else if (c == '\t') b.append("\\t");
      else if (c == '\n') b.append("\\n");
      else if (c == '\r') b.append("\\r");
      else if (Character.isISOControl(c) || c == 0xfffd || c == 0x2028 || c == 0x2029
          || Character.isSurrogate(c) && !pair) b.append(String.format("\\u%04x", (int) c));
      else if (c == ' ' && (i == 0 || i == s.length() - 1)) b.append("\\u0020");
      else b.append(c);
    }
    String r = b.toString();
    return r.equals("NULL") || r.equals("(empty)") ? "\\" + r : r;
  }

  static String hex(byte[] bytes) {
    StringBuilder s = new StringBuilder();
    for (byte b : bytes) s.append(String.format("%02x", b));
    return s.toString();
  }
}
