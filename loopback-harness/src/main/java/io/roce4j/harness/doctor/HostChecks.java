// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.doctor;

import io.roce4j.harness.cli.ByteSize;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeException;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.NativeSupport;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.memory.JvmFlags;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Checks of the host that need no port: the Java machine, socket buffers, what the kernel can do
 * for UDP, what else may sit on UDP 4791. Files are read below a root, so that tests can show
 * another host.
 */
final class HostChecks {
  private static final int LEAST_JDK = 25;

  private final Path root;

  /**
   * Checks a host.
   *
   * @param root {@code /}, or a folder that stands for it
   */
  HostChecks(Path root) {
    this.root = root;
  }

  /** The JDK and its flags. */
  static Finding jdk(int feature, String missingFlag) {
    if (feature < LEAST_JDK) {
      return Finding.fail(
          "JDK",
          "this is JDK " + feature + ", roce4j needs " + LEAST_JDK + " or newer",
          "install a JDK " + LEAST_JDK + ", or set JAVA_HOME to one");
    }
    if (missingFlag != null) {
      return Finding.fail(
          "JDK", missingFlag, "start the tools with ./roce4j, which sets the flags");
    }
    return Finding.ok("JDK", "JDK " + feature + " with the flags it needs");
  }

  /** The JVM this runs in. */
  static Finding jdk() {
    String missing = null;
    try {
      JvmFlags.check();
    } catch (IllegalStateException e) {
      missing = e.getMessage();
    }
    return jdk(Runtime.version().feature(), missing);
  }

  /** Whether the kernel grants the socket buffers that ports ask for. */
  Finding buffers() {
    long receive = number("proc/sys/net/core/rmem_max");
    long send = number("proc/sys/net/core/wmem_max");
    int wanted = PortSettings.DEFAULT_BUFFER_BYTES;
    if (receive < 0 || send < 0) {
      return Finding.ok("buffers", "no limits to read here");
    }
    String text =
        "net.core.rmem_max "
            + ByteSize.format(receive)
            + ", net.core.wmem_max "
            + ByteSize.format(send);
    if (receive >= wanted && send >= wanted) {
      return Finding.ok("buffers", text);
    }
    return Finding.warn(
        "buffers",
        text
            + ": ports ask for "
            + ByteSize.format(wanted)
            + "; a burst that does not fit is dropped by this host",
        "sysctl -w net.core.rmem_max=" + wanted + " net.core.wmem_max=" + wanted);
  }

  private long number(String file) {
    try {
      // In one read: the files of /proc/sys have no second half.
      List<String> lines = Files.readAllLines(root.resolve(file), StandardCharsets.US_ASCII);
      return lines.isEmpty() ? -1 : Long.parseLong(lines.getFirst().strip());
    } catch (IOException | NumberFormatException e) {
      // Not Linux, or not readable: there is nothing to judge.
      return -1;
    }
  }

  /** Segmentation and coalescing of UDP by the kernel, as a socket of this host answers. */
  static Finding segmentation() {
    String unsupported = NativeSupport.unsupportedReason();
    if (unsupported != null) {
      return segmentation(unsupported, false, false);
    }
    try (Libc libc = new Libc();
        NativeSocket socket =
            NativeSocket.open(libc, SocketOptions.AF_INET, SocketOptions.SOCK_DGRAM, 0)) {
      return segmentation(
          null,
          socket.set(SocketOptions.SOL_UDP, SocketOptions.UDP_SEGMENT, 0) == 0,
          socket.set(SocketOptions.SOL_UDP, SocketOptions.UDP_GRO, 1) == 0);
    } catch (NativeException e) {
      return segmentation(e.getMessage(), false, false);
    }
  }

  static Finding segmentation(String unsupported, boolean segments, boolean coalesces) {
    if (unsupported != null) {
      return Finding.warn(
          "GSO and GRO",
          "not to be had: " + unsupported + "; every packet costs a system call",
          "use Linux 5.0 or newer on x86-64 or aarch64");
    }
    if (segments && coalesces) {
      return Finding.ok("GSO and GRO", "UDP_SEGMENT and UDP_GRO: a train is one system call");
    }
    return Finding.warn(
        "GSO and GRO",
        "the kernel has "
            + (segments ? "no UDP_GRO" : coalesces ? "no UDP_SEGMENT" : "neither of them")
            + ": every packet costs a system call",
        "use Linux 5.0 or newer");
  }

  /** The kernel's own RoCE driver, which owns UDP 4791 in its network namespace. */
  Finding kernelDriver() {
    if (!Files.exists(root.resolve("sys/module/rdma_rxe"))) {
      return Finding.ok("rdma_rxe", "the kernel driver is not loaded");
    }
    List<String> links = names("sys/class/infiniband");
    return Finding.warn(
        "rdma_rxe",
        "the kernel driver is loaded"
            + (links.isEmpty() ? "" : " with devices " + String.join(", ", links))
            + ": once it has a link it owns UDP port 4791",
        "rdma link delete NAME, or rmmod rdma_rxe, or use another --udp-port");
  }

  private List<String> names(String folder) {
    try (var entries = Files.list(root.resolve(folder))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      // The folder comes with the first device.
      return List.of();
    }
  }

  /** Tables of the packet filter that are in use, as far as the kernel tells. */
  Finding packetFilter() {
    StringBuilder tables = new StringBuilder();
    for (String file : List.of("ip_tables_names", "ip6_tables_names")) {
      for (String name : lines(root.resolve("proc/thread-self/net").resolve(file))) {
        append(tables, name, file);
      }
    }
    if (tables.isEmpty()) {
      return Finding.ok("packet filter", "no iptables table is loaded");
    }
    return Finding.warn(
        "packet filter",
        "iptables tables are loaded (" + tables + "): a rule may drop RoCE packets of peers",
        "iptables -A INPUT -p udp --dport 4791 -j ACCEPT, on both hosts");
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      // No iptables in this kernel, or no right to look: the probe through the port will tell.
      return List.of();
    }
  }

  private static void append(StringBuilder tables, String name, String file) {
    tables.append(tables.isEmpty() ? "" : ", ").append(file.startsWith("ip6") ? "IPv6 " : "IPv4 ");
    tables.append(name);
  }
}
