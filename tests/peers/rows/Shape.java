// What changes a table as a whole: its regions, its families, and its return to a snapshot. Each ends with
// compacted files, so that what is left of markers and surplus versions does not depend on time.
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

class Shape {
  private final Admin admin;
  private final TableName name;
  private int snapshots;

  Shape(Admin admin, TableName name) {
    this.admin = admin;
    this.name = name;
  }

  // Only major ones: in HBase a family without files keeps the wish for one until its next minor compaction.
  Object compact() throws Exception {
    admin.flush(name);
    admin.majorCompact(name);
    // It may begin after the call returned; it is done once nothing is compacted for a while.
    for (int idle = 0; idle < 3;) {
      Thread.sleep(40);
      idle = admin.getCompactionState(name) == CompactionState.NONE ? idle + 1 : 0;
    }
    return "done";
  }

  Object split(byte[] row) throws Exception {
    byte[] region = null;
    for (RegionInfo each : admin.getRegions(name)) {
      if (Bytes.equals(each.getStartKey(), row)) return "a border";
      if (each.containsRow(row)) region = each.getRegionName();
    }
    byte[] parent = region;
    return change(() -> admin.splitRegionAsync(parent, row));
  }

  // Two neighbours: the 'which'th region and the one behind it.
  Object merge(int which) throws Exception {
    List<RegionInfo> regions = admin.getRegions(name);
    if (regions.size() < 2) return "one region";
    int first = which % (regions.size() - 1);
    byte[][] both = {regions.get(first).getEncodedNameAsBytes(), regions.get(first + 1).getEncodedNameAsBytes()};
    return change(() -> admin.mergeRegionsAsync(both, false));
  }

  Object alter(ColumnFamilyDescriptor family) throws Exception {
    compact();
    admin.modifyColumnFamilyAsync(name, family).get(30, TimeUnit.SECONDS);
    return compact();
  }

  Object snapshot() throws Exception {
    admin.snapshot(snapshotName(++snapshots), name);
    return "done";
  }

  // The table becomes what the last snapshot holds.
  Object restore() throws Exception {
    if (snapshots == 0) return "no snapshot";
    admin.disableTable(name);
    admin.restoreSnapshot(snapshotName(snapshots), false);
    admin.enableTable(name);
    return borders();
  }

  // HBase splits and merges regions once files that a compaction has replaced are away, and its janitor has
  // seen what they came from; both take it a moment.
  private Object change(Callable<Future<Void>> request) throws Exception {
    compact();
    for (int attempt = 1;; attempt++) {
      admin.runCatalogJanitor();
      try {
        request.call().get(30, TimeUnit.SECONDS);
        return borders();
      } catch (Exception e) {
        if (attempt == 20) throw e;
        Thread.sleep(200);
      }
    }
  }

  private String borders() throws Exception {
    compact();
    List<String> borders = new ArrayList<>();
    for (RegionInfo each : admin.getRegions(name)) borders.add(Bytes.toStringBinary(each.getStartKey()));
    return borders.toString();
  }

  private String snapshotName(int number) {
    return name.getNameAsString() + "_" + number;
  }
}
