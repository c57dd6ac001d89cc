package peers;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.HBaseZKTestingUtility;
import org.apache.hadoop.hbase.MiniHBaseCluster;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.StartMiniClusterOption;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.master.MasterFileSystem;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;

/**
 * The server in place of the mini cluster of one HBaseTestingUtility, and what the utility's methods do then. Answers come
 * from the client where it can give them; what remains needs the insides.
 */
public final class Cluster {
  private static final int COMPACTION_SECONDS_MAX = 60;
  private static final Map<HBaseZKTestingUtility, Cluster> clusters =
      Collections.synchronizedMap(new WeakHashMap<>());

  // What HBase's servers load and `bennu serve` has as well, or what changes nothing.
  private static final List<String> KNOWN_CODE = Arrays.asList(
      "org.apache.hadoop.hbase.regionserver.NoOpScanPolicyObserver",
      "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint",
      "org.apache.hadoop.hbase.coprocessor.AggregateImplementation");
  private static final Set<String> serverCode = new ConcurrentSkipListSet<>();
  private static volatile boolean mustWait;

  private final HBaseTestingUtility utility;
  private BennuServer server;
  private MiniHBaseCluster handle;

  private Cluster(HBaseTestingUtility utility) {
    this.utility = utility;
  }

  private static Cluster of(HBaseTestingUtility utility) {
    return clusters.computeIfAbsent(utility, u -> new Cluster((HBaseTestingUtility) u));
  }

  /** Ends the servers that the tests have left. */
  static void endAll() throws IOException {
    for (Cluster cluster : clusters.values().toArray(new Cluster[0])) cluster.discard();
    clusters.clear();
  }

  /** A test asks for a Java class in the server; most of them are none that `bennu serve` has. */
  public static void noteServerCode(Object code) {
    String text = String.valueOf(code);
    for (String known : KNOWN_CODE) text = text.replace(known, "");
    if (!text.contains("org.apache.hadoop.hbase")) return;
    serverCode.add(text.replaceAll("(\\w+\\.)+|^class:?|, *jarPath.*|\\s", ""));
  }

  static void forgetServerCode() {
    serverCode.clear();
  }

  /** To be put behind a message: the classes that the test wants in the server, if any. */
  static String serverCode() {
    return serverCode.isEmpty() ? "" : " {with Java in the server: " + String.join(", ", serverCode) + "}";
  }

  /** A test is about to make cells that may hide later ones of the same millisecond. */
  public static void hides() {
    mustWait = true;
  }

  /**
   * A test is about to write something. A marker hides what is written in its millisecond, and increments and appends are
   * a millisecond newer than the cell before, in HBase as well; the tests count on calls that take longer than that.
   */
  public static void writes() {
    if (!mustWait) return;
    mustWait = false;
    long later = System.currentTimeMillis() + 2;
    while (System.currentTimeMillis() < later) Thread.onSpinWait();
  }

