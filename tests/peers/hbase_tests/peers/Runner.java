package peers;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs HBase's test classes, one after another, beside other processes that do the same. CLASSES has a class on each line,
 * and behind it "-METHOD" for methods to leave out. Each class is taken by one of the processes (a file in claims/). A line
 * per method goes to the results: class, method, outcome, milliseconds, message.
 *
 * A method, or what comes before and after the methods of a class, that takes too long cannot be ended inside of its
 * process. So the outcome "hang" is written and the process ends with status 3; the next one that is started under the
 * same name goes on with that class, without the methods that have an outcome.
 *
 *   Runner NAME CLASSES RESULTS METHOD-SECONDS CLASS-SECONDS
 */
public final class Runner extends RunListener {
  private static final int HANG = 3;
  private static final int MORE = 4;
  private static final int HANGS_MAX = 3;
  // Tests leave threads and connections behind; a new process is cheaper than many of them.
  private static final int CLASSES_MAX = 12;
  /** The method under which a class's own fixture is listed. */
  static final String FIXTURE = "(class)";

  private final Path results;
  private final long methodNanos;
  private final long classNanos;
  private String testClass;
  private Set<String> finished;
  private final Set<String> leftOut = new HashSet<>();
  private long classStart;
  private volatile String method;
  private volatile long methodStart;
  private String outcome;
  private String message;
  private boolean passedSome;
  private int hangs;

  private Runner(Path results, long methodSeconds, long classSeconds) {
    this.results = results;
    methodNanos = TimeUnit.SECONDS.toNanos(methodSeconds);
    classNanos = TimeUnit.SECONDS.toNanos(classSeconds);
  }

  public static void main(String[] arguments) throws Exception {
    Path classes = Paths.get(arguments[1]);
    Path work = classes.getParent();
    Path current = work.resolve("current-" + arguments[0]);
    Runner runner = new Runner(Paths.get(arguments[2]), Long.parseLong(arguments[3]), Long.parseLong(arguments[4]));
    runner.watch(current);
    int count = 0;
    if (Files.exists(current)) {
      runner.run(new String(Files.readAllBytes(current), StandardCharsets.UTF_8));
      Files.delete(current);
      count++;
    }
    for (String line : Files.readAllLines(classes)) {
      String name = line.split(" ")[0];
      if (!claim(work.resolve("claims").resolve(name))) continue;
      Files.write(current, line.getBytes(StandardCharsets.UTF_8));
      runner.run(line);
      Files.delete(current);
      if (++count == CLASSES_MAX) System.exit(MORE);
    }
    System.exit(0);  // threads of tests may still be alive
  }

