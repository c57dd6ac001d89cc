// HBase's own client against several servers that take turns; clients_bench.py starts them.
//
//   ClientBench ROWS OPERATIONS ROUNDS NAME=ZOOKEEPER-PORT:SERVER-PID …
//
// Workloads: commands of PerformanceEvaluation, run in this process, and mixes shaped like those of
// YCSB. One answer a line: workload, threads, name, operations a second, and microseconds: processor
// time of the server for an operation, median and 99th percentile of a call; then the server's
// resident megabytes. Medians of ROUNDS rounds, after one that only warms both sides up.
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.PerformanceEvaluation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;

public class ClientBench {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final int FIELDS = 10;
  static final int FIELD_BYTES = 100;
  static final TableName MIX_TABLE = TableName.valueOf("mix");
  static final double TICKS_PER_SECOND = 100;  // of /proc, on every Linux of today

  final int rows;
  final int operations;
  final double[] zipf;  // the chance of the first i + 1 rows

  ClientBench(int rows, int operations) {
    this.rows = rows;
    this.operations = operations;
    zipf = new double[rows];
    double sum = 0;
    for (int i = 0; i < rows; ++i) zipf[i] = sum += 1 / Math.pow(i + 1, 0.99);
    for (int i = 0; i < rows; ++i) zipf[i] /= sum;
  }

  static class Server {
    final String name;
    final long pid;
    final Configuration configuration;
    Connection connection;

