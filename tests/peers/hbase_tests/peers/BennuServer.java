package peers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * A `bennu serve` that takes the place of one mini cluster: its own directory and ports, which it keeps over restarts.
 * A start takes a tenth of a second, so every cluster of a test gets a server of its own, with its own configuration.
 * Not thread-safe, but for endAll.
 */
final class BennuServer {
  private static final Path WORK = Paths.get(System.getProperty("peers.work"));
  private static final Path LOG = Paths.get(System.getProperty("peers.server.log"));
  private static final String PROGRAM = System.getProperty("peers.bennu");
  private static final int START_SECONDS_MAX = 60;
  private static final int STOP_SECONDS_MAX = 60;
  private static final Pattern READY =
      Pattern.compile("zookeeper=\\S*:(\\d+) master=\\S*:(\\d+) regionserver=\\S*:(\\d+)");
  private static final AtomicInteger starts = new AtomicInteger();
  private static final Set<BennuServer> running = ConcurrentHashMap.newKeySet();
  // The server has HBase's defaults of its own; it must get the difference alone.
  private static final Configuration DEFAULTS = defaults();

  private final Path home;
  private Process process;
  private String[] ports = {"0", "0", "0"};

  private static Configuration defaults() {
    Configuration defaults = new Configuration(false);
    defaults.addResource("hbase-default.xml");
    return defaults;
  }

  BennuServer() throws IOException {
    home = Files.createTempDirectory(WORK, "server");
  }

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(BennuServer::endAll));
  }

  /** How many were started since the start of this process. */
  static int starts() {
    return starts.get();
  }

  /** Ends all that run, without the niceties. */
  static void endAll() {
    for (BennuServer server : running) server.kill();
  }

  Path root() {
    return home.resolve("store");
  }

  boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** Starts it with what 'test' sets, and writes into 'test' where it is. */
  void start(Configuration test) throws IOException, InterruptedException {
    Path ready = home.resolve("ready");
    Files.deleteIfExists(ready);
    Path site = home.resolve("hbase-site.xml");
    writeSite(test, site);
    process = new ProcessBuilder(PROGRAM, "serve", root().toString(), "--config", site.toString(),
            "--zk-port", ports[0], "--master-port", ports[1], "--rs-port", ports[2], "--http-port", "none", "--phoenix-port", "none",
            "--ready-file", ready.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
        .start();
    running.add(this);
    starts.incrementAndGet();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (!Files.exists(ready) || Files.size(ready) == 0) {
      if (!process.isAlive()) throw new IOException("the server refused to start: " + lastWords());
      if (System.nanoTime() > end) throw new IOException("the server is not ready after " + START_SECONDS_MAX + " s");
      Thread.sleep(10);
    }
    Matcher line = READY.matcher(new String(Files.readAllBytes(ready), StandardCharsets.UTF_8));
    if (!line.find()) throw new IOException("no ports in " + ready);
    ports = new String[] {line.group(1), line.group(2), line.group(3)};
    pointAtIt(test);
  }

  private void pointAtIt(Configuration test) {
    test.set("hbase.zookeeper.quorum", "127.0.0.1");
    test.set("hbase.zookeeper.property.clientPort", ports[0]);
    test.set("zookeeper.znode.parent", "/hbase");
    test.set("hbase.masters", "localhost:" + ports[1]);
    test.set("hbase.master.port", ports[1]);
    test.set("hbase.client.bootstrap.servers", "localhost:" + ports[2]);
    test.set("hbase.regionserver.port", ports[2]);
    test.set("hbase.rootdir", root().toUri().toString());
    test.set("fs.defaultFS", "file:///");
  }

  // The server names properties that it does not know in a warning, so all may be given; but not where it is, nor
  // what concerns clients alone, nor classes of Java.
  private static void writeSite(Configuration test, Path site) throws IOException {
    Configuration given = new Configuration(false);
    // As HBase has it by default: a write waits for the operating system, not for the disk.
    given.set("hbase.wal.hsync", "false");
    for (Map.Entry<String, String> property : test) {
      String name = property.getKey();
      if (!name.startsWith("hbase.") && !name.startsWith("hfile.")) continue;
      if (name.startsWith("hbase.zookeeper.") || name.startsWith("hbase.coprocessor.")) continue;
      if (name.equals("hbase.rootdir") || name.equals("hbase.masters") || name.endsWith(".dir")) continue;
      if (name.endsWith(".port") || name.endsWith(".hostname") || name.endsWith(".bindAddress")) continue;
      String value = test.get(name);
      if (value == null || value.equals(DEFAULTS.get(name))) continue;
      given.set(name, value);
    }
    try (OutputStream out = Files.newOutputStream(site)) {
      given.writeXml(out);
    }
  }

  /** As SIGTERM ends it: everything is flushed. It can be started again. */
  void stop() throws IOException {
    if (!isRunning()) return;
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        kill();
        throw new IOException("the server did not end within " + STOP_SECONDS_MAX + " s");
      }
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
    }
    running.remove(this);
  }

  /** As SIGKILL ends it. It can be started again. */
  void kill() {
    running.remove(this);
    if (process == null) return;
    process.destroyForcibly();
    try {
      // Its directory is free, and isRunning() is false, only once it is gone.
      process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends it for good, its directory included. */
  void discard() throws IOException {
    stop();
    try (Stream<Path> files = Files.walk(home)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  private static String lastWords() throws IOException {
    String log = new String(Files.readAllBytes(LOG), StandardCharsets.UTF_8);
    String[] lines = log.split("\n");
    return lines[lines.length - 1];
  }
}
