// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Finds out who holds a UDP port, for the message that says so. Reads {@code /proc}; what cannot be
 * read is left out of the answer. Control path.
 */
public final class PortHolder {
  private static final Path PROC = Path.of("/proc");

  private PortHolder() {}

  /**
   * The exception for a UDP port that is taken.
   *
   * @param address local address
   * @param port UDP port
   * @return message with the holder as far as it can be known, and the ways out
   */
  public static PortException inUse(InetAddress address, int port) {
    return new PortException(
        "UDP port "
            + port
            + " on "
            + address.getHostAddress()
            + " is in use by "
            + describe(address, port)
            + ": stop it, or choose another --udp-port or --bind address");
  }

  /**
   * The exception for a source port of the pool that is taken.
   *
   * @param address local address
   * @param port UDP port
   * @param base first port of the pool
   * @param size of the pool
   * @return message with the holder and the ways out
   */
  public static PortException sourcePortInUse(InetAddress address, int port, int base, int size) {
    return new PortException(
        "UDP source port "
            + port
            + " of the pool "
            + base
            + ".."
            + (base + size - 1)
            + " on "
            + address.getHostAddress()
            + " is in use by "
            + describe(address, port)
            + ": choose another base or fewer source ports");
  }

  /**
   * Who holds a UDP port, in a few words.
   *
   * @param address local address
   * @param port UDP port
   * @return for example {@code process 4711 (java)}
   */
  public static String describe(InetAddress address, int port) {
    try {
      String inode = inodeOf(address instanceof Inet6Address ? "udp6" : "udp", port);
      String process = inode == null ? null : processOf(inode);
      if (process != null) {
        return process;
      }
    } catch (IOException | DirectoryIteratorException e) {
      return "another process (" + PROC + " cannot be read: " + e.getMessage() + ")";
    }
    if (Files.exists(Path.of("/sys/module/rdma_rxe"))) {
      return "the kernel driver rdma_rxe or another process (rdma link; rmmod rdma_rxe)";
    }
    return "another process";
  }

  private static String inodeOf(String table, int port) throws IOException {
    Path file = PROC.resolve("net").resolve(table);
    if (!Files.isReadable(file)) {
      return null;
    }
    String suffix = String.format(Locale.ROOT, ":%04X", port);
    List<String> lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
    for (String line : lines) {
      String[] words = line.trim().split("\\s+", -1);
      if (words.length > 9 && words[1].endsWith(suffix)) {
        return words[9];
      }
    }
    return null;
  }

  private static String processOf(String inode) throws IOException {
    String wanted = "socket:[" + inode + "]";
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (holds(process, wanted)) {
          String name = Files.readString(process.resolve("comm"), StandardCharsets.UTF_8).trim();
          return "process " + process.getFileName() + " (" + name + ")";
        }
      }
    }
    return null;
  }

  private static boolean holds(Path process, String wanted) {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).toString().equals(wanted)) {
          return true;
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException e) {
      // Another user's process, or one that ended meanwhile: it cannot be named.
      return false;
    }
  }
}
