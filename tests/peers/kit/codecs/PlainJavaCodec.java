package peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.io.compress.*;

/**
 * SNAPPY, LZ4 and ZSTD for HBase without native libraries: aircompressor's codecs, in Hadoop's framing.
 * These only offer streams, while HBase first asks for a compressor and looks whether it is idle; so it
 * gets one that always is, and the streams do the work.
 */
public abstract class PlainJavaCodec implements CompressionCodec, Configurable {
  public static class Snappy extends PlainJavaCodec {
    public Snappy() { super(new io.airlift.compress.snappy.SnappyCodec()); }
  }

  public static class Lz4 extends PlainJavaCodec {
    public Lz4() { super(new io.airlift.compress.lz4.Lz4Codec()); }
  }

  public static class Zstd extends PlainJavaCodec {
    public Zstd() { super(new io.airlift.compress.zstd.ZstdCodec()); }
  }

  private final CompressionCodec streams;
  private Configuration conf;

  private PlainJavaCodec(CompressionCodec streams) { this.streams = streams; }

  @Override public void setConf(Configuration given) {
    conf = given;
    if (streams instanceof Configurable) ((Configurable) streams).setConf(given);
  }
  @Override public Configuration getConf() { return conf; }

  private static <T> T idle(Class<T> kind) {
    return kind.cast(Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind},
        (self, method, arguments) -> {
          if (method.getName().equals("hashCode")) return System.identityHashCode(self);
          if (method.getName().equals("equals")) return self == arguments[0];
          Class<?> returned = method.getReturnType();
          if (returned == boolean.class) return false;
          if (returned == int.class) return 0;
          return returned == long.class ? (Object) 0L : null;
        }));
  }

  @Override public CompressionOutputStream createOutputStream(OutputStream out) throws IOException {
    return streams.createOutputStream(out);
  }
  @Override public CompressionOutputStream createOutputStream(OutputStream out, Compressor ignored)
      throws IOException {
    return streams.createOutputStream(out);
  }
  @Override public Class<? extends Compressor> getCompressorType() {
    return createCompressor().getClass();
  }
  @Override public Compressor createCompressor() { return idle(Compressor.class); }
  @Override public CompressionInputStream createInputStream(InputStream in) throws IOException {
    return streams.createInputStream(in);
  }
  @Override public CompressionInputStream createInputStream(InputStream in, Decompressor ignored)
      throws IOException {
    return streams.createInputStream(in);
  }
  @Override public Class<? extends Decompressor> getDecompressorType() {
    return createDecompressor().getClass();
  }
  @Override public Decompressor createDecompressor() { return idle(Decompressor.class); }
  @Override public String getDefaultExtension() { return streams.getDefaultExtension(); }
}
