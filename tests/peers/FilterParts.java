// Scans with a filter that get rows in parts: batches of cells, limits and offsets in a family, limits
// of rows, forwards and backwards, of one version and more. Prints each scan with its answer as a line
// of JSON of the form of tests/golden/filters/cases.jsonl; nothing in a line depends on the time or
// the machine.
//   FilterParts ZOOKEEPER-PORT CELLS-FILE
// CELLS-FILE: the recorded table (tests/golden/filters/flt.cells.tsv), which is made anew.
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

public class FilterParts {
  static final TableName NAME = TableName.valueOf("flt");
  static final int CASES = 400;
  static final int HANG_SECONDS = 20;

  // Those of whole rows go with limits and offsets, but not with batches.
  static final String[] FILTERS = {
      "ColumnPrefixFilter ('q')", "ColumnPrefixFilter ('x')", "ColumnPrefixFilter ('y')",
      "MultipleColumnPrefixFilter ('q1', 'q5', 'x')", "MultipleColumnPrefixFilter ('q2', 'y')",
      "ColumnRangeFilter ('q2', true, 'q5', true)", "ColumnRangeFilter ('q3', false, 'y', false)",
      "ColumnPaginationFilter (2, 1)", "ColumnPaginationFilter (3, 0)", "ColumnPaginationFilter (1, 2)",
      "KeyOnlyFilter ()", "FirstKeyOnlyFilter ()", "PageFilter (3)", "PageFilter (8)",
      "TimestampsFilter (100, 200)", "TimestampsFilter (150, 300)", "InclusiveStopFilter ('r009')",
      "QualifierFilter (>=, 'binary:q3')", "QualifierFilter (!=, 'substring:1')",
      "FamilyFilter (=, 'binary:b')", "FamilyFilter (<, 'binary:b')",
      "RowFilter (>, 'binary:r005')", "RowFilter (=, 'substring:1')",
      "ValueFilter (=, 'binaryprefix:val')", "ValueFilter (!=, 'substring:0')",
      "ValueFilter (=, 'regexstring:[0-9]$')", "PrefixFilter ('r00')", "PrefixFilter ('r01')",
      "ColumnValueFilter ('a', 'q5', >=, 'binary:c1')",
      "WHILE ValueFilter (!=, 'substring:val-7')", "WHILE ColumnPrefixFilter ('q')",
      "ColumnPrefixFilter ('q') AND ValueFilter (!=, 'substring:1')",
      "ColumnPrefixFilter ('x') OR TimestampsFilter (100)",
      "RowFilter (=, 'substring:1') AND ColumnPaginationFilter (3, 1)",
      "FamilyFilter (=, 'binary:a') AND ColumnRangeFilter ('q2', true, 'qq', true)",
      "KeyOnlyFilter () AND QualifierFilter (<, 'binary:x2')",
      "PrefixFilter ('r00') AND PageFilter (4)",
      "(FirstKeyOnlyFilter () OR ColumnPrefixFilter ('y')) AND ValueFilter (!=, 'binary:y4')"};

  static String hex(byte[] bytes) { return Bytes.toHex(bytes); }

