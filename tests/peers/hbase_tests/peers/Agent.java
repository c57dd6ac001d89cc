package peers;

import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.MethodDelegation;
import net.bytebuddy.implementation.bind.annotation.AllArguments;
import net.bytebuddy.implementation.bind.annotation.Origin;
import net.bytebuddy.implementation.bind.annotation.RuntimeType;
import net.bytebuddy.implementation.bind.annotation.This;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.HBaseZKTestingUtility;
import org.apache.hadoop.hbase.TableName;

/**
 * A Java agent that puts Cluster behind HBase's HBaseTestingUtility: the tests themselves stay as they were published.
 * Servers of HBase itself are never made, so that no test passes by asking one of them.
 */
public final class Agent {
  private static final String HBASE = "org.apache.hadoop.hbase.";

  private Agent() {}

  /** In place of each method that starts, ends or looks into a mini cluster. */
  public static final class InPlace {
    @RuntimeType
    public static Object call(@This Object utility, @Origin Method method, @AllArguments Object[] arguments)
        throws Exception {
      return Cluster.call((HBaseZKTestingUtility) utility, method, arguments);
    }
  }

  /** In place of a helper that waits for the objects of a table's regions. */
  public static final class TableOnline {
    public static void call(HBaseTestingUtility utility, TableName table) throws IOException, InterruptedException {
      utility.waitTableAvailable(table);
    }
  }

  /** Before a server of HBase's is made. */
  public static final class NoServer {
    @Advice.OnMethodEnter
    public static void refuse(@Advice.Origin("#t") String type) {
      throw new NeedsInsides("new " + type);
    }
  }

  /** Before a coprocessor is put into a table's descriptor. */
  public static final class ServerCode {
    @Advice.OnMethodEnter
    public static void note(@Advice.Argument(0) Object code) {
      Cluster.noteServerCode(code);
    }
  }

  /** Before a call whose cells may hide later ones. */
  public static final class Hides {
    @Advice.OnMethodEnter
    public static void note() {
      Cluster.hides();
    }
  }

  /** Before a call that may write. */
  public static final class Writes {
    @Advice.OnMethodEnter
    public static void note() {
      Cluster.writes();
    }
  }

  public static void premain(String argument, Instrumentation instrumentation) {
    new AgentBuilder.Default()
        // A class that could not be changed would start Java's servers; say why.
        .with(AgentBuilder.Listener.StreamWriting.toSystemOut().withErrorsOnly())
        .type(namedOneOf(HBASE + "HBaseTestingUtility", HBASE + "HBaseZKTestingUtility"))
        .transform((builder, type, loader, module, domain) -> builder.method(namedOneOf(
                "startMiniCluster", "startMiniHBaseCluster", "restartHBaseCluster", "shutdownMiniHBaseCluster",
                "killMiniHBaseCluster", "shutdownMiniCluster", "getMiniHBaseCluster", "getHBaseCluster",
                "getHBaseClusterInterface", "startMiniZKCluster", "getZkCluster", "shutdownMiniZKCluster",
                "startMiniDFSCluster", "shutdownMiniDFSCluster", "startMiniMapReduceCluster",
                "shutdownMiniMapReduceCluster", "waitUntilNoRegionsInTransition", "ensureSomeRegionServersAvailable",
                "ensureSomeNonStoppedRegionServersAvailable", "flush", "compact", "getDFSCluster",
                "getDefaultRootDirPath", "getRSForFirstRegionInTable", "getOtherRegionServer",
                "getSplittableRegion", "assignRegion",
                "moveRegionAndWait", "expireMasterSession", "expireRegionServerSession", "expireSession",
                "predicateNoRegionsInTransition", "getNumHFiles", "getNumHFilesForRS", "assertRegionOnServer",
                "assertRegionOnlyOnServer")
            .and(m -> !m.isStatic()))
            .intercept(MethodDelegation.to(InPlace.class)))
        .type(named(HBASE + "snapshot.SnapshotTestingUtils"))
        .transform((builder, type, loader, module, domain) -> builder.method(named("waitForTableToBeOnline"))
            .intercept(MethodDelegation.to(TableOnline.class)))
        .type(namedOneOf(HBASE + "master.HMaster", HBASE + "regionserver.HRegionServer"))
        .transform((builder, type, loader, module, domain) -> builder.visit(
            Advice.to(NoServer.class).on(named("<init>").or(m -> m.isConstructor()))))
        .type(namedOneOf(HBASE + "client.TableDescriptorBuilder$ModifyableTableDescriptor"))
        .transform((builder, type, loader, module, domain) -> builder.visit(
            Advice.to(ServerCode.class).on(named("setCoprocessor"))))
        // Those that do both wait first.
        .type(nameStartsWith(HBASE + "client.HTable").or(nameStartsWith(HBASE + "client.RawAsyncTableImpl")))
        .transform((builder, type, loader, module, domain) -> builder
            .visit(Advice.to(Hides.class).on(namedOneOf(
                "delete", "deleteAll", "batch", "batchAll", "mutateRow", "checkAndMutate", "checkAndDelete",
                "thenDelete", "thenMutate", "append", "increment", "incrementColumnValue")))
            .visit(Advice.to(Writes.class).on(namedOneOf(
                "put", "putAll", "batch", "batchAll", "mutateRow", "checkAndMutate", "checkAndPut", "thenPut",
                "thenMutate", "append", "increment", "incrementColumnValue"))))
        .installOn(instrumentation);
  }
}
