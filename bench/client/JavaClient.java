// HBase's own client against a cluster, as native_client_bench.cc does it.
//
//   JavaClient ZOOKEEPER-PORT ROWS ROUNDS THREADS
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

public class JavaClient {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final int COLUMNS = 5;
  static final int VALUE_BYTES = 100;
  static final int BATCH_ROWS = 1000;
  static final double TICKS_PER_SECOND = 100;  // of /proc, on every Linux of today
  static final TableName TABLE = TableName.valueOf("bench_java");

  interface Work {
    void run(Table table, int first, int last, Random random) throws Exception;
  }

  final Connection connection;
  final int rows;
  final int rounds;
  final int threads;

  JavaClient(Connection connection, int rows, int rounds, int threads) {
    this.connection = connection;
    this.rows = rows;
    this.rounds = rounds;
    this.threads = threads;
  }

  static byte[] key(int row) {
    return Bytes.toBytes(String.format("%08d", row));
  }

  static double processorSeconds() throws Exception {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
  }

  static double peakMb() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
    }
    throw new IllegalStateException("no VmHWM");
  }

  void run(String name, Work work) throws Exception {
    List<Double> perSecond = new ArrayList<>();
    List<Double> micros = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    for (int round = 0; round <= rounds; ++round) {
      double processor = processorSeconds();
      long begin = System.nanoTime();
      List<Future<?>> done = new ArrayList<>();
      for (int t = 0; t < threads; ++t) {
        int thread = t;
        done.add(pool.submit(() -> {
          try (Table table = connection.getTable(TABLE)) {
            int first = rows / threads * thread;
            int last = thread + 1 == threads ? rows : rows / threads * (thread + 1);
            work.run(table, first, last, new Random(thread));
          }
          return null;
        }));
      }
      for (Future<?> one : done) one.get();
      double seconds = (System.nanoTime() - begin) / 1e9;
      if (round == 0) continue;
      perSecond.add(rows / seconds);
      micros.add((processorSeconds() - processor) / rows * 1e6);
    }
    pool.shutdown();
    Collections.sort(perSecond);
    Collections.sort(micros);
    System.out.printf("workload %s %.0f %.2f%n", name, perSecond.get(perSecond.size() / 2),
        micros.get(micros.size() / 2));
  }

  static void put(Table table, int first, int last, Random random) throws Exception {
    for (int row = first; row < last;) {
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < BATCH_ROWS && row < last; ++i, ++row) {
        Put put = new Put(key(row));
        for (int column = 0; column < COLUMNS; ++column) {
          byte[] value = new byte[VALUE_BYTES];
          random.nextBytes(value);
          put.addColumn(FAMILY, new byte[] {(byte) ('a' + column)}, value);
        }
        puts.add(put);
      }
      table.put(puts);
    }
  }

  void get(Table table, int first, int last, Random random) throws Exception {
    for (int i = first; i < last; ++i) {
      Result row = table.get(new Get(key(random.nextInt(rows))));
      if (row.size() != COLUMNS) throw new IllegalStateException("a row is not whole");
    }
  }

  static void scan(Table table, int first, int last, Random random) throws Exception {
    Scan scan = new Scan().withStartRow(key(first)).withStopRow(key(last));
    int rows = 0;
    long bytes = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        ++rows;
        for (Cell cell : row.rawCells()) bytes += cell.getValueLength();
      }
    }
    if (rows != last - first || bytes != (long) rows * COLUMNS * VALUE_BYTES) {
      throw new IllegalStateException(rows + " rows, " + bytes + " bytes");
    }
  }

  public static void main(String[] arguments) throws Exception {
    int rows = Integer.parseInt(arguments[1]);
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", "127.0.0.1");
    configuration.set("hbase.zookeeper.property.clientPort", arguments[0]);
    try (Connection connection = ConnectionFactory.createConnection(configuration)) {
      try (Admin admin = connection.getAdmin()) {
        admin.createTable(TableDescriptorBuilder.newBuilder(TABLE)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build(),
            new byte[][] {key(rows / 4), key(rows / 2), key(rows / 4 * 3)});
      }
      JavaClient client = new JavaClient(connection, rows, Integer.parseInt(arguments[2]),
          Integer.parseInt(arguments[3]));
      client.run("put", JavaClient::put);
      client.run("get", client::get);
      client.run("scan", JavaClient::scan);
    }
    System.out.printf("peak %.1f%n", peakMb());
  }
}