  /** Does what 'method' of HBaseTestingUtility, called with 'arguments', is for; called in its place. */
  static Object call(HBaseZKTestingUtility called, Method method, Object[] arguments) throws Exception {
    if (!(called instanceof HBaseTestingUtility)) throw new NeedsInsides(method.getName());
    Cluster cluster = of((HBaseTestingUtility) called);
    switch (method.getName()) {
      case "startMiniCluster":
      case "startMiniHBaseCluster":
        for (Object argument : arguments) {
          if (argument instanceof Class) noteServerCode(argument);
          if (argument instanceof StartMiniClusterOption) noteServerCode((StartMiniClusterOption) argument);
        }
        return cluster.start();
      case "restartHBaseCluster":
        cluster.stop();
        return cluster.start();
      case "shutdownMiniHBaseCluster":
        cluster.stop();
        return null;
      case "killMiniHBaseCluster":
        cluster.utility.closeConnection();
        if (cluster.server != null) cluster.server.kill();
        return null;
      case "shutdownMiniCluster":
        cluster.discard();
        return null;
      case "getMiniHBaseCluster":
      case "getHBaseCluster":
      case "getHBaseClusterInterface":
        return cluster.handle();
      case "getDefaultRootDirPath":
        if (cluster.server == null) throw new NeedsInsides(method.getName());
        return new Path(cluster.server.root().toUri());
      case "startMiniZKCluster":
      case "getZkCluster":
        return refuser(MiniZooKeeperCluster.class);
      case "getRSForFirstRegionInTable":
        return cluster.regionServer((ServerName) cluster.holder((TableName) arguments[0]));
      case "ensureSomeRegionServersAvailable":
      case "ensureSomeNonStoppedRegionServersAvailable":
        return false;
      // Nothing to do: the server is registry and file system, and has no regions in transition.
      case "startMiniDFSCluster":
      case "shutdownMiniDFSCluster":
      case "startMiniMapReduceCluster":
      case "shutdownMiniMapReduceCluster":
      case "shutdownMiniZKCluster":
      case "waitUntilNoRegionsInTransition":
        return null;
      case "flush":
        cluster.flush(arguments.length == 0 ? null : (TableName) arguments[0]);
        return null;
      case "compact":
        cluster.compact(arguments.length == 1 ? null : (TableName) arguments[0],
            (Boolean) arguments[arguments.length - 1]);
        return null;
      default:
        throw new NeedsInsides(method.getName());
    }
  }

  private static void noteServerCode(StartMiniClusterOption option) {
    if (option.getMasterClass() != null) noteServerCode(option.getMasterClass());
    if (option.getRsClass() != null) noteServerCode(option.getRsClass());
  }

  private void noteServerCode() {
    for (Map.Entry<String, String> property : utility.getConfiguration()) {
      String name = property.getKey();
      if (name.startsWith("hbase.coprocessor.") && name.endsWith("classes")
          || name.matches("hbase\\.(master|regionserver|hregion|rpc\\.server|hregion\\.memstore)\\.(impl|class)")) {
        noteServerCode((Object) property.getValue());
      } else if (!name.startsWith("hbase.client.") && property.getValue().matches("org\\.apache.*Test\\w*\\$\\w+")) {
        noteServerCode((Object) property.getValue());
      }
    }
  }

  private MiniHBaseCluster start() throws IOException, InterruptedException {
    noteServerCode();
    // As a mini cluster, which is started after another one was shut down, makes it again.
    Files.createDirectories(Paths.get(utility.getDataTestDir().toString()));
    if (server == null) server = new BennuServer();
    if (!server.isRunning()) server.start(utility.getConfiguration());
    return handle();
  }

  private void stop() throws IOException {
    utility.closeConnection();
    if (server != null) server.stop();
  }

  private void discard() throws IOException {
    utility.closeConnection();
    if (server != null) server.discard();
    server = null;
    utility.cleanupTestDir();
  }

  private MiniHBaseCluster handle() {
    if (handle == null) {
      handle = Mockito.mock(MiniHBaseCluster.class, Mockito.withSettings().stubOnly().defaultAnswer(
          call -> answer(call.getMethod(), call.getArguments())));
    }
    return handle;
  }

  private static <T> T refuser(Class<T> type) {
    return standIn(type, new HashMap<>());
  }

  /** The answer of one method of a stand-in. */
  private interface Reply {
    Object give(Object[] arguments) throws Exception;
  }

  // An object of HBase's server that knows 'answers' by the names of its methods, and nothing else.
  private static <T> T standIn(Class<T> type, Map<String, Reply> answers) {
    Answer<Object> answer = call -> {
      String name = call.getMethod().getName();
      if (answers.containsKey(name)) return answers.get(name).give(call.getArguments());
      if (name.equals("toString")) return "a stand-in for " + type.getSimpleName();
      throw new NeedsInsides(type.getSimpleName() + "." + name);
    };
    return Mockito.mock(type, Mockito.withSettings().stubOnly().defaultAnswer(answer));
  }

