// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The kernel's drop and error counters at one moment: of interfaces, under the names of {@code ip
 * -s link} in sysfs, and of UDP over IPv4 and IPv6, under the names of {@code nstat}. Immutable.
 *
 * <p>Of the network namespace that the reading thread is in. Where there is no Linux there are no
 * groups.
 *
 * @param groups from the group (an interface's name, {@code udp}, {@code udp6}) to its counters
 */
public record HostCounters(Map<String, Map<String, Long>> groups) {
  private static final Path NETWORK = Path.of("/proc/thread-self/net");
  private static final String UDP = "udp";
  private static final String UDP6 = "udp6";

  // Columns of /proc/net/dev behind the name.
  private static final Map<String, Integer> INTERFACE_COLUMNS = new LinkedHashMap<>();

  static {
    INTERFACE_COLUMNS.put("rx_errors", 2);
    INTERFACE_COLUMNS.put("rx_dropped", 3);
    INTERFACE_COLUMNS.put("rx_fifo_errors", 4);
    INTERFACE_COLUMNS.put("tx_errors", 10);
    INTERFACE_COLUMNS.put("tx_dropped", 11);
    INTERFACE_COLUMNS.put("tx_fifo_errors", 12);
    INTERFACE_COLUMNS.put("tx_carrier_errors", 14);
  }

  private static final Set<String> UDP_NAMES =
      Set.of("InErrors", "RcvbufErrors", "SndbufErrors", "InCsumErrors", "MemErrors");

  /**
   * One counter at two moments.
   *
   * @param group an interface's name, {@code udp} or {@code udp6}
   * @param name of the counter
   * @param before value at the first moment
   * @param after value at the second
   */
  public record Change(String group, String name, long before, long after) {
    /**
     * What was added.
     *
     * @return after minus before
     */
    public long moved() {
      return after - before;
    }
  }

  /**
   * Reads the counters now.
   *
   * @param interfaces which interfaces are of interest
   * @return what there is
   */
  public static HostCounters read(Collection<String> interfaces) {
    return read(NETWORK, interfaces);
  }

  static HostCounters read(Path network, Collection<String> interfaces) {
    Map<String, Map<String, Long>> groups = new LinkedHashMap<>();
    for (String line : lines(network.resolve("dev"))) {
      readInterface(line, interfaces, groups);
    }
    List<String> snmp = lines(network.resolve("snmp"));
    for (int i = 0; i + 1 < snmp.size(); i++) {
      if (snmp.get(i).startsWith("Udp: ") && snmp.get(i + 1).startsWith("Udp: ")) {
        readTable(snmp.get(i), snmp.get(i + 1), groups);
        i++;
      }
    }
    for (String line : lines(network.resolve("snmp6"))) {
      readLine(line, groups);
    }
    return new HostCounters(groups);
  }

  private static void readInterface(
      String line, Collection<String> interfaces, Map<String, Map<String, Long>> groups) {
    int colon = line.indexOf(':');
    if (colon < 0 || !interfaces.contains(line.substring(0, colon).strip())) {
      return;
    }
    String[] columns = line.substring(colon + 1).strip().split("\\s+", -1);
    Map<String, Long> counters = new LinkedHashMap<>();
    INTERFACE_COLUMNS.forEach(
        (name, column) -> {
          if (column < columns.length) {
            counters.put(name, Long.parseUnsignedLong(columns[column]));
          }
        });
    groups.put(line.substring(0, colon).strip(), counters);
  }

  private static void readTable(
      String names, String values, Map<String, Map<String, Long>> groups) {
    String[] name = names.split("\\s+", -1);
    String[] value = values.split("\\s+", -1);
    for (int i = 1; i < Math.min(name.length, value.length); i++) {
      add(UDP, name[i], value[i], groups);
    }
  }

  private static void readLine(String line, Map<String, Map<String, Long>> groups) {
    String[] words = line.strip().split("\\s+", -1);
    if (words.length == 2 && words[0].startsWith("Udp6")) {
      add(UDP6, words[0].substring("Udp6".length()), words[1], groups);
    }
  }

  private static void add(
      String group, String name, String value, Map<String, Map<String, Long>> groups) {
    if (UDP_NAMES.contains(name)) {
      groups
          .computeIfAbsent(group, g -> new LinkedHashMap<>())
          .put(name, Long.parseUnsignedLong(value));
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.isReadable(file)
          ? Files.readAllLines(file, StandardCharsets.US_ASCII)
          : List.of();
    } catch (IOException e) {
      // A file of /proc that cannot be read has nothing to say; its group is missing then.
      return List.of();
    }
  }

  /**
   * Compares with an earlier moment.
   *
   * @param before the earlier moment
   * @return counters that both have, in the order of this
   */
  public List<Change> since(HostCounters before) {
    List<Change> changes = new ArrayList<>();
    groups.forEach(
        (group, counters) ->
            counters.forEach(
                (name, value) -> {
                  Long earlier = before.groups().getOrDefault(group, Map.of()).get(name);
                  if (earlier != null) {
                    changes.add(new Change(group, name, earlier, value));
                  }
                }));
    return changes;
  }
}
