import java.io.PrintStream;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.regionserver.*;
import org.apache.hadoop.hbase.snapshot.ExportSnapshot;
import org.apache.hadoop.hbase.snapshot.SnapshotInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.util.ToolRunner;

/** Steps of the test of stores' shapes and of snapshots; run by Roots, whose dumps they use. */
public class Shapes {
  static final String ENGINE = "hbase.hstore.engine.class";

  static void run(String step, String argument) throws Exception {
    switch (step) {
      case "shapes": shapes(); break;
      case "clones": clones(argument); break;
      case "restores": restores(); break;
      case "snapshots": listSnapshots(Path.of(argument)); break;
      case "export": export(argument); break;
      case "compact": compact(argument.split(",")); break;
      default: throw new IllegalArgumentException("no such step");
    }
  }

  /** The one argument is where to write what stripes() says. */
  public static void main(String[] arguments) throws Exception {
    stripes(Path.of(arguments[0]));
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static TableName theirs(String name) { return TableName.valueOf("theirs", name); }

  static void create(String name, Map<String, String> options, String... borders) throws Exception {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(Roots.b("f")).setMaxVersions(3);
    options.forEach(family::setConfiguration);
    byte[][] splits = Arrays.stream(borders).map(Roots::b).toArray(byte[][]::new);
    Roots.admin.createTable(TableDescriptorBuilder.newBuilder(theirs(name))
        .setColumnFamily(family.build()).build(), splits.length == 0 ? null : splits);
  }

  static void fill(String name, int first, int rows, long time) throws Exception {
    Roots.fill(theirs(name), new byte[][] {Roots.b("f")}, first, rows, time);
    Roots.flush(theirs(name));
  }

  /** Tables of HBase's own with each engine, and snapshots of tables in every state. */
  static void shapes() throws Exception {
    Roots.admin.createNamespace(NamespaceDescriptor.create("theirs").build());
    long now = System.currentTimeMillis();
    List<Roots.Work> works = new ArrayList<>();
    works.add(() -> {
      create("tiered", Map.of(ENGINE, "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine",
          "hbase.hstore.blockingStoreFiles", "60",
          "hbase.hstore.compaction.date.tiered.base.window.millis", "86400000"), "row000150");
      for (int day = 40; day > 0; day -= 8) fill("tiered", 5 * day, 100, now - day * Roots.DAY);
    });
    works.add(() -> {
      create("striped", Map.of(ENGINE, "org.apache.hadoop.hbase.regionserver.StripeStoreEngine",
          "hbase.hstore.blockingStoreFiles", "60",
          "hbase.store.stripe.initialStripeCount", "3",
          "hbase.store.stripe.compaction.minFiles", "2"));
      fill("striped", 0, 300, Roots.OLD);
      fill("striped", 50, 100, Roots.OLD + Roots.DAY);
      fill("striped", 250, 100, Roots.OLD + Roots.DAY);
    });
    works.add(() -> {
      create("split", Map.of());
      fill("split", 0, 300, Roots.OLD);
      Roots.whenOpen(() -> Roots.admin.split(theirs("split"), Roots.b("row000150")));
      Roots.await("split", () -> Roots.count(theirs("split")) == 2);
      fill("split", 140, 20, Roots.OLD + Roots.DAY);
    });
    for (String name : new String[] {"shot", "gone"}) {
      works.add(() -> {
        create(name, Map.of(), "row000100");
        fill(name, 0, 300, Roots.OLD);
      });
    }
    Roots.atOnce(works);
    compact("theirs:tiered", "theirs:striped");
    fill("tiered", 0, 50, now - Roots.DAY);
    fill("striped", 120, 100, Roots.OLD + 2 * Roots.DAY);
    for (String name : new String[] {"tiered", "striped", "split", "shot", "gone"}) {
      Roots.admin.snapshot("theirs_" + name, theirs(name));
    }
    Roots.admin.cloneSnapshot("theirs_shot", theirs("cloned"));
    fill("cloned", 90, 20, Roots.OLD + Roots.DAY);
    Roots.admin.snapshot("theirs_cloned", theirs("cloned"));
    Roots.admin.disableTable(theirs("gone"));
    Roots.admin.deleteTable(theirs("gone"));
    // In the tables and not in their snapshots; the files of "shot" go to the archive.
    try (Table table = Roots.connection.getTable(theirs("shot"))) {
      for (int r = 0; r < 50; r++) table.delete(new Delete(Roots.b(String.format("row%06d", r))));
    }
    fill("shot", 500, 20, Roots.OLD);
    compact("theirs:shot");
    fill("split", 600, 10, Roots.OLD);
  }

  static void clones(String namespace) throws Exception {
    Roots.admin.createNamespace(NamespaceDescriptor.create(namespace).build());
    List<Roots.Work> works = new ArrayList<>();
    for (SnapshotDescription snapshot : Roots.admin.listSnapshots()) {
      works.add(() -> Roots.admin.cloneSnapshot(snapshot.getName(),
          TableName.valueOf(namespace, snapshot.getName())));
    }
    Roots.atOnce(works);
  }

  /**
   * All but one: HBase's restore archives the directories of regions that were merged, which are not
   * in a snapshot, although the references of the region that they became look nowhere else.
   */
  static void restores() throws Exception {
    Map<TableName, List<String>> ofTable = new TreeMap<>();
    for (SnapshotDescription snapshot : Roots.admin.listSnapshots()) {
      if (snapshot.getName().equals("merged_shot")) continue;
      ofTable.computeIfAbsent(snapshot.getTableName(), t -> new ArrayList<>()).add(snapshot.getName());
    }
    List<Roots.Work> works = new ArrayList<>();
    ofTable.forEach((table, names) -> works.add(() -> {
      Collections.sort(names);
      for (String name : names) {
        if (Roots.admin.tableExists(table)) Roots.admin.disableTable(table);
        Roots.admin.restoreSnapshot(name);
        if (Roots.admin.isTableDisabled(table)) Roots.admin.enableTable(table);
      }
    }));
    Roots.atOnce(works);
  }

  /** Lines "name TAB table TAB type", by name; the tool SnapshotInfo must find every file. */
  static void listSnapshots(Path out) throws Exception {
    TreeMap<String, String> lines = new TreeMap<>();
    Configuration conf = Roots.connection.getConfiguration();
    for (SnapshotDescription snapshot : Roots.admin.listSnapshots()) {
      SnapshotInfo.SnapshotStats stats = SnapshotInfo.getSnapshotStats(conf, snapshot);
      String said = Roots.printed(() -> ToolRunner.run(conf, new SnapshotInfo(),
          new String[] {"-snapshot", snapshot.getName(), "-files", "-stats", "-schema"}));
      if (stats.isSnapshotCorrupted() || stats.getStoreFilesCount() == 0
          || !said.contains("Table Descriptor") || said.contains("BAD SNAPSHOT")) {
        throw new IllegalStateException(snapshot + ": " + stats.getMissingStoreFilesCount()
            + " files missing, " + stats.getCorruptedStoreFilesCount() + " corrupted: " + said);
      }
      lines.put(snapshot.getName(), snapshot.getTableNameAsString() + "\t" + snapshot.getType());
    }
    List<String> tool = new ArrayList<>();
    Roots.printed(() -> ToolRunner.run(conf, new SnapshotInfo(), new String[] {"-list-snapshots"}))
        .lines().filter(line -> line.contains(" | ")).skip(1)
        .forEach(line -> tool.add(line.substring(0, line.indexOf(' '))));
    Collections.sort(tool);
    if (!tool.equals(new ArrayList<>(lines.keySet()))) {
      throw new IllegalStateException("SnapshotInfo lists " + tool + ", the server " + lines.keySet());
    }
    try (PrintStream file = Roots.open(out)) {
      lines.forEach((name, rest) -> file.println(name + "\t" + rest));
    }
  }

  /** "NAME,NAME…:ROOT": by the tool ExportSnapshot, as a job of this process. */
  static void export(String argument) throws Exception {
    String[] parts = argument.split(":");
    Configuration conf = new Configuration(Roots.connection.getConfiguration());
    conf.set("hadoop.tmp.dir", parts[1] + ".jobs");
    conf.set("mapreduce.jobtracker.staging.root.dir", parts[1] + ".jobs");
    for (String name : parts[0].split(",")) {
      // Files of this machine have no checksums to compare.
      int status = ToolRunner.run(conf, new ExportSnapshot(), new String[] {"-snapshot", name,
          "-copy-to", "file://" + parts[1], "-mappers", "1", "-no-checksum-verify"});
      if (status != 0) throw new IllegalStateException("ExportSnapshot of " + name + ": " + status);
    }
  }

  /**
   * Where HBase's StripeStoreEngine puts the files of each store that is striped; the server must
   * not run. A line is: table, region, family, stripes "[start, end) files", files of level 0.
   */
  static void stripes(Path out) throws Exception {
    Configuration conf = new Configuration(HBaseConfiguration.create());
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);  // of a server alone
    org.apache.hadoop.fs.Path root = CommonFSUtils.getRootDir(conf);
    FileSystem fs = root.getFileSystem(conf);
    List<String> lines = new ArrayList<>();
    for (TableDescriptor table : new FSTableDescriptors(fs, root).getAll().values()) {
      if (table.getTableName().isSystemTable()) continue;
      org.apache.hadoop.fs.Path directory =
          CommonFSUtils.getTableDir(root, table.getTableName());
      for (org.apache.hadoop.fs.Path region :
          org.apache.hadoop.hbase.util.FSUtils.getRegionDirs(fs, directory)) {
        RegionInfo info = HRegionFileSystem.loadRegionInfoFileContent(fs, region);
        HRegion opened = HRegion.openReadOnlyFileSystemHRegion(conf, fs, directory, info, table);
        for (HStore store : opened.getStores()) stripesOf(store, info, lines);
        opened.close();
      }
    }
    Collections.sort(lines);
    try (PrintStream file = Roots.open(out)) {
      lines.forEach(file::println);
    }
  }

