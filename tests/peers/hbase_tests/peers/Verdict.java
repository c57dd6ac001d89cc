package peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compares the results of Runner with outcomes.txt: what does not pass must be listed there, with its kind.
 *
 *   Verdict CLASSES RESULTS OUTCOMES PASSES-NAME
 *
 * CLASSES are those that should have run; the line "passes PASSES-NAME N" of OUTCOMES says how many must pass at least.
 */
public final class Verdict {
  private static final List<String> KINDS = Arrays.asList("difference", "limit", "insides", "timing");

  /** A line of outcomes.txt. */
  private static final class Entry {
    final String kind;
    final String name;
    boolean failed;
    boolean passed;

    Entry(String kind, String name) {
      this.kind = kind;
      this.name = name;
    }
  }

  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final Map<String, Integer> passesMin = new LinkedHashMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final List<String> complaints = new ArrayList<>();
  private final Set<String> classes = new LinkedHashSet<>();
  private final Set<String> leftOut = new LinkedHashSet<>();

  private Verdict(Path classes, Path outcomes) throws IOException {
    for (String line : Files.readAllLines(classes)) {
      String[] words = line.split(" +");
      this.classes.add(words[0]);
      for (int i = 1; i < words.length; i++) leftOut.add(words[0] + "#" + words[i].substring(1));
    }
    for (String line : Files.readAllLines(outcomes)) {
      if (line.isEmpty() || line.startsWith("#")) continue;
      String[] words = line.split(" +", 3);
      if (words.length < 3) throw new IOException("outcomes.txt: not three words: " + line);
      if (words[0].equals("passes")) {
        passesMin.put(words[1], Integer.valueOf(words[2]));
      } else if (!KINDS.contains(words[0])) {
        throw new IOException("outcomes.txt: no such kind: " + line);
      } else if (entries.put(words[1], new Entry(words[0], words[1])) != null) {
        throw new IOException("outcomes.txt: listed twice: " + line);
      }
    }
  }

  public static void main(String[] arguments) throws IOException {
    Verdict verdict = new Verdict(Paths.get(arguments[0]), Paths.get(arguments[2]));
    verdict.read(Paths.get(arguments[1]));
    System.exit(verdict.tell(arguments[3]) ? 0 : 1);
  }

  // A method with parameters is listed as a whole, or with the parameters as JUnit writes them, without blanks.
  private Entry entry(String testClass, String method) {
    String name = method.replace(" ", "");
    int parameters = name.indexOf('[');
    for (String candidate : Arrays.asList(name, parameters < 0 ? name : name.substring(0, parameters), "*")) {
      Entry entry = entries.get(testClass + "#" + candidate);
      if (entry != null) return entry;
    }
    return null;
  }

  private void read(Path results) throws IOException {
    Set<String> seen = new LinkedHashSet<>();
    for (String line : Files.readAllLines(results)) {
      String[] fields = line.split("\t", 5);
      seen.add(fields[0]);
      Entry entry = entry(fields[0], fields[1]);
      if (fields[2].equals("skip")) {
        count("skipped");
      } else if (fields[2].equals("pass")) {
        count("pass");
        if (entry != null) entry.passed = true;
      } else if (entry == null) {
        count("not listed");
        complaints.add(fields[0] + "#" + fields[1] + " " + fields[2] + ": " + fields[4]);
      } else {
        count(entry.kind);
        entry.failed = true;
      }
    }
    for (String name : classes) {
      if (!seen.contains(name)) complaints.add(name + " has no result");
    }
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  private int counted(String what) {
    return counts.getOrDefault(what, 0);
  }

  private boolean shouldHaveRun(String name) {
    return classes.contains(name.substring(0, name.indexOf('#'))) && !leftOut.contains(name.replaceAll("\\[.*", ""));
  }

  private boolean tell(String passesName) {
    for (Entry entry : entries.values()) {
      if (entry.failed || entry.kind.equals("timing") || !shouldHaveRun(entry.name)) continue;
      System.out.println("   listed as " + entry.kind + ", but "
          + (entry.passed ? "it passes now: " : "it did not run: ") + entry.name);
    }
    System.out.println("   " + classes.size() + " classes: " + counted("pass") + " methods passed, "
        + counted("difference") + " differ, " + counted("limit") + " meet a documented limit, "
        + counted("insides") + " need the insides of a Java server, " + counted("timing")
        + " count on a slower one, " + counted("skipped") + " are skipped by HBase");
    complaints.forEach(complaint -> System.out.println("   NOT LISTED: " + complaint));
    Integer min = passesMin.get(passesName);
    if (min != null && counted("pass") < min) {
      complaints.add("passes");
      System.out.println("   only " + counted("pass") + " methods passed; " + min + " did");
    }
    return complaints.isEmpty();
  }
}
