import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.tool.BulkLoadHFilesTool;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALPrettyPrinter;

/**
 * What the test of root directories asks of a real HBase, by its own client. Each argument is a step
 * "name" or "name=ARGUMENT", done in turn; the exit status is 1 as soon as one fails.
 */
public class Roots {
  static final long DAY = 86_400_000L;
  static final long OLD = 1_000_000_000_000L;  // in 2001
  static final DataBlockEncoding[] ENCODINGS = {DataBlockEncoding.NONE, DataBlockEncoding.PREFIX,
    DataBlockEncoding.DIFF, DataBlockEncoding.FAST_DIFF, DataBlockEncoding.ROW_INDEX_V1};
  static final Compression.Algorithm[] COMPRESSIONS = {Compression.Algorithm.NONE,
    Compression.Algorithm.GZ, Compression.Algorithm.SNAPPY, Compression.Algorithm.LZ4,
    Compression.Algorithm.ZSTD};
  static final BloomType[] BLOOMS = {BloomType.NONE, BloomType.ROW, BloomType.ROWCOL,
    BloomType.ROWPREFIX_FIXED_LENGTH};

  static Connection connection;
  static Admin admin;

  public static void main(String[] steps) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    // Otherwise tags stay on the server.
    conf.set("hbase.client.rpc.codec", "org.apache.hadoop.hbase.codec.KeyValueCodecWithTags");
    conf.set("hbase.client.retries.number", "8");
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
    int status = 0;
    for (String step : steps) {
      String name = step.replaceFirst("=.*", "");
      String argument = step.substring(Math.min(step.length(), name.length() + 1));
      long start = System.nanoTime();
      try {
        run(name, argument);
      } catch (Throwable e) {
        System.err.println("step " + step + ":");
        e.printStackTrace();
        status = 1;
        break;
      }
      System.out.printf("%s: %.1f s%n", step, (System.nanoTime() - start) / 1e9);
    }
    System.out.flush();
    Runtime.getRuntime().halt(status);  // the clients leave threads behind
  }

  static void run(String step, String argument) throws Exception {
    switch (step) {
      case "make": make(); break;
      case "regions": changeRegions(); break;
      case "tail": tail(); break;
      case "change": change(); break;
      case "flush": flush(); break;
      case "dump": dump(Path.of(argument)); break;
      case "as_phoenix_5_2": forgetNewerThanPhoenix52(); break;
      case "hfiles": printHFiles(Path.of(argument)); break;
      case "wals": printWals(Path.of(argument)); break;
      case "bulkload": bulkLoad(argument); break;
      case "sql": sql(argument); break;
      default: Shapes.run(step, argument);
    }
  }

  // ---- tables of every kind

  static byte[] b(String s) { return Bytes.toBytes(s); }

  static TableDescriptor encodings(DataBlockEncoding encoding) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(
        TableName.valueOf("codings", encoding.name()));
    for (int i = 0; i < COMPRESSIONS.length; i++) {
      BloomType bloom = BLOOMS[(i + encoding.ordinal()) % BLOOMS.length];
      ColumnFamilyDescriptorBuilder family =
          ColumnFamilyDescriptorBuilder.newBuilder(b(COMPRESSIONS[i].name().toLowerCase()))
              .setDataBlockEncoding(encoding).setCompressionType(COMPRESSIONS[i])
              .setBloomFilterType(bloom).setBlocksize(2048).setMaxVersions(3);
      if (bloom == BloomType.ROWPREFIX_FIXED_LENGTH) {
        family.setConfiguration("RowPrefixBloomFilter.prefix_length", "4");
      }
      table.setColumnFamily(family.build());
    }
    return table.build();
  }

  static void fill(TableName name, byte[][] families, int first, int rows, long time)
      throws Exception {
    Random random = new Random(name.hashCode() + first);
    try (BufferedMutator table = connection.getBufferedMutator(name)) {
      for (int r = first; r < first + rows; r++) {
        Put put = new Put(b(String.format("row%06d", r)));
        for (byte[] family : families) {
          for (int q = 0; q < 3; q++) {
            byte[] value = new byte[random.nextInt(40)];
            random.nextBytes(value);
            if (q == 1) Arrays.fill(value, (byte) 'x');
            put.addColumn(family, b("q" + q), time + random.nextInt(1000), value);
          }
        }
        table.mutate(put);
      }
    }
  }

  /** HBase's names are of letters of any language. */
  static final String CYRILLIC = "\u0442\u0430\u0431\u043b\u0438\u0446\u0430";

  static void make() throws Exception {
    admin.createNamespace(NamespaceDescriptor.create("codings").build());
    admin.createNamespace(NamespaceDescriptor.create("empty_one").build());
    List<Work> works = new ArrayList<>();
    for (DataBlockEncoding encoding : ENCODINGS) works.add(() -> encodedTable(encoding));
    admin.createNamespace(NamespaceDescriptor.create("\u043d\u044e").build());
    for (String name : new String[] {"split", "merged", "off", "shot", CYRILLIC, "\u043d\u044e:\u8868"}) {
      works.add(() -> plainTable(TableName.valueOf(name), name.equals("merged")));
    }
    works.add(Roots::versions);
    works.add(Roots::tags);
    atOnce(works);
    admin.disableTable(TableName.valueOf("off"));
    flush();
  }

  interface Work { void run() throws Exception; }

  /** Most of the time is waiting for the master's procedures. */
  static void atOnce(List<Work> works) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(works.size());
    List<Future<?>> running = new ArrayList<>();
    for (Work work : works) running.add(threads.submit(() -> { work.run(); return null; }));
    for (Future<?> one : running) one.get();
    threads.shutdown();
  }

  static byte[][] families(TableName name) throws Exception {
    return admin.getDescriptor(name).getColumnFamilyNames().toArray(new byte[0][]);
  }

  static void encodedTable(DataBlockEncoding encoding) throws Exception {
    TableDescriptor table = encodings(encoding);
    TableName name = table.getTableName();
    admin.createTable(table, new byte[][] {b("row000100"), b("row000200")});
    fill(name, families(name), 0, 300, OLD);
    flush(name);
    // A second file over the first, so that versions and markers come from several.
    fill(name, families(name), 50, 50, OLD + DAY);
  }

  static void plainTable(TableName name, boolean threeRegions) throws Exception {
    admin.createTable(TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build(),
        threeRegions ? new byte[][] {b("row000100"), b("row000200")} : null);
    fill(name, families(name), 0, 300, OLD);
  }

  /** Versions, MIN_VERSIONS, time to live, all kinds of markers. */
  static void versions() throws Exception {
    TableName name = TableName.valueOf("versions");
    admin.createTable(TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b("a")).setMaxVersions(4).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b("keep")).setMaxVersions(9)
            .setKeepDeletedCells(KeepDeletedCells.TRUE).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b("new")).setMaxVersions(3)
            .setNewVersionBehavior(true).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b("ttl")).setMaxVersions(9)
            .setTimeToLive(86400).setMinVersions(1).build())
        .setValue("MY_OWN", "value").build());
    try (Table table = connection.getTable(name)) {
      for (int r = 0; r < 40; r++) {
        Put put = new Put(b("r" + r));
        for (byte[] family : new byte[][] {b("a"), b("keep"), b("new"), b("ttl")}) {
          for (int v = 0; v < 6; v++) {
            put.addColumn(family, b("q" + v % 2), OLD + v * 10, b("v" + v));
          }
        }
        table.put(put.addColumn(b("ttl"), b("fresh"), b("now")));
      }
      flush(name);
      for (int r = 0; r < 40; r += 5) {
        for (byte[] family : new byte[][] {b("a"), b("keep"), b("new")}) {
          table.delete(new Delete(b("r" + r)).addFamily(family, OLD + 15));
          table.delete(new Delete(b("r" + (r + 1))).addColumns(family, b("q0"), OLD + 25));
          table.delete(new Delete(b("r" + (r + 2))).addColumn(family, b("q1"), OLD + 30));
          table.delete(new Delete(b("r" + (r + 3))).addFamilyVersion(family, OLD + 20));
        }
        table.delete(new Delete(b("r" + (r + 4))));
      }
      flush(name);
      // Written behind the markers.
      for (int r = 0; r < 40; r += 3) {
        table.put(new Put(b("r" + r)).addColumn(b("a"), b("q0"), OLD + 12, b("late"))
            .addColumn(b("new"), b("q0"), OLD + 12, b("late")));
      }
    }
  }

  /** Cells with tags (a time to live of their own), empty and odd names, a big value. */
  static void tags() throws Exception {
    TableName name = TableName.valueOf("codings", "tags");
    TableDescriptorBuilder descriptor = TableDescriptorBuilder.newBuilder(name);
    for (DataBlockEncoding encoding : ENCODINGS) {
      descriptor.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b(encoding.name()))
          .setDataBlockEncoding(encoding).setMaxVersions(5).setBlocksize(1024)
          .setCompressTags(encoding.ordinal() % 2 == 0).build());
    }
    admin.createTable(descriptor.build());
    try (Table table = connection.getTable(name)) {
      for (int r = 0; r < 60; r++) {
        Put put = new Put(r == 0 ? new byte[] {0} : b("row" + r));
        Put lasting = new Put(put.getRow());
        for (DataBlockEncoding encoding : ENCODINGS) {
          byte[] family = b(encoding.name());
          put.addColumn(family, b(""), OLD, b("no qualifier"));
          put.addColumn(family, new byte[] {0, (byte) 0xff}, OLD, new byte[0]);
          lasting.addColumn(family, b("ttl"), b("for ten days and more"));
          if (r % 20 == 0) lasting.addColumn(family, b("big"), new byte[5000]);
        }
        table.put(put);
        table.put(lasting.setTTL((10 + r % 3) * DAY));
      }
      table.increment(new Increment(b("counter")).addColumn(b("NONE"), b("n"), 41));
      table.increment(new Increment(b("counter")).addColumn(b("NONE"), b("n"), 1));
      table.append(new Append(b("counter")).addColumn(b("DIFF"), b("text"), b("a")));
    }
  }

  static List<TableName> tables() throws Exception {
    List<TableName> names = new ArrayList<>(Arrays.asList(admin.listTableNames()));
    names.sort(Comparator.comparing(Roots::full));
    return names;
  }

  /** Region by region: a flush of a whole table waits for a procedure of which there is one at a time. */
  static void flush(TableName name) throws Exception {
    for (RegionInfo region : admin.getRegions(name)) admin.flushRegion(region.getRegionName());
  }

  static void flush() throws Exception {
    List<Work> works = new ArrayList<>();
    for (TableName name : tables()) {
      if (admin.isTableEnabled(name)) works.add(() -> flush(name));
    }
    atOnce(works);
  }

  static void await(String what, BooleanSupplier done) throws Exception {
    long end = System.currentTimeMillis() + 60_000;
    while (!done.getAsBoolean()) {
      if (System.currentTimeMillis() > end) throw new IllegalStateException("no end of: " + what);
      Thread.sleep(100);
    }
  }

  /** Tries again for a while: a master that has just started refuses work on regions that still open. */
  static void whenOpen(Work work) throws Exception {
    long end = System.currentTimeMillis() + 60_000;
    while (true) {
      try {
        work.run();
        return;
      } catch (DoNotRetryIOException | ExecutionException e) {
        if (System.currentTimeMillis() > end) throw e;
        Thread.sleep(100);
      }
    }
  }

  static int count(TableName name) {
    try {
      return connection.getRegionLocator(name).getAllRegionLocations().size();
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
  }

  /** A split and a merge, whose files stay references as long as nothing is compacted. */
  static void changeRegions() throws Exception {
    TableName split = TableName.valueOf("split"), merged = TableName.valueOf("merged");
    whenOpen(() -> admin.split(split, b("row000150")));
    await("split", () -> count(split) == 2);
    List<RegionInfo> regions = admin.getRegions(merged);
    whenOpen(() -> admin.mergeRegionsAsync(new byte[][] {regions.get(0).getEncodedNameAsBytes(),
        regions.get(1).getEncodedNameAsBytes()}, false).get(60, TimeUnit.SECONDS));
    await("merge", () -> count(merged) == 2);
    // Written into the daughters, beside the references.
    fill(split, new byte[][] {b("f")}, 140, 20, OLD + DAY);
    fill(merged, new byte[][] {b("f")}, 90, 20, OLD + DAY);
    admin.snapshot("shot_snapshot", TableName.valueOf("shot"));
    fill(TableName.valueOf("shot"), new byte[][] {b("f")}, 500, 10, OLD);
    // Links to the files of another table, and references to links.
    for (String name : new String[] {"cloned", "cloned_split"}) {
      admin.cloneSnapshot("shot_snapshot", TableName.valueOf(name));
    }
    whenOpen(() -> admin.split(TableName.valueOf("cloned_split"), b("row000099")));
    await("split", () -> count(TableName.valueOf("cloned_split")) == 2);
  }

  /** Acknowledged, and in no file yet. */
  static void tail() throws Exception {
    for (DataBlockEncoding encoding : ENCODINGS) {
      TableName name = encodings(encoding).getTableName();
      fill(name, families(name), 400, 100, OLD);
    }
    try (Table table = connection.getTable(TableName.valueOf("codings", "tags"))) {
      table.put(new Put(b("tail")).addColumn(b("DIFF"), b("q"), b("tagged")).setTTL(20 * DAY));
      table.increment(new Increment(b("counter")).addColumn(b("NONE"), b("m"), 7));
    }
    try (Table table = connection.getTable(TableName.valueOf("versions"))) {
      table.delete(new Delete(b("r11")).addFamily(b("keep"), OLD + 60));
      table.mutateRow(RowMutations.of(Arrays.asList(
          new Put(b("r12")).addColumn(b("keep"), b("together"), OLD, b("1")),
          new Delete(b("r12")).addColumns(b("keep"), b("q0"), OLD + 60))));
    }
  }

  /** Changes to whatever tables there are that another program has made. */
  static void change() throws Exception {
    for (TableName name : tables()) {
      if (!name.getNamespaceAsString().equals("made")) continue;
      if (admin.isTableDisabled(name)) continue;
      fill(name, families(name), 40, 20, OLD + 2 * DAY);
      try (Table table = connection.getTable(name)) {
        table.delete(new Delete(b("row000010")));
        table.put(new Put(b("zz by hbase")).addColumn(families(name)[0], b("q"), b("value")));
      }
    }
    plainTable(TableName.valueOf("made", "by_hbase"), true);
    admin.enableTable(TableName.valueOf("made", "off"));
    flush();
    // Its files and references of another make are rewritten by HBase.
    admin.compactionSwitch(true, Collections.emptyList());
    for (TableName name : new TableName[] {TableName.valueOf("made", "DIFF"),
        TableName.valueOf("made", "split")}) {
      admin.majorCompact(name);
      await("compaction of " + name, () -> storeFiles(name) == count(name) * familyCount(name));
    }
    admin.compactionSwitch(false, Collections.emptyList());
  }

  static int familyCount(TableName name) {
    try {
      return families(name).length;
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
  }

  static int storeFiles(TableName name) {
    try {
      int files = 0;
      for (ServerName server : admin.getRegionServers()) {
        for (RegionMetrics region : admin.getRegionMetrics(server, name)) {
          files += region.getStoreFileCount();
        }
      }
      return files;
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
  }

  // ---- dumps

  /** A file for each table, "namespace.table.cells", and "catalog". */
  static void dump(Path directory) throws Exception {
    Files.createDirectories(directory);
    try (PrintStream out = open(directory.resolve("catalog"))) {
      for (NamespaceDescriptor namespace : admin.listNamespaceDescriptors()) {
        out.println("namespace " + namespace.getName());
      }
      for (TableName name : tables()) dumpDescriptor(name, out);
    }
    for (TableName name : tables()) {
      if (admin.isTableDisabled(name)) continue;
      String file = name.getNamespaceAsString() + "." + name.getQualifierAsString() + ".cells";
      try (PrintStream out = open(directory.resolve(file))) {
        dumpCells(name, false, out);
        dumpCells(name, true, out);
      }
    }
  }

  static PrintStream open(Path path) throws Exception {
    return new PrintStream(new java.io.BufferedOutputStream(Files.newOutputStream(path), 1 << 16),
        false, StandardCharsets.UTF_8);
  }

  static String full(TableName name) {
    return name.getNamespaceAsString() + ":" + name.getQualifierAsString();
  }

  static void dumpDescriptor(TableName name, PrintStream out) throws Exception {
    TableDescriptor table = admin.getDescriptor(name);
    out.println("table " + full(name) + (admin.isTableDisabled(name) ? " disabled" : ""));
    dumpValues("  ", table.getValues(), out);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      out.println("  family " + family.getNameAsString());
      Map<org.apache.hadoop.hbase.util.Bytes, org.apache.hadoop.hbase.util.Bytes> all =
          new TreeMap<>(family.getValues());
      family.getConfiguration().forEach((key, value) ->
          all.put(new Bytes(b(key)), new Bytes(b(value))));
      dumpValues("    ", all, out);
    }
    for (RegionInfo region : admin.getRegions(name)) {
      out.println("  region " + region.getEncodedName() + " [" + Bytes.toStringBinary(region.getStartKey())
          + ", " + Bytes.toStringBinary(region.getEndKey()) + ")");
    }
  }

  static void dumpValues(String indent, Map<Bytes, Bytes> values, PrintStream out) {
    TreeMap<String, String> sorted = new TreeMap<>();
    values.forEach((key, value) ->
        sorted.put(Bytes.toString(key.copyBytes()), Bytes.toString(value.copyBytes())));
    sorted.forEach((key, value) -> out.println(indent + key + " = " + value));
  }

  static String hex(byte[] bytes, int offset, int length) {
    return Bytes.toHex(bytes, offset, length);
  }

  static void dumpCells(TableName name, boolean raw, PrintStream out) throws Exception {
    out.println(raw ? "# raw" : "# visible");
    Scan scan = new Scan().setRaw(raw).readAllVersions().setCaching(1000);
    try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(scan)) {
      for (Result result; (result = scanner.next()) != null; ) {
        for (Cell c : result.rawCells()) {
          out.print(hex(c.getRowArray(), c.getRowOffset(), c.getRowLength()));
          out.print('\t');
          out.print(Bytes.toString(c.getFamilyArray(), c.getFamilyOffset(), c.getFamilyLength()));
          out.print('\t');
          out.print(hex(c.getQualifierArray(), c.getQualifierOffset(), c.getQualifierLength()));
          out.print('\t');
          out.print(c.getTimestamp());
          out.print('\t');
          out.print(c.getType());
          out.print('\t');
          out.print(hex(c.getTagsArray(), c.getTagsOffset(), c.getTagsLength()));
          out.print('\t');
          out.println(hex(c.getValueArray(), c.getValueOffset(), c.getValueLength()));
        }
      }
    }
  }

  // ---- bulk load

  /**
   * "DIRECTORY:NAMESPACE": below the directory there is one for each table to make, with a folder for
   * each family. The tables get regions whose borders are not those of the files, so that HBase
   * splits some.
   */
  static void bulkLoad(String argument) throws Exception {
    String[] parts = argument.split(":");
    admin.createNamespace(NamespaceDescriptor.create(parts[1]).build());
    List<Work> works = new ArrayList<>();
    for (Path table : list(Path.of(parts[0]))) {
      works.add(() -> {
        TableName name = TableName.valueOf(parts[1], table.getFileName().toString());
        TableDescriptorBuilder descriptor = TableDescriptorBuilder.newBuilder(name);
        for (Path family : list(table)) {
          if (family.getFileName().toString().startsWith(".")) continue;
          descriptor.setColumnFamily(ColumnFamilyDescriptorBuilder
              .newBuilder(b(family.getFileName().toString())).setMaxVersions(3).build());
        }
        admin.createTable(descriptor.build(), new byte[][] {b("row000150")});
        int status = new BulkLoadHFilesTool(connection.getConfiguration())
            .run(new String[] {"file://" + table, name.getNameAsString()});
        if (status != 0) throw new IllegalStateException("nothing was loaded into " + name);
      });
    }
    atOnce(works);
  }

  static List<Path> list(Path directory) throws Exception {
    try (java.util.stream.Stream<Path> paths = Files.list(directory)) {
      return paths.sorted().collect(java.util.stream.Collectors.toList());
    }
  }

  // ---- HBase's printers

  static String printed(Work work) throws Exception {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(text));
    try {
      work.run();
    } finally {
      System.out.flush();
      System.setOut(before);
    }
    return text.toString();
  }

  /** Lines "path TAB cells": HBase must read each HFile, complain of nothing, and count the same. */
  static void printHFiles(Path list) throws Exception {
    Pattern count = Pattern.compile("Scanned kv count -> (\\d+)");
    for (String line : Files.readAllLines(list)) {
      String[] parts = line.split("\t");
      int[] status = {0};
      String said = printed(() -> status[0] = new HFilePrettyPrinter(connection.getConfiguration())
          .run(new String[] {"-m", "-p", "-v", "-k", "-a", "-f", "file://" + parts[0]}));
      Matcher found = count.matcher(said);
      long keys = said.lines().filter(l -> l.startsWith("K: ")).count();
      if (status[0] != 0 || said.contains("WARNING") || said.contains("Exception") || !found.find()
          || !found.group(1).equals(parts[1]) || keys != Long.parseLong(parts[1])) {
        throw new IllegalStateException(line + " cells; status " + status[0] + ", " + keys
            + " printed: " + said.substring(Math.max(0, said.length() - 2000)));
      }
    }
  }

  /** Likewise for logs. */
  static void printWals(Path list) throws Exception {
    for (String line : Files.readAllLines(list)) {
      String[] parts = line.split("\t");
      String said = printed(() -> WALPrettyPrinter.run(new String[] {parts[0]}));
      long cells = said.lines().filter(l -> l.contains("column=")).count();
      if (cells != Long.parseLong(parts[1])) {
        throw new IllegalStateException(line + " cells; HBase printed " + cells);
      }
    }
  }

  // ---- SQL

  /**
   * Columns of SYSTEM.CATALOG that Phoenix 5.3 has, of a type that this Phoenix does not know, so
   * that it would not even read the definition of SYSTEM.CATALOG.
   */
  static void forgetNewerThanPhoenix52() throws Exception {
    byte[] prefix = b("\0SYSTEM\0CATALOG\0ROW_KEY_MATCHER\0");
    try (Table table = connection.getTable(TableName.valueOf("SYSTEM.CATALOG"));
         ResultScanner rows = table.getScanner(new Scan().setRowPrefixFilter(prefix))) {
      int count = 0;
      for (Result row : rows) {
        table.delete(new Delete(row.getRow()));
        count++;
      }
      if (count == 0) throw new IllegalStateException("SYSTEM.CATALOG has no ROW_KEY_MATCHER");
    }
  }

  /** "IN:OUT": statements, each ended by ';' at the end of a line; results as tab-separated values. */
  static void sql(String argument) throws Exception {
    String[] files = argument.split(":");
    try (java.sql.Connection c = DriverManager.getConnection(System.getProperty("peer.url"));
         PrintStream out = open(Path.of(files[1])); Statement statement = c.createStatement()) {
      c.setAutoCommit(true);
      int results = 0;
      for (String sql : Files.readString(Path.of(files[0])).split(";\\s*\n")) {
        if (sql.isBlank()) continue;
        try {
          if (!statement.execute(sql)) continue;
        } catch (SQLException e) {
          throw new SQLException(sql, e);
        }
        try (ResultSet rows = statement.getResultSet()) {
          if (results++ > 0) out.println();
          int columns = rows.getMetaData().getColumnCount();
          for (int i = 1; i <= columns; i++) {
            out.print((i > 1 ? "\t" : "") + rows.getMetaData().getColumnLabel(i));
          }
          out.println();
          while (rows.next()) {
            for (int i = 1; i <= columns; i++) out.print((i > 1 ? "\t" : "") + show(rows.getObject(i)));
            out.println();
          }
        }
      }
    }
  }

  static String show(Object value) {
    if (value == null) return "\\N";
    if (value instanceof byte[]) return Bytes.toHex((byte[]) value);
    if (value instanceof java.math.BigDecimal) return ((java.math.BigDecimal) value).toPlainString();
    if (value instanceof java.util.Date) {  // of any kind: UTC, without a fraction that is 0
      java.time.Instant at = value instanceof java.sql.Timestamp
          ? ((java.sql.Timestamp) value).toInstant()
          : java.time.Instant.ofEpochMilli(((java.util.Date) value).getTime());
      return at.toString().replace('T', ' ').replace("Z", "");
    }
    return String.valueOf(value);
  }
}