  static void stripesOf(HStore store, RegionInfo region, List<String> lines) {
    StoreFileManager manager = store.getStoreEngine().getStoreFileManager();
    if (!(manager instanceof StripeStoreFileManager)) return;
    StripeStoreFileManager stripes = (StripeStoreFileManager) manager;
    List<byte[]> borders = stripes.getStripeBoundaries();
    StringBuilder text = new StringBuilder();
    text.append(region.getTable()).append(" [").append(Bytes.toString(region.getStartKey()))
        .append(", ").append(Bytes.toString(region.getEndKey())).append(") ")
        .append(store.getColumnFamilyName()).append(':');
    for (int i = 0; i < stripes.getStripes().size(); i++) {
      text.append(" [").append(Bytes.toString(borders.get(i))).append(", ")
          .append(Bytes.toString(borders.get(i + 1))).append(") ")
          .append(stripes.getStripes().get(i).size());
    }
    lines.add(text + "; level 0: " + stripes.getLevel0Files().size());
  }

  /** Major compactions (of striped stores: of some stripe); waits until each has fewer files. */
  static void compact(String... names) throws Exception {
    Roots.admin.compactionSwitch(true, Collections.emptyList());
    Map<TableName, Integer> before = new TreeMap<>();
    for (String name : names) {
      TableName table = TableName.valueOf(name);
      before.put(table, Roots.storeFiles(table));
      Roots.admin.majorCompact(table);
    }
    for (TableName table : before.keySet()) {
      Roots.await("compaction of " + table, () -> {
        try {
          return Roots.storeFiles(table) < before.get(table)
              && Roots.admin.getCompactionState(table) == CompactionState.NONE;
        } catch (Exception e) {
          throw new RuntimeException(e);
        }
      });
    }
    Roots.admin.compactionSwitch(false, Collections.emptyList());
  }
}
