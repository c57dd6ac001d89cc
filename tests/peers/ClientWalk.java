import java.util.*;
import java.util.concurrent.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Walks through HBase's client API against whatever server the configuration names; with the
 * arguments "rpc ADDRESS", against the one at that address.
 */
public class ClientWalk {
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
    ++checks;
    try {
      body.run();
    } catch (Throwable thrown) {
      for (Throwable t = thrown; t != null; t = t.getCause()) {
        if (type.isInstance(t)) return;
      }
      ++failures;
      System.out.println("FAILED " + what + ": expected " + type.getName() + ", got " + thrown);
      return;
    }
    ++failures;
    System.out.println("FAILED " + what + ": nothing was thrown");
  }

  private static String show(Result result) {
    StringBuilder text = new StringBuilder();
    if (result == null || result.rawCells() == null) return "";
    for (Cell cell : result.rawCells()) {
      if (text.length() > 0) text.append(' ');
      text.append(Bytes.toStringBinary(CellUtil.cloneRow(cell))).append('/')
          .append(Bytes.toStringBinary(CellUtil.cloneFamily(cell))).append(':')
          .append(Bytes.toStringBinary(CellUtil.cloneQualifier(cell))).append('=')
          .append(Bytes.toStringBinary(CellUtil.cloneValue(cell)));
    }
    return text.toString();
  }

  private static String rows(Table table, Scan scan) throws Exception {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) rows.add(Bytes.toStringBinary(result.getRow()));
    }
    return String.join(",", rows);
  }

  private static void admin(Admin admin) throws Exception {
    TableName name = TableName.valueOf("walk");
    if (admin.tableExists(name)) {
      if (admin.isTableEnabled(name)) admin.disableTable(name);
      admin.deleteTable(name);
    }
    admin.createTable(TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b("f")).setMaxVersions(3).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g")).build(), new byte[][] {b("m")});
    check("exists", true, admin.tableExists(name));
    check("enabled", true, admin.isTableEnabled(name));
    check("available", true, admin.isTableAvailable(name));
    check("regions", 2, admin.getRegions(name).size());
    check("listed", true, Arrays.asList(admin.listTableNames()).contains(name));
    check("by pattern", "[walk]",
        Arrays.toString(admin.listTableNames(java.util.regex.Pattern.compile("wal."))));
    check("descriptor", 3, admin.getDescriptor(name).getColumnFamily(b("f")).getMaxVersions());
    fails("again", TableExistsException.class,
        () -> admin.createTable(TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build()));
    fails("delete enabled", TableNotDisabledException.class, () -> admin.deleteTable(name));
    fails("missing", TableNotFoundException.class,
        () -> admin.getDescriptor(TableName.valueOf("nothere")));
    admin.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of("h"));
    check("family added", 3, admin.getDescriptor(name).getColumnFamilyCount());
    admin.modifyColumnFamily(name,
        ColumnFamilyDescriptorBuilder.newBuilder(b("h")).setMaxVersions(7).build());
    check("family modified", 7, admin.getDescriptor(name).getColumnFamily(b("h")).getMaxVersions());
    admin.deleteColumnFamily(name, b("h"));
    check("family deleted", 2, admin.getDescriptor(name).getColumnFamilyCount());
    if (!Arrays.asList(admin.listNamespaces()).contains("walkns")) {
      admin.createNamespace(NamespaceDescriptor.create("walkns").build());
    }
    check("namespace", "walkns", admin.getNamespaceDescriptor("walkns").getName());
    fails("namespace again", NamespaceExistException.class,
        () -> admin.createNamespace(NamespaceDescriptor.create("walkns").build()));
    admin.deleteNamespace("walkns");
    fails("namespace gone", NamespaceNotFoundException.class,
        () -> admin.getNamespaceDescriptor("walkns"));
    check("master", true, admin.getClusterMetrics().getMasterName() != null);
    check("servers", 1, admin.getClusterMetrics().getLiveServerMetrics().size());
    check("balancer", true, admin.balancerSwitch(true, true));
  }

  private static void single(Table table) throws Exception {
    table.put(new Put(b("a1")).addColumn(b("f"), b("q"), b("v1")));
    check("get", "a1/f:q=v1", show(table.get(new Get(b("a1")))));
    check("get missing", true, table.get(new Get(b("a0"))).isEmpty());
    check("exists", true, table.exists(new Get(b("a1"))));
    check("exists not", false, table.exists(new Get(b("a0"))));
    table.put(new Put(b("a1")).addColumn(b("f"), b("q"), b("v2")).addColumn(b("g"), b("x"), b("1")));
    check("newest", "a1/f:q=v2 a1/g:x=1", show(table.get(new Get(b("a1")))));
    check("versions", "a1/f:q=v2 a1/f:q=v1",
        show(table.get(new Get(b("a1")).addFamily(b("f")).readAllVersions())));
    check("column", "a1/g:x=1", show(table.get(new Get(b("a1")).addColumn(b("g"), b("x")))));
    table.delete(new Delete(b("a1")).addColumn(b("f"), b("q")));
    check("older version", "a1/f:q=v1", show(table.get(new Get(b("a1")).addFamily(b("f")))));
    table.delete(new Delete(b("a1")).addColumns(b("f"), b("q")));
    check("column gone", "a1/g:x=1", show(table.get(new Get(b("a1")))));
    table.delete(new Delete(b("a1")));
    check("row gone", true, table.get(new Get(b("a1"))).isEmpty());
    check("increment", 5L, table.incrementColumnValue(b("c"), b("f"), b("n"), 5));
    check("increment more", 3L, table.incrementColumnValue(b("c"), b("f"), b("n"), -2));
    Result appended = table.append(new Append(b("c")).addColumn(b("f"), b("s"), b("ab")));
    check("append", "c/f:s=ab", show(appended));
    check("append more", "c/f:s=abcd",
        show(table.append(new Append(b("c")).addColumn(b("f"), b("s"), b("cd")))));
    fails("not a long", DoNotRetryIOException.class,
        () -> table.incrementColumnValue(b("c"), b("f"), b("s"), 1));
    fails("family", org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException.class,
        () -> table.get(new Get(b("a")).addFamily(b("nofam"))));
    fails("family of a put", org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException.class,
        () -> table.put(new Put(b("a")).addColumn(b("nofam"), b("q"), b("v"))));
    table.mutateRow(RowMutations.of(Arrays.asList(
        new Put(b("rm")).addColumn(b("f"), b("a"), b("1")),
        new Put(b("rm")).addColumn(b("f"), b("b"), b("2")))));
    check("row mutations", "rm/f:a=1 rm/f:b=2", show(table.get(new Get(b("rm")))));
  }

  private static void conditional(Table table) throws Exception {
    Put put = new Put(b("cas")).addColumn(b("f"), b("q"), b("1"));
    check("absent", true, table.checkAndMutate(b("cas"), b("f")).qualifier(b("q"))
        .ifNotExists().thenPut(put));
    check("present", false, table.checkAndMutate(b("cas"), b("f")).qualifier(b("q"))
        .ifNotExists().thenPut(put));
    check("equal", true, table.checkAndMutate(b("cas"), b("f")).qualifier(b("q"))
        .ifEquals(b("1")).thenPut(new Put(b("cas")).addColumn(b("f"), b("q"), b("2"))));
    check("less", true, table.checkAndMutate(b("cas"), b("f")).qualifier(b("q"))
        .ifMatches(CompareOperator.LESS, b("1"))
        .thenDelete(new Delete(b("cas")).addColumns(b("f"), b("zzz"))));
    CheckAndMutateResult result = table.checkAndMutate(CheckAndMutate.newBuilder(b("cas"))
        .ifMatches(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("2"))))
        .build(new Increment(b("cas")).addColumn(b("f"), b("n"), 4)));
    check("filter", true, result.isSuccess());
    check("its result", "cas/f:n=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04", show(result.getResult()));
    RowMutations both = RowMutations.of(Arrays.asList(
        new Put(b("cas")).addColumn(b("f"), b("q"), b("3")),
        new Delete(b("cas")).addColumns(b("f"), b("n"))));
    check("row mutations", true, table.checkAndMutate(b("cas"), b("f")).qualifier(b("q"))
        .ifEquals(b("2")).thenMutate(both));
    check("after it", "cas/f:q=3", show(table.get(new Get(b("cas")))));
    List<CheckAndMutate> list = Arrays.asList(
        CheckAndMutate.newBuilder(b("cas")).ifEquals(b("f"), b("q"), b("nope"))
            .build(new Put(b("cas")).addColumn(b("f"), b("q"), b("4"))),
        CheckAndMutate.newBuilder(b("cas")).ifEquals(b("f"), b("q"), b("3"))
            .build(new Put(b("cas")).addColumn(b("f"), b("q"), b("5"))));
    List<CheckAndMutateResult> results = table.checkAndMutate(list);
    check("list", "false true", results.get(0).isSuccess() + " " + results.get(1).isSuccess());
  }

  private static void batches(Connection connection, Table table) throws Exception {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      puts.add(new Put(b(String.format("r%04d", i))).addColumn(b("f"), b("q"), b("v" + i)));
    }
    table.put(puts);
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < 1000; i += 100) gets.add(new Get(b(String.format("r%04d", i))));
    Result[] found = table.get(gets);
    check("multi-get", "r0900/f:q=v900", show(found[9]));
    Object[] results = new Object[6];
    table.batch(Arrays.asList(
        new Put(b("bz")).addColumn(b("f"), b("q"), b("1")),
        new Get(b("r0001")),
        new Increment(b("bi")).addColumn(b("f"), b("n"), 2),
        new Append(b("zz")).addColumn(b("f"), b("s"), b("t")),
        new Delete(b("r0002")),
        RowMutations.of(Arrays.asList(new Put(b("zr")).addColumn(b("f"), b("q"), b("9"))))), results);
    check("batch get", "r0001/f:q=v1", show((Result) results[1]));
    check("batch increment", "bi/f:n=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02", show((Result) results[2]));
    check("batch append", "zz/f:s=t", show((Result) results[3]));
    check("batch delete", true, table.get(new Get(b("r0002"))).isEmpty());
    check("batch mutations", "zr/f:q=9", show(table.get(new Get(b("zr")))));
    Object[] mixed = new Object[2];
    try {
      table.batch(Arrays.asList(new Put(b("ok")).addColumn(b("f"), b("q"), b("1")),
          new Put(b("bad")).addColumn(b("nofam"), b("q"), b("1"))), mixed);
      check("bad family in a batch", "thrown", "nothing");
    } catch (RetriesExhaustedWithDetailsException expected) {
      check("its count", 1, expected.getNumExceptions());
    }
    check("the other one", "ok/f:q=1", show(table.get(new Get(b("ok")))));
    try (BufferedMutator mutator = connection.getBufferedMutator(table.getName())) {
      for (int i = 0; i < 5000; i++) {
        mutator.mutate(new Put(b(String.format("s%05d", i))).addColumn(b("g"), b("q"), new byte[100]));
      }
    }
    int count = 0;
    try (ResultScanner scanner = table.getScanner(new Scan().addFamily(b("g")))) {
      for (Result result : scanner) ++count;
    }
    check("buffered", 5000, count);
  }

  private static void scans(Table table) throws Exception {
    check("range", "r0010,r0011,r0012",
        rows(table, new Scan().withStartRow(b("r0010")).withStopRow(b("r0013"))));
    check("inclusive", "r0010,r0011",
        rows(table, new Scan().withStartRow(b("r0010")).withStopRow(b("r0011"), true)));
    check("limit", "r0010,r0011", rows(table, new Scan().withStartRow(b("r0010")).setLimit(2)));
    check("caching", "r0010,r0011,r0012,r0013,r0014",
        rows(table, new Scan().withStartRow(b("r0010")).withStopRow(b("r0015")).setCaching(2)));
    check("reversed", "r0012,r0011",
        rows(table, new Scan().withStartRow(b("r0012")).withStopRow(b("r0010")).setReversed(true)));
    check("over regions", "bi,bz,c,cas,ok,r0000",
        rows(table, new Scan().withStopRow(b("r0001"))));
    check("reversed over regions", "ok,cas,c,bz,bi",
        rows(table, new Scan().withStartRow(b("p")).setReversed(true)));
    check("prefix", "r0990,r0991,r0992,r0993,r0994,r0995,r0996,r0997,r0998,r0999",
        rows(table, new Scan().setStartStopRowForPrefixScan(b("r099"))));
    check("page", 3, rows(table, new Scan().withStartRow(b("r0500")).setFilter(new PageFilter(3)))
        .split(",").length);
    check("value", "r0777", rows(table, new Scan().setFilter(
        new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("v777"))))));
    check("fuzzy", "r0105,r0115,r0125,r0135,r0145,r0155,r0165,r0175,r0185,r0195",
        rows(table, new Scan().setFilter(new FuzzyRowFilter(Arrays.asList(
            new org.apache.hadoop.hbase.util.Pair<>(b("r01?5"), new byte[] {0, 0, 0, 1, 0}))))));
    check("list", "r0001,r0003", rows(table, new Scan().setFilter(new FilterList(
        FilterList.Operator.MUST_PASS_ONE,
        new RowFilter(CompareOperator.EQUAL, new BinaryComparator(b("r0001"))),
        new RowFilter(CompareOperator.EQUAL, new BinaryComparator(b("r0003")))))));
    Scan batch = new Scan().withStartRow(b("wide")).withStopRow(b("widf")).setBatch(3);
    Put wide = new Put(b("wide"));
    for (int i = 0; i < 10; i++) wide.addColumn(b("f"), b("q" + i), b("" + i));
    table.put(wide);
    List<Integer> sizes = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(batch)) {
      for (Result result : scanner) sizes.add(result.size());
    }
    check("batch", "[3, 3, 3, 1]", sizes);
    int partial = 0;
    int cells = 0;
    Scan partials = new Scan().withStartRow(b("wide")).withStopRow(b("widf"))
        .setAllowPartialResults(true).setMaxResultSize(1);
    try (ResultScanner scanner = table.getScanner(partials)) {
      for (Result result : scanner) {
        partial += result.mayHaveMoreCellsInRow() ? 1 : 0;
        cells += result.size();
      }
    }
    check("partial cells", 10, cells);
    check("partial results", true, partial > 0);
    check("small results", 1000, rows(table, new Scan().withStartRow(b("r")).withStopRow(b("s"))
        .setMaxResultSize(100)).split(",").length);
    Scan metered = new Scan().withStartRow(b("r0010")).withStopRow(b("r0020")).setScanMetricsEnabled(true);
    try (ResultScanner scanner = table.getScanner(metered)) {
      while (scanner.next() != null) { }
      check("metrics", 10L, scanner.getScanMetrics().countOfRowsScanned.get());
    }
    Scan raw = new Scan().withStartRow(b("r0002")).withStopRow(b("r0003")).setRaw(true).readAllVersions();
    try (ResultScanner scanner = table.getScanner(raw)) {
      check("raw", 3, scanner.next().size());  // a put, and a marker for each family
    }
    fails("family of a scan", org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException.class,
        () -> rows(table, new Scan().addFamily(b("nofam"))));
  }

  private static void changes(Connection connection, Admin admin, Table table) throws Exception {
    admin.flush(table.getName());
    admin.majorCompact(table.getName());
    admin.split(table.getName(), b("r0500"));
    for (int i = 0; i < 100 && admin.getRegions(table.getName()).size() < 3; i++) Thread.sleep(100);
    check("split", 3, admin.getRegions(table.getName()).size());
    check("after a split", "r0499,r0500,r0501",
        rows(table, new Scan().withStartRow(b("r0499")).withStopRow(b("r0502"))));
    check("get after a split", "r0700/f:q=v700", show(table.get(new Get(b("r0700")))));
    admin.disableTable(table.getName());
    check("disabled", false, admin.isTableEnabled(table.getName()));
    fails("get of a disabled table", TableNotEnabledException.class,
        () -> table.get(new Get(b("r0001"))));
    fails("disable twice", TableNotEnabledException.class, () -> admin.disableTable(table.getName()));
    admin.enableTable(table.getName());
    check("enabled again", "r0001/f:q=v1", show(table.get(new Get(b("r0001")))));
    admin.disableTable(table.getName());
    admin.truncateTable(table.getName(), true);
    check("truncated", "", rows(table, new Scan()));
    check("its splits", 3, admin.getRegions(table.getName()).size());
    fails("no such table", TableNotFoundException.class, () -> {
      try (Table none = connection.getTable(TableName.valueOf("nothere"))) {
        none.get(new Get(b("a")));
      }
    });
  }

  private static void async(Configuration conf) throws Exception {
    try (AsyncConnection connection = ConnectionFactory.createAsyncConnection(conf).get(60, TimeUnit.SECONDS)) {
      AsyncTable<AdvancedScanResultConsumer> table = connection.getTable(TableName.valueOf("walk"));
      List<CompletableFuture<Void>> puts = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        puts.add(table.put(new Put(b("async" + i)).addColumn(b("f"), b("q"), b("" + i))));
      }
      CompletableFuture.allOf(puts.toArray(new CompletableFuture[0])).get(60, TimeUnit.SECONDS);
      check("async get", "async77/f:q=77", show(table.get(new Get(b("async77"))).get(60, TimeUnit.SECONDS)));
      check("async scan", 500, table.scanAll(new Scan().setStartStopRowForPrefixScan(b("async")))
          .get(60, TimeUnit.SECONDS).size());
      check("async increment", "x/f:n=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01", show(
          table.increment(new Increment(b("x")).addColumn(b("f"), b("n"), 1)).get(60, TimeUnit.SECONDS)));
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hbase.client.retries.number", 5);
    if (args.length == 2 && args[0].equals("rpc")) {
      conf.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry");
      conf.set("hbase.client.bootstrap.servers", args[1]);
      conf.setInt("hbase.zookeeper.property.clientPort", 1);  // nobody there
    }
    try (Connection connection = ConnectionFactory.createConnection(conf);
         Admin admin = connection.getAdmin()) {
      admin(admin);
      try (Table table = connection.getTable(TableName.valueOf("walk"))) {
        single(table);
        conditional(table);
        batches(connection, table);
        scans(table);
        changes(connection, admin, table);
      }
    }
    async(conf);
    System.out.println(checks + " checks, " + failures + " failed");
    if (failures > 0) System.exit(1);
  }
}