  private HMaster master() {
    Map<String, Reply> files = new HashMap<>();
    files.put("getRootDir", a -> new Path(server.root().toUri()));
    files.put("getWALRootDir", a -> new Path(server.root().toUri()));
    files.put("getFileSystem", a -> utility.getTestFileSystem());
    files.put("getConfiguration", a -> utility.getConfiguration());
    MasterFileSystem fileSystem = standIn(MasterFileSystem.class, files);
    Map<String, Reply> answers = new HashMap<>();
    answers.put("getMasterFileSystem", a -> fileSystem);
    answers.put("getFileSystem", a -> utility.getTestFileSystem());
    answers.put("getConfiguration", a -> utility.getConfiguration());
    answers.put("getServerName", a -> utility.getAdmin().getMaster());
    answers.put("getZooKeeper", a -> utility.getZooKeeperWatcher());
    answers.put("isInitialized", a -> true);
    answers.put("isActiveMaster", a -> true);
    answers.put("balanceSwitch", a -> utility.getAdmin().balancerSwitch((Boolean) a[0], true));
    return standIn(HMaster.class, answers);
  }

  private HRegionServer regionServer(ServerName name) {
    Map<String, Reply> answers = new HashMap<>();
    answers.put("getServerName", a -> name);
    answers.put("getConfiguration", a -> utility.getConfiguration());
    answers.put("isOnline", a -> true);
    return standIn(HRegionServer.class, answers);
  }

  private Object answer(Method method, Object[] arguments) throws Exception {
    Configuration configuration = utility.getConfiguration();
    switch (method.getName()) {
      case "toString":
        return "the server in place of a mini cluster";
      case "getConf":
      case "getConfiguration":
        return configuration;
      // Then the utility asks the client where regions are, not the master's object.
      case "isDistributedCluster":
        return true;
      case "waitForActiveAndReadyMaster":
        return true;
      case "getNumLiveRegionServers":
        return 1;
      case "getClusterMetrics":
      case "getInitialClusterMetrics":
        return utility.getAdmin().getClusterMetrics();
      case "getMaster":
        if (arguments.length > 0) throw new NeedsInsides("a second master");
        return master();
      case "getRegionServer":
        if (!Integer.valueOf(0).equals(arguments[0])) throw new NeedsInsides("another region server");
        return regionServer((ServerName) holder(TableName.META_TABLE_NAME));
      case "getServerHoldingMeta":
        return holder(TableName.META_TABLE_NAME);
      case "getServerHoldingRegion":
        return holder((TableName) arguments[0]);
      case "flushcache":
        flush(arguments.length == 0 ? null : (TableName) arguments[0]);
        return null;
      case "compact":
        compact(arguments.length == 1 ? null : (TableName) arguments[0], (Boolean) arguments[arguments.length - 1]);
        return null;
      case "shutdown":
      case "close":
        stop();
        return null;
      default:
        throw new NeedsInsides("MiniHBaseCluster." + method.getName());
    }
  }

  private Object holder(TableName table) throws IOException {
    try (RegionLocator regions = utility.getConnection().getRegionLocator(table)) {
      return regions.getRegionLocation(new byte[0]).getServerName();
    }
  }

  private Iterable<TableName> named(TableName table) throws IOException {
    if (table != null) return Collections.singleton(table);
    return Arrays.asList(utility.getAdmin().listTableNames());
  }

  private void flush(TableName table) throws IOException {
    for (TableName name : named(table)) utility.getAdmin().flush(name);
  }

  // The utility's own compaction is over when it returns.
  private void compact(TableName table, boolean major) throws IOException, InterruptedException {
    Admin admin = utility.getAdmin();
    for (TableName name : named(table)) {
      if (major) admin.majorCompact(name); else admin.compact(name);
      for (int i = 0; admin.getCompactionState(name) != CompactionState.NONE; i++) {
        if (i > COMPACTION_SECONDS_MAX * 20) throw new IOException(name + " is still compacted");
        Thread.sleep(50);
      }
    }
  }
}
