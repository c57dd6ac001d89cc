// What the unmodified Java client is answered, one line for each question: asked of HBase and of
// `bennu serve`, the lines must be alike. Nothing in them depends on the time, the machine or chance.
//   ClientAnswers ZOOKEEPER-PORT
import com.google.protobuf.ServiceException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.client.coprocessor.AggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.BigDecimalColumnInterpreter;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.protobuf.generated.ClientProtos.Condition;
import org.apache.hadoop.hbase.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MultiRowMutationService;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MutateRowsRequest;
import org.apache.hadoop.hbase.quotas.*;
import org.apache.hadoop.hbase.replication.*;
import org.apache.hadoop.hbase.security.access.*;
import org.apache.hadoop.hbase.security.visibility.*;
import org.apache.hadoop.hbase.util.Bytes;

public class ClientAnswers {
  static final TableName NAME = TableName.valueOf("answers");

  static byte[] b(String text) { return Bytes.toBytes(text); }

  static void ask(String what, Callable<Object> question) {
    String answer;
    try {
      answer = String.valueOf(question.call());
    } catch (Throwable e) {
      Throwable cause = e;
      while ((cause instanceof java.util.concurrent.ExecutionException
              || cause instanceof java.io.UncheckedIOException
              || cause instanceof RetriesExhaustedWithDetailsException)
          && cause.getCause() != null) {
        cause = cause.getCause();
      }
      answer = cause.getClass().getSimpleName();
    }
    System.out.println("answer " + what + ": " + answer);
  }

  static String text(Result result) {
    StringBuilder all = new StringBuilder();
    for (Cell cell : result.listCells() == null ? Collections.<Cell>emptyList() : result.listCells()) {
      all.append(Bytes.toStringBinary(CellUtil.cloneRow(cell))).append('/');
      all.append(Bytes.toStringBinary(CellUtil.cloneFamily(cell))).append(':');
      all.append(Bytes.toStringBinary(CellUtil.cloneQualifier(cell))).append('=');
      all.append(Bytes.toStringBinary(CellUtil.cloneValue(cell))).append(' ');
    }
    return "[" + all.toString().trim() + "]";
  }

