// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeSupport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Two network namespaces with a pair of virtual Ethernet interfaces between them, made for one test
 * and removed after it. A thread enters one to open sockets there and comes back.
 */
@SuppressWarnings("restricted") // open and setns are not in the library: it has no use for them.
public final class NetworkNamespaces implements AutoCloseable {
  /** The side that mostly sends. */
  public static final int LEFT = 1;

  /** The side that mostly receives. */
  public static final int RIGHT = 2;

  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle OPEN =
      handle("open", ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
  private static final MethodHandle SETNS =
      handle("setns", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final int CLONE_NEWNET = 0x40000000;
  private static final int O_CLOEXEC = 0x80000;

  private final String prefix = "roce4j" + ProcessHandle.current().pid() + NEXT.getAndIncrement();

  private NetworkNamespaces() {}

  /**
   * Why namespaces cannot be made here.
   *
   * @return the reason, or null
   */
  public static String unavailableReason() {
    if (NativeSupport.unsupportedReason() != null) {
      return NativeSupport.unsupportedReason();
    }
    NetworkNamespaces trial = new NetworkNamespaces();
    try {
      String failure = trial.attempt("netns", "add", trial.name(LEFT));
      if (failure != null) {
        return "no right to make network namespaces: " + failure;
      }
      return trial.attempt(
          "-n", trial.name(LEFT), "link", "add", "vl", "type", "veth", "peer", "name", "vr");
    } finally {
      trial.close();
    }
  }

  /**
   * Makes them.
   *
   * @param mtu of the link
   * @return two, connected
   */
  public static NetworkNamespaces create(int mtu) {
    NetworkNamespaces made = new NetworkNamespaces();
    try {
      made.ip("netns", "add", made.name(LEFT));
      made.ip("netns", "add", made.name(RIGHT));
      made.ip(
          "link",
          "add",
          "ve",
          "netns",
          made.name(LEFT),
          "type",
          "veth",
          "peer",
          "name",
          "ve",
          "netns",
          made.name(RIGHT));
      for (int side = LEFT; side <= RIGHT; side++) {
        made.in(side, "link", "set", "lo", "up");
        made.in(side, "addr", "add", ipv4(side) + "/24", "dev", "ve");
        made.in(side, "addr", "add", ipv6(side) + "/64", "dev", "ve", "nodad");
        made.in(side, "link", "set", "ve", "up", "mtu", Integer.toString(mtu));
      }
      made.awaitCarrier();
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /** The kernel notices the carrier of a new link up to a second later. */
  void awaitCarrier() {
    long deadline = System.nanoTime() + 5_000_000_000L;
    for (int side = LEFT; side <= RIGHT; side++) {
      while (!inside(side, NetworkNamespaces::linkIsUp)) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("the virtual link does not come up");
        }
        LockSupport.parkNanos(5_000_000);
      }
    }
  }

  private static boolean linkIsUp() {
    try {
      return NetworkInterface.getByName("ve").isUp();
    } catch (SocketException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The link's number in the namespace the thread is in. */
  static int linkIndex() {
    try {
      return NetworkInterface.getByName("ve").getIndex();
    } catch (SocketException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The address of a side.
   *
   * @param side {@link #LEFT} or {@link #RIGHT}
   * @return IPv4, as text
   */
  public static String ipv4(int side) {
    return "10.47.91." + side;
  }

  static String ipv6(int side) {
    return "fd47:91::" + side;
  }

  static String address(int side, boolean ipv6) {
    return ipv6 ? ipv6(side) : ipv4(side);
  }

  private String name(int side) {
    return prefix + (side == LEFT ? "l" : "r");
  }

  /** Makes the kernel cut segmented datagrams up before they reach the interface, or not. */
  void segmentInSoftware(int side, boolean on) {
    inside(
        side, () -> LinkFeatures.set("ve", !on, "tx-generic-segmentation", "tx-udp-segmentation"));
  }

  /**
   * Makes the right side coalesce what arrives, as an adapter's driver does, or not. A virtual link
   * does so only when its other end does not segment TCP itself.
   */
  void coalesceOnReceive(boolean on) {
    inside(
        LEFT,
        () ->
            LinkFeatures.set(
                "ve",
                !on,
                "tx-tcp-segmentation",
                "tx-tcp-ecn-segmentation",
                "tx-tcp-mangleid-segmentation",
                "tx-tcp6-segmentation"));
    inside(RIGHT, () -> LinkFeatures.set("ve", on, "rx-gro"));
  }

  /** Runs {@code ip} with arguments in a namespace. */
  void in(int side, String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = name(side);
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    ip(all);
  }

  /** Runs {@code tc} with arguments in a namespace. */
  void tc(int side, String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "tc";
    all[1] = "-n";
    all[2] = name(side);
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    String failure = run(all);
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  private void ip(String... arguments) {
    String failure = attempt(arguments);
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  private String attempt(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "ip";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return run(command);
  }

  /** Null, or what went wrong. */
  private static String run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return String.join(" ", command) + " hangs";
      }
      return process.exitValue() == 0 ? null : String.join(" ", command) + ": " + output.trim();
    } catch (IOException e) {
      return command[0] + ": " + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  /**
   * Does something with this thread in a namespace.
   *
   * @param side {@link #LEFT} or {@link #RIGHT}
   * @param work what to do
   * @param <T> what comes of it
   * @return what came of it
   */
  public <T> T inside(int side, Supplier<T> work) {
    int home = open("/proc/thread-self/ns/net");
    int there = open("/var/run/netns/" + name(side));
    try (Libc libc = new Libc()) {
      enter(there);
      try {
        return work.get();
      } finally {
        enter(home);
        libc.close(there);
        libc.close(home);
      }
    }
  }

  private static int open(String path) {
    try (Arena arena = Arena.ofConfined()) {
      int fd = (int) OPEN.invokeExact(arena.allocateFrom(path), O_CLOEXEC);
      if (fd < 0) {
        throw new IllegalStateException("cannot open " + path);
      }
      return fd;
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void enter(int fd) {
    try {
      int result = (int) SETNS.invokeExact(fd, CLONE_NEWNET);
      if (result != 0) {
        throw new UncheckedIOException(new IOException("setns fails"));
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle handle(String name, ValueLayout... arguments) {
    MemorySegment symbol = LINKER.defaultLookup().find(name).orElseThrow();
    return LINKER.downcallHandle(symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
  }

  @Override
  public void close() {
    for (int side = LEFT; side <= RIGHT; side++) {
      // One that was never made cannot be removed; nothing is left behind either way.
      attempt("netns", "del", name(side));
    }
  }
}
