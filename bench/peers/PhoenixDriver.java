import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.phoenix.jdbc.PhoenixConnection;

/** The real Phoenix, driven by the same lines as peer_driver (peers_bench.py, "Driver"). System
 *  property peer.url: the JDBC URL. */
public class PhoenixDriver {
  private final Connection connection;

  PhoenixDriver(Connection connection) {
    this.connection = connection;
  }

  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection(System.getProperty("peer.url"));
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      PhoenixDriver driver = new PhoenixDriver(connection);
      connection.setAutoCommit(true);
      for (String line; (line = in.readLine()) != null; ) {
        String answer;
        try {
          answer = driver.obey(line.split("\t", -1));
        } catch (Exception e) {
          answer = "error\t" + e.toString().replaceAll("\\s+", " ");
        }
        System.out.println(answer);
        System.out.flush();
      }
    }
    System.exit(0); // the client leaves threads behind
  }

  String obey(String[] command) throws Exception {
    switch (command[0]) {
      case "execute":
        try (Statement statement = connection.createStatement()) {
          statement.execute(command[1]);
        }
        return "ok";
      case "run": {
        long start = System.nanoTime();
        long rows = query(command[1], null);
        return "ok\t" + rows + "\t" + (System.nanoTime() - start) / 1e9 + "\t0";
      }
      case "answer":
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(command[2]))) {
          return "ok\t" + query(command[1], out);
        }
      case "load":
        return load(command[1], command[2], command[3], Integer.parseInt(command[4]));
      case "each":
        return each(command[1], command[2], command[3], Integer.parseInt(command[4]));
      case "settle":
        settle();
        return "ok";
      default:
        return "error\tno such command: " + command[0];
    }
  }

  private long query(String sql, BufferedWriter out) throws Exception {
    long rows = 0;
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      for (; result.next(); rows++) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          Object value = result.getObject(i);
          if (out != null) line.append(i > 1 ? "\t" : "").append(text(value));
        }
        if (out != null) out.append(line).append('\n');
      }
    }
    return rows;
  }

  private static String text(Object value) {
    if (value == null) return "";
    if (value instanceof java.util.Date) return String.valueOf(((java.util.Date) value).getTime());
    if (value instanceof BigDecimal) return ((BigDecimal) value).toPlainString();
    return value.toString();
  }

  private static Object[] values(String line, String types) {
    String[] fields = line.split("\t", -1);
    Object[] values = new Object[types.length()];
    for (int i = 0; i < values.length; i++) {
      String field = fields[i];
      if (field.isEmpty()) continue;
      switch (types.charAt(i)) {
        case 'i': values[i] = Long.valueOf(field); break;
        case 'd': values[i] = Double.valueOf(field); break;
        case 't': values[i] = new Date(Long.parseLong(field)); break;
        default: values[i] = field;
      }
    }
    return values;
  }

  private static void bind(PreparedStatement statement, Object[] values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        statement.setNull(i + 1, Types.VARCHAR);
      } else if (values[i] instanceof Long) {
        long value = (Long) values[i];
        if (value == (int) value) {
          statement.setInt(i + 1, (int) value);
        } else {
          statement.setLong(i + 1, value);
        }
      } else {
        statement.setObject(i + 1, values[i]);
      }
    }
  }

  /** JDBC batches, auto-commit off, as Phoenix's documentation tells to load. */
  private String load(String sql, String types, String file, int batch) throws Exception {
    connection.setAutoCommit(false);
    long nanos = 0;
    long count = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql);
        BufferedReader in = Files.newBufferedReader(Path.of(file))) {
      while (true) {
        List<Object[]> rows = new ArrayList<>();
        for (String line; rows.size() < batch && (line = in.readLine()) != null; ) {
          rows.add(values(line, types));
        }
        if (rows.isEmpty()) break;
        long start = System.nanoTime();
        for (Object[] row : rows) {
          bind(statement, row);
          statement.addBatch();
        }
        statement.executeBatch();
        connection.commit();
        nanos += System.nanoTime() - start;
        count += rows.size();
      }
    }
    connection.setAutoCommit(true);
    return "ok\t" + count + "\t" + nanos / 1e9 + "\t0";
  }

  private String each(String sql, String types, String file, int count) throws Exception {
    List<Object[]> keys = new ArrayList<>();
    try (BufferedReader in = Files.newBufferedReader(Path.of(file))) {
      for (String line; keys.size() < count && (line = in.readLine()) != null; ) {
        keys.add(values(line, types));
      }
    }
    double[] micros = new double[keys.size()];
    long rows = 0;
    long sum = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = -keys.size() / 4; i < keys.size(); i++) {
        long start = System.nanoTime();
        bind(statement, keys.get(Math.abs(i)));
        long found = 0;
        long first = 0;
        try (ResultSet result = statement.executeQuery()) {
          for (; result.next(); found++) {
            Object value = result.getObject(1);
            if (value instanceof Number) first += ((Number) value).longValue();
          }
        }
        if (i < 0) continue;
        micros[i] = (System.nanoTime() - start) / 1e3;
        rows += found;
        sum += first;
      }
    }
    Arrays.sort(micros);
    return "ok\t" + rows + "\t" + sum + "\t" + micros[micros.length / 2] + "\t"
        + micros[micros.length * 99 / 100] + "\t0";
  }

  /** Everything flushed and merged into one file for each family of each region. */
  private void settle() throws Exception {
    try (Admin admin = connection.unwrap(PhoenixConnection.class).getQueryServices().getAdmin()) {
      for (TableName table : admin.listTableNames(Pattern.compile("(?!SYSTEM).*"))) {
        admin.flush(table);
        admin.majorCompact(table);
        Thread.sleep(2000); // a compaction that was asked for does not show at once
        while (admin.getCompactionState(table) != CompactionState.NONE) Thread.sleep(200);
      }
    }
  }
}
