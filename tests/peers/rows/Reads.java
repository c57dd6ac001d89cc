// Gets and scans with every option that has an effect on what they answer.
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

class Reads {
  private final Draw draw;
  private final String[] families;
  private final Filters filters;
  private final Text text;

  Reads(Draw draw, String[] families, Text text) {
    this.draw = draw;
    this.families = families;
    this.text = text;
    this.filters = new Filters(draw, families);
  }

  byte[] family() { return Bytes.toBytes(draw.of(families)); }

  Get get() throws Exception {
    Get get = new Get(draw.row());
    if (draw.oneIn(2)) {
      for (int i = draw.upTo(2); i >= 0; i--) {
        if (draw.oneIn(3)) get.addFamily(family()); else get.addColumn(family(), draw.qualifier());
      }
    }
    if (draw.oneIn(2)) get.readVersions(1 + draw.upTo(4));
    if (draw.oneIn(4)) get.setTimeRange(Math.min(draw.time(), draw.now - 6000), draw.end());
    if (draw.oneIn(6)) get.setMaxResultsPerColumnFamily(draw.upTo(3));
    if (draw.oneIn(6)) get.setRowOffsetPerColumnFamily(draw.upTo(2));
    if (draw.oneIn(8)) get.setCheckExistenceOnly(true);
    if (draw.oneIn(3)) get.setFilter(filters.filter(2, true));
    return get;
  }

  // HBase loses rows where fuzzy keys lead backwards; and rows shorter than a key match it, but are jumped over
  // depending on which rows before them had a cell that the scan wants.
  private static boolean wholeRows(Scan scan) {
    return scan.getTimeRange().isAllTime() && scan.getColumnFamilyTimeRange().isEmpty()
        && scan.getFamilyMap().values().stream().allMatch(columns -> columns == null || columns.isEmpty());
  }

  Scan scan() throws Exception {
    Scan scan = new Scan();
    scan.setReversed(draw.oneIn(4));
    if (draw.oneIn(2)) {
      byte[] one = draw.row();
      byte[] other = draw.row();
      if (Bytes.compareTo(one, other) > 0 != scan.isReversed()) {
        byte[] kept = one;
        one = other;
        other = kept;
      }
      if (!draw.oneIn(4)) scan.withStartRow(one, draw.oneIn(2));
      if (!draw.oneIn(4)) scan.withStopRow(other, draw.oneIn(2));
    }
    if (draw.oneIn(2)) {
      for (int i = draw.upTo(2); i >= 0; i--) {
        if (draw.oneIn(3)) scan.addFamily(family()); else scan.addColumn(family(), draw.qualifier());
      }
    }
    if (draw.oneIn(2)) scan.readVersions(1 + draw.upTo(4));
    if (draw.oneIn(4)) scan.setTimeRange(Math.min(draw.time(), draw.now - 6000), draw.end());
    if (draw.oneIn(8)) scan.setColumnFamilyTimeRange(family(), Math.min(draw.time(), draw.now - 6000), draw.end());
    if (draw.oneIn(8)) scan.setMaxResultsPerColumnFamily(draw.upTo(3));
    if (draw.oneIn(8)) scan.setRowOffsetPerColumnFamily(draw.upTo(2));
    if (draw.oneIn(2)) scan.setFilter(filters.filter(2, !scan.isReversed() && wholeRows(scan)));
    // The client refuses batches of rows that a filter decides as a whole.
    boolean whole = scan.getFilter() != null && scan.getFilter().hasFilterRow();
    if (draw.oneIn(5) && !whole) scan.setBatch(1 + draw.upTo(3));
    if (draw.oneIn(5)) scan.setLimit(1 + draw.upTo(4));
    if (draw.oneIn(3)) scan.setCaching(1 + draw.upTo(3));
    if (draw.oneIn(6)) scan.setReadType(draw.of(Scan.ReadType.values()));
    if (draw.oneIn(8)) scan.setLoadColumnFamiliesOnDemand(draw.oneIn(2));
    if (draw.oneIn(6) && scan.getBatch() <= 0) scan.setOneRowLimit();
    if (draw.oneIn(8)) scan.setRaw(true);
    return scan;
  }

  String answer(Table table, Get get) throws Exception { return text.of(table.get(get)); }

  String answer(Table table, Scan scan) throws Exception {
    List<String> results = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) results.add(text.of(result));
    }
    return String.join(" ", results);
  }
}