    Server(String argument) throws Exception {
      Matcher parts = Pattern.compile("(.*)=(\\d+):(\\d+)").matcher(argument);
      if (!parts.matches()) throw new IllegalArgumentException(argument);
      name = parts.group(1);
      pid = Long.parseLong(parts.group(3));
      configuration = HBaseConfiguration.create();
      configuration.set("hbase.zookeeper.quorum", "127.0.0.1");
      configuration.set("hbase.zookeeper.property.clientPort", parts.group(2));
      connection = ConnectionFactory.createConnection(configuration);
    }
    double cpuSeconds() throws Exception {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }
    double residentMb() throws Exception {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
      }
      throw new IllegalStateException("no VmRSS of " + pid);
    }
  }

  static class Figures {
    double perSecond, cpu, p50, p99;
  }

  interface Work {
    // Runs on so many threads. Figures without 'cpu'; 'perSecond' is of operations.
    Figures run(Server server, int threads) throws Exception;
  }

  // ---- PerformanceEvaluation

  static final StringWriter log = new StringWriter();

  static double median(List<Double> values) {
    if (values.isEmpty()) throw new IllegalStateException("nothing was measured");
    values.sort(null);
    return values.get(values.size() / 2);
  }

  static List<Double> matches(String pattern, String text) {
    List<Double> values = new ArrayList<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) values.add(Double.parseDouble(matcher.group(1)));
    return values;
  }

  // 'share': of the rows, how many are gone through.
  Work command(int share, String... words) {
    return (server, threads) -> {
      List<String> arguments = new ArrayList<>(List.of("--nomapred", "--latency"));
      arguments.add("--rows=" + rows / share / threads);
      arguments.addAll(Arrays.asList(words));
      arguments.add(String.valueOf(threads));
      synchronized (log) {
        log.getBuffer().setLength(0);
      }
      PerformanceEvaluation evaluation = new PerformanceEvaluation(server.configuration);
      if (evaluation.run(arguments.toArray(new String[0])) != 0) {
        throw new IllegalStateException(String.join(" ", arguments) + " failed");
      }
      String said = log.toString();
      List<Double> millis = matches("Finished \\S+ in (\\d+)ms over", said);
      List<Double> p99 = matches("Latency \\(us\\) :.*? 99th=([0-9.]+)", said);
      if (millis.size() != threads || p99.size() != threads) {
        throw new IllegalStateException("what it said is not understood:\n" + said);
      }
      Figures figures = new Figures();
      double longest = millis.stream().mapToDouble(Double::doubleValue).max().getAsDouble();
      figures.perSecond = rows / share / threads * threads / (longest / 1000);
      figures.p50 = median(matches("Latency \\(us\\) :.*? 50th=([0-9.]+)", said));
      figures.p99 = p99.stream().mapToDouble(Double::doubleValue).max().getAsDouble();
      return figures;
    };
  }

  // ---- mixes

  static byte[] rowKey(int i) {  // neighbours in rank are not neighbours in the table
    return Bytes.toBytes(String.format("user%016x", i * 0x9E3779B97F4A7C15L));
  }

  static Put newRow(int i, Random random) {
    Put put = new Put(rowKey(i));
    for (int field = 0; field < FIELDS; ++field) addField(put, field, random);
    return put;
  }

  static void addField(Put put, int field, Random random) {
    byte[] value = new byte[FIELD_BYTES];
    random.nextBytes(value);
    put.addColumn(FAMILY, Bytes.toBytes("field" + field), value);
  }

  void prepare(Server server) throws Exception {
    try (Admin admin = server.connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(MIX_TABLE)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
    }
    Random random = new Random(1);
    try (BufferedMutator mutator = server.connection.getBufferedMutator(MIX_TABLE)) {
      for (int i = 0; i < rows; ++i) mutator.mutate(newRow(i, random));
    }
  }

  int pick(Random random) {
    int found = Arrays.binarySearch(zipf, random.nextDouble());
    return Math.min(found < 0 ? -found - 1 : found, rows - 1);
  }

  // Of 100 operations 'reads' read a row; the others change one field, once they have read the row if
  // 'modify'.
  Work mix(int reads, boolean modify) {
    return (server, threads) -> {
      int each = operations / threads;
      long[][] nanos = new long[threads][each];
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      List<Future<Void>> done = new ArrayList<>();
      long begin = System.nanoTime();
      for (int t = 0; t < threads; ++t) {
        long[] own = nanos[t];
        Random random = new Random(100 + t);
        done.add(pool.submit((Callable<Void>) () -> {
          try (Table table = server.connection.getTable(MIX_TABLE)) {
            for (int i = 0; i < each; ++i) {
              boolean read = random.nextInt(100) < reads;
              int row = pick(random);
              int field = random.nextInt(FIELDS);
              long from = System.nanoTime();
              if (read || modify) {
                Result result = table.get(new Get(rowKey(row)));
                if (result.size() != FIELDS) throw new IllegalStateException("a row is not whole");
              }
              if (!read) {
                Put put = new Put(rowKey(row));
                addField(put, field, random);
                table.put(put);
              }
              own[i] = System.nanoTime() - from;
            }
          }
          return null;
        }));
      }
      for (Future<Void> one : done) one.get();
      double seconds = (System.nanoTime() - begin) / 1e9;
      pool.shutdown();
      long[] all = Arrays.stream(nanos).flatMapToLong(Arrays::stream).sorted().toArray();
      Figures figures = new Figures();
      figures.perSecond = all.length / seconds;
      figures.p50 = all[all.length / 2] / 1000.0;
      figures.p99 = all[all.length * 99 / 100] / 1000.0;
      return figures;
    };
  }

  // ----

  record Workload(int operations, Work work) {}

  Map<String, Workload> workloads() {
    Map<String, Workload> all = new LinkedHashMap<>();
    all.put("sequentialWrite", new Workload(rows, command(1, "sequentialWrite")));
    all.put("randomWrite", new Workload(rows, command(1, "randomWrite")));
    all.put("put", new Workload(rows / 2, command(2, "--autoFlush=true", "randomWrite")));
    all.put("sequentialRead", new Workload(rows / 2, command(2, "sequentialRead")));
    all.put("randomRead", new Workload(rows / 2, command(2, "randomRead")));
    all.put("multiGet50", new Workload(rows, command(1, "--multiGet=50", "randomRead")));
    all.put("scan", new Workload(rows, command(1, "scan")));
    all.put("increment", new Workload(rows / 2, command(2, "increment")));
    all.put("checkAndPut", new Workload(rows / 2, command(2, "checkAndPut")));
    all.put("mixA", new Workload(operations, mix(50, false)));
    all.put("mixB", new Workload(operations, mix(95, false)));
    all.put("mixC", new Workload(operations, mix(100, false)));
    all.put("mixF", new Workload(operations, mix(50, true)));
    return all;
  }

  static double medianOf(List<Figures> all, java.util.function.ToDoubleFunction<Figures> of) {
    List<Double> values = new ArrayList<>();
    for (Figures figures : all) values.add(of.applyAsDouble(figures));
    return median(values);
  }

  void run(List<Server> servers, int rounds) throws Exception {
    for (Server server : servers) {
      System.out.printf("resident idle 0 %s %.1f%n", server.name, server.residentMb());
      prepare(server);
    }
    for (Map.Entry<String, Workload> entry : workloads().entrySet()) {
      Workload workload = entry.getValue();
      for (Server server : servers) workload.work().run(server, 4);
      for (int threads : new int[] {1, 4}) {
        Map<Server, List<Figures>> measured = new LinkedHashMap<>();
        for (int round = 0; round < rounds; ++round) {
          for (Server server : servers) {
            double before = server.cpuSeconds();
            Figures figures = workload.work().run(server, threads);
            figures.cpu = (server.cpuSeconds() - before) * 1e6 / workload.operations();
            measured.computeIfAbsent(server, any -> new ArrayList<>()).add(figures);
          }
        }
        for (Server server : servers) {
          List<Figures> all = measured.get(server);
          System.out.printf("workload %s %d %s %.1f %.3f %.1f %.1f%n", entry.getKey(), threads,
              server.name, medianOf(all, f -> f.perSecond), medianOf(all, f -> f.cpu),
              medianOf(all, f -> f.p50), medianOf(all, f -> f.p99));
        }
      }
    }
    for (Server server : servers) {
      System.out.printf("resident loaded 0 %s %.1f%n", server.name, server.residentMb());
    }
  }

  public static void main(String[] arguments) throws Exception {
    Logger logger = Logger.getLogger(PerformanceEvaluation.class);
    logger.setAdditivity(false);
    logger.removeAllAppenders();
    logger.addAppender(new WriterAppender(new PatternLayout("%m%n"), log));
    List<Server> servers = new ArrayList<>();
    for (int i = 3; i < arguments.length; ++i) servers.add(new Server(arguments[i]));
    new ClientBench(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]))
        .run(servers, Integer.parseInt(arguments[2]));
    for (Server server : servers) server.connection.close();
    System.exit(0);
  }
}
