// Cases drawn from a seed: a table with families of drawn options, then changes, flushes, compactions and
// reads in any order. A line for each step and one for its answer; HBase's and Bennu's must be alike.
//   Rows ZOOKEEPER-PORT NOW FIRST-SEED CASES STEPS SECONDS
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

public class Rows {
  private static final String[] FAMILIES = {"f", "g", "fa"};

  private final Admin admin;
  private final Draw draw;
  private final TableName name;
  private final String[] families;
  private final Text text;
  private final Reads reads;
  private final Changes changes;
  private final Shape shape;
  private final String prefix;
  private int step;

  Rows(Admin admin, long seed, long now) {
    this.admin = admin;
    this.prefix = "case " + seed;
    draw = new Draw(seed, now);
    name = TableName.valueOf("rows" + seed + "_" + now);
    families = draw.some(FAMILIES).toArray(new String[0]);
    text = new Text(now);
    reads = new Reads(draw, families, text);
    changes = new Changes(draw, families, reads);
    shape = new Shape(admin, name);
  }

  // Not NEW_VERSION_BEHAVIOR: in HBase 2.5 many scans of such families never end, or fail.
  private ColumnFamilyDescriptor family(String name) {
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name));
    int versions = 1 + draw.upTo(3);
    family.setMaxVersions(versions);
    family.setKeepDeletedCells(draw.oneIn(2) ? KeepDeletedCells.FALSE : draw.of(KeepDeletedCells.values()));
    if (draw.oneIn(3)) family.setTimeToLive(1800);
    if (draw.oneIn(4)) family.setMinVersions(Math.min(versions, 1 + draw.upTo(1)));
    family.setBloomFilterType(draw.of(new BloomType[] {BloomType.NONE, BloomType.ROW, BloomType.ROWCOL}));
    family.setDataBlockEncoding(draw.of(new DataBlockEncoding[] {
        DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF,
        DataBlockEncoding.FAST_DIFF, DataBlockEncoding.ROW_INDEX_V1}));
    if (draw.oneIn(4)) family.setCompressionType(Compression.Algorithm.GZ);
    if (draw.oneIn(2)) family.setBlocksize(1024);
    return family.build();
  }

  private void line(String kind, String text) {
    System.out.println(prefix + "." + step + " " + kind + ": " + text);
  }

  private void ask(String what, Callable<Object> question) {
    step++;
    line("step", what);
    String answer;
    try {
      answer = String.valueOf(question.call());
    } catch (Throwable e) {
      Throwable cause = e;
      while (cause.getCause() != null && (cause instanceof java.io.UncheckedIOException
          || cause instanceof RetriesExhaustedException)) {
        cause = cause.getCause();
      }
      answer = "error " + cause.getClass().getSimpleName();
      if (cause instanceof RetriesExhaustedWithDetailsException) {
        RetriesExhaustedWithDetailsException all = (RetriesExhaustedWithDetailsException) cause;
        answer += " " + all.getNumExceptions() + " " + all.getCause(0).getClass().getSimpleName();
      }
    }
    line("answer", answer);
  }

  private String results(Object[] results) {
    StringBuilder all = new StringBuilder();
    for (Object result : results) {
      all.append(result instanceof Result ? text.of((Result) result)
          : result == null ? "null" : result.getClass().getSimpleName()).append(' ');
    }
    return all.toString().trim();
  }

  private void reshape() {
    int kind = draw.random.nextInt(5);
    byte[] row = draw.row();
    int number = draw.random.nextInt(100);
    ColumnFamilyDescriptor family = family(draw.of(families));
    if (kind == 0) ask("split at " + Bytes.toStringBinary(row), () -> shape.split(row));
    if (kind == 1) ask("merge " + number, () -> shape.merge(number));
    if (kind == 2) ask("alter " + family, () -> shape.alter(family));
    if (kind == 3) ask("snapshot", () -> shape.snapshot());
    if (kind == 4) ask("restore", () -> shape.restore());
  }

  private void one(Table table) throws Exception {
    Thread.sleep(2);  // the server's time moves on
    byte[] row = draw.row();
    int kind = draw.random.nextInt(100);
    if (kind < 22) {
      Put put = changes.put(row);
      ask(text.of(put), () -> { table.put(put); return "done"; });
    } else if (kind < 32) {
      Delete delete = changes.delete(row);
      ask(text.of(delete), () -> { table.delete(delete); return "done"; });
    } else if (kind < 35) {
      Increment increment = changes.increment(row);
      ask(text.of(increment), () -> text.of(table.increment(increment)));
    } else if (kind < 38) {
      Append append = changes.append(row);
      ask(text.of(append), () -> text.of(table.append(append)));
    } else if (kind < 42) {
      RowMutations mutations = changes.mutations(row);
      ask(text.of(mutations), () -> text.of(table.mutateRow(mutations)));
    } else if (kind < 47) {
      CheckAndMutate check = changes.check(row);
      ask(text.of(check), () -> {
        CheckAndMutateResult result = table.checkAndMutate(check);
        return result.isSuccess() + " " + text.of(result.getResult());
      });
    } else if (kind < 51) {
      java.util.List<Row> batch = changes.batch();
      StringBuilder all = new StringBuilder();
      for (Row each : batch) all.append(text.of(each)).append("; ");
      ask("batch " + all, () -> {
        Object[] results = new Object[batch.size()];
        table.batch(batch, results);
        return results(results);
      });
    } else if (kind < 55 && draw.flushes) {
      ask("flush", () -> { admin.flush(name); return "done"; });
    } else if (kind < 57 && draw.flushes) {
      ask("compaction", () -> shape.compact());
    } else if (kind < 60 && draw.reshapes) {
      reshape();
    } else if (kind < 70) {
      Get get = reads.get();
      ask(text.of(get), () -> reads.answer(table, get));
    } else {
      Scan scan = reads.scan();
      ask(text.of(scan), () -> reads.answer(table, scan));
    }
  }

  void run(Connection connection, int steps) throws Exception {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    for (String each : families) table.setColumnFamily(family(each));
    // Only compactions that are asked for, so that what markers and versions are left does not depend on time.
    table.setValue("hbase.hstore.compaction.min", "1000");
    table.setValue("hbase.hstore.blockingStoreFiles", "1000");
    byte[][] splits = draw.oneIn(3) ? new byte[][] {Bytes.toBytes("b"), Bytes.toBytes("e2")} : null;
    line("table", Arrays.toString(table.build().getColumnFamilies()) + (splits == null ? "" : " split"));
    admin.createTable(table.build(), splits);
    try (Table opened = connection.getTable(name)) {
      while (step < steps) one(opened);
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", "127.0.0.1");
    configuration.set("hbase.zookeeper.property.clientPort", args[0]);
    configuration.setInt("hbase.client.retries.number", 3);
    configuration.setInt("hbase.client.pause", 50);
    for (String limit : new String[] {"hbase.rpc.timeout", "hbase.client.scanner.timeout.period", "hbase.client.operation.timeout"}) {
      configuration.setInt(limit, 15000);
    }
    long now = Long.parseLong(args[1]);
    long first = Long.parseLong(args[2]);
    long end = System.currentTimeMillis() + 1000 * Long.parseLong(args[5]);
    try (Connection connection = ConnectionFactory.createConnection(configuration); Admin admin = connection.getAdmin()) {
      for (long seed = first; seed < first + Long.parseLong(args[3]); seed++) {
        if (System.currentTimeMillis() > end) break;
        new Rows(admin, seed, now).run(connection, Integer.parseInt(args[4]));
        System.out.println("case " + seed + " ends");
      }
    }
  }
}
