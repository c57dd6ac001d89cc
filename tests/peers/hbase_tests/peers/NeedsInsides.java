package peers;

/** A test asked for an object of the Java server's process. It says nothing about the server that is tested. */
public final class NeedsInsides extends UnsupportedOperationException {
  private static final long serialVersionUID = 1;

  public NeedsInsides(String what) {
    super("needs the insides of a Java server: " + what);
  }

  /** Whether 'error' was caused by one, at whatever depth. */
  static boolean caused(Throwable error) {
    // Chains of causes may be circular; no sensible one is as deep as this.
    for (int depth = 0; error != null && depth < 50; depth++, error = error.getCause()) {
      if (error instanceof NeedsInsides) return true;
      // HBase's client turns some causes into text.
      if (error.getMessage() != null && error.getMessage().contains(NeedsInsides.class.getName())) return true;
    }
    return false;
  }
}
