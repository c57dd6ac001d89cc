import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Phoenix's thin driver on query servers that take turns: {@code ThinBench LOOK_UPS ROWS BATCH ROUNDS
 * NAME=URL=PID[,PID…] …}. It prints lines {@code workload NAME SERVER RATE CPU_MICROS P50_MICROS
 * P99_MICROS CLIENT_SHARE}, medians of the rounds, and {@code resident SERVER MEGABYTES} of the first process. The
 * first round of look-ups and of fetching is not counted. CLIENT_SHARE is how much of the time this thread, the only one
 * that calls, was at work itself; the rest it waited for the server. Two servers may have the same tables: each
 * writes all rows of them.
 */
public final class ThinBench {
  /** Rows of a frame, and of a batch's message. */
  private static final int FRAME = 1000;

  private record Server(String name, String url, List<Integer> pids) {}

  private record Figures(double rate, double cpuMicros, double p50, double p99, double clientShare) {}

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private interface Workload {
    /** Returns how many operations it did; times of each, in nanoseconds, go to 'times' if it has them. */
    long run(Connection connection, List<Long> times, int round) throws SQLException;
  }

  public static void main(String[] arguments) throws Exception {
    int lookUps = Integer.parseInt(arguments[0]);
    int rows = Integer.parseInt(arguments[1]);
    int batch = Integer.parseInt(arguments[2]);
    int rounds = Integer.parseInt(arguments[3]);
    List<Server> servers = new ArrayList<>();
    for (int i = 4; i < arguments.length; ++i) {
      String[] parts = arguments[i].split("=", 2);
      int last = parts[1].lastIndexOf('=');
      List<Integer> pids = new ArrayList<>();
      for (String pid : parts[1].substring(last + 1).split(",")) pids.add(Integer.parseInt(pid));
      servers.add(new Server(parts[0],
          "jdbc:phoenix:thin:url=" + parts[1].substring(0, last) + ";serialization=PROTOBUF", pids));
    }
    for (Server server : servers) {
      try (Connection connection = DriverManager.getConnection(server.url());
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE IF NOT EXISTS LOADED (K BIGINT PRIMARY KEY, A INTEGER, B VARCHAR, C DOUBLE)");
        statement.execute("CREATE TABLE IF NOT EXISTS READ_FROM (K BIGINT PRIMARY KEY, A INTEGER, B VARCHAR, C DOUBLE)");
      }
    }
    measure("insert_batch", servers, rounds, false, (connection, times, round) -> {
      return insert(connection, "LOADED", (long) round * batch, batch);
    });
    for (Server server : servers) fill(server, batch, rows);
    measure("look_up", servers, rounds + 1, true, (connection, times, round) -> {
      return lookUp(connection, times, lookUps, rows, round);
    });
    measure("fetch", servers, rounds + 1, true, (connection, times, round) -> fetch(connection, rows));
    for (Server server : servers) {
      System.out.printf("resident %s %.1f%n", server.name(), residentMegabytes(server.pids().get(0)));
    }
  }

  private static void measure(String name, List<Server> servers, int rounds, boolean warm, Workload workload)
      throws SQLException, IOException {
    List<List<Figures>> all = new ArrayList<>();
    for (int i = 0; i < servers.size(); ++i) all.add(new ArrayList<>());
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < servers.size(); ++i) {
        Server server = servers.get(i);
        try (Connection connection = DriverManager.getConnection(server.url())) {
          List<Long> times = new ArrayList<>();
          double cpuBefore = cpuSeconds(server);
          long clientBefore = THREADS.getCurrentThreadCpuTime();
          long begin = System.nanoTime();
          long operations = workload.run(connection, times, round);
          double seconds = (System.nanoTime() - begin) / 1e9;
          double clientSeconds = (THREADS.getCurrentThreadCpuTime() - clientBefore) / 1e9;
          double cpu = cpuSeconds(server) - cpuBefore;
          if (warm && round == 0) continue;
          times.sort(null);
          all.get(i).add(new Figures(operations / seconds, cpu * 1e6 / operations,
              percentile(times, 0.5), percentile(times, 0.99), clientSeconds / seconds));
        }
      }
    }
    for (int i = 0; i < servers.size(); ++i) {
      List<Figures> figures = all.get(i);
      System.out.printf("workload %s %s %.1f %.3f %.1f %.1f %.2f%n", name, servers.get(i).name(),
          median(figures.stream().mapToDouble(Figures::rate).toArray()),
          median(figures.stream().mapToDouble(Figures::cpuMicros).toArray()),
          median(figures.stream().mapToDouble(Figures::p50).toArray()),
          median(figures.stream().mapToDouble(Figures::p99).toArray()),
          median(figures.stream().mapToDouble(Figures::clientShare).toArray()));
    }
  }

  private static long insert(Connection connection, String table, long first, int count) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement upsert =
        connection.prepareStatement("UPSERT INTO " + table + " VALUES (?, ?, ?, ?)")) {
      for (int i = 0; i < count; ++i) {
        long key = first + i;
        upsert.setLong(1, key);
        upsert.setInt(2, (int) (key * 7919 % 1_000_003));
        upsert.setString(3, "name of " + key % 1000);
        upsert.setDouble(4, key * 0.5);
        upsert.addBatch();
        if ((i + 1) % FRAME == 0) {
          upsert.executeBatch();
          connection.commit();
        }
      }
      upsert.executeBatch();
      connection.commit();
    }
    return count;
  }

  /** Rows by batches, and then within the server, each time as many as there are, up to 'rows'. */
  private static void fill(Server server, int batch, int rows) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement()) {
      int there = Math.min(batch, rows);
      insert(connection, "READ_FROM", 0, there);
      connection.setAutoCommit(true);
      while (there < rows) {
        int more = Math.min(there, rows - there);
        statement.execute("UPSERT INTO READ_FROM SELECT K + " + there + ", A, B, C FROM READ_FROM WHERE K < " + more);
        there += more;
      }
    }
  }

  private static long lookUp(Connection connection, List<Long> times, int count, int rows, int round)
      throws SQLException {
    Random random = new Random(round);
    try (PreparedStatement query = connection.prepareStatement("SELECT A, B, C FROM READ_FROM WHERE K = ?")) {
      for (int i = 0; i < count; ++i) {
        long begin = System.nanoTime();
        query.setLong(1, random.nextInt(rows));
        try (ResultSet result = query.executeQuery()) {
          if (!result.next() || result.getString(2) == null) throw new SQLException("no such row");
        }
        times.add(System.nanoTime() - begin);
      }
    }
    return count;
  }

  private static long fetch(Connection connection, int rows) throws SQLException {
    long count = 0;
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(FRAME);
      try (ResultSet result = statement.executeQuery("SELECT * FROM READ_FROM")) {
        while (result.next()) {
          if (result.getLong(1) >= 0) ++count;
        }
      }
    }
    if (count != rows) throw new SQLException(count + " rows in place of " + rows);
    return count;
  }

  /** Of all processes that the server is made of; the clock has steps of 10 ms. */
  private static double cpuSeconds(Server server) throws IOException {
    double seconds = 0;
    for (int pid : server.pids()) {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      seconds += (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }
    return seconds;
  }

  private static double residentMegabytes(int pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
    }
    return 0;
  }

  private static double percentile(List<Long> sorted, double share) {
    if (sorted.isEmpty()) return 0;
    return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(share * sorted.size()))) / 1e3;
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
