import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/**
 * The half of Phoenix's thin driver in a test with two clients on one table; BothHBase is the other.
 * In each round it writes rows of its own, a column of a row that both have, and one more than the
 * counter that both count; then it waits until it sees what the other one wrote in this round, by the
 * key and by the index. Prints all rows at the end.
 *
 * <p>BothThin URL ROUNDS
 */
public class BothThin {
  private static final int ROWS = 5;  // of its own in a round
  private static final int SHARED = 10;
  private static final long PATIENCE_MILLIS = 60_000;

  private static void await(PreparedStatement query, String parameter, String expected) throws Exception {
    long end = System.currentTimeMillis() + PATIENCE_MILLIS;
    String seen = null;
    while (System.currentTimeMillis() < end) {
      query.setString(1, parameter);
      try (ResultSet rows = query.executeQuery()) {
        seen = rows.next() ? rows.getString(1) : null;
      }
      if (expected.equals(seen)) return;
    }
    throw new IllegalStateException(parameter + " gives " + seen + " in place of " + expected);
  }

  public static void main(String[] args) throws Exception {
    Class.forName("org.apache.phoenix.queryserver.client.Driver");
    int rounds = Integer.parseInt(args[1]);
    try (Connection c = DriverManager.getConnection(args[0]); Statement s = c.createStatement()) {
      c.setAutoCommit(true);
      try (PreparedStatement own = c.prepareStatement("UPSERT INTO BOTH (K, A, B) VALUES (?, ?, ?)");
          PreparedStatement shared = c.prepareStatement("UPSERT INTO BOTH (K, B) VALUES (?, ?)");
          PreparedStatement byKey = c.prepareStatement("SELECT A FROM BOTH WHERE K = ?");
          PreparedStatement byIndex = c.prepareStatement("SELECT K FROM BOTH WHERE A = ?")) {
        for (int i = 0; i < rounds; ++i) {
          s.executeUpdate("UPSERT INTO BOTH (K, N) VALUES ('counter', 0) ON DUPLICATE KEY UPDATE N = N + 1");
          shared.setString(1, String.format("shared%d", i % SHARED));
          shared.setString(2, "thin" + i);
          shared.executeUpdate();
          // The last of a round tells the other client that the round is written.
          for (int row = 0; row < ROWS; ++row) {
            own.setString(1, String.format("thin%03d.%d", i, row));
            own.setString(2, String.format("a.thin%d.%d", i, row));
            own.setString(3, "b" + i);
            own.executeUpdate();
          }
          String last = String.format("hbase%03d.%d", i, ROWS - 1);
          String value = String.format("a.hbase%d.%d", i, ROWS - 1);
          await(byKey, last, value);
          await(byIndex, value, last);
        }
      }
      try (ResultSet rows = s.executeQuery("SELECT K, A, B, N FROM BOTH ORDER BY K")) {
        while (rows.next()) {
          System.out.println(rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3) + " "
              + rows.getObject(4));
        }
      }
    }
  }
}
