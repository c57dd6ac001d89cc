// Java Phoenix against a cluster, as cluster_sql_bench.cc does it.
//
//   JavaPhoenix JDBC-URL RUNS LOOK-UPS < QUERIES
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Random;

public class JavaPhoenix {
  static final int KEYS = 1_000_000;
  static final double TICK_MILLIS = 10;  // of /proc, on every Linux of today

  static double processorMillis() throws Exception {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_MILLIS;
  }

  static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  static long[] readAll(ResultSet result) throws SQLException {
    long[] answer = new long[2];
    int columns = result.getMetaData().getColumnCount();
    while (result.next()) {
      ++answer[0];
      for (int i = 1; i <= columns; ++i) {
        String text = result.getString(i);
        if (text != null && text.matches("-?\\d.*")) answer[1] += (long) Double.parseDouble(text);
      }
    }
    return answer;
  }

  static void runQuery(Connection connection, String name, String query, int runs) throws Exception {
    double[] times = new double[runs];
    double[] processor = new double[runs];
    long[] answer = null;
    for (int run = -1; run < runs; ++run) {
      double processorBefore = processorMillis();
      long begin = System.nanoTime();
      try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(query)) {
        answer = readAll(result);
      }
      if (run < 0) continue;
      times[run] = (System.nanoTime() - begin) / 1e6;
      processor[run] = processorMillis() - processorBefore;
    }
    System.out.printf("%s %.3f %.3f %d %d%n", name, median(times), median(processor), answer[0], answer[1]);
  }

  interface Run {
    long rows(long key) throws SQLException;
  }

  static void repeat(String name, int count, Run run) throws Exception {
    Random random = new Random(1);
    long rows = 0;
    double processor = 0;
    long begin = 0;
    for (int i = -count / 10; i < count; ++i) {
      if (i == 0) {
        processor = processorMillis();
        begin = System.nanoTime();
        rows = 0;
      }
      rows += run.rows(random.nextInt(KEYS));
    }
    System.out.printf("%s %.3f %.3f %d 0%n", name, (System.nanoTime() - begin) / 1e3 / count,
        (processorMillis() - processor) * 1e3 / count, rows);
  }

  static void repeatPrepared(Connection connection, String name, String query, int count) throws Exception {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      repeat(name, count, key -> {
        statement.setLong(1, key);
        try (ResultSet result = statement.executeQuery()) {
          return readAll(result)[0];
        }
      });
    }
  }

  static void repeatText(Connection connection, String name, String query, int count) throws Exception {
    repeat(name, count, key -> {
      try (Statement statement = connection.createStatement()) {
        if (!statement.execute(query.replace("?", Long.toString(key)))) return 0;
        return readAll(statement.getResultSet())[0];
      }
    });
  }

  public static void main(String[] args) throws Exception {
    int runs = Integer.parseInt(args[1]);
    try (Connection connection = DriverManager.getConnection(args[0]);
         BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
      connection.setAutoCommit(true);  // as Bennu's are from the start
      for (String line; (line = in.readLine()) != null; ) {
        String name = line.substring(0, line.indexOf(' '));
        String query = line.substring(name.length() + 1);
        if (name.equals("look_up")) {
          repeatPrepared(connection, name, query, Integer.parseInt(args[2]));
        } else if (query.contains("?")) {
          repeatText(connection, name, query, Integer.parseInt(args[2]));
        } else {
          runQuery(connection, name, query, runs);
        }
      }
    }
    System.out.flush();
    System.exit(0);  // the client leaves threads behind
  }
}