  static String rows(Table table, Scan scan) throws Exception {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) rows.add(Bytes.toString(result.getRow()));
    }
    return rows.toString();
  }

  static Get get(String row) { return new Get(b(row)); }
  static Put put(String row, String value) {
    return new Put(b(row)).addColumn(b("f"), b("q"), b(value));
  }

  /** What the master knows of changes that have ended: in their order, and how. */
  static void procedures(Admin admin) throws Exception {
    TableName name = TableName.valueOf("procedures");
    TableDescriptor table = TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build();
    long begin = System.currentTimeMillis();
    ask("a creation", () -> { admin.createTable(table); return "done"; });
    ask("a second creation", () -> { admin.createTable(table); return "done"; });
    ask("a second one, to be asked after",
        () -> { admin.createTableAsync(table).get(30, TimeUnit.SECONDS); return "done"; });
    ask("a deletion while enabled", () -> { admin.deleteTable(name); return "done"; });
    ask("an alteration", () -> {
      admin.modifyTable(TableDescriptorBuilder.newBuilder(table)
          .setValue("SOMETHING", "else").build());
      return "done";
    });
    ask("a disabling", () -> { admin.disableTable(name); return "done"; });
    ask("a truncation", () -> { admin.truncateTable(name, false); return "done"; });
    ask("a second enabling", () -> { admin.enableTable(name); return "done"; });
    ask("a second namespace", () -> {
      admin.createNamespace(NamespaceDescriptor.create("default").build());
      return "done";
    });
    admin.disableTable(name);
    admin.deleteTable(name);
    ask("procedures", () -> {
      Map<Long, String> ended = new TreeMap<>();
      Pattern outer = Pattern.compile("\\{\"className\":\"[^\"]*\\.(\\w+)\",\"procId\":\"(\\d+)\","
          + "\"submittedTime\":\"(\\d+)\",\"owner\":\"(\\w+)\",\"state\":\"(\\w+)\"");
      Pattern inner = Pattern.compile("\"source\":\"([^\"]*)\",\"genericException\":\\{\"className\":\"([^\"]*)\"");
      String all = admin.getProcedures();
      Matcher one = outer.matcher(all);
      List<Integer> starts = new ArrayList<>();
      while (one.find()) starts.add(one.start());
      starts.add(all.length());
      for (int i = 0; i + 1 < starts.size(); ++i) {
        String text = all.substring(starts.get(i), starts.get(i + 1));
        Matcher of = outer.matcher(text);
        of.find();
        if (Long.parseLong(of.group(3)) < begin) continue;
        Matcher error = inner.matcher(text);
        ended.put(Long.parseLong(of.group(2)), of.group(1) + " " + of.group(5) + " "
            + of.group(4).equals(System.getProperty("user.name"))
            + (error.find() ? " " + error.group(1) + " " + error.group(2) : ""));
      }
      return ended.values();
    });
  }

  static void data(Table table) throws Exception {
    ask("increment without result", () -> text(table.increment(
        new Increment(b("inc")).addColumn(b("f"), b("n"), 7).setReturnResults(false))));
    ask("it counted", () -> Bytes.toLong(table.get(get("inc")).getValue(b("f"), b("n"))));
    ask("append without result", () -> text(table.append(
        new Append(b("app")).addColumn(b("f"), b("q"), b("x")).setReturnResults(false))));
    ask("it was appended", () -> text(table.get(get("app"))));
    ask("increment of nothing", () -> table.increment(new Increment(b("inc"))));
    ask("a cell's time to live", () -> {
      table.put(put("ttl", "short").setTTL(1500));
      table.put(put("ttl2", "long").setTTL(3600_000));
      return text(table.get(get("ttl"))) + text(table.get(get("ttl2")));
    });
    ask("once it is over", () -> {
      Thread.sleep(2500);
      return text(table.get(get("ttl"))) + text(table.get(get("ttl2")))
          + rows(table, new Scan().setStartStopRowForPrefixScan(b("ttl")));
    });
    ask("a counter with a time to live", () -> {
      Result result = table.increment(
          new Increment(b("ttl3")).addColumn(b("f"), b("n"), 1).setTTL(1000));
      Thread.sleep(2000);
      return result.size() + text(table.get(get("ttl3")));
    });
    ask("an access list", () -> {
      table.put(put("acl", "v").setACL("bob", new Permission(Permission.Action.READ)));
      return text(table.get(get("acl")));
    });
    ask("a label", () -> {
      table.put(put("label", "v").setCellVisibility(new CellVisibility("secret")));
      return text(table.get(get("label")));
    });
    ask("authorizations", () -> text(table.get(get("acl").setAuthorizations(new Authorizations("a")))));
    ask("attributes, an id and a priority", () -> {
      Put put = put("attributes", "v");
      put.setAttribute("mine", b("x"));
      put.setId("a-name").setPriority(HConstants.HIGH_QOS);
      table.put(put);
      return text(table.get(get("attributes")));
    });
    ask("a put without log", () -> {
      table.put(put("nolog", "v").setDurability(Durability.SKIP_WAL));
      return text(table.get(get("nolog")));
    });
    ask("an empty put", () -> { table.put(new Put(b("empty"))); return "taken"; });
    ask("a put of no family", () -> {
      table.put(new Put(b("r")).addColumn(b("none"), b("q"), b("v")));
      return "taken";
    });
    ask("a get of no family", () -> table.get(get("r").addFamily(b("none"))));
    ask("a delete of a later time", () -> {
      table.put(new Put(b("time")).addColumn(b("f"), b("q"), 100, b("v")));
      table.delete(new Delete(b("time"), 50));
      String before = text(table.get(get("time")));
      table.delete(new Delete(b("time"), 100));
      return before + text(table.get(get("time")));
    });
    ask("check, then several", () -> {
      CheckAndMutateResult result = table.checkAndMutate(
          CheckAndMutate.newBuilder(b("inc")).ifNotExists(b("f"), b("absent"))
              .build(new RowMutations(b("inc")).add((Mutation) new Put(b("inc"))
                  .addColumn(b("f"), b("p"), b("v"))).add(new Increment(b("inc"))
                  .addColumn(b("f"), b("n"), 3))));
      return result.isSuccess() + text(result.getResult());
    });
    ask("a check of no family", () -> table.checkAndMutate(CheckAndMutate.newBuilder(b("acl"))
        .ifNotExists(b("none"), b("q")).build(put("acl", "x"))).isSuccess());
    ask("checks in a list", () -> {
      List<String> answers = new ArrayList<>();
      for (CheckAndMutateResult result : table.checkAndMutate(Arrays.asList(
          CheckAndMutate.newBuilder(b("acl")).ifEquals(b("f"), b("q"), b("v")).build(put("acl", "w")),
          CheckAndMutate.newBuilder(b("acl")).ifEquals(b("f"), b("q"), b("v")).build(put("acl", "x")),
          CheckAndMutate.newBuilder(b("acl"))
              .ifMatches(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("w"))))
              .build(new Delete(b("acl")))))) {
        answers.add(String.valueOf(result.isSuccess()));
      }
      return answers + text(table.get(get("acl")));
    });
    ask("a batch of all kinds", () -> {
      Object[] results = new Object[4];
      table.batch(Arrays.asList(put("batch", "v"), get("inc"), new Delete(b("label")),
          new Append(b("app")).addColumn(b("f"), b("q"), b("y"))), results);
      return ((Result) results[0]).isEmpty() + text((Result) results[1])
          + ((Result) results[2]).isEmpty() + text((Result) results[3]);
    });
    ask("exists of several", () -> Arrays.toString(table.exists(Arrays.asList(get("inc"), get("no")))));
    ask("bad row mutations", () -> {
      RowMutations mutations = new RowMutations(b("r"));
      mutations.add((Mutation) new Put(b("r")).addColumn(b("none"), b("q"), b("v")));
      return table.mutateRow(mutations);
    });
  }

  @SuppressWarnings("deprecation")
  static void scans(Table table) throws Exception {
    for (int i = 0; i < 30; ++i) table.put(put(String.format("s%02d", i), "v" + i));
    Scan prefix = new Scan().setStartStopRowForPrefixScan(b("s"));
    ask("a small scan", () -> rows(table, new Scan(prefix).setSmall(true).setCaching(4)));
    ask("a small reversed scan", () -> rows(table, new Scan().withStartRow(b("s05"))
        .withStopRow(b("s01")).setReversed(true).setSmall(true)));
    ask("by position", () -> rows(table, new Scan(prefix).setReadType(Scan.ReadType.PREAD).setLimit(3)));
    ask("as a stream", () -> rows(table, new Scan(prefix).setReadType(Scan.ReadType.STREAM).setLimit(3)));
    ask("one row", () -> rows(table, new Scan(prefix).setOneRowLimit()));
    ask("with cursors", () -> rows(table, new Scan(prefix).setNeedCursorResult(true).setLimit(4)));
    ask("what a scan counted", () -> {
      Scan scan = new Scan(prefix).setScanMetricsEnabled(true).setFilter(
          new ValueFilter(CompareOperator.EQUAL, new SubstringComparator("v1")));
      try (ResultScanner scanner = table.getScanner(scan)) {
        int rows = 0;
        for (Result result : scanner) ++rows;
        ScanMetrics metrics = scanner.getScanMetrics();
        return rows + " of " + metrics.countOfRowsScanned + ", filtered " + metrics.countOfRowsFiltered
            + ", regions " + metrics.countOfRegions;
      }
    });
    ask("what a scan counted of deleted rows", () -> {
      for (int i = 0; i < 5; ++i) table.put(put("gone" + i, "v"));
      for (int i = 1; i < 4; ++i) table.delete(new Delete(b("gone" + i)));
      Scan scan = new Scan().setStartStopRowForPrefixScan(b("gone")).setScanMetricsEnabled(true);
      try (ResultScanner scanner = table.getScanner(scan)) {
        int rows = 0;
        for (Result result : scanner) ++rows;
        ScanMetrics metrics = scanner.getScanMetrics();
        return rows + " of " + metrics.countOfRowsScanned + ", filtered " + metrics.countOfRowsFiltered;
      }
    });
    ask("a scan of no family", () -> rows(table, new Scan().addFamily(b("none"))));
    ask("authorizations of a scan", () -> rows(table,
        new Scan(prefix).setLimit(1).setAuthorizations(new Authorizations("a"))));
    ask("columns and versions", () -> {
      table.put(new Put(b("v")).addColumn(b("f"), b("q"), 1, b("a")));
      table.put(new Put(b("v")).addColumn(b("f"), b("q"), 2, b("b")));
      table.put(new Put(b("v")).addColumn(b("f"), b("q"), 3, b("c")));
      table.put(new Put(b("v")).addColumn(b("f"), b("q"), 4, b("d")));
      return text(table.get(get("v").readVersions(9))) + text(table.get(get("v").setTimeRange(1, 3)))
          + text(table.get(get("v").setTimestamp(2))) + text(table.get(get("v").readAllVersions()
              .setMaxResultsPerColumnFamily(1).setRowOffsetPerColumnFamily(1)));
    });
  }

  static void places(Connection connection) throws Exception {
    try (RegionLocator locator = connection.getRegionLocator(NAME)) {
      ask("start keys", () -> Bytes.toStringBinary(Bytes.add(locator.getStartKeys()[1], b("|"),
          locator.getEndKeys()[0])));
      ask("locations", () -> locator.getAllRegionLocations().size());
      ask("a row's region", () -> Bytes.toString(
          locator.getRegionLocation(b("x"), true).getRegion().getStartKey()));
      ask("its replicas", () -> locator.getRegionLocations(b("x")).size());
    }
  }

  static Set<String> names(Iterable<TableDescriptor> tables) {
    Set<String> names = new TreeSet<>();
    for (TableDescriptor table : tables) names.add(table.getTableName().getNameAsString());
    return names;
  }

  static void lists(Admin admin) throws Exception {
    admin.createNamespace(NamespaceDescriptor.create("space").addConfiguration("k", "v").build());
    for (String name : new String[] {"space:one", "space:two", "other"}) {
      admin.createTable(TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build());
    }
    admin.disableTable(TableName.valueOf("other"));
    for (String pattern : new String[] {".*", "o.*", "space:.*", ".*o.*", "nothing"}) {
      ask("descriptors " + pattern, () -> names(admin.listTableDescriptors(Pattern.compile(pattern))));
      ask("names " + pattern, () -> new TreeSet<>(Arrays.asList(
          admin.listTableNames(Pattern.compile(pattern), false))));
    }
    ask("with the system's", () -> names(
        admin.listTableDescriptors(Pattern.compile("hbase:(meta|namespace)"), true)));
    ask("of a namespace", () -> names(admin.listTableDescriptorsByNamespace(b("space"))));
    ask("names of a namespace", () -> Arrays.toString(admin.listTableNamesByNamespace("space")));
    ask("names of the system", () -> Arrays.toString(admin.listTableNamesByNamespace("hbase")));
    ask("descriptors of no namespace", () -> admin.listTableDescriptorsByNamespace(b("none")));
    ask("of no namespace", () -> Arrays.toString(admin.listTableNamesByNamespace("none")));
    ask("given ones", () -> names(admin.listTableDescriptors(Arrays.asList(NAME,
        TableName.valueOf("none")))));
    ask("namespaces", () -> new TreeSet<>(Arrays.asList(admin.listNamespaces())));
    ask("a namespace", () -> admin.getNamespaceDescriptor("space"));
    ask("no namespace", () -> admin.getNamespaceDescriptor("none"));
    ask("namespace descriptors", () -> admin.listNamespaceDescriptors().length);
    ask("a disabled table's regions", () -> {
      RegionStatesCount count = admin.getClusterMetrics(
          EnumSet.of(ClusterMetrics.Option.TABLE_TO_REGIONS_COUNT)).getTableRegionStatesCount()
          .get(TableName.valueOf("other"));
      return count.getOpenRegions() + " " + count.getTotalRegions() + " " + count.getClosedRegions();
    });
    ask("HBase's namespaces", () -> { admin.deleteNamespace("hbase"); return "deleted"; });
    ask("the default namespace", () -> { admin.deleteNamespace("default"); return "deleted"; });
    ask("a namespace with tables", () -> { admin.deleteNamespace("space"); return "deleted"; });
    ask("the same schema", () -> {
      admin.cloneTableSchema(NAME, TableName.valueOf("same"), true);
      return admin.getRegions(TableName.valueOf("same")).size();
    });
    ask("the schema of none", () -> {
      admin.cloneTableSchema(TableName.valueOf("none"), TableName.valueOf("same2"), true);
      return "cloned";
    });
    ask("a flush of none", () -> { admin.flush(TableName.valueOf("none")); return "flushed"; });
    ask("a descriptor of none", () -> admin.getDescriptor(TableName.valueOf("none")));
    ask("regions of none", () -> admin.getRegions(TableName.valueOf("none")).size());
    ask("available", () -> admin.isTableAvailable(TableName.valueOf("none")));
    ask("enabled", () -> admin.isTableEnabled(TableName.valueOf("none")));
  }

  static void cluster(Admin admin) throws Exception {
    for (ClusterMetrics.Option option : ClusterMetrics.Option.values()) {
      ask("metrics " + option, () -> {
        ClusterMetrics metrics = admin.getClusterMetrics(EnumSet.of(option));
        return (metrics.getHBaseVersion() != null) + " " + (metrics.getClusterId() != null) + " "
            + metrics.getLiveServerMetrics().size() + " " + metrics.getDeadServerNames().size() + " "
            + (metrics.getMasterName() != null) + " " + metrics.getBackupMasterNames().size() + " "
            + metrics.getMasterCoprocessorNames().size() + " " + metrics.getBalancerOn() + " "
            + metrics.getMasterInfoPort() + " " + metrics.getServersName().size() + " "
            + metrics.getRegionStatesInTransition().size() + " "
            + metrics.getTableRegionStatesCount().containsKey(NAME);
      });
    }
    ask("regions by state", () -> {
      RegionStatesCount count = admin.getClusterMetrics(
          EnumSet.of(ClusterMetrics.Option.TABLE_TO_REGIONS_COUNT)).getTableRegionStatesCount().get(NAME);
      return count.getOpenRegions() + " " + count.getTotalRegions() + " " + count.getClosedRegions();
    });
    ask("a procedure that returns nothing", () -> Arrays.toString(
        admin.execProcedureWithReturn("flush-table-proc", NAME.getNameAsString(), new TreeMap<>())));
    ask("no region assigned", () -> { admin.assign(b("none")); return "assigned"; });
    ask("loads of no table", () -> admin.getRegionMetrics(
        admin.getRegionServers().iterator().next(), TableName.valueOf("none")).size());
    ask("compaction of large values", () -> admin.getCompactionState(NAME, CompactType.MOB));
    ask("the cache is of some size", () -> admin.clearBlockCache(NAME).getMaxCacheSize() > 0);
    ask("a server that is not dead", () -> admin.clearDeadServers(
        Collections.singletonList(ServerName.valueOf("other.example", 1, 2))));
    ask("meta disabled", () -> { admin.disableTable(TableName.META_TABLE_NAME); return "disabled"; });
    ask("abort of no procedure", () -> admin.abortProcedure(987654321, true));
    ask("locks", () -> admin.getLocks());
    ask("maintenance", () -> admin.isMasterInMaintenanceMode());
    ask("decommissioned", () -> admin.listDecommissionedRegionServers());
    ask("dead servers", () -> admin.listDeadServers());
    ask("unknown servers", () -> admin.listUnknownServers());
    ask("clear dead servers", () -> admin.clearDeadServers(new ArrayList<>()));
    ask("coprocessors", () -> admin.getMasterCoprocessorNames().size());
    ask("major compaction", () -> admin.getLastMajorCompactionTimestamp(NAME));
    ask("compactions off", () -> new ArrayList<>(
        admin.compactionSwitch(false, new ArrayList<>()).values()));
    ask("compactions on", () -> new ArrayList<>(
        admin.compactionSwitch(true, new ArrayList<>()).values()));
    ask("cached blocks", () -> admin.clearBlockCache(NAME).getExceptionCount());
    ask("slow calls", () -> admin.getLogEntries(new HashSet<>(admin.getRegionServers()), "SLOW_LOG",
        ServerType.REGION_SERVER, 10, new TreeMap<>()).size());
    ask("balancer rejections", () -> admin.getLogEntries(Collections.emptySet(), "BALANCER_REJECTION",
        ServerType.MASTER, 10, new TreeMap<>()).size());
    ask("balancer decisions", () -> admin.getLogEntries(Collections.emptySet(), "BALANCER_DECISION",
        ServerType.MASTER, 10, new TreeMap<>()).size());
  }

  static void switches(Admin admin) throws Exception {
    ask("normalizer", () -> admin.isNormalizerEnabled() + " " + admin.normalizerSwitch(true) + " "
        + admin.isNormalizerEnabled() + " " + admin.normalizerSwitch(false) + " "
        + admin.isNormalizerEnabled());
    ask("normalize", () -> admin.normalize());
    ask("janitor", () -> admin.isCatalogJanitorEnabled() + " " + admin.catalogJanitorSwitch(false) + " "
        + admin.isCatalogJanitorEnabled() + " " + admin.catalogJanitorSwitch(true));
    ask("the janitor's run", () -> admin.runCatalogJanitor());
    ask("cleaner", () -> admin.isCleanerChoreEnabled() + " " + admin.cleanerChoreSwitch(false) + " "
        + admin.isCleanerChoreEnabled() + " " + admin.cleanerChoreSwitch(true));
    ask("the cleaner's run", () -> admin.runCleanerChore());
    procedures(admin);  // whose files HBase's cleaner could not remove yet
    ask("balancer", () -> admin.isBalancerEnabled() + " " + admin.balancerSwitch(false, true) + " "
        + admin.isBalancerEnabled() + " " + admin.balance() + " " + admin.balancerSwitch(true, true));
    ask("splits", () -> admin.isSplitEnabled() + " " + admin.splitSwitch(false, true) + " "
        + admin.isSplitEnabled() + " " + admin.splitSwitch(true, true));
    ask("merges", () -> admin.isMergeEnabled() + " " + admin.mergeSwitch(false, true) + " "
        + admin.isMergeEnabled() + " " + admin.mergeSwitch(true, true));
    ask("old snapshots", () -> admin.isSnapshotCleanupEnabled() + " "
        + admin.snapshotCleanupSwitch(false, true) + " " + admin.isSnapshotCleanupEnabled() + " "
        + admin.snapshotCleanupSwitch(true, true));
  }

  static void quotas(Admin admin) throws Exception {
    ask("a throttle", () -> {
      admin.setQuota(QuotaSettingsFactory.throttleTable(NAME, ThrottleType.READ_NUMBER, 1, TimeUnit.SECONDS));
      return "set";
    });
    ask("a limit of space", () -> {
      admin.setQuota(QuotaSettingsFactory.limitTableSpace(NAME, 1 << 20, SpaceViolationPolicy.NO_WRITES));
      return "set";
    });
    ask("all quotas", () -> admin.getQuota(new QuotaFilter()).size());
    ask("throttling", () -> admin.isRpcThrottleEnabled() + " " + admin.switchRpcThrottle(true) + " "
        + admin.switchRpcThrottle(false));
    ask("exceeding throttles", () -> admin.exceedThrottleQuotaSwitch(true) + " "
        + admin.exceedThrottleQuotaSwitch(false));
    ask("sizes", () -> admin.getSpaceQuotaTableSizes());
    ask("a server's snapshots", () -> admin.getRegionServerSpaceQuotaSnapshots(
        admin.getRegionServers().iterator().next()));
    ask("a table's snapshot", () -> admin.getCurrentSpaceQuotaSnapshot(NAME));
    ask("a namespace's snapshot", () -> admin.getCurrentSpaceQuotaSnapshot("space"));
  }

  static void access(Admin admin) throws Exception {
    ask("capabilities", () -> admin.getSecurityCapabilities());
    ask("permissions", () -> admin.getUserPermissions(
        GetUserPermissionsRequest.newBuilder(NAME).build()));
    ask("has permissions", () -> admin.hasUserPermissions("bob",
        Arrays.asList(Permission.newBuilder(NAME).withActions(Permission.Action.READ).build())));
    ask("revoke", () -> {
      admin.revoke(new UserPermission("bob",
          Permission.newBuilder(NAME).withActions(Permission.Action.READ).build()));
      return "revoked";
    });
    ask("peers", () -> admin.listReplicationPeers());
    ask("replicated", () -> admin.listReplicatedTableCFs());
    ask("no peer", () -> admin.getReplicationPeerConfig("none"));
    ask("what is said of no peer", () -> {
      try {
        admin.removeReplicationPeer("none");
      } catch (ReplicationPeerNotFoundException e) {
        String message = e.getMessage();
        return message.substring(message.lastIndexOf(' ') + 1);
      }
      return "removed";
    });
    ask("no peer enabled", () -> { admin.enableReplicationPeer("none"); return "enabled"; });
    ask("no peer disabled", () -> { admin.disableReplicationPeer("none"); return "disabled"; });
    ask("no peer removed", () -> { admin.removeReplicationPeer("none"); return "removed"; });
  }

  static ReplicationPeerConfigBuilder peer(Admin admin) {
    Configuration conf = admin.getConfiguration();
    // A cluster that is not there, at a ZooKeeper that answers.
    return ReplicationPeerConfig.newBuilder().setClusterKey("127.0.0.1:"
        + conf.get("hbase.zookeeper.property.clientPort") + ":/none");
  }

  static String peers(Admin admin, Pattern pattern) throws Exception {
    TreeSet<String> all = new TreeSet<>();
    for (ReplicationPeerDescription found : pattern == null ? admin.listReplicationPeers()
        : admin.listReplicationPeers(pattern)) {
      ReplicationPeerConfig config = found.getPeerConfig();
      all.add(found.getPeerId() + " " + found.isEnabled() + " " + config.replicateAllUserTables()
          + " " + config.isSerial() + " " + config.getBandwidth() + " " + config.getNamespaces()
          + " " + config.getTableCFsMap() + " " + config.getExcludeNamespaces()
          + " " + new TreeMap<>(config.getConfiguration()));
    }
    return all.toString();
  }

  static void replicationPeers(Admin admin) throws Exception {
    Map<TableName, List<String>> families = new TreeMap<>();
    families.put(NAME, Arrays.asList("f"));
    Set<String> spaces = Collections.singleton("default");
    ask("peer of all", () -> {
      admin.addReplicationPeer("all", peer(admin).setBandwidth(5000).build(), false);
      return peers(admin, null);
    });
    ask("peer of families", () -> {
      admin.addReplicationPeer("some", peer(admin).setReplicateAllUserTables(false)
          .setTableCFsMap(families).setSerial(true).build(), false);
      return peers(admin, null);
    });
    ask("peer of a namespace", () -> {
      admin.addReplicationPeer("space", peer(admin).setReplicateAllUserTables(false)
          .setNamespaces(spaces).putConfiguration("k", "v").build());
      return peers(admin, null);
    });
    ask("peer twice", () -> {
      admin.addReplicationPeer("all", peer(admin).build());
      return "added";
    });
    for (String key : Arrays.asList("", "none", "127.0.0.1:/none", "127.0.0.1:2181", "127.0.0.1:2181:/")) {
      ask("peer of " + key, () -> {
        admin.addReplicationPeer("bad", ReplicationPeerConfig.newBuilder().setClusterKey(key).build());
        return "added";
      });
    }
    // Hosts that name their ports, with one for the others behind them.
    String port = admin.getConfiguration().get("hbase.zookeeper.property.clientPort");
    for (String hosts : Arrays.asList("127.0.0.1:PORT", "127.0.0.1:PORT,localhost:PORT", "127.0.0.1,localhost:PORT")) {
      ask("peer of " + hosts, () -> {
        admin.addReplicationPeer("ports", ReplicationPeerConfig.newBuilder()
            .setClusterKey(hosts.replace("PORT", port) + ":" + port + ":/none").build(), false);
        admin.removeReplicationPeer("ports");
        return "added";
      });
    }
    ask("peer with a dash", () -> {
      admin.addReplicationPeer("a-b", peer(admin).build(), false);
      return "added";
    });
    ask("peer of another endpoint", () -> {
      admin.addReplicationPeer("bad", peer(admin).setReplicationEndpointImpl("no.Such").build());
      return "added";
    });
    ask("peer of all and a namespace", () -> {
      admin.addReplicationPeer("bad", peer(admin).setNamespaces(spaces).build());
      return "added";
    });
    ask("peer with overlap", () -> {
      admin.addReplicationPeer("bad", peer(admin).setReplicateAllUserTables(false)
          .setNamespaces(spaces).setTableCFsMap(families).build());
      return "added";
    });
    ask("peers by pattern", () -> peers(admin, Pattern.compile("s.*")));
    ask("peers by no pattern", () -> peers(admin, Pattern.compile("")));
    ask("peer enabled", () -> { admin.enableReplicationPeer("some"); return peers(admin, null); });
    ask("peer enabled twice", () -> { admin.enableReplicationPeer("some"); return "enabled"; });
    ask("peer disabled", () -> { admin.disableReplicationPeer("some"); return peers(admin, null); });
    ask("peer disabled twice", () -> { admin.disableReplicationPeer("some"); return "disabled"; });
    ask("peer changed", () -> {
      admin.updateReplicationPeerConfig("space", peer(admin).setReplicateAllUserTables(false)
          .setNamespaces(spaces).putConfiguration("l", "w").build());
      return peers(admin, Pattern.compile("space"));
    });
    ask("peer of another cluster", () -> {
      admin.updateReplicationPeerConfig("space",
          ReplicationPeerConfig.newBuilder().setClusterKey("127.0.0.1:9:/other").build());
      return "changed";
    });
    ask("peer that is not there changed", () -> {
      admin.updateReplicationPeerConfig("none", peer(admin).build());
      return "changed";
    });
    ask("families of peers", () -> {
      admin.appendReplicationPeerTableCFs("some", Collections.singletonMap(TableName.valueOf("other"),
          Arrays.asList("g")));
      return peers(admin, Pattern.compile("some"));
    });
    ask("peers removed", () -> {
      for (String id : Arrays.asList("all", "some", "space")) admin.removeReplicationPeer(id);
      return peers(admin, null);
    });
  }

  static void snapshots(Admin admin) throws Exception {
    admin.snapshot("first", NAME);
    admin.snapshot("second", NAME, SnapshotType.SKIPFLUSH);
    ask("snapshots", () -> admin.listSnapshots().size());
    ask("snapshots by name", () -> admin.listSnapshots(Pattern.compile("f.*")).size());
    ask("snapshots by table", () -> admin.listTableSnapshots(Pattern.compile("ans.*"),
        Pattern.compile("s.*")).size());
    ask("of no table", () -> admin.listTableSnapshots(Pattern.compile("none"),
        Pattern.compile(".*")).size());
    ask("snapshots deleted", () -> {
      admin.deleteTableSnapshots(Pattern.compile("ans.*"), Pattern.compile("f.*"));
      return admin.listSnapshots().size();
    });
    ask("a snapshot that is missing", () -> { admin.deleteSnapshot("none"); return "deleted"; });
    ask("a clone over a table", () -> { admin.cloneSnapshot("second", NAME); return "cloned"; });
    ask("a clone in no namespace", () -> {
      admin.cloneSnapshot("second", TableName.valueOf("none:clone"));
      return "cloned";
    });
    ask("a bad name", () -> { admin.snapshot("-bad", NAME); return "taken"; });
  }

  static Condition is(String row, String value) throws Exception {
    return ProtobufUtil.toCondition(b(row), b("f"), b("q"), CompareOperator.EQUAL,
        value == null ? null : b(value), TimeRange.allTime());
  }

  static MutateRowsRequest.Builder puts(String... rowsAndValues) throws Exception {
    MutateRowsRequest.Builder request = MutateRowsRequest.newBuilder();
    for (int i = 0; i < rowsAndValues.length; i += 2) {
      request.addMutationRequest(ProtobufUtil.toMutation(
          MutationType.PUT, put(rowsAndValues[i], rowsAndValues[i + 1])));
    }
    return request;
  }

  // Whether it was done, and what the rows 'a' to 'e' are then.
  static void mutateRows(Table table, String what, Callable<MutateRowsRequest.Builder> request) {
    ask("rows of a region " + what, () -> {
      boolean processed;
      try {
        processed = MultiRowMutationService.newBlockingStub(table.coprocessorService(b("a")))
            .mutateRows(null, request.call().build()).getProcessed();
      } catch (ServiceException e) {
        return e.getCause() == null ? e.getMessage() : e.getCause().getClass().getSimpleName();
      }
      StringBuilder all = new StringBuilder().append(processed);
      for (String row : new String[] {"a", "b", "c", "d", "e"}) all.append(text(table.get(get(row))));
      return all;
    });
  }

  static void rowsOfARegion(Table table) throws Exception {
    mutateRows(table, "without condition", () -> puts("a", "1", "b", "2"));
    mutateRows(table, "if two hold", () ->
        puts("a", "3", "c", "3").addCondition(is("a", "1")).addCondition(is("b", "2")));
    mutateRows(table, "if the second does not", () ->
        puts("a", "4", "c", "4").addCondition(is("a", "3")).addCondition(is("b", "3")));
    mutateRows(table, "if the first does not", () ->
        puts("a", "5", "c", "5").addCondition(is("a", "1")).addCondition(is("b", "2")));
    mutateRows(table, "on a row that is not written", () ->
        puts("d", "6").addCondition(is("a", "3")).addCondition(is("e", null)));
    mutateRows(table, "twice on one row", () ->
        puts("e", "7").addCondition(is("a", "3")).addCondition(is("a", "3")));
    mutateRows(table, "by filters", () -> puts("b", "8")
        .addCondition(ProtobufUtil.toCondition(b("a"),
            new SingleColumnValueFilter(b("f"), b("q"), CompareOperator.EQUAL, b("3")), TimeRange.allTime()))
        .addCondition(ProtobufUtil.toCondition(b("c"),
            new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("3"))), TimeRange.allTime())));
    mutateRows(table, "of a time that has nothing", () -> puts("b", "9").addCondition(
        ProtobufUtil.toCondition(b("a"), b("f"), b("q"), CompareOperator.EQUAL, b("3"), TimeRange.between(1, 2))));
    mutateRows(table, "in another region", () -> puts("b", "10").addCondition(is("x", null)));
    mutateRows(table, "of no family", () -> puts("b", "11").addCondition(ProtobufUtil.toCondition(
        b("a"), b("none"), b("q"), CompareOperator.EQUAL, b("3"), TimeRange.allTime())));
    mutateRows(table, "with nothing to write", () ->
        MutateRowsRequest.newBuilder().addCondition(is("a", "3")).addCondition(is("b", "8")));
    mutateRows(table, "with nothing to write that does not hold", () ->
        MutateRowsRequest.newBuilder().addCondition(is("a", "4")).addCondition(is("b", "8")));
    mutateRows(table, "with a delete", () -> puts("a", "12")
        .addMutationRequest(ProtobufUtil.toMutation(MutationType.DELETE, new Delete(b("b"))))
        .addCondition(is("a", "3")).addCondition(is("b", "8")));
    mutateRows(table, "with an append", () -> MutateRowsRequest.newBuilder()
        .addMutationRequest(ProtobufUtil.toMutation(MutationType.APPEND,
            new Append(b("a")).addColumn(b("f"), b("q"), b("+"))))
        .addCondition(is("a", "12")));
    mutateRows(table, "with an increment", () -> MutateRowsRequest.newBuilder()
        .addMutationRequest(ProtobufUtil.toMutation(MutationType.INCREMENT,
            new Increment(b("b")).addColumn(b("f"), b("n"), 5)))
        .addCondition(is("b", null)));
    mutateRows(table, "written in two regions", () -> puts("a", "13", "x", "13"));
    mutateRows(table, "written in another region", () -> puts("x", "14", "a", "14"));
  }

  interface Aggregate {
    Object call() throws Throwable;
  }

  static void aggregate(String what, Aggregate question) {
    ask("decimals, " + what, () -> {
      try {
        return question.call();
      } catch (Throwable e) {
        return e.getClass().getSimpleName();
      }
    });
  }

  static void decimals(Configuration configuration, Table table) throws Exception {
    String[] values = {"1.005", "-2.015", "3E+2", "12345678901234567890123456789.995", "0", "-0.005", "7"};
    for (int i = 0; i < values.length; ++i) {
      table.put(new Put(b((i % 2 == 0 ? "g" : "w") + i)).addColumn(b("d"), b("n"),
          Bytes.toBytes(new BigDecimal(values[i]))));
    }
    table.put(new Put(b("g0")).addColumn(b("d"), b("m"), Bytes.toBytes(new BigDecimal("40.1"))));
    BigDecimalColumnInterpreter kind = new BigDecimalColumnInterpreter();
    TableName name = table.getName();
    Map<String, Scan> scans = new TreeMap<>();
    scans.put("of a column", new Scan().addColumn(b("d"), b("n")));
    scans.put("of a family", new Scan().addFamily(b("d")));
    scans.put("of two columns", new Scan().addColumn(b("d"), b("n")).addColumn(b("d"), b("m")));
    scans.put("of a region", new Scan().addColumn(b("d"), b("n")).withStopRow(b("m")));
    scans.put("of nothing", new Scan().addColumn(b("d"), b("none")));
    try (AggregationClient client = new AggregationClient(configuration)) {
      for (Map.Entry<String, Scan> entry : scans.entrySet()) {
        Scan scan = entry.getValue();
        aggregate("max " + entry.getKey(), () -> client.max(name, kind, scan));
        aggregate("min " + entry.getKey(), () -> client.min(name, kind, scan));
        aggregate("sum " + entry.getKey(), () -> client.sum(name, kind, scan));
        aggregate("rows " + entry.getKey(), () -> client.rowCount(name, kind, scan));
        aggregate("average " + entry.getKey(), () -> client.avg(name, kind, scan));
        aggregate("deviation " + entry.getKey(), () -> client.std(name, kind, scan));
        // A region where there is nothing to add up fails, in HBase with a NullPointerException.
        if (entry.getKey().equals("of nothing") || entry.getKey().equals("of a region")) continue;
        aggregate("median " + entry.getKey(), () -> client.median(name, kind, scan));
      }
    }
  }

  static void endpoints(Configuration configuration, Connection connection, Admin admin) throws Exception {
    TableName name = TableName.valueOf("endpoints");
    admin.createTable(TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("d"))
        .setCoprocessor("org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint")
        .setCoprocessor("org.apache.hadoop.hbase.coprocessor.AggregateImplementation")
        .build(), new byte[][] {b("m")});
    try (Table table = connection.getTable(name)) {
      rowsOfARegion(table);
      decimals(configuration, table);
    }
  }

  static void asynchronous(Configuration configuration) throws Exception {
    try (AsyncConnection connection =
             ConnectionFactory.createAsyncConnection(configuration).get(60, TimeUnit.SECONDS)) {
      AsyncAdmin admin = connection.getAdmin();
      TableName name = TableName.valueOf("asynchronous");
      ask("async create", () -> admin.createTable(TableDescriptorBuilder.newBuilder(name)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build(), new byte[][] {b("m")}).get());
      ask("async exists", () -> admin.tableExists(name).get());
      ask("async create again", () -> admin.createTable(TableDescriptorBuilder.newBuilder(name)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build()).get());
      ask("async regions", () -> admin.getRegions(name).get().size());
      ask("async names", () -> admin.listTableNames(Pattern.compile("async.*"), false).get());
      ask("async locate", () -> connection.getRegionLocator(name).getAllRegionLocations().get().size());
      ask("async family", () -> admin.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of("g")).get());
      ask("async descriptor", () -> admin.getDescriptor(name).get().getColumnFamilyCount());
      ask("async split", () -> admin.split(name, b("c")).get());
      ask("async disable", () -> admin.disableTable(name).get());
      ask("async disabled", () -> admin.isTableDisabled(name).get());
      ask("async truncate", () -> admin.truncateTable(name, true).get());
      ask("async enabled", () -> admin.isTableEnabled(name).get());
      ask("async delete enabled", () -> admin.deleteTable(name).get());
      ask("async compaction state", () -> admin.getCompactionState(name).get());
      ask("async balancer", () -> admin.isBalancerEnabled().get());
      ask("async drop", () -> admin.disableTable(name).thenCompose(any -> admin.deleteTable(name)).get());
      ask("async gone", () -> admin.tableExists(name).get());
    }
  }

  public static void main(String[] arguments) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.property.clientPort", arguments[0]);
    configuration.setInt("hbase.client.retries.number", 3);
    try (Connection connection = ConnectionFactory.createConnection(configuration);
         Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(NAME)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b("f")).setMaxVersions(3).build())
          .build(), new byte[][] {b("m")});
      try (Table table = connection.getTable(NAME)) {
        data(table);
        scans(table);
      }
      places(connection);
      lists(admin);
      cluster(admin);
      switches(admin);
      quotas(admin);
      access(admin);
      replicationPeers(admin);
      snapshots(admin);
      endpoints(configuration, connection, admin);
    }
    asynchronous(configuration);
    System.exit(0);
  }
}
