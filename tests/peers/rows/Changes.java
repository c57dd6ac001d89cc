// Changes of rows of every kind. What has no time gets the server's, a moment after the change before it.
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

class Changes {
  private final Draw draw;
  private final Reads reads;
  private final Filters filters;

  Changes(Draw draw, String[] families, Reads reads) {
    this.draw = draw;
    this.reads = reads;
    this.filters = new Filters(draw, families);
  }

  Put put(byte[] row) {
    Put put = new Put(row);
    boolean timed = !draw.oneIn(6);
    for (int i = draw.upTo(3); i >= 0; i--) {
      if (timed) put.addColumn(reads.family(), draw.qualifier(), draw.time(), draw.value());
      else put.addColumn(reads.family(), draw.qualifier(), draw.value());
    }
    // Over at once, or not while this runs.
    if (timed && draw.oneIn(10)) put.setTTL(draw.oneIn(2) ? 500 : 36_000_000);
    return put;
  }

  Delete delete(byte[] row) {
    if (!draw.nameless && draw.oneIn(10)) return draw.oneIn(2) ? new Delete(row) : new Delete(row, draw.time());
    Delete delete = new Delete(row);
    for (int i = draw.upTo(1); i >= 0; i--) {
      byte[] family = reads.family();
      switch (draw.nameless ? 2 + draw.random.nextInt(6) : draw.random.nextInt(8)) {
        case 0: delete.addFamily(family, draw.time()); break;
        case 1: delete.addFamilyVersion(family, draw.time()); break;
        case 2: delete.addColumn(family, draw.qualifier()); break;
        case 3: delete.addColumns(family, draw.qualifier()); break;
        case 4: case 5: delete.addColumns(family, draw.qualifier(), draw.time()); break;
        default: delete.addColumn(family, draw.qualifier(), draw.time());
      }
    }
    return delete;
  }

  Increment increment(byte[] row) throws Exception {
    Increment increment = new Increment(row);
    for (int i = draw.upTo(1); i >= 0; i--) {
      increment.addColumn(reads.family(), draw.qualifier(), draw.upTo(5) - 2);
    }
    if (draw.oneIn(6)) increment.setTimeRange(draw.now - 4000, Long.MAX_VALUE);
    return increment;
  }

  Append append(byte[] row) throws Exception {
    Append append = new Append(row);
    for (int i = draw.upTo(1); i >= 0; i--) append.addColumn(reads.family(), draw.qualifier(), draw.value());
    if (draw.oneIn(6)) append.setTimeRange(draw.now - 4000, Long.MAX_VALUE);
    return append;
  }

  RowMutations mutations(byte[] row) throws Exception {
    RowMutations all = new RowMutations(row);
    for (int i = 1 + draw.upTo(2); i > 0; i--) {
      switch (draw.random.nextInt(6)) {
        case 0: all.add((Mutation) increment(row)); break;
        case 1: all.add((Mutation) append(row)); break;
        case 2: all.add((Mutation) delete(row)); break;
        default: all.add((Mutation) put(row));
      }
    }
    return all;
  }

  CheckAndMutate check(byte[] row) throws Exception {
    CheckAndMutate.Builder builder = CheckAndMutate.newBuilder(row);
    byte[] family = reads.family();
    switch (draw.random.nextInt(5)) {
      case 0: builder.ifNotExists(family, draw.qualifier()); break;
      case 1: builder.ifEquals(family, draw.qualifier(), draw.value()); break;
      case 2: builder.ifMatches(filters.filter(1, true)); break;
      default: builder.ifMatches(family, draw.qualifier(), CompareOperator.values()[draw.random.nextInt(6)], draw.value());
    }
    if (draw.oneIn(4)) {
      builder.timeRange(org.apache.hadoop.hbase.io.TimeRange.between(1, draw.end()));
    }
    switch (draw.random.nextInt(6)) {
      case 0: return builder.build(increment(row));
      case 1: return builder.build(append(row));
      case 2: return builder.build(delete(row));
      case 3: return builder.build(mutations(row));
      default: return builder.build(put(row));
    }
  }

  List<Row> batch() throws Exception {
    List<Row> all = new ArrayList<>();
    List<byte[]> rows = new ArrayList<>();
    for (String row : draw.some(Draw.ROWS)) rows.add(Bytes.toBytesBinary(row));
    for (byte[] row : rows) {  // each once: the order within a batch is nobody's promise
      switch (draw.random.nextInt(8)) {
        case 0: all.add(delete(row)); break;
        case 1: all.add(increment(row)); break;
        case 2: all.add(append(row)); break;
        case 3: all.add(mutations(row)); break;
        case 4: all.add(new Get(row).readAllVersions()); break;
        default: all.add(put(row));
      }
    }
    return all;
  }
}
