import java.util.*;
import java.util.concurrent.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.client.coprocessor.AggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.quotas.QuotaSettingsFactory;
import org.apache.hadoop.hbase.quotas.ThrottleType;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.snapshot.*;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What ClientWalk leaves out: snapshots, endpoints, bulk load, compressed cell blocks, switches of the
 * master, and the asynchronous client.
 */
public class ClientServices {
  private static final TableName NAME = TableName.valueOf("services");
  private static int checks = 0;
  private static int failures = 0;

  private static byte[] b(String text) {
    return Bytes.toBytes(text);
  }

  private static void check(String what, Object expected, Object actual) {
    ++checks;
    if (Objects.equals(String.valueOf(expected), String.valueOf(actual))) return;
    ++failures;
    System.out.println("FAILED " + what + ": expected " + expected + ", got " + actual);
  }

  private interface Body {
    void run() throws Exception;
  }

  private static void fails(String what, Class<?> type, Body body) {
    String got = "nothing was thrown";
    try {
      body.run();
    } catch (Throwable thrown) {
      got = "got " + thrown;
      for (Throwable t = thrown; t != null; t = t.getCause()) {
        if (type.isInstance(t)) got = "";
      }
    }
    check(what, "", got);
  }

  private static void drop(Admin admin, TableName name) throws Exception {
    if (!admin.tableExists(name)) return;
    if (admin.isTableEnabled(name)) admin.disableTable(name);
    admin.deleteTable(name);
  }

