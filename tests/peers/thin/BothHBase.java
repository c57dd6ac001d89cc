import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The half of HBase's unmodified client in a test with two clients on one table; see BothThin.
 *
 * <p>BothHBase ROUNDS
 */
public class BothHBase {
  private static final int ROWS = 5;  // of its own in a round
  private static final int SHARED = 10;
  private static final long PATIENCE_MILLIS = 60_000;
  private static final byte[] FAMILY = Bytes.toBytes("0");

  /** A column of SQL, and the cell by which Phoenix knows that the row is there. */
  private static Put put(String row, String... columns) {
    Put put = new Put(Bytes.toBytes(row)).addColumn(FAMILY, Bytes.toBytes("_0"), Bytes.toBytes("x"));
    for (int i = 0; i < columns.length; i += 2) {
      put.addColumn(FAMILY, Bytes.toBytes(columns[i]), Bytes.toBytes(columns[i + 1]));
    }
    return put;
  }

  private static String text(Result row, String column) {
    byte[] value = row.getValue(FAMILY, Bytes.toBytes(column));
    return value == null ? "null" : Bytes.toString(value);
  }

  private static void await(Table table, String row, String expected) throws Exception {
    long end = System.currentTimeMillis() + PATIENCE_MILLIS;
    String seen = null;
    while (System.currentTimeMillis() < end) {
      seen = text(table.get(new Get(Bytes.toBytes(row))), "A");
      if (expected.equals(seen)) return;
    }
    throw new IllegalStateException(row + " has " + seen + " in place of " + expected);
  }

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    Configuration configuration = HBaseConfiguration.create();
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Table table = connection.getTable(TableName.valueOf("BOTH"))) {
      for (int i = 0; i < rounds; ++i) {
        table.incrementColumnValue(Bytes.toBytes("counter"), FAMILY, Bytes.toBytes("N"), 1);
        table.put(put("shared" + i % SHARED, "A", "hbase" + i));
        for (int row = 0; row < ROWS; ++row) {
          table.put(put(String.format("hbase%03d.%d", i, row), "A", String.format("a.hbase%d.%d", i, row),
              "B", "b" + i));
        }
        await(table, String.format("thin%03d.%d", i, ROWS - 1), String.format("a.thin%d.%d", i, ROWS - 1));
      }
      try (ResultScanner rows = table.getScanner(new Scan().addFamily(FAMILY))) {
        for (Result row : rows) {
          byte[] number = row.getValue(FAMILY, Bytes.toBytes("N"));
          System.out.println(Bytes.toString(row.getRow()) + " " + text(row, "A") + " " + text(row, "B") + " "
              + (number == null ? "null" : Bytes.toLong(number)));
        }
      }
    }
  }
}
