import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.hadoop.hbase.master.HMaster;

/**
 * Loads the classes that servers and clients use, for an archive of them that is written when this process ends: starts a
 * server in the process and runs a few statements against it.
 */
public class Warm {
  public static void main(String[] args) throws Exception {
    Thread server = new Thread(() -> HMaster.main(new String[] {"start"}), "server");
    server.setDaemon(true);
    server.start();
    int status = 1;
    try (Connection connection = connect(); Statement statement = connection.createStatement()) {
      connection.setAutoCommit(true);
      statement.execute("CREATE TABLE WARM (K BIGINT PRIMARY KEY, A VARCHAR, B DECIMAL) SALT_BUCKETS=2");
      statement.execute("CREATE INDEX WARM_A ON WARM (A) INCLUDE (B)");
      statement.execute("UPSERT INTO WARM VALUES (1, 'a', 1.5)");
      statement.execute("UPSERT INTO WARM SELECT K + 1, A, B FROM WARM");
      String[] queries = {
        "SELECT A, COUNT(*), SUM(B) FROM WARM GROUP BY A ORDER BY 2 DESC LIMIT 3",
        "SELECT * FROM WARM WHERE A = 'a'",
        "SELECT X.K FROM WARM X JOIN WARM Y ON X.K = Y.K WHERE X.B > 1",
      };
      for (String query : queries) {
        try (ResultSet rows = statement.executeQuery(query)) {
          while (rows.next()) {
            rows.getObject(1);
          }
        }
      }
      statement.execute("DROP TABLE WARM");
      status = 0;
    } catch (SQLException e) {
      e.printStackTrace();
    }
    // The server's own end would take long, and its data are thrown away.
    Runtime.getRuntime().halt(status);
  }

  /** The server needs some seconds until it takes connections. */
  private static Connection connect() throws Exception {
    for (int attempt = 1;; ++attempt) {
      try {
        return DriverManager.getConnection(System.getProperty("peer.url"));
      } catch (SQLException e) {
        if (attempt == 20) {
          throw e;
        }
        Thread.sleep(1000);
      }
    }
  }
}
