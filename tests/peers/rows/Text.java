// How steps and answers are told. Times are those relative to the case's; "server" is one that a server gave.
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;

class Text {
  private static final Pattern MILLIS = Pattern.compile("\\b\\d{13}\\b");
  private final long now;

  Text(long now) { this.now = now; }

  private String time(long time) {
    if (time == HConstants.LATEST_TIMESTAMP) return "latest";
    return time >= now ? "server" : time < 1000 ? "" + time : "" + (time - now);
  }

  private void cell(Cell cell, StringBuilder all) {
    all.append(' ').append(Bytes.toStringBinary(CellUtil.cloneRow(cell))).append('/')
        .append(Bytes.toStringBinary(CellUtil.cloneFamily(cell))).append(':')
        .append(Bytes.toStringBinary(CellUtil.cloneQualifier(cell))).append('@').append(time(cell.getTimestamp()))
        .append(cell.getType() == Cell.Type.Put ? "" : "!" + cell.getType()).append('=')
        .append(cell.getValueLength() > 20 ? cell.getValueLength() + " bytes"
            : Bytes.toStringBinary(CellUtil.cloneValue(cell)));
  }

  String of(Result result) {
    if (result == null) return "nothing";
    if (result.getExists() != null) return "exists=" + result.getExists();
    StringBuilder all = new StringBuilder();
    if (result.rawCells() != null) {
      for (Cell cell : result.rawCells()) cell(cell, all);
    }
    return "[" + all.toString().trim() + "]";
  }

  String of(Row action) {
    if (action instanceof RowMutations) {
      List<String> all = new ArrayList<>();
      for (Mutation each : ((RowMutations) action).getMutations()) all.add(of(each));
      return "mutations(" + String.join("; ", all) + ")";
    }
    if (action instanceof Get) return relative(action.toString());
    Mutation mutation = (Mutation) action;
    StringBuilder all = new StringBuilder(mutation.getClass().getSimpleName());
    all.append(' ').append(Bytes.toStringBinary(mutation.getRow()));
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      for (Cell cell : cells) cell(cell, all);
    }
    if (mutation.getFamilyCellMap().isEmpty()) all.append(" @").append(time(mutation.getTimestamp()));
    if (mutation.getTTL() != Long.MAX_VALUE) all.append(" ttl ").append(mutation.getTTL());
    if (mutation instanceof Increment) all.append(' ').append(relative(((Increment) mutation).getTimeRange().toString()));
    if (mutation instanceof Append) all.append(' ').append(relative(((Append) mutation).getTimeRange().toString()));
    return all.toString();
  }

  String of(CheckAndMutate check) {
    String condition = check.hasFilter() ? of(check.getFilter())
        : Bytes.toStringBinary(check.getFamily()) + ":" + Bytes.toStringBinary(check.getQualifier()) + " "
            + check.getCompareOp() + " " + (check.getValue() == null ? "null" : Bytes.toStringBinary(check.getValue()));
    return "check " + condition + " " + relative(String.valueOf(check.getTimeRange())) + " then " + of(check.getAction());
  }

  String of(Scan scan) {
    return (scan.isRaw() ? "raw " : "") + relative(scan.toString()) + " " + of(scan.getFilter());
  }
  String of(Get get) { return relative(get.toString()) + " " + of(get.getFilter()); }

  // Some kinds do not tell all of what they are by themselves.
  String of(Filter filter) {
    if (filter == null) return "";
    if (filter instanceof FilterList) {
      List<String> all = new ArrayList<>();
      for (Filter each : ((FilterList) filter).getFilters()) all.add(of(each));
      return ((FilterList) filter).getOperator() + "(" + String.join("; ", all) + ")";
    }
    if (filter instanceof SkipFilter) return "SKIP " + of(((SkipFilter) filter).getFilter());
    if (filter instanceof WhileMatchFilter) return "WHILE " + of(((WhileMatchFilter) filter).getFilter());
    if (filter instanceof MultiRowRangeFilter) return "ranges " + ((MultiRowRangeFilter) filter).getRowRanges();
    String text = relative(filter.toString());
    if (filter instanceof CompareFilter && ((CompareFilter) filter).getComparator() != null) {
      text += " " + ((CompareFilter) filter).getComparator().getClass().getSimpleName();
    }
    if (filter instanceof SingleColumnValueFilter) {
      SingleColumnValueFilter single = (SingleColumnValueFilter) filter;
      text += " " + single.getComparator().getClass().getSimpleName() + " missing=" + single.getFilterIfMissing()
          + " latest=" + single.getLatestVersionOnly();
    }
    if (filter instanceof ColumnValueFilter) {
      text += " " + ((ColumnValueFilter) filter).getComparator().getClass().getSimpleName();
    }
    return text;
  }

  private String relative(String text) {
    return MILLIS.matcher(text).replaceAll(found -> time(Long.parseLong(found.group())));
  }
}
