// What the cases are made of: few rows, columns, values and times, so that operations meet. All is drawn
// from one seed, and nothing that a server answers has an effect on what is drawn next.
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.util.Bytes;

class Draw {
  static final String[] ROWS = {
      "\\x00", "a", "b", "b\\x00", "ba", "bb", "c", "c1", "c2", "d", "e1x", "e2x", "e2y", "zz", "\\xFF\\xFF"};
  static final String[] QUALIFIERS = {"", "\\x00", "a", "ab", "b", "ba", "c", "q1", "q2", "\\xFF"};
  static final String[] VALUES = {"", "v", "v1", "v2", "abc", "abd", "b", "12", "-3.5", "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07"};

  final Random random;
  final long now;
  // Whether cells ever leave memory. HBase leaves out what lies beside the time range of a read as a whole,
  // with its markers; then what they hide depends on where they are.
  boolean flushes;
  // Whether regions are split and merged, families altered, snapshots taken and restored.
  boolean reshapes;
  // Whether there are columns without a name; then no markers of families: HBase may miss those that come
  // behind such a column's cells.
  boolean nameless;

  Draw(long seed, long now) {
    random = new Random(seed);
    this.now = now;
    flushes = !oneIn(3);
    nameless = oneIn(3);
    reshapes = flushes && oneIn(3);
  }

  boolean oneIn(int n) { return random.nextInt(n) == 0; }
  int upTo(int n) { return random.nextInt(n + 1); }
  <T> T of(T[] list) { return list[random.nextInt(list.length)]; }
  <T> T of(List<T> list) { return list.get(random.nextInt(list.size())); }

  byte[] row() { return Bytes.toBytesBinary(of(ROWS)); }

  byte[] qualifier() {
    String name = of(QUALIFIERS);
    return Bytes.toBytesBinary(name.isEmpty() && !nameless ? "ab" : name);
  }

  byte[] value() {
    if (oneIn(12)) return new byte[random.nextInt(300)];
    if (oneIn(8)) return Bytes.toBytes(random.nextLong() >> random.nextInt(64));
    return Bytes.toBytesBinary(of(VALUES));
  }

  // Seconds before 'now', the same ones again and again; sometimes beyond the TTL of families that have one.
  long time() {
    if (oneIn(12)) return 1 + random.nextInt(3);
    if (oneIn(12)) return now - 2_000_000 + random.nextInt(2);
    return now - 1000 * (1 + random.nextInt(8));
  }

  // Where the time range of a read ends.
  long end() { return flushes ? Long.MAX_VALUE : now - 1000 * upTo(4); }

  // Some of a list, in its order, at least one.
  <T> List<T> some(T[] list) {
    List<T> chosen = new ArrayList<>();
    for (T each : list) {
      if (oneIn(3)) chosen.add(each);
    }
    if (chosen.isEmpty()) chosen.add(of(list));
    return chosen;
  }
}