  private static int count(Table table, Scan scan) throws Exception {
    int rows = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      while (scanner.next() != null) ++rows;
    }
    return rows;
  }

  private static void make(Connection connection, Admin admin) throws Exception {
    drop(admin, NAME);
    admin.createTable(TableDescriptorBuilder.newBuilder(NAME)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build(), new byte[][] {b("r050")});
    try (Table table = connection.getTable(NAME)) {
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        puts.add(new Put(b(String.format("r%03d", i))).addColumn(b("f"), b("n"), Bytes.toBytes((long) i)));
      }
      table.put(puts);
    }
  }

  private static void aggregates(Configuration conf) throws Throwable {
    Scan scan = new Scan().addColumn(b("f"), b("n"));
    LongColumnInterpreter longs = new LongColumnInterpreter();
    try (AggregationClient client = new AggregationClient(conf)) {
      check("max", 99L, client.max(NAME, longs, scan));
      check("min", 0L, client.min(NAME, longs, scan));
      check("sum", 4950L, client.sum(NAME, longs, scan));
      check("rows", 100L, client.rowCount(NAME, longs, scan));
      check("avg", 49.5, client.avg(NAME, longs, scan));
      check("std", 28, (int) client.std(NAME, longs, scan));
      check("median", 49L, client.median(NAME, longs, scan));
      check("of a range", 10L, client.rowCount(NAME, longs,
          new Scan().addColumn(b("f"), b("n")).withStartRow(b("r045")).withStopRow(b("r055"))));
    }
  }

  private static void multiRow(Table table) throws Exception {
    // The client's side of MultiRowMutationService, by the generated messages.
    org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MutateRowsRequest.Builder request =
        org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MutateRowsRequest.newBuilder();
    for (String row : new String[] {"m1", "m2"}) {
      request.addMutationRequest(org.apache.hadoop.hbase.protobuf.ProtobufUtil.toMutation(
          org.apache.hadoop.hbase.protobuf.generated.ClientProtos.MutationProto.MutationType.PUT,
          new Put(b(row)).addColumn(b("f"), b("q"), b("both"))));
    }
    org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MultiRowMutationService.newBlockingStub(
        table.coprocessorService(b("m1"))).mutateRows(null, request.build());
    check("rows of a region", 2, count(table, new Scan().withStartRow(b("m1")).withStopRow(b("m3"))));
    table.delete(new ArrayList<>(Arrays.asList(new Delete(b("m1")), new Delete(b("m2")))));
  }

  private static void snapshots(Admin admin, Connection connection) throws Exception {
    TableName clone = TableName.valueOf("services_clone");
    drop(admin, clone);
    for (SnapshotDescription old : admin.listSnapshots()) admin.deleteSnapshot(old.getName());
    admin.snapshot("shot", NAME);
    check("listed", "shot services", admin.listSnapshots().get(0).getName() + " "
        + admin.listSnapshots().get(0).getTableNameAsString());
    fails("taken twice", SnapshotExistsException.class, () -> admin.snapshot("shot", NAME));
    fails("of no table", SnapshotCreationException.class,
        () -> admin.snapshot("none", TableName.valueOf("nothere")));
    fails("no such snapshot", SnapshotDoesNotExistException.class, () -> admin.deleteSnapshot("nothere"));
    try (Table table = connection.getTable(NAME)) {
      table.delete(new Delete(b("r000")));
      admin.cloneSnapshot("shot", clone);
      try (Table cloned = connection.getTable(clone)) {
        check("cloned", 100, count(cloned, new Scan()));
      }
      check("clone's regions", 2, admin.getRegions(clone).size());
      fails("clone over a table", TableExistsException.class, () -> admin.cloneSnapshot("shot", clone));
      admin.disableTable(NAME);
      admin.restoreSnapshot("shot");
      admin.enableTable(NAME);
      check("restored", 100, count(table, new Scan()));
    }
    admin.deleteSnapshot("shot");
    check("deleted", 0, admin.listSnapshots().size());
    drop(admin, clone);
  }

  private static void bulkLoad(Configuration conf, Table table) throws Exception {
    Path folder = new Path(System.getProperty("java.io.tmpdir"), "bulk-" + System.nanoTime());
    FileSystem files = FileSystem.getLocal(conf);
    Path file = new Path(new Path(folder, "f"), "hfile");
    files.mkdirs(file.getParent());
    try (HFile.Writer writer = HFile.getWriterFactory(conf, new CacheConfig(conf))
        .withPath(files, file).withFileContext(new HFileContextBuilder().build()).create()) {
      for (int i = 0; i < 20; i++) {  // over both regions, so that the tool has to split it
        writer.append(new KeyValue(b(String.format("r%03db", i * 5)), b("f"), b("q"), 1000L, b("v" + i)));
      }
      writer.appendFileInfo(b("BULKLOAD_TIMESTAMP"),
          Bytes.toBytes(1000L));
    }
    BulkLoadHFiles.create(conf).bulkLoad(NAME, folder);
    check("loaded", "v19", Bytes.toString(table.get(new Get(b("r095b"))).getValue(b("f"), b("q"))));
    check("all of it", 120, count(table, new Scan()));
    files.delete(folder, true);
  }

  private static void compressed(Configuration plain) throws Exception {
    for (String codec : new String[] {"GzipCodec", "DefaultCodec"}) {
      Configuration conf = new Configuration(plain);
      conf.set("hbase.client.rpc.compressor", "org.apache.hadoop.io.compress." + codec);
      try (Connection connection = ConnectionFactory.createConnection(conf);
           Table table = connection.getTable(NAME)) {
        table.put(Arrays.asList(new Put(b("z1")).addColumn(b("f"), b("q"), b(codec)),
            new Put(b("z2")).addColumn(b("f"), b("q"), b(codec))));
        check(codec, codec, Bytes.toString(table.get(new Get(b("z2"))).getValue(b("f"), b("q"))));
        check(codec + " scan", 122, count(table, new Scan()));
      }
    }
  }

  private static void master(Admin admin) throws Exception {
    check("splits on", true, admin.splitSwitch(false, true));
    check("splits off", false, admin.isSplitEnabled());
    fails("a split meanwhile", DoNotRetryIOException.class,
        () -> admin.splitRegionAsync(admin.getRegions(NAME).get(0).getRegionName(), b("r020"))
            .get(30, TimeUnit.SECONDS));
    admin.splitSwitch(true, true);
    check("merges on", true, admin.isMergeEnabled());
    check("normalizer", true, admin.normalizerSwitch(true));
    check("janitor", true, admin.catalogJanitorSwitch(true));
    check("balancer", true, admin.balance());
    check("procedures", true, admin.getProcedures().contains("CreateTableProcedure"));
    check("locks", "[]", admin.getLocks());
    check("space quotas", "{}", admin.getSpaceQuotaTableSizes());
    admin.createNamespace(NamespaceDescriptor.create("props").addConfiguration("k", "v").build());
    check("a property", "v", admin.getNamespaceDescriptor("props").getConfigurationValue("k"));
    admin.modifyNamespace(NamespaceDescriptor.create("props").addConfiguration("k", "w").build());
    check("changed", "w", admin.getNamespaceDescriptor("props").getConfigurationValue("k"));
    admin.deleteNamespace("props");
    ServerName server = admin.getRegionServers().iterator().next();
    check("regions of the server", true, admin.getRegions(server).size() >= 2);
    check("region metrics", 2, admin.getRegionMetrics(server, NAME).size());
    admin.rollWALWriter(server);
    admin.updateConfiguration(server);
    admin.clearCompactionQueues(server, new HashSet<>(Arrays.asList("long", "short")));
    admin.move(Bytes.toBytes(admin.getRegions(NAME).get(0).getEncodedName()));
    admin.compact(NAME);
    admin.majorCompact(NAME);
    for (int i = 0; i < 100 && admin.getCompactionState(NAME) != CompactionState.NONE; i++) Thread.sleep(100);
    check("compaction state", CompactionState.NONE, admin.getCompactionState(NAME));
    long reads = 0, writes = 0;
    for (RegionMetrics region : admin.getRegionMetrics(server, NAME)) {
      reads += region.getReadRequestCount();
      writes += region.getWriteRequestCount();
    }
    check("requests are counted", true, reads > 0 && writes > 0);
    fails("a grant without an AccessController", DoNotRetryIOException.class, () -> admin.grant(
        new UserPermission("bob", Permission.newBuilder(NAME).withActions(Permission.Action.READ).build()),
        false));
    fails("a throttle without quotas", DoNotRetryIOException.class, () -> admin.setQuota(
        QuotaSettingsFactory.throttleTable(NAME, ThrottleType.READ_NUMBER, 1, TimeUnit.SECONDS)));
  }

  private static void async(Configuration conf) throws Exception {
    try (AsyncConnection connection =
             ConnectionFactory.createAsyncConnection(conf).get(60, TimeUnit.SECONDS)) {
      AsyncTable<?> table = connection.getTable(NAME);
      List<CompletableFuture<Result>> adds = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        adds.add(table.increment(new Increment(b("zinc")).addColumn(b("f"), b("n"), 1)));
      }
      for (CompletableFuture<Result> add : adds) add.get(60, TimeUnit.SECONDS);
      check("increments", 200L,
          Bytes.toLong(table.get(new Get(b("zinc"))).get(60, TimeUnit.SECONDS).getValue(b("f"), b("n"))));
      check("not there", true, table.checkAndMutate(CheckAndMutate.newBuilder(b("zcas"))
          .ifNotExists(b("f"), b("q")).build(new Put(b("zcas")).addColumn(b("f"), b("q"), b("1"))))
          .get(60, TimeUnit.SECONDS).isSuccess());
      check("there", false, table.checkAndMutate(CheckAndMutate.newBuilder(b("zcas"))
          .ifNotExists(b("f"), b("q")).build(new Put(b("zcas")).addColumn(b("f"), b("q"), b("2"))))
          .get(60, TimeUnit.SECONDS).isSuccess());
      check("async admin", true, connection.getAdmin().tableExists(NAME).get(60, TimeUnit.SECONDS));
      connection.getAdmin().snapshot("async", NAME).get(60, TimeUnit.SECONDS);
      connection.getAdmin().deleteSnapshot("async").get(60, TimeUnit.SECONDS);
      AsyncBufferedMutator mutator = connection.getBufferedMutator(NAME);
      CompletableFuture<Void> put = mutator.mutate(new Put(b("zbuf")).addColumn(b("f"), b("q"), b("1")));
      mutator.flush();
      put.get(60, TimeUnit.SECONDS);
      check("buffered", true, table.exists(new Get(b("zbuf"))).get(60, TimeUnit.SECONDS));
    }
  }

  private static void scans(Table table) throws Exception {
    Scan cursors = new Scan().setNeedCursorResult(true).setMaxResultSize(1).setFilter(
        new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes(77L))));
    int rows = 0;
    try (ResultScanner scanner = table.getScanner(cursors)) {
      for (Result result : scanner) rows += result.isCursor() ? 0 : 1;
    }
    check("with cursors", 1, rows);
    check("one row", 1, count(table, new Scan().setOneRowLimit()));
    check("small pages", 100, count(table, new Scan().addColumn(b("f"), b("n"))
        .withStartRow(b("r")).withStopRow(b("s")).setCaching(3)));
    // One who reads does not see what comes after the first page.
    try (ResultScanner scanner = table.getScanner(new Scan().withStartRow(b("r"))
        .withStopRow(b("r050")).addColumn(b("f"), b("n")).setCaching(5))) {
      int seen = scanner.next() == null ? 0 : 1;
      table.put(new Put(b("r049z")).addColumn(b("f"), b("n"), Bytes.toBytes(1L)));
      while (scanner.next() != null) ++seen;
      check("one moment", 50, seen);
    }
    table.delete(new Delete(b("r049z")));
  }

  public static void main(String[] args) throws Throwable {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hbase.client.retries.number", 5);
    try (Connection connection = ConnectionFactory.createConnection(conf);
         Admin admin = connection.getAdmin();
         Table table = connection.getTable(NAME)) {
      make(connection, admin);
      aggregates(conf);
      multiRow(table);
      scans(table);
      snapshots(admin, connection);
      bulkLoad(conf, table);
      compressed(conf);
      master(admin);
      async(conf);
      drop(admin, NAME);
    }
    System.out.println(checks + " checks, " + failures + " failed");
    if (failures > 0) System.exit(1);
  }
}
