import java.io.*;
import java.nio.file.*;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

/** Writes rows and notes those that were acknowledged; later verifies that they are all there. */
public class ClientKill {
  private static final TableName NAME = TableName.valueOf("killed");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COUNTER = Bytes.toBytes("counter");
  private static final int ROWS = 1000;

  private static void write(Connection connection, String file) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(NAME)) {
        admin.createTable(TableDescriptorBuilder.newBuilder(NAME)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
      }
    }
    try (Table table = connection.getTable(NAME); PrintWriter notes = new PrintWriter(new FileWriter(file), true)) {
      for (int i = 0; i < ROWS; i++) {
        byte[] row = Bytes.toBytes("row" + i);
        table.put(new Put(row).addColumn(FAMILY, FAMILY, Bytes.toBytes(i)));
        table.incrementColumnValue(COUNTER, FAMILY, FAMILY, 1);
        notes.println(i);
      }
    }
  }

  private static void verify(Connection connection, String file) throws Exception {
    List<String> acknowledged = Files.readAllLines(Paths.get(file));
    int missing = 0;
    try (Table table = connection.getTable(NAME)) {
      for (String line : acknowledged) {
        int i = Integer.parseInt(line);
        Result result = table.get(new Get(Bytes.toBytes("row" + i)));
        if (result.isEmpty() || Bytes.toInt(result.getValue(FAMILY, FAMILY)) != i) ++missing;
      }
      long count = Bytes.toLong(table.get(new Get(COUNTER)).getValue(FAMILY, FAMILY));
      // The call that the kill interrupted may have counted, and is then counted by its repetition:
      // the server that knew its nonce is gone, as with HBase.
      if (count < acknowledged.size() || count > acknowledged.size() + 1) {
        System.out.println("FAILED the counter is " + count + " after " + acknowledged.size());
        System.exit(1);
      }
    }
    System.out.println(acknowledged.size() + " rows acknowledged, " + missing + " missing");
    if (missing > 0) System.exit(1);
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hbase.client.pause", 100);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      if (args[0].equals("write")) {
        write(connection, args[1]);
      } else {
        verify(connection, args[1]);
      }
    }
  }
}
