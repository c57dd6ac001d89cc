// Filters and comparators of every kind that HBase comes with, in lists and wrapped.
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

class Filters {
  private final Draw draw;
  private final String[] families;
  private boolean withFuzzy;

  Filters(Draw draw, String[] families) {
    this.draw = draw;
    this.families = families;
  }

  private byte[] family() { return Bytes.toBytes(draw.of(families)); }

  // All but NO_OP, with which filters of a column's value and conditions fail in HBase.
  private CompareOperator operator() { return CompareOperator.values()[draw.random.nextInt(6)]; }

  private CompareOperator equality() {
    return draw.oneIn(2) ? CompareOperator.EQUAL : CompareOperator.NOT_EQUAL;
  }

  ByteArrayComparable comparator(byte[] example) {
    // Not BinaryComponentComparator: in HBase it reads on behind a value that is too short.
    switch (draw.random.nextInt(9)) {
      case 0: return new BinaryPrefixComparator(Arrays.copyOf(example, Math.min(1, example.length)));
      case 1: return new SubstringComparator(draw.of(new String[] {"b", "1", "V", "ab"}));
      case 2: return new RegexStringComparator(draw.of(new String[] {"^[a-c]", "b$", "^.{2}$", "(?i)V", "^$", "1|2"}));
      case 3: return new NullComparator();
      case 4: return new BitComparator(example, draw.of(BitComparator.BitwiseOp.values()));
      default: return new BinaryComparator(example);
    }
  }

  private Filter comparison(CompareOperator operator, byte[] example, int kind) {
    ByteArrayComparable comparator = comparator(example);
    // Those that know no order are asked for equality alone, as the shell's language demands.
    if (comparator instanceof SubstringComparator || comparator instanceof RegexStringComparator
        || comparator instanceof BitComparator || comparator instanceof NullComparator) {
      operator = equality();
    }
    switch (kind) {
      case 0: return new RowFilter(operator, comparator);
      case 1: return new FamilyFilter(operator, comparator);
      case 2: return new QualifierFilter(operator, comparator);
      case 3: return new ValueFilter(operator, comparator);
      case 4: return new ColumnValueFilter(family(), draw.qualifier(), operator, comparator);
      case 5: {
        SingleColumnValueFilter filter =
            new SingleColumnValueFilter(family(), draw.qualifier(), operator, comparator);
        filter.setFilterIfMissing(draw.oneIn(2));
        filter.setLatestVersionOnly(draw.oneIn(2));
        return filter;
      }
      case 6: {
        SingleColumnValueExcludeFilter filter =
            new SingleColumnValueExcludeFilter(family(), draw.qualifier(), operator, comparator);
        filter.setFilterIfMissing(draw.oneIn(2));
        return filter;
      }
      default:
        return draw.oneIn(2)
            ? new DependentColumnFilter(family(), draw.qualifier(), draw.oneIn(2))
            : new DependentColumnFilter(family(), draw.qualifier(), draw.oneIn(2), operator, comparator);
    }
  }

  private Filter fuzzy() {
    List<Pair<byte[], byte[]>> keys = new ArrayList<>();
    for (int i = draw.upTo(1); i >= 0; i--) {
      byte[] key = draw.row();
      byte[] mask = new byte[key.length];
      for (int at = 0; at < mask.length; at++) mask[at] = (byte) draw.random.nextInt(2);
      keys.add(new Pair<>(key, mask));
    }
    return new FuzzyRowFilter(keys);
  }

  private Filter ranges() {
    List<MultiRowRangeFilter.RowRange> ranges = new ArrayList<>();
    for (int i = draw.upTo(2); i >= 0; i--) {
      byte[] one = draw.row();
      byte[] other = draw.row();
      int order = Bytes.compareTo(one, other);
      boolean ends = draw.oneIn(2) || order == 0;
      ranges.add(new MultiRowRangeFilter.RowRange(order > 0 ? other : one, ends, order > 0 ? one : other, ends));
    }
    return new MultiRowRangeFilter(ranges);
  }

  // 'wrapped': within a SkipFilter or WhileMatchFilter, where HBase fails over ranges.
  private Filter leaf(boolean wrapped) {
    switch (draw.random.nextInt(24)) {
      case 0: return new PrefixFilter(Bytes.toBytes(draw.of(new String[] {"a", "b", "e", "e2", "x"})));
      case 1: return new ColumnPrefixFilter(Bytes.toBytes(draw.of(new String[] {"a", "b", "q", "x"})));
      case 2: return new MultipleColumnPrefixFilter(
          new byte[][] {Bytes.toBytes("q"), Bytes.toBytes(draw.of(new String[] {"a", "ab", "c"}))});
      case 3: return new ColumnRangeFilter(draw.oneIn(4) ? null : draw.qualifier(), draw.oneIn(2),
          draw.oneIn(4) ? null : draw.qualifier(), draw.oneIn(2));
      case 4: return new ColumnCountGetFilter(1 + draw.upTo(3));
      case 5: return draw.oneIn(2) ? new ColumnPaginationFilter(1 + draw.upTo(2), draw.upTo(3))
          : new ColumnPaginationFilter(1 + draw.upTo(2), draw.qualifier());
      case 6: return new PageFilter(1 + draw.upTo(4));
      case 7: return new FirstKeyOnlyFilter();
      case 8: return new KeyOnlyFilter(draw.oneIn(2));
      case 9: return new InclusiveStopFilter(draw.row());
      case 10: return new TimestampsFilter(Arrays.asList(draw.time(), draw.time(), draw.time()));
      case 11: return new RandomRowFilter(draw.oneIn(2) ? 2f : -1f);
      case 12: return withFuzzy ? fuzzy() : new InclusiveStopFilter(draw.row());
      case 13: return wrapped ? new PageFilter(2) : ranges();
      case 14: return new FirstKeyValueMatchingQualifiersFilter(
          new java.util.TreeSet<byte[]>(Bytes.BYTES_COMPARATOR) {{ add(Bytes.toBytes("a")); add(Bytes.toBytes("q1")); }});
      default: {
        int kind = draw.random.nextInt(8);
        byte[] example = kind == 0 ? draw.row() : kind == 1 ? family() : kind == 2 ? draw.qualifier() : draw.value();
        return comparison(operator(), example, kind);
      }
    }
  }

  Filter filter(int depth, boolean fuzzy) {
    withFuzzy = fuzzy;
    return filter(depth, 0);
  }

  private Filter filter(int depth, int wrappers) {
    if (depth > 0 && draw.oneIn(3)) {
      FilterList list = new FilterList(
          draw.oneIn(2) ? FilterList.Operator.MUST_PASS_ALL : FilterList.Operator.MUST_PASS_ONE);
      for (int i = 1 + draw.upTo(2); i > 0; i--) list.addFilter(filter(depth - 1, wrappers));
      return list;
    }
    if (depth > 0 && draw.oneIn(8)) return new SkipFilter(filter(depth - 1, wrappers + 1));
    if (depth > 0 && draw.oneIn(8)) return new WhileMatchFilter(filter(depth - 1, wrappers + 1));
    return leaf(wrappers > 0);
  }
}