  private static boolean claim(Path file) throws IOException {
    try {
      Files.createFile(file);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  // 'line' is the class, and behind it "-METHOD" for each method that is to be left out.
  private void run(String line) throws Exception {
    String[] words = line.split(" +");
    testClass = words[0];
    finished = finishedMethods();
    leftOut.clear();
    for (int i = 1; i < words.length; i++) leftOut.add(words[i].substring(1));
    int serversBefore = BennuServer.starts();
    passedSome = false;
    Cluster.forgetServerCode();
    // Some classes leave a clock of their own behind, or have turned authentication on.
    EnvironmentEdgeManager.reset();
    UserGroupInformation.reset();
    classStart = System.nanoTime();
    begin(FIXTURE);
    JUnitCore core = new JUnitCore();
    core.addListener(this);
    try {
      Request request = Request.aClass(Class.forName("org.apache.hadoop.hbase." + testClass));
      core.run(finished.isEmpty() && leftOut.isEmpty() ? request : request.filterWith(new Unfinished()));
    } catch (Throwable e) {
      fail(e);
    }
    Cluster.endAll();
    removeOutput();
    if (BennuServer.starts() == serversBefore && passedSome) {
      fail(new IllegalStateException("the class has not started a server"));
    }
    if (!outcome.equals("pass")) write(FIXTURE);
    method = null;
  }

  // Jobs write below the current directory, and fail where there is the output of another class.
  private static void removeOutput() throws IOException {
    try (Stream<Path> files = Files.walk(Paths.get(""))) {
      files.filter(file -> !file.toString().isEmpty() && !file.startsWith("target"))
          .sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  private Set<String> finishedMethods() throws IOException {
    Set<String> methods = new HashSet<>();
    hangs = 0;
    if (!Files.exists(results)) return methods;
    List<String> lines = Files.readAllLines(results);
    for (String line : lines) {
      String[] fields = line.split("\t");
      if (!fields[0].equals(testClass)) continue;
      methods.add(fields[1]);
      if (fields[2].equals("hang")) hangs++;
    }
    return methods;
  }

  private final class Unfinished extends Filter {
    @Override
    public boolean shouldRun(Description test) {
      if (test.isTest()) {
        String name = methodOf(test);
        return !finished.contains(name) && !leftOut.contains(name.replaceAll("\\[.*", ""));
      }
      return test.getChildren().stream().anyMatch(this::shouldRun);
    }

    @Override
    public String describe() {
      return "without an outcome";
    }
  }

  private static String methodOf(Description test) {
    String name = test.getMethodName();
    return name == null ? FIXTURE : name.replaceAll("\\s+", " ");
  }

  private synchronized void begin(String name) {
    method = name;
    methodStart = System.nanoTime();
    outcome = "pass";
    message = "";
  }

  @Override
  public void testStarted(Description test) {
    begin(methodOf(test));
  }

  @Override
  public void testFailure(Failure failure) throws IOException {
    String name = methodOf(failure.getDescription());
    if (name.equals(FIXTURE)) {
      begin(FIXTURE);
      fail(failure.getException());
      write(FIXTURE);
      begin(FIXTURE);
    } else {
      fail(failure.getException());
    }
  }

  private synchronized void fail(Throwable error) {
    // What happens last, in the end of a fixture, is seldom the reason.
    if (!outcome.equals("pass")) return;
    outcome = NeedsInsides.caused(error) ? "insides" : "fail";
    message = oneLine(error) + Cluster.serverCode();
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    System.out.println("== " + testClass + " " + method + "\n" + text);
  }

  private static String oneLine(Throwable error) {
    Throwable last = error;
    for (int depth = 0; last.getCause() != null && depth < 20; depth++) last = last.getCause();
    String text = String.valueOf(error) + (last == error ? "" : " <- " + last);
    for (StackTraceElement frame : error.getStackTrace()) {
      if (frame.getFileName() != null && frame.getFileName().startsWith("Test")) {
        text = frame.getFileName() + ":" + frame.getLineNumber() + " " + text;
        break;
      }
    }
    // Row keys in messages are bytes of any kind.
    text = text.replaceAll("\\s+", " ").replaceAll("[^ -~]", "?");
    return text.length() > 400 ? text.substring(0, 400) : text;
  }

  @Override
  public void testAssumptionFailure(Failure failure) {
    skip(String.valueOf(failure.getMessage()));
  }

  private synchronized void skip(String why) {
    outcome = "skip";
    message = why.replaceAll("\\s+", " ");
  }

  @Override
  public void testFinished(Description test) throws IOException {
    if (outcome.equals("pass")) passedSome = true;
    write(methodOf(test));
    begin(FIXTURE);
  }

  private synchronized void write(String name) throws IOException {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - methodStart);
    String line = String.join("\t", testClass, name, outcome, Long.toString(millis), message) + "\n";
    // One call for each line: several processes append.
    Files.write(results, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private void watch(Path current) {
    Thread watcher = new Thread(() -> {
      try {
        ProcessHandle parent = ProcessHandle.current().parent().orElse(null);
        while (true) {
          Thread.sleep(500);
          check(current);
          // Nobody reads the results any more; the servers must not stay.
          if (parent != null && !parent.isAlive()) {
            BennuServer.endAll();
            end(1);
          }
        }
      } catch (Throwable e) {
        e.printStackTrace();
        end(1);
      }
    }, "watch");
    watcher.setDaemon(true);
    watcher.start();
  }

  private synchronized void check(Path current) throws IOException {
    if (method == null) return;
    long now = System.nanoTime();
    boolean classIsOver = now - classStart > classNanos;
    if (now - methodStart <= methodNanos && !classIsOver) return;
    System.out.println("== " + testClass + " " + method + ": it hangs");
    Thread.getAllStackTraces().forEach((thread, frames) -> {
      if (frames.length == 0 || !thread.getName().matches("main|Time-limited.*|Test.*")) return;
      System.out.println("-- " + thread.getName());
      for (StackTraceElement frame : frames) System.out.println("   at " + frame);
    });
    outcome = "hang";
    message = classIsOver ? "the class takes too long" : "takes too long";
    write(method);
    // A class that takes too long as a whole, whose fixture hangs, or with many that hang, is not begun again.
    if (classIsOver || method.equals(FIXTURE) || ++hangs == HANGS_MAX) Files.delete(current);
    BennuServer.endAll();
    System.out.flush();
    end(HANG);
  }

  // HBase's SystemExitRule sets a security manager that makes an exception of every end of the process.
  @SuppressWarnings("removal")
  private static void end(int status) {
    if (System.getSecurityManager() != null) System.setSecurityManager(null);
    Runtime.getRuntime().halt(status);
  }

  // Used by JUnit for methods that a rule or an annotation leaves out.
  @Override
  public void testIgnored(Description test) throws IOException {
    begin(methodOf(test));
    skip("ignored by HBase");
    write(methodOf(test));
    begin(FIXTURE);
  }
}