  static void load(Connection connection, String file) throws Exception {
    Admin admin = connection.getAdmin();
    if (admin.tableExists(NAME)) {
      admin.disableTable(NAME);
      admin.deleteTable(NAME);
    }
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(NAME);
    for (String family : new String[] {"a", "b"}) {
      table.setColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family)).setMaxVersions(5).build());
    }
    admin.createTable(table.build());
    try (Table writer = connection.getTable(NAME)) {
      for (String line : Files.readAllLines(Paths.get(file))) {
        String[] field = line.split("\t", -1);
        if (field[0].equals("#flush")) admin.flush(NAME);
        if (field.length != 6 || field[0].startsWith("#")) continue;
        byte[] row = Bytes.fromHex(field[0]);
        Cell cell = CellBuilderFactory.create(CellBuilderType.DEEP_COPY).setRow(row)
            .setFamily(Bytes.toBytes(field[1])).setQualifier(Bytes.fromHex(field[2]))
            .setTimestamp(Long.parseLong(field[3])).setType(Cell.Type.valueOf(field[4]))
            .setValue(Bytes.fromHex(field[5])).build();
        if (cell.getType() == Cell.Type.Put) {
          writer.put(new Put(row).add(cell));
        } else {
          writer.delete(new Delete(row).add(cell));
        }
      }
    }
  }

  static Filter filter(Random random) throws Exception {
    int which = random.nextInt(FILTERS.length + 3);
    if (which < FILTERS.length) return new ParseFilter().parseFilterString(FILTERS[which]);
    if (which == FILTERS.length) {
      return new MultiRowRangeFilter(Arrays.asList(
          new MultiRowRangeFilter.RowRange(Bytes.toBytes("r002"), true, Bytes.toBytes("r005"), true),
          new MultiRowRangeFilter.RowRange(Bytes.toBytes("r010"), false, Bytes.toBytes("r015"), false)));
    }
    if (which == FILTERS.length + 1) {
      return new FuzzyRowFilter(Arrays.asList(
          new Pair<>(Bytes.toBytes("r0?4"), new byte[] {0, 0, 1, 0}),
          new Pair<>(Bytes.toBytes("r01?"), new byte[] {0, 0, 0, 1})));
    }
    return new FilterList(FilterList.Operator.MUST_PASS_ONE,
        new FirstKeyOnlyFilter(), new ColumnPrefixFilter(Bytes.toBytes("q5")));
  }

  // The scan, and into 'text' what it asks.
  static Scan scan(Random random, Filter filter, StringBuilder text) throws Exception {
    List<String> parts = new ArrayList<>();
    Scan scan = new Scan().setFilter(filter);
    boolean reversed = random.nextInt(3) != 0;
    if (reversed) {
      scan.setReversed(true);
      parts.add("\"reversed\":true");
    }
    if (random.nextInt(5) != 0 && !filter.hasFilterRow()) {
      int batch = 1 + random.nextInt(4);
      scan.setBatch(batch);
      parts.add("\"batch\":" + batch);
    }
    if (random.nextInt(3) == 0) {
      String low = String.format("r%03d", random.nextInt(10));
      String high = String.format("r%03d", 10 + random.nextInt(10));
      boolean startInclusive = random.nextBoolean();
      boolean stopInclusive = random.nextBoolean();
      byte[] start = Bytes.toBytes(reversed ? high : low);
      byte[] stop = Bytes.toBytes(reversed ? low : high);
      scan.withStartRow(start, startInclusive).withStopRow(stop, stopInclusive);
      parts.add("\"start\":\"" + hex(start) + "\",\"startInclusive\":" + startInclusive);
      parts.add("\"stop\":\"" + hex(stop) + "\",\"stopInclusive\":" + stopInclusive);
    }
    int versions = random.nextInt(2) == 0 ? 1 : 2 + random.nextInt(3);
    if (versions > 1) {
      scan.readVersions(versions);
      parts.add("\"maxVersions\":" + versions);
    }
    if (random.nextInt(2) == 0) {
      int most = 1 + random.nextInt(4);
      scan.setMaxResultsPerColumnFamily(most);
      parts.add("\"maxResultsPerFamily\":" + most);
    }
    if (random.nextInt(2) == 0) {
      int offset = 1 + random.nextInt(3);
      scan.setRowOffsetPerColumnFamily(offset);
      parts.add("\"rowOffsetPerFamily\":" + offset);
    }
    if (random.nextInt(3) == 0) {
      int limit = 1 + random.nextInt(6);
      scan.setLimit(limit);
      parts.add("\"limit\":" + limit);
    }
    if (random.nextInt(4) == 0) {
      scan.addFamily(Bytes.toBytes("b"));
      scan.addColumn(Bytes.toBytes("a"), Bytes.toBytes("q1"));
      scan.addColumn(Bytes.toBytes("a"), Bytes.toBytes("q5"));
      parts.add("\"columns\":{\"a\":[\"7131\",\"7135\"],\"b\":null}");
    }
    int caching = 1 + random.nextInt(5);
    scan.setCaching(caching);
    parts.add("\"caching\":" + caching);
    text.append('{').append(String.join(",", parts)).append('}');
    return scan;
  }

  static String text(Result result) {
    List<String> cells = new ArrayList<>();
    for (Cell cell : result.rawCells()) {
      cells.add("[\"" + Bytes.toString(CellUtil.cloneFamily(cell)) + "\",\""
          + hex(CellUtil.cloneQualifier(cell)) + "\"," + cell.getTimestamp() + ",\"" + cell.getType()
          + "\",\"" + hex(CellUtil.cloneValue(cell)) + "\"]");
    }
    return "{\"row\":\"" + hex(result.getRow()) + "\",\"cells\":[" + String.join(",", cells) + "]"
        + (result.mayHaveMoreCellsInRow() ? ",\"more\":true" : "") + "}";
  }

  static String answer(Connection connection, Scan scan) throws Exception {
    List<String> results = new ArrayList<>();
    try (Table table = connection.getTable(NAME); ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) results.add(text(result));
    }
    return "[" + String.join(",", results) + "]";
  }

  public static void main(String[] arguments) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.property.clientPort", arguments[0]);
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Connection connection = ConnectionFactory.createConnection(configuration)) {
      load(connection, arguments[1]);
      Random random = new Random(20100);
      for (int i = 0; i < CASES; ++i) {
        Filter filter = filter(random);
        StringBuilder asked = new StringBuilder();
        Scan scan = scan(random, filter, asked);
        // HBase misses all rows when it begins behind the last that matches; see docs/compatibility.md.
        boolean atEnd = scan.isReversed() && scan.getStartRow().length == 0;
        if (atEnd && filter instanceof FuzzyRowFilter) continue;
        Future<String> answer = threads.submit(() -> answer(connection, scan));
        String told;
        try {
          told = "\"results\":" + answer.get(HANG_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
          told = "\"hang\":true,\"results\":[]";
        } catch (ExecutionException e) {
          String message = e.getCause().getMessage().split("\n")[0];
          told = "\"error\":\"" + message + "\",\"results\":[]";
        }
        System.out.printf("{\"id\":\"p%04d\",\"kind\":\"%s\",\"op\":\"scan\",\"table\":\"flt\","
                + "\"scan\":%s,\"filter_pb\":\"%s\",%s}%n",
            i + 1, filter.getClass().getSimpleName(), asked,
            hex(ProtobufUtil.toFilter(filter).toByteArray()), told);
      }
    }
    System.out.flush();
    System.exit(0);
  }
}
